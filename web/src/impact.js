// One impact under the laws of five papers: a ball falls on a floor, side by side.

import { Chart } from "./chart.js";
import { chartHost, el } from "./dom.js";
import { Engine } from "./engine.js";
import { slider } from "./live.js";
import { show, withUnit } from "./numbers.js";
import { Legend, tools } from "./panel.js";
import { curveColour, curveDash, onTheme } from "./theme.js";

const SCENE = `footfall: 1
name: One impact
gravity: [0, 0, 0]
duration: 0.01
stepper: {kind: adaptive}
record: {every: 1e-5, channels: ["body.ball.velocity.z", "contact.ball:floor.depth", "contact.ball:floor.force.n"]}
bodies:
  floor: {fixed: true, shape: {half-space: {}}}
  ball: {mass: 0.154, shape: {sphere: {radius: 0.0165}}, position: [0, 0, 0.0165], velocity: [0, 0, -1]}
contacts:
  - {pair: [ball, floor], normal: {law: elastic, k: 1.4e5}}
`;

// Parameters of a steel ball of Azad and Featherstone's (law azad-featherstone as printed); those of
// the other laws give about its depth and restitution at 1 m/s. stiff: the one that grows with
// depth^power; volume: where it counts per volume of overlap.
const LAWS = [
  { law: "hunt-crossley", paper: "Marhefka and Orin 1996", stiff: "k", power: 1.5, values: { k: 8.5e6, alpha: 0.6 }, fixed: { n: 1.5 } },
  { law: "azad-featherstone", paper: "Azad and Featherstone 2010", stiff: "K", power: 1.5, values: { K: 8.5e6, D: 3.1e3 } },
  { law: "volumetric", paper: "Brown and McPhee 2018", stiff: "k_V", power: 2, volume: true, values: { k_V: 6.5e9, a_V: 0.9 } },
  { law: "quasi-rigid", paper: "Chakraborty and others 2007", stiff: "k", power: 1, values: { k: 2e5, c: 59 } },
  { law: "elastic", paper: "Sugihara and Nakamura 2003", stiff: "k", power: 1, values: { k: 1.4e5, c: 109.5 } },
];

const COMMON = [
  { name: "speed", symbol: "speed", meaning: "of the ball at its touch-down", unit: "m/s", value: 1, from: 0.01, to: 10 },
  { name: "mass", symbol: "mass", meaning: "of the ball", unit: "kg", value: 0.154, from: 0.01, to: 10 },
  { name: "radius", symbol: "radius", meaning: "of the ball", unit: "m", value: 0.0165, from: 0.002, to: 0.2 },
];

const SAMPLES = 600;

// s that an undamped impact would take at most, by the balance of its energy: the duration of the run
// is some of these.
function spanOf({ power, stiff, volume, values }, { speed, mass, radius }) {
  const k = values[stiff] * (volume ? Math.PI * radius : 1); // overlap of a small cap: pi R depth^2
  const depth = (((power + 1) * mass * speed ** 2) / (2 * k)) ** (1 / (power + 1));
  return (Math.PI * depth) / speed;
}

class ImpactLaw {
  constructor(entry, index) {
    Object.assign(this, entry, { index, values: { ...entry.values }, time: [0], force: [0], depth: [0] });
  }

  sets(common) {
    const span = 3 * spanOf(this, common);
    const params = Object.entries({ ...this.fixed, ...this.values }).map(([name, value]) => `, ${name}: ${value}`);
    return [
      `bodies.ball.mass=${common.mass}`,
      `bodies.ball.shape.sphere.radius=${common.radius}`,
      `bodies.ball.position.2=${common.radius}`,
      `bodies.ball.velocity.2=${-common.speed}`,
      `contacts.0.normal={law: ${this.law}${params.join("")}}`,
      `duration=${span}`,
      `record.every=${span / SAMPLES}`,
    ];
  }

