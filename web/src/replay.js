// The replay: the stage, and its time controls.

import { SPEEDS } from "./clock.js";
import { append, button, check, el, icon, icons, select } from "./dom.js";
import { fileName, save } from "./export.js";
import { canFilm, replayGif, replayPng, replayWebm } from "./media.js";
import { niceStep, show, withUnit } from "./numbers.js";
import { Stage } from "./stage.js";
import { onTheme } from "./theme.js";

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "one recorded sample back or on (with Shift: ten)"],
  ["P N", "previous or next contact event"],
  ["↓ ↑", "slower or faster"],
  ["Home End", "start or end"],
  ["F", "follow the next body"],
  ["R", "back to the first view"],
];

// Views that every replay has: name, direction to the camera.
const VIEWS = [
  ["front", [1, 0, 0.12]],
  ["side", [0, -1, 0.12]],
  ["above", [0, -0.001, 1]],
];

const speedText = (speed) => (speed >= 1 ? `${speed}×` : `1/${Math.round(1 / speed)}×`);

export class Replay {
  // others: [{label, recording}], shown as ghosts.
  constructor(recording, clock, others = []) {
    this.others = others;
    this.recording = recording;
    this.clock = clock;
    this.canvas = el("canvas", {
      tabIndex: 0,
      role: "img",
      aria: { label: "3-D replay of the run. Drag to turn, wheel to zoom, right drag to move; keys are listed below." },
    });
    this.overlay = el("ul", { class: "overlay", aria: { label: "Contacts now", live: "off" } });
    this.scaleNote = el("p", { class: "scale-note" });
    this.view = el("div", { class: "stage" }, this.canvas, this.overlay, this.scaleNote);
    this.node = el("div", { class: "replay" }, this.view, this.transport(), this.options(), missingNote(recording), keyHelp());
    this.node.addEventListener("keydown", (event) => this.key(event));
  }

  // Starts drawing; without WebGL a note is shown, and everything else works.
  start() {
    if (hasWebGl()) {
      this.startStage();
    } else {
      this.view.replaceChildren(el("p", { class: "note" }, "The 3-D view needs WebGL, which is not available in this browser."));
    }
    this.clock.on("time", () => this.showTime());
    this.clock.on("state", () => this.showState());
    this.showTime();
    this.showState();
  }

  startStage() {
    this.stage = new Stage(this.canvas, this.recording, this.others);
    this.stage.controls.addEventListener("change", () => this.redraw());
    new ResizeObserver(() => this.fit()).observe(this.view);
    onTheme(() => {
      this.stage.paint();
      this.redraw();
    });
    if (this.stage.frame.path) {
      this.followSelect.options[0].after(el("option", { value: "*" }, "follow what moves"));
    }
    this.fit();
    this.home();
    this.sayScale();
  }

  // ---- controls ----------------------------------------------------------------------------

  transport() {
    const { clock } = this;
    const key = (name, label, action) => button(icon(icons[name]), label, action, { class: "icon" });
    this.playButton = key("play", "Play", () => clock.toggle());
    this.scrub = el("input", { type: "range", min: "0", max: "1", step: "any", class: "scrub", aria: { label: "Time" } });
    this.scrub.addEventListener("input", () => this.scrubbed());
    this.clockText = el("output", { class: "clock" });
    this.speed = select("Speed", SPEEDS.map((s) => [s, speedText(s)]), 1, (v) => clock.setSpeed(Number(v)));
    return el(
      "div",
      { class: "transport", role: "toolbar", aria: { label: "Replay" } },
      this.playButton,
      key("back", "One sample back", () => clock.step(-1)),
      key("forward", "One sample on", () => clock.step(1)),
      key("previous", "Previous contact event", () => clock.jump(-1)),
      key("next", "Next contact event", () => clock.jump(1)),
      this.scrub,
      this.clockText,
      this.speed,
    );
  }

  // The scrubber rests on recorded samples.
  scrubbed() {
    const { recording, clock } = this;
    clock.pause();
    const t = recording.start + Number(this.scrub.value) * (recording.end - recording.start);
    clock.seekRow(recording.nearestRow(t));
  }

  options() {
    const bodies = this.recording.bodies.filter((b) => b.kind !== "fixed");
    const set = (change) => (value) => {
      if (this.stage) {
        change(value);
        this.showTime();
      }
    };
    this.followSelect = select(
      "Follow a body",
      [["", "free camera"], ...bodies.slice(0, 500).map((b) => ["=" + b.name, `follow ${b.name}`])],
      "",
      set((v) => this.stage.follow(v.startsWith("=") ? v.slice(1) : v || null)),
    );
    this.viewSelect = select(
      "View",
      [["", "first view"], ...VIEWS.map(([name], i) => [`-${i}`, name]), ...this.namedViews.map((v, i) => [String(i), v.name])],
      "",
      set((v) => this.home(v === "" ? undefined : v.startsWith("-") ? { from: VIEWS[-Number(v)][1] } : this.namedViews[Number(v)])),
    );
    const gains = [1, 10, 100, 1000, 10000].map((g) => [g, g === 1 ? "forces to scale" : `forces ×${g}`]);
    return el(
      "div",
      { class: "options" },
      this.viewSelect,
      this.followSelect,
      button(icon(icons.home), "Back to the first view", () => this.home(), { class: "icon" }),
      check("trails", true, set((on) => this.stage.setTrails(on))),
      this.recording.bodies.some((b) => b.visuals?.length) && check("collision shapes", false, set((on) => this.stage.showShapes(on))),
      check("contact points", true, set((on) => (this.stage.contacts.show.points = on))),
      check("forces", true, set((on) => (this.stage.contacts.show.arrows = on))),
      this.others.length > 0 && check("ghosts", true, set((on) => this.stage.showGhosts(on))),
      check("friction cones", false, set((on) => (this.stage.contacts.show.cones = on))),
      select("Length of force arrows", gains, 1, set((v) => {
        this.stage.contacts.gain = Number(v);
        this.sayScale();
      })),
      this.savers(),
    );
  }

