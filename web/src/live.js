// The engine in a page: parameters to change, and a run to act on by hand. It computes in a worker.

import { button, el, select } from "./dom.js";
import { show, withUnit } from "./numbers.js";

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2];

async function unpack(id) {
  const node = document.getElementById(id);
  const bytes = await decompressed(node.textContent).arrayBuffer();
  node.remove();
  return bytes;
}

function toBytes(base64) {
  const raw = atob(base64);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    bytes[i] = raw.charCodeAt(i);
  }
  return bytes;
}

// Decompresses without a request.
function decompressed(base64) {
  const stream = new Blob([toBytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

// Starts the worker with the scene; answers come to `listener`.
export async function startEngine(live, listener) {
  const [code, wasm] = await Promise.all([unpack("footfall-worker"), unpack("footfall-engine")]);
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => listener(data);
  const files = live.files.map(({ name, bytes }) => ({ name, bytes: toBytes(bytes) }));
  worker.postMessage({ type: "start", wasm, files, text: live.text, scene: live.scene }, [wasm]);
  return worker;
}

// ---- parameters --------------------------------------------------------------------------------------

// {value, from, to, log}: the range of a slider about a value.
function rangeOf({ value, min, max, from, to }) {
  if (Number.isFinite(from)) {
    return { from, to, log: from > 0 && to / from > 100 };
  }
  if (min !== null && max !== null && max - min <= 10) {
    return { from: min, to: max, log: false };
  }
  if (!(value > 0)) {
    return { from: min ?? -1, to: Math.min(max ?? Infinity, (min ?? 0) + 1), log: false };
  }
  return { from: Math.max(min ?? 0, value / 10), to: Math.min(max ?? Infinity, value * 10), log: true };
}

// A slider with a number box; changed(value) while it moves.
function slider(param, changed) {
  const { from, to, log } = rangeOf(param);
  const forth = (v) => (log ? Math.log(v / from) / Math.log(to / from) : (v - from) / (to - from));
  const back = (s) => Number((log ? from * (to / from) ** s : from + s * (to - from)).toPrecision(4));
  const name = param.title ?? param.symbol ?? param.name;
  const about = [param.meaning, param.unit && param.unit !== "1" ? param.unit : ""].filter(Boolean).join(", ");
  const range = el("input", { type: "range", min: "0", max: "1", step: "any", title: about, aria: { label: `${name}: ${about}` } });
  const box = el("input", { type: "number", step: "any", class: "exact", aria: { label: `${name}, exact` } });
  const put = (value) => {
    box.value = value === null ? "" : String(value);
    range.value = String(value === null ? 0 : Math.min(1, Math.max(0, forth(value))));
    range.setAttribute("aria-valuetext", value === null ? "not given" : withUnit(value, param.unit));
  };
  range.addEventListener("input", () => {
    const value = back(Number(range.value));
    put(value);
    changed(value);
  });
  box.addEventListener("change", () => {
    if (box.value !== "" && Number.isFinite(Number(box.value))) {
      put(Number(box.value));
      changed(Number(box.value));
    }
  });
  put(param.value);
  const unit = param.unit && param.unit !== "1" ? param.unit : "";
  return el("label", { class: "slider", title: about }, el("span", { class: "slider-name" }, el("bdi", {}, name)), range, box, el("span", { class: "unit" }, unit));
}

export class Live {
  constructor(live, run, renew) {
    this.run = run;
    this.renew = renew;
    this.sets = new Map(); // override by path
    this.number = 0; // of the last run asked for
    this.mode = "idle"; // idle, running, playing, paused
    this.status = el("output", { class: "live-status", aria: { live: "polite" } }, "starting the engine …");
    this.controls = el("div", { class: "live-controls" });
    this.hand = this.handBar();
    this.node = el("div", { class: "live", role: "group", aria: { label: "Live run" } },
      el("div", { class: "live-head" }, el("h3", {}, "Try it"), this.hand, this.status), this.controls);
    startEngine(live, (data) => this.answer(data)).then(
      (worker) => (this.worker = worker),
      (error) => this.say(`The engine does not start in this browser: ${error.message}`, true),
    );
    this.watchPointer();
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
  }

  // ---- controls ----------------------------------------------------------------------------

  handBar() {
    this.playButton = button("Play by hand", "Run it now", () => this.togglePlay());
    this.stepButton = button("Step", "One recorded sample on", () => this.worker.postMessage({ type: "step" }));
    this.endButton = button("Finish", "End the run by hand and show its plots and ledger", () => this.finish());
    this.resetButton = button("Reset", "Back to the values of the scene", () => this.reset());
    this.speedSelect = select("Speed by hand", SPEEDS.map((s) => [s, `${s}× real time`]), 1, (v) => {
      if (this.mode === "playing" || this.mode === "paused") {
        this.worker.postMessage({ type: "speed", speed: Number(v) });
      }
    });
    return el("div", { class: "live-bar", role: "toolbar", aria: { label: "Run by hand" } },
      this.playButton, this.stepButton, this.endButton, this.speedSelect, this.resetButton);
  }

  showMode(mode) {
    this.mode = mode;
    const byHand = mode === "playing" || mode === "paused";
    this.playButton.textContent = mode === "playing" ? "Pause" : byHand ? "Go on" : "Play by hand";
    this.stepButton.disabled = mode !== "paused";
    this.endButton.disabled = !byHand;
    this.node.dataset.mode = mode;
  }

  fill(about) {
    this.about = about;
    this.sets.clear();
    const groups = about.contacts.map((c, i) => this.contactGroup(c, i));
    const marked = about.sliders.map((s) => slider({ ...s, title: s.title || s.path }, (v) => this.change(s.path, v)));
    const steppers = select("Stepper", about.steppers.map((s) => [s, s]), about.stepper, (kind) => this.changeStepper(kind));
    const whole = el("div", { class: "live-group" }, el("label", { class: "slider" }, el("span", { class: "slider-name" }, "stepper"), steppers), marked);
    const laws = groups.filter(Boolean);
    this.controls.replaceChildren(whole, ...(marked.length && laws.length ? [el("details", {}, el("summary", {}, "Contact laws"), laws)] : laws));
    this.showMode("idle");
    this.say("Move a slider: it runs again.");
  }

  contactGroup(contact, index) {
    const kinds = ["normal", "friction"].filter((kind) => contact[kind]);
    if (!kinds.length || index >= 8) {
      return null;
    }
    const body = kinds.map((kind) => {
      const host = el("div", {});
      this.fillLaw(host, `contacts.${index}.${kind}`, kind, contact[kind].law, contact[kind].params.filter((p) => p.given));
      return host;
    });
    return el("div", { class: "live-group" }, el("h4", {}, el("bdi", {}, `${contact.a} : ${contact.b}`)), body);
  }

  fillLaw(host, path, kind, law, params) {
    const names = this.about.laws.filter((l) => l.kind === kind).map((l) => [l.name, l.name]);
    const choose = select(`${kind} law`, names, law, (name) => this.changeLaw(host, path, kind, name, params));
    const sliders = params.map((p) => slider(p, (v) => {
      p.value = v;
      if (host.dataset.law) {
        this.change(path, lawText(host.dataset.law, params));
      } else {
        this.change(`${path}.${p.name}`, v);
      }
    }));
    host.replaceChildren(el("label", { class: "slider" }, el("span", { class: "slider-name" }, kind), choose), ...sliders);
  }

  // The new law takes values of the same name from the one before, else its defaults.
  changeLaw(host, path, kind, name, before) {
    const law = this.about.laws.find((l) => l.kind === kind && l.name === name);
    const params = law.params
      .map((p) => ({ ...p, value: before.find((b) => b.name === p.name)?.value ?? p.value }))
      .filter((p) => p.value !== null || !p.otherwise);
    for (const key of [...this.sets.keys()].filter((k) => k.startsWith(path + "."))) {
      this.sets.delete(key);
    }
    host.dataset.law = name;
    this.fillLaw(host, path, kind, name, params);
    this.change(path, lawText(name, params));
  }

  changeStepper(kind) {
    const step = this.about.step > 0 ? this.about.step : 1e-4;
    this.change("stepper", kind === "adaptive" ? "{kind: adaptive}" : `{kind: ${kind}, step: ${step}}`);
  }

  change(path, value) {
    this.sets.set(path, value);
    this.runSoon();
  }

  reset() {
    this.fill(this.about);
    this.runSoon();
  }

  get overrides() {
    return [...this.sets].map(([path, value]) => `${path}=${value}`);
  }

  // ---- whole runs --------------------------------------------------------------------------

  // One run at a time; of several changes meanwhile the last counts.
  runSoon() {
    if (this.mode === "running") {
      this.again = true;
      return;
    }
    this.showMode("running");
    this.say("running …");
    this.asked = performance.now();
    this.worker.postMessage({ type: "run", id: ++this.number, sets: this.overrides });
  }

  answer(data) {
    const kinds = {
      ready: () => this.fill(data.about),
      document: () => this.takeDocument(data),
      playing: () => this.startRows(data.names),
      rows: () => this.takeRows(data),
      failed: () => this.fail(data.what),
    };
    if (data.id === undefined || data.id === this.number) {
      kinds[data.type]();
    }
  }

  takeDocument({ json, series, ms }) {
    const { recording, clock, replay } = this.run;
    const time = clock.time;
    recording.adopt(json, series);
    replay.stage?.reload();
    this.renew();
    clock.seek(Math.min(time, recording.end));
    this.showMode("idle");
    this.say(`computed in ${show(ms, 3)} ms, shown after ${show(performance.now() - this.asked, 3)} ms`);
    if (this.again) {
      this.again = false;
      this.runSoon();
    }
  }

  fail(what) {
    this.showMode("idle");
    this.say(what, true);
    if (this.again) {
      this.again = false;
      this.runSoon();
    }
  }

  // ---- by hand -----------------------------------------------------------------------------

  togglePlay() {
    if (!this.worker || this.mode === "running") {
      return;
    }
    if (this.mode === "idle") {
      this.run.clock.pause();
      this.showMode("playing");
      this.say("Drag a body; shift and click pushes it.");
      this.worker.postMessage({ type: "play", id: ++this.number, sets: this.overrides, speed: Number(this.speedSelect.value) });
    } else {
      const on = this.mode === "playing";
      this.worker.postMessage({ type: "pause", on });
      this.showMode(on ? "paused" : "playing");
    }
  }

  startRows(names) {
    this.run.recording.begin(names);
  }

  takeRows({ count, values }) {
    const { recording, clock, replay } = this.run;
    recording.append(count, values);
    replay.stage?.reload(true);
    clock.time = recording.end;
    replay.showTime();
    const now = performance.now();
    if (!(now - this.drawn < 400)) {
      this.drawn = now;
      this.run.explorer.panels.forEach((panel) => panel.draw());
    }
  }

  finish() {
    this.showMode("running");
    this.asked = performance.now();
    this.worker.postMessage({ type: "finish", id: this.number });
  }

  // ---- pointer -----------------------------------------------------------------------------

  watchPointer() {
    const { canvas } = this.run.replay;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
    };
    canvas.addEventListener("pointerdown", (event) => this.grab(event, at(event)), true);
    window.addEventListener("pointermove", (event) => this.held && this.drag(at(event)));
    window.addEventListener("pointerup", () => this.held && this.let());
  }

  grab(event, [x, y]) {
    const { stage } = this.run.replay;
    const hit = this.mode === "playing" && event.button === 0 ? stage?.pick(x, y) : null;
    if (!hit) {
      return;
    }
    event.stopImmediatePropagation();
    if (event.shiftKey) {
      this.push(hit);
      return;
    }
    stage.controls.enabled = false;
    this.held = { ...hit, start: hit.point.clone() };
    this.drag([x, y]);
  }

  drag([x, y]) {
    const { stage } = this.run.replay;
    const target = stage.dragTo(x, y, this.held.start);
    this.pullTo(this.held, target);
    stage.showPull(this.held.local.clone().applyMatrix4(this.held.track.object.matrix), target);
    this.run.replay.redraw();
  }

  pullTo({ track, local }, target) {
    this.worker.postMessage({ type: "pull", name: track.info.name, point: local.toArray(), target: target.toArray() });
  }

  // A pull for a tenth of a second, away from the camera.
  push(hit) {
    const { stage } = this.run.replay;
    const away = hit.point.clone().sub(stage.camera.position).setLength(stage.frame.size);
    this.pullTo(hit, hit.point.clone().add(away));
    setTimeout(() => this.worker.postMessage({ type: "release" }), 100);
  }

  let() {
    this.held = null;
    this.run.replay.stage.controls.enabled = true;
    this.run.replay.stage.showPull(null);
    this.worker.postMessage({ type: "release" });
  }
}

function lawText(law, params) {
  const given = params.filter((p) => p.value !== null).map((p) => `, ${p.name}: ${p.flag ? Boolean(p.value) : p.value}`);
  return `{law: ${law}${given.join("")}}`;
}