  // Rows as the engine sends them: columns one after another.
  take({ count, values }, names) {
    const column = (end) => {
      const at = names.findIndex((name) => name.endsWith(end));
      return values.slice(at * count, (at + 1) * count);
    };
    const times = column("time");
    const force = column("force.n");
    const last = force.findLastIndex((f) => f !== 0) + 2;
    this.time = times.subarray(0, last);
    this.force = force.subarray(0, last);
    this.depth = column("depth").subarray(0, last);
  }

  // What the events of the run say, which are exact: restitution, peaks, duration.
  judge(summary) {
    const events = summary.contact_events ?? [];
    const touch = events.find((e) => e.kind === "touch");
    const lift = events.find((e) => e.kind === "lift");
    this.result = lift && {
      restitution: lift.speed / (touch?.speed ?? NaN),
      force: lift.peak_force,
      depth: lift.peak_depth,
      duration: lift.time - (touch?.time ?? 0),
    };
    this.failure = lift ? "" : "still in contact when the run ends";
  }
}

export class Impact {
  constructor() {
    this.laws = LAWS.map((entry, i) => new ImpactLaw(entry, i));
    this.common = Object.fromEntries(COMMON.map(({ name, value }) => [name, value]));
    this.pending = new Set();
    this.number = 0;
    this.status = el("output", { class: "live-status", aria: { live: "polite" } }, "starting the engine …");
    this.controls = el("div", { class: "live-controls" });
    this.results = el("tbody");
    this.overTime = chartPanel("Force over time");
    this.overDepth = chartPanel("Force over depth");
    this.node = el("div", { class: "impact" },
      el("div", { class: "live", role: "group", aria: { label: "Parameters of the impact" } }, el("div", { class: "live-head" }, el("h3", {}, "Try it"), this.status), this.controls),
      el("div", { class: "plots" }, this.overTime.node, this.overDepth.node),
      resultTable(this.results));
  }

  start() {
    this.engine = new Engine((data) => this.answer(data));
    this.engine.start({ scene: "impact.yaml", text: SCENE, files: [] }).catch((error) => this.fail(error.message));
  }

  fail(what) {
    this.status.textContent = what;
    this.status.classList.add("bad");
  }

  answer(data) {
    const kinds = {
      ready: () => this.fill(data.about),
      begun: () => (this.names = data.names),
      rows: () => this.collect(data),
      document: () => this.finish(JSON.parse(data.json.recordings[0].summary || "{}")),
      failed: () => (this.running ? this.skip(data.what) : this.fail(data.what)),
    };
    kinds[data.type]();
  }

  fill(about) {
    const all = about.laws.filter((law) => law.kind === "normal");
    const common = COMMON.map((param) => slider(param, (value) => {
      this.common[param.name] = value;
      this.again(...this.laws);
    }));
    const groups = this.laws.map((one) => {
      const { params } = all.find((law) => law.name === one.law);
      const own = Object.keys(one.values).map((name) => {
        const value = one.values[name];
        const param = params.find((p) => p.name === name);
        return slider({ ...param, value, from: value / 30, to: value * 30 }, (v) => {
          one.values[name] = v;
          this.again(one);
        });
      });
      const swatch = el("span", { class: "dot" });
      const paint = () => (swatch.style.background = curveColour(one.index));
      paint();
      onTheme(paint);
      return el("div", { class: "live-group" }, el("h4", {}, swatch, ` ${one.law} `, el("span", { class: "note" }, one.paper)), own);
    });
    this.controls.replaceChildren(el("div", { class: "live-group" }, el("h4", {}, "Ball"), common), ...groups);
    this.again(...this.laws);
  }

  // ---- runs, one law after another ---------------------------------------------------------

  again(...laws) {
    if (!this.pending.size && !this.running) {
      this.asked = performance.now();
    }
    laws.forEach((law) => this.pending.add(law));
    this.next();
  }