  // Buttons that save the replay; while one works the others rest.
  savers() {
    const title = this.recording.info.title || "replay";
    const told = el("span", { class: "note", aria: { live: "polite" } });
    const make = (ending, label, work) => {
      const press = button(ending.toUpperCase(), label, async () => {
        if (!this.stage) {
          return;
        }
        buttons.forEach((b) => (b.disabled = true));
        const blob = await work((part) => (told.textContent = `${Math.round(100 * part)} %`));
        save(fileName(title, ending), blob.type, blob);
        told.textContent = "";
        buttons.forEach((b) => (b.disabled = false));
      });
      return press;
    };
    const buttons = [
      make("png", "Save the view as PNG at print resolution", () => replayPng(this)),
      make("gif", "Save the run as an animated GIF", (tell) => replayGif(this, tell)),
    ];
    if (canFilm()) {
      buttons.push(make("webm", "Play the run and save it as WebM", (tell) => replayWebm(this, tell)));
    }
    return el("span", { class: "tools" }, buttons, told);
  }

  get namedViews() {
    return this.recording.info.views ?? [];
  }

  home(view) {
    this.stage?.home(view);
    this.viewSelect.value = view ? this.viewSelect.value : "";
    this.showFollowed();
    this.redraw();
  }

  showFollowed() {
    const name = this.stage?.followedName;
    this.followSelect.value = name && name !== "*" ? "=" + name : (name ?? "");
  }

  key(event) {
    if (event.target !== this.scrub && /^(INPUT|SELECT|SUMMARY)$/.test(event.target.tagName)) {
      return;
    }
    const { clock, recording } = this;
    const many = event.shiftKey ? 10 : 1;
    const actions = {
      ArrowLeft: () => clock.step(-many),
      ArrowRight: () => clock.step(many),
      ArrowUp: () => clock.changeSpeed(1),
      ArrowDown: () => clock.changeSpeed(-1),
      Home: () => clock.seek(recording.start),
      End: () => clock.seek(recording.end),
      n: () => clock.jump(1),
      p: () => clock.jump(-1),
      f: () => this.followNext(),
      r: () => this.home(),
    };
    if (event.target.tagName !== "BUTTON") {
      actions[" "] = () => clock.toggle();
    }
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      action();
    }
  }

  followNext() {
    const box = this.followSelect;
    box.selectedIndex = (box.selectedIndex + 1) % box.options.length;
    box.dispatchEvent(new Event("change"));
  }

  // ---- showing ----------------------------------------------------------------------------

  fit() {
    const { clientWidth, clientHeight } = this.view;
    if (clientWidth && clientHeight) {
      this.stage.resize(clientWidth, clientHeight);
      this.redraw();
    }
  }

  showTime() {
    const { clock, recording } = this;
    const length = recording.end - recording.start;
    this.scrub.value = String(length > 0 ? (clock.time - recording.start) / length : 0);
    const text = withUnit(clock.time, "s");
    this.clockText.textContent = text;
    this.scrub.setAttribute("aria-valuetext", text);
    const active = this.stage?.setTime(clock.time) ?? [];
    this.overlay.replaceChildren(...active.slice(0, 6).map((c) => overlayLine(c)));
    this.redraw();
  }

  showState() {
    const { playing, speed } = this.clock;
    this.playButton.replaceChildren(icon(playing ? icons.pause : icons.play));
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.speed.value = String(speed);
  }

  // Legend of scales: grid cell and force.
  sayScale() {
    const { contacts, cell } = this.stage;
    const words = this.stage.grounds.length ? [`grid ${withUnit(cell, "m")}`] : [];
    if (this.stage.tilt) {
      words.push(`slope ${show(this.stage.tilt, 3)}°`);
    }
    if (contacts.scale > 0) {
      const length = niceStep(contacts.size / 20);
      words.push(`arrow of ${withUnit(length, "m")} = ${show(length / contacts.scale, 3)} N`);
    }
    this.scaleNote.textContent = words.join(" · ");
  }

  redraw() {
    if (!this.waiting && this.stage) {
      this.waiting = true;
      requestAnimationFrame(() => {
        this.waiting = false;
        this.stage.render();
      });
    }
  }
}

function hasWebGl() {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

function overlayLine({ text, colour }) {
  const dot = el("span", { class: "dot" });
  dot.style.background = colour;
  return el("li", {}, dot, el("bdi", {}, text));
}

// Meshes that could not be read.
function missingNote(recording) {
  const names = recording.bodies.filter((body) => body.missing).map((body) => body.name);
  const some = `${names.slice(0, 4).join(", ")}${names.length > 4 ? ", …" : ""}`;
  return names.length ? el("p", { class: "note" }, "Meshes that could not be read, or were too many, are not drawn: ", el("bdi", {}, some)) : null;
}

function keyHelp() {
  const rows = KEYS.map(([keys, what]) => [el("dt", {}, keys.split(" ").map((k) => el("kbd", {}, k))), el("dd", {}, what)]);
  return append(el("details", { class: "keys" }, el("summary", {}, "Keys")), [append(el("dl"), rows)]);
}
