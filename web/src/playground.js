// The playground: laws side by side on one impact, and the scenes of the gallery, live.

import { Growing, Mesh, Recording } from "./data.js";
import { append, button, el, icon, icons, select } from "./dom.js";
import { Engine } from "./engine.js";
import { Impact } from "./impact.js";
import { Live } from "./live.js";
import { withUnit } from "./numbers.js";
import { renew, showReport } from "./report.js";
import { startTheme, toggleTheme } from "./theme.js";

const bytesOf = (text) => new TextEncoder().encode(text);

class Scenes {
  constructor(data) {
    this.data = data;
    this.number = 0;
    this.about = el("p", { class: "about" });
    this.status = el("output", { class: "live-status", aria: { live: "polite" } });
    this.host = el("div", { class: "scene-report" });
    const options = data.scenes.map(({ file, title }) => [file, title]).sort(([, p], [, q]) => p.localeCompare(q));
    this.choice = select("Scene", [["", "choose a scene"], ...options], "", (file) => file && this.open(file));
    this.node = el("div", {}, el("div", { class: "live-bar" }, this.choice, this.status), this.about, this.host);
  }

  get sceneOfAddress() {
    const name = decodeURIComponent(location.hash.slice(1));
    return this.data.scenes.find(({ file }) => file === `scenes/${name}.yaml`)?.file;
  }

  async open(file) {
    const { title, about } = this.data.scenes.find((scene) => scene.file === file);
    this.choice.value = file;
    history.replaceState(null, "", `#${file.slice("scenes/".length, -".yaml".length)}`);
    this.about.textContent = about;
    this.say(`${title}: computing …`);
    await this.started();
    const id = ++this.number;
    const { text } = this.data.files.find((one) => one.name === file);
    this.engine.listener = (data) => this.take(data, id, title);
    this.engine.post({ type: "scene", id, scene: file, text });
    this.engine.post({ type: "run", id, sets: [], bodies: true });
  }

  // The engine is made when a scene is first chosen.
  async started() {
    if (!this.engine) {
      this.engine = new Engine();
      await this.engine.start({});
      this.engine.post({ type: "files", files: this.data.files.map(({ name, text }) => ({ name, bytes: bytesOf(text) })) });
    }
  }

  say(text, bad = false) {
    this.status.textContent = text;
    this.status.classList.toggle("bad", bad);
  }

  // Answers until the first run of a scene is complete: then its report has the listener.
  take(data, id, title) {
    if (data.type === "failed" && (data.id === undefined || data.id === id)) {
      this.say(data.what, true);
    }
    if (data.id !== id) {
      return;
    }
    if (data.type === "ready") {
      this.offered = data.about;
    } else if (data.type === "begun") {
      this.names = data.names;
      this.end = data.end;
      this.columns = data.names.map(() => new Growing());
    } else if (data.type === "rows") {
      this.columns.forEach((column, i) => column.append(data.values.subarray(i * data.count, (i + 1) * data.count)));
      const time = this.columns[0].values.at(-1);
      this.say(`${title}: ${withUnit(time, "s", 3)} of ${withUnit(this.end, "s", 3)}`);
    } else if (data.type === "document") {
      this.show(data);
    }
  }

  show({ json, meshes }) {
    this.shown?.end();
    this.host.replaceChildren();
    const solids = (json.meshes ?? []).map((info, i) => new Mesh(info, i, meshes[i]));
    const [info] = json.recordings;
    info.channels.forEach((channel) => (channel.series = this.names.indexOf(channel.name)));
    const doc = { ...json, numbers: this.columns, solids, runs: [new Recording(info, this.columns, solids)] };
    this.shown = showReport(this.host, doc, true);
    const [run] = this.shown.runs;
    run.live = new Live(this.engine, run, () => renew(run, doc));
    run.live.number = this.number;
    run.live.fill(this.offered);
    run.replay.node.parentNode.before(run.live.node);
    this.say("");
    window.footfall.runs = this.shown.runs;
  }
}

function section(id, heading, ...children) {
  return el("section", { id, class: "wide", aria: { labelledby: `${id}-heading` } }, el("h2", { id: `${id}-heading` }, heading), children);
}

function start() {
  startTheme();
  const data = JSON.parse(document.getElementById("footfall-playground").textContent);
  const impact = new Impact();
  const scenes = new Scenes(data);
  const links = [["#laws", "Five laws, one impact"], ["#scenes", "Scenes"]].map(([to, text]) => el("a", { href: to }, text));
  append(document.getElementById("footfall"), [
    el("header", { class: "head" }, el("div", { class: "title" }, el("h1", {}, "Footfall playground")),
      button(icon(icons.theme), "Light or dark", toggleTheme, { class: "icon theme" }),
      el("p", { class: "subtitle" }, "The engine runs in this page, which asks the network for nothing: its runs are those of the program, to the bit."),
      el("nav", { aria: { label: "Sections" } }, links)),
    append(el("main", { class: "sections" }), [
      section("laws", "Five laws, one impact",
        el("p", {}, "A ball strikes a floor at a right angle, without gravity. Each law's parameters are its own; those at the start give about the depth and the restitution of the same ball at 1 m/s. Then the laws part: change the speed."),
        impact.node),
      section("scenes", "Scenes",
        el("p", {}, "Choose a scene of the gallery: it runs here. Then change its laws, their parameters or the stepper, or run it by hand and pull at its bodies."),
        scenes.node),
    ]),
    el("footer", {}, `Footfall ${data.version}`),
  ]);
  window.footfall = { impact, scenes, runs: [] };
  impact.start();
  if (scenes.sceneOfAddress) {
    document.getElementById("scenes").scrollIntoView();
    scenes.open(scenes.sceneOfAddress);
  }
}

start();
