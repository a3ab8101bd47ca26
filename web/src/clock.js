// Current time in a recording, for the replay and its panels.

import { untilEnd } from "./scope.js";

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Clock {
  constructor(recording) {
    this.recording = recording;
    this.time = recording.start;
    this.speed = 1;
    this.playing = false;
    this.view = null; // [from, to] of all time axes, null: everything
    this.hover = null; // row under the pointer
    this.events = []; // times, sorted
    this.listeners = { time: new Set(), hover: new Set(), view: new Set(), state: new Set() };
  }

  on(what, listener) {
    this.listeners[what].add(listener);
    return untilEnd(() => this.listeners[what].delete(listener));
  }

  tell(what) {
    for (const listener of this.listeners[what]) {
      listener(this);
    }
  }

  // The sample nearest to the displayed time: what legends and contacts in the replay tell.
  get nearest() {
    return this.recording.nearestRow(this.time);
  }

  // The displayed sample, or the last one before the displayed time.
  get row() {
    return this.recording.rowAt(this.time);
  }

  seek(t) {
    this.time = Math.min(this.recording.end, Math.max(this.recording.start, t));
    this.tell("time");
  }

  seekRow(row) {
    const last = this.recording.rows - 1;
    if (last >= 0) {
      this.seek(this.recording.time[Math.min(last, Math.max(0, row))]);
    }
  }

  // Steps by recorded samples; from between two samples, back goes to the one before.
  step(by) {
    this.pause();
    const row = this.row;
    const between = this.time > this.recording.time[row];
    this.seekRow(row + by + (between && by < 0 ? 1 : 0));
  }

  jump(direction) {
    this.pause();
    const near = 1e-12 * Math.max(1, Math.abs(this.time));
    const ahead = this.events.filter((t) => (direction > 0 ? t > this.time + near : t < this.time - near));
    if (ahead.length) {
      this.seek(direction > 0 ? ahead[0] : ahead[ahead.length - 1]);
    }
    return ahead.length > 0;
  }

  play() {
    if (this.playing || this.recording.rows < 2) {
      return;
    }
    if (this.time >= this.recording.end) {
      this.seek(this.recording.start);
    }
    this.playing = true;
    this.tell("state");
    let before = performance.now();
    const tick = (now) => {
      if (!this.playing) {
        return;
      }
      const passed = Math.max(0, now - before) / 1000;
      before = now;
      this.seek(this.time + passed * this.speed);
      if (this.time >= this.recording.end) {
        this.pause();
      } else {
        requestAnimationFrame(tick);
      }
    };
    requestAnimationFrame(tick);
  }

  pause() {
    if (this.playing) {
      this.playing = false;
      this.tell("state");
    }
  }

  toggle() {
    if (this.playing) {
      this.pause();
    } else {
      this.play();
    }
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell("state");
  }

  changeSpeed(by) {
    const at = SPEEDS.findIndex((s) => s >= this.speed * 0.999);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]);
  }

  setHover(row) {
    if (row !== this.hover) {
      this.hover = row;
      this.tell("hover");
    }
  }

  setView(view) {
    this.view = view;
    this.tell("view");
  }
}
