// The replay as a file: a picture at print resolution, a film (WebM), an animation (GIF).

import { GifWriter } from "./gif.js";

const FRAMES = 90; // of an animation, at most
const GIF_WIDTH = 480;
const PRINT_WIDTH = 2400;
const HOLD = 400; // ms

// Draws the stage at another size, calls use(), and puts everything back.
async function atSize(replay, width, height, use) {
  const { stage, clock } = replay;
  const fine = stage.fine;
  const time = clock.time;
  clock.pause();
  stage.renderer.setPixelRatio(1);
  stage.renderer.setSize(width, height, false);
  stage.camera.aspect = width / height;
  stage.camera.updateProjectionMatrix();
  stage.setFine(true);
  try {
    return await use();
  } finally {
    stage.setFine(fine);
    clock.seek(time);
    replay.fit();
  }
}

const shape = (replay) => replay.view.clientHeight / Math.max(1, replay.view.clientWidth);

export function replayPng(replay, width = PRINT_WIDTH) {
  const most = replay.stage.renderer.capabilities.maxTextureSize;
  const wide = Math.min(width, most);
  return atSize(replay, wide, Math.round(wide * shape(replay)), () => {
    replay.stage.render();
    return new Promise((resolve) => replay.stage.renderer.domElement.toBlob(resolve, "image/png"));
  });
}

// Times of the frames of an animation: the whole run at the chosen speed, within the limit.
function frameTimes(replay, rate, most) {
  const { start, end } = replay.recording;
  const seconds = (end - start) / replay.clock.speed;
  const count = Math.max(2, Math.min(most, Math.round(seconds * rate)));
  return { times: Array.from({ length: count }, (_, i) => start + ((end - start) * i) / (count - 1)), delay: Math.max(0.02, seconds / count) };
}

const nextTask = () => new Promise((resolve) => setTimeout(resolve));

// progress(part): told from time to time.
export function replayGif(replay, progress = () => {}, width = GIF_WIDTH) {
  const height = Math.round(width * shape(replay));
  return atSize(replay, width, height, async () => {
    const { times, delay } = frameTimes(replay, 20, FRAMES);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [width, height];
    const ctx = copy.getContext("2d", { willReadFrequently: true });
    const grab = (t) => {
      replay.stage.setTime(t);
      replay.stage.render();
      ctx.drawImage(replay.stage.renderer.domElement, 0, 0);
      return ctx.getImageData(0, 0, width, height).data;
    };
    // Colours of the start, the middle and the end serve for all.
    const samples = [0, 0.5, 1].map((part) => grab(times[Math.round(part * (times.length - 1))]));
    const gif = new GifWriter(width, height, samples);
    for (let i = 0; i < times.length; i++) {
      gif.add(grab(times[i]), Math.min(delay, 0.1));
      progress((i + 1) / times.length);
      await nextTask();
    }
    return new Blob([gif.finish()], { type: "image/gif" });
  });
}

export const canFilm = () => typeof MediaRecorder === "function" && MediaRecorder.isTypeSupported("video/webm");

// Plays the run once, from its start, and records what is seen.
export async function replayWebm(replay, progress = () => {}) {
  const { clock, stage, recording } = replay;
  const stream = stage.renderer.domElement.captureStream(30);
  const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  const parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  clock.seek(recording.start);
  recorder.start();
  const off = clock.on("time", () => progress((clock.time - recording.start) / (recording.end - recording.start || 1)));
  await new Promise((resolve) => {
    const done = clock.on("state", () => {
      if (!clock.playing) {
        done();
        resolve();
      }
    });
    clock.play();
  });
  off();
  await new Promise((resolve) => setTimeout(resolve, HOLD)); // the last frame is seen, and recorded
  recorder.stop();
  await stopped;
  stream.getTracks().forEach((track) => track.stop());
  return new Blob(parts, { type: "video/webm" });
}
