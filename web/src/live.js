// The engine in a page: parameters to change, and a run to act on by hand. It computes in a worker.

import { button, el, select } from "./dom.js";
import { toBytes } from "./engine.js";
import { show, withUnit } from "./numbers.js";

const PATIENCE = 100; // ms that a run may take before a new value ends it
const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2];

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

// As short as it is exact: 8.5e6.
const exactText = (value) => (Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4) ? value.toExponential().replace("e+", "e") : String(value));

// A slider with a number box; changed(value) while it moves.
export function slider(param, changed) {
  const { from, to, log } = rangeOf(param);
  const forth = (v) => (log ? Math.log(v / from) / Math.log(to / from) : (v - from) / (to - from));
  const back = (s) => Number((log ? from * (to / from) ** s : from + s * (to - from)).toPrecision(4));
  const name = param.title ?? (param.symbol && param.symbol !== "-" ? param.symbol : param.name);
  const about = [param.meaning, param.unit && param.unit !== "1" ? param.unit : ""].filter(Boolean).join(", ");
  const range = el("input", { type: "range", min: "0", max: "1", step: "any", title: about, aria: { label: `${name}: ${about}` } });
  const box = el("input", { type: "number", step: "any", class: "exact", aria: { label: `${name}, exact` } });
  const put = (value) => {
    box.value = value === null ? "" : exactText(value);
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
  // renew(): makes what shows the run anew.
  constructor(engine, run, renew) {
    this.engine = engine;
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
    engine.listener = (data) => this.answer(data);
    this.showMode("idle");
    this.watchPointer();
  }

  // Starts the engine with the scene that a page holds.
  begin({ scene, text, files }) {
    const all = files.map(({ name, bytes }) => ({ name, bytes: toBytes(bytes) }));
    this.engine.start({ scene, text, files: all }).catch((error) => this.say(`The engine does not start in this browser: ${error.message}`, true));
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
  }

  // ---- controls ----------------------------------------------------------------------------

  handBar() {
    this.playButton = button("Play by hand", "Run it now", () => this.togglePlay());
    this.stepButton = button("Step", "One recorded sample on", () => this.engine.post({ type: "step" }));
    this.endButton = button("Finish", "End the run by hand and show its plots and ledger", () => this.finish());
    this.resetButton = button("Reset", "Back to the values of the scene", () => this.reset());
    this.speedSelect = select("Speed by hand", SPEEDS.map((s) => [s, `${s}× real time`]), 1, (v) => {
      if (this.mode === "playing" || this.mode === "paused") {
        this.engine.post({ type: "speed", speed: Number(v) });
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
    this.stepperSelect = select("Stepper", about.steppers.map((s) => [s, s]), about.stepper, (kind) => this.changeStepper(kind));
    const whole = el("div", { class: "live-group" }, el("label", { class: "slider" }, el("span", { class: "slider-name" }, "stepper"), this.stepperSelect), marked);
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

  // The new law takes values of the same name from the one before; what it needs and has not got is
  // proposed. What is zero or set by other parameters has no slider at first.
  changeLaw(host, path, kind, name, before) {
    const law = this.about.laws.find((l) => l.kind === kind && l.name === name);
    const params = law.params
      .map((p) => ({ ...p, value: before.find((b) => b.name === p.name && b.unit === p.unit)?.value ?? p.value ?? propose(p, before) }))
      .filter((p) => p.required || p.value);
    for (const key of [...this.sets.keys()].filter((k) => k.startsWith(path + "."))) {
      this.sets.delete(key);
    }
    host.dataset.law = name;
    this.fillLaw(host, path, kind, name, params);
    this.sets.set(path, lawText(name, params));
    this.fitStepper(law);
    this.runSoon();
  }

  // Not every stepper runs every law: the scene's own if it does, else the first that does.
  fitStepper({ steppers }) {
    if (steppers.length && !steppers.includes(this.stepperSelect.value)) {
      this.stepperSelect.value = steppers.includes(this.about.stepper) ? this.about.stepper : steppers[0];
      this.setStepper(this.stepperSelect.value);
    }
  }

  setStepper(kind) {
    const step = this.about.step > 0 ? this.about.step : 1e-4;
    this.sets.set("stepper", kind === "adaptive" ? "{kind: adaptive}" : `{kind: ${kind}, step: ${step}}`);
  }

  changeStepper(kind) {
    this.setStepper(kind);
    this.runSoon();
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

  // A change waits until something of the run before is seen: a slider that moves shows many runs.
  runSoon() {
    if (this.mode === "running" && (!this.seen || performance.now() - this.asked < PATIENCE)) {
      this.again = true;
      return;
    }
    this.again = false;
    this.run.clock.pause();
    this.wanted = this.mode === "running" ? this.wanted : this.run.clock.time;
    this.showMode("running");
    this.say("running …");
    this.asked = performance.now();
    this.seen = 0;
    this.engine.post({ type: "run", id: ++this.number, sets: this.overrides });
  }

  answer(data) {
    const kinds = {
      ready: () => this.fill(data.about),
      begun: () => (this.begun = data),
      rows: () => this.takeRows(data),
      document: () => this.takeDocument(data),
      failed: () => this.fail(data.what),
    };
    if (data.id === undefined || data.id === this.number) {
      kinds[data.type]();
    }
  }

  // Samples of a run that goes on: at the end of a whole run comes its document.
  takeRows({ count, values, last }) {
    const { recording, clock } = this.run;
    const now = performance.now();
    if (this.begun) {
      recording.begin(this.begun.names);
      this.end = this.begun.end;
      this.begun = null;
      this.drawn = this.plotted = 0;
    }
    recording.append(count, values);
    if (this.mode !== "running") {
      this.showRows(recording.end, now);
    } else if (!last && now - this.drawn > 60) {
      clock.view ??= this.growing = [recording.start, this.end];
      this.showRows(Math.min(this.wanted, recording.end), now);
      this.seen ||= now - this.asked;
      if (this.again) {
        this.runSoon();
      }
    }
  }

  // What is there so far: the replay at a time, and now and then the panels.
  showRows(time, now) {
    const { clock, replay } = this.run;
    this.drawn = now;
    replay.stage?.reload(true);
    clock.time = time;
    replay.showTime();
    if (now - this.plotted > 400) {
      this.plotted = now;
      this.run.explorer.panels.forEach((panel) => panel.draw());
    }
  }

  takeDocument({ json, ms }) {
    this.run.recording.adopt(json);
    this.showEnd();
    const all = performance.now() - this.asked;
    const early = this.seen && Number.isFinite(this.wanted) ? `, first samples after ${show(this.seen, 3)} ms` : "";
    this.say(`computed in ${show(ms, 3)} ms, shown after ${show(all, 3)} ms${early}`);
    this.goOn();
  }

  // Everything on the page follows the samples that are there now.
  showEnd() {
    const { recording, clock, replay } = this.run;
    if (clock.view === this.growing) {
      clock.view = null;
    }
    replay.stage?.reload();
    this.renew();
    clock.seek(Math.min(this.wanted ?? recording.end, recording.end));
    this.showMode("idle");
  }

  fail(what) {
    if (!this.begun && this.mode !== "idle") {
      this.showEnd();
    }
    this.showMode("idle");
    this.say(what, true);
    this.goOn();
  }

  goOn() {
    this.begun = null;
    if (this.again) {
      this.runSoon();
    }
  }

  // ---- by hand -----------------------------------------------------------------------------

  togglePlay() {
    if (!this.about || this.mode === "running") {
      return;
    }
    if (this.mode === "idle") {
      this.run.clock.pause();
      this.showMode("playing");
      this.say("Drag a body; shift and click pushes it.");
      this.engine.post({ type: "play", id: ++this.number, sets: this.overrides, speed: Number(this.speedSelect.value) });
    } else {
      const on = this.mode === "playing";
      this.engine.post({ type: "pause", on });
      this.showMode(on ? "paused" : "playing");
    }
  }

  finish() {
    this.showMode("running");
    this.asked = performance.now();
    this.wanted = Infinity;
    this.engine.post({ type: "finish", id: this.number });
  }

  // ---- pointer -----------------------------------------------------------------------------

  watchPointer() {
    const { canvas } = this.run.replay;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
    };
    canvas.addEventListener("pointerdown", (event) => this.grab(event, at(event)), true);
    canvas.addEventListener("pointermove", (event) => this.held && this.drag(at(event)));
    canvas.addEventListener("pointerup", () => this.held && this.let());
    canvas.addEventListener("pointercancel", () => this.held && this.let());
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
    this.run.replay.canvas.setPointerCapture(event.pointerId);
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
    this.engine.post({ type: "pull", name: track.info.name, point: local.toArray(), target: target.toArray() });
  }

  // A pull for a tenth of a second, away from the camera.
  push(hit) {
    const { stage } = this.run.replay;
    const away = hit.point.clone().sub(stage.camera.position).setLength(stage.frame.size);
    this.pullTo(hit, hit.point.clone().add(away));
    setTimeout(() => this.engine.post({ type: "release" }), 100);
  }

  let() {
    this.held = null;
    this.run.replay.stage.controls.enabled = true;
    this.run.replay.stage.showPull(null);
    this.engine.post({ type: "release" });
  }
}

const DEPTH = 1e-3; // m
const FRICTION = 0.4;

// N of force at DEPTH for a stiffness of 1 in its unit; NaN: the parameter is no stiffness. A volume
// of overlap is that of a ball with a radius of 2 cm.
function forceOf({ unit }, params) {
  const power = { "N/m": 1, "N/m^1.5": 1.5, "N/m^n": params.find((p) => p.name === "n")?.value ?? 1.5 }[unit];
  return unit === "N/m^3" ? Math.PI * 0.02 * DEPTH ** 2 : DEPTH ** (power ?? NaN);
}

// A value for a parameter without default, null if none is needed: a friction coefficient as in
// `before`, a stiffness that gives the same force at DEPTH as the one in `before`, a thickness.
function propose(param, before) {
  if (param.symbol.startsWith("μ")) {
    return before.find((b) => b.symbol?.startsWith("μ") && b.value > 0)?.value ?? FRICTION;
  }
  const own = forceOf(param, []);
  if (own > 0 && (param.required || /^[kK]$/.test(param.name))) {
    const known = before.find((b) => b.value > 0 && forceOf(b, before) > 0);
    return Number(((known ? known.value * forceOf(known, before) : 100) / own).toPrecision(3));
  }
  return param.required && param.unit === "m" ? DEPTH / 2 : null;
}

function lawText(law, params) {
  const given = params.filter((p) => p.value !== null).map((p) => `, ${p.name}: ${p.flag ? Boolean(p.value) : p.value}`);
  return `{law: ${law}${given.join("")}}`;
}