  next() {
    if (this.running) {
      return;
    }
    const [law] = this.pending;
    if (law) {
      this.pending.delete(law);
      this.running = law;
      this.parts = [];
      this.engine.post({ type: "run", id: ++this.number, sets: law.sets(this.common) });
    } else {
      this.draw();
      this.status.classList.remove("bad");
      this.status.textContent = `computed and shown after ${show(performance.now() - this.asked, 3)} ms`;
    }
  }

  collect(data) {
    this.parts.push(data);
  }

  finish(summary) {
    const law = this.running;
    const channels = this.names.length;
    const count = this.parts.reduce((sum, part) => sum + part.count, 0);
    const values = new Float64Array(count * channels);
    let row = 0;
    for (const part of this.parts) {
      for (let c = 0; c < channels; c++) {
        values.set(part.values.subarray(c * part.count, (c + 1) * part.count), c * count + row);
      }
      row += part.count;
    }
    law.take({ count, values }, this.names);
    law.judge(summary);
    this.running = null;
    this.next();
  }

  skip(what) {
    this.running.result = undefined;
    this.running.failure = what;
    this.running = null;
    this.next();
  }

  // ---- showing ------------------------------------------------------------------------------

  draw() {
    const curves = (xs, scale) => this.laws.map((law) => ({
      name: law.law,
      unit: "N",
      xs: law[xs].map((x) => scale * x),
      ys: law.force,
      axis: "y",
      colour: () => curveColour(law.index),
      dash: curveDash(law.index),
    }));
    this.overTime.draw(curves("time", 1e3), "time (ms)");
    this.overDepth.draw(curves("depth", 1e3), "depth (mm)");
    this.results.replaceChildren(...this.laws.map((law) => resultRow(law)));
  }
}

// A panel whose curves are replaced: what is switched off stays off.
function chartPanel(title) {
  const host = chartHost(300);
  const head = el("div", { class: "panel-head" }, el("h3", {}, title));
  const node = el("figure", { class: "panel" }, head, host);
  let chart = null;
  let legend = null;
  const draw = (curves, label) => {
    const off = new Set(chart?.spec.curves.filter((c) => !c.shown).map((c) => c.name));
    curves.forEach((curve) => (curve.shown = !off.has(curve.name)));
    legend?.off();
    legend?.node.remove();
    chart?.destroy();
    const spec = { title, summary: `${title} of five laws`, x: { label }, axes: { y: { label: "force (N)" } }, height: 300, curves };
    if (!chart) {
      head.append(tools(() => chart, () => chart.spec.curves.flatMap((c) => [{ name: `${c.name}: ${label}`, unit: "", values: c.xs }, { name: `${c.name}: force`, unit: "N", values: c.ys }])));
    }
    chart = new Chart(host, spec);
    legend = new Legend(chart);
    host.after(legend.node);
  };
  return { node, draw };
}

const COLUMNS = [
  ["restitution", (r) => show(r.restitution, 4)],
  ["energy lost", (r) => `${show(100 * (1 - r.restitution ** 2), 3)} %`],
  ["peak force", (r) => withUnit(r.force, "N", 4)],
  ["peak depth", (r) => withUnit(1e3 * r.depth, "mm", 4)],
  ["duration", (r) => withUnit(1e3 * r.duration, "ms", 4)],
];

function resultTable(body) {
  const head = el("tr", {}, ["law", ...COLUMNS.map(([name]) => name)].map((name) => el("th", { scope: "col" }, name)));
  return el("div", { class: "scroll", tabIndex: 0, role: "region", aria: { label: "Results of the impact" } },
    el("table", { class: "stack" }, el("thead", {}, head), body));
}

function resultRow({ law, paper, result, failure }) {
  const name = el("th", { scope: "row", title: paper }, law);
  if (!result) {
    return el("tr", {}, name, el("td", { colSpan: COLUMNS.length }, failure));
  }
  return el("tr", {}, name, COLUMNS.map(([column, text]) => el("td", { "data-column": column }, text(result))));
}
