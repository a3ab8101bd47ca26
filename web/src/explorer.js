// Panels over a recording: any channels against time or against another channel, all of them
// linked with the replay and with each other.

import { Chart } from "./chart.js";
import { button, check, el, select } from "./dom.js";
import { label, plain } from "./numbers.js";
import { Legend, tools } from "./panel.js";
import { curveColour, curveDash } from "./theme.js";

const QUANTITY = {
  m: "length",
  "m/s": "speed",
  "rad/s": "angular velocity",
  rad: "angle",
  N: "force",
  "N m": "moment",
  J: "energy",
  s: "time",
};

export class Explorer {
  // against: {label, others: [{label, recording}]}: recordings whose curves are drawn, too.
  constructor(recording, clock, panels, against = null) {
    this.recording = recording;
    this.clock = clock;
    this.against = against;
    this.list = el("div", { class: "panels" });
    this.panels = [];
    const add = button("Add a panel", "Add a panel", () => this.add(this.suggestion()), { class: "add" });
    this.node = el("div", { class: "explorer" }, this.list, add);
    for (const panel of panels) {
      this.add(panel);
    }
  }

  add(definition) {
    const panel = new RecordingPanel(this.recording, this.clock, definition, this.against, () => {
      this.panels.splice(this.panels.indexOf(panel), 1);
    });
    this.panels.push(panel);
    this.list.append(panel.node);
    panel.draw();
    return panel;
  }

  suggestion() {
    const used = new Set(this.panels.flatMap((p) => p.y));
    const fresh = this.recording.channels.slice(1).find((c) => !used.has(c.name));
    return { x: "time", y: [(fresh ?? this.recording.channels[0]).name] };
  }
}

class RecordingPanel {
  constructor(recording, clock, definition, against, removed) {
    this.recording = recording;
    this.clock = clock;
    this.against = against;
    this.differences = false;
    this.x = recording.has(definition.x) ? definition.x : "time";
    this.y = definition.y.filter((name) => recording.has(name));
    this.logX = Boolean(definition.logX);
    this.logY = Boolean(definition.logY);
    this.named = definition.title || "";
    this.title = el("h3");
    this.host = el("div", { class: "chart-host" });
    this.foot = el("div", { class: "panel-foot" });
    this.node = el(
      "figure",
      { class: "panel" },
      el("div", { class: "panel-head" }, this.title, tools(() => this.chart, () => this.columns())),
      this.host,
      this.foot,
    );
    this.chooser = this.makeChooser(removed);
    this.foot.append(this.chooser);
    this.off = [
      clock.on("time", () => this.follow()),
      clock.on("hover", () => this.follow()),
      clock.on("view", () => this.applyView()),
    ];
  }

  // ---- selection -------------------------------------------------------------

  makeChooser(removed) {
    const list = el("div", { class: "channel-list", role: "group", aria: { label: "Channels to draw" } });
    const fill = (word) => list.replaceChildren(...this.channelBoxes(word));
    const find = el("input", { type: "search", placeholder: "Find a channel", aria: { label: "Find a channel" } });
    find.addEventListener("input", () => fill(find.value));
    const against = el("div", { class: "chooser-row" });
    const details = el(
      "details",
      { class: "chooser" },
      el("summary", {}, "Channels and axes"),
      against,
      el(
        "div",
        { class: "chooser-row" },
        check("log x", this.logX, (on) => this.change({ logX: on })),
        check("log y", this.logY, (on) => this.change({ logY: on })),
        this.against && check("differences", false, (on) => this.change({ differences: on })),
        button("Remove panel", "Remove this panel", () => {
          this.destroy();
          removed();
        }),
      ),
      find,
      list,
    );
    // A scene may have ten thousand channels: list them when opened.
    const listAll = () => {
      against.append(el("label", {}, "against ", this.xSelect()));
      fill(find.value);
    };
    details.addEventListener("toggle", listAll, { once: true });
    return details;
  }

  xSelect() {
    const names = this.recording.channels.map((c) => [c.name, c.name]);
    return select("Horizontal axis", names, this.x, (name) => this.change({ x: name }));
  }

  channelBoxes(word) {
    const wanted = word.toLowerCase();
    const fits = this.recording.channels.filter((c) => c.name.toLowerCase().includes(wanted));
    return fits.slice(0, 300).map((c) =>
      check(label(c.name, c.unit), this.y.includes(c.name), (on) => {
        this.change({ y: on ? [...this.y, c.name] : this.y.filter((n) => n !== c.name) });
      }),
    );
  }

  change(parts) {
    Object.assign(this, parts);
    this.named = "";
    this.draw();
  }

  // ---- drawing ----------------------------------------------------------------------------

  get overTime() {
    return this.x === "time";
  }

  draw() {
    this.chart?.destroy();
    this.legend?.off();
    this.legend?.node.remove();
    this.node.querySelector(".note")?.remove();
    this.chart = new Chart(this.host, this.spec());
    this.title.replaceChildren(el("bdi", {}, this.chart.spec.title));
    this.legend = new Legend(this.chart);
    this.host.after(this.legend.node);
    this.noteHidden();
    this.connect();
    this.applyView();
    this.follow();
  }

  spec() {
    const { recording } = this;
    const units = [...new Set(this.y.map((name) => recording.unit(name)))];
    const axes = {};
    units.slice(0, 2).forEach((unit, i) => {
      const names = this.y.filter((name) => recording.unit(name) === unit);
      axes["y" + i] = { label: axisLabel(names, unit), log: this.logY, side: i ? 1 : 3 };
    });
    if (!units.length) {
      axes.y0 = { label: "", log: false };
    }
    return {
      title: this.named || panelTitle(this.y, this.x),
      summary: `${this.y.join(", ")} against ${this.x}`,
      x: { label: label(shortName(this.x), recording.unit(this.x)), log: this.logX },
      axes,
      height: 230,
      curves: this.curves(units),
    };
  }

  curves(units) {
    const { recording, against } = this;
    const one = (from, name, n, label) => ({
      name: label ? `${name}, ${label}` : name,
      unit: recording.unit(name),
      xs: from.get(this.x),
      ys: whereInContact(from, name),
      from,
      axis: "y" + Math.min(1, units.indexOf(recording.unit(name))),
      colour: () => curveColour(n),
      dash: curveDash(n),
    });
    if (!against) {
      return this.y.map((name, n) => one(recording, name, n));
    }
    let n = 0;
    const own = this.differences ? [] : this.y.map((name) => one(recording, name, n++, against.label));
    const theirs = against.others.flatMap(({ recording: other, label }) =>
      this.y.filter((name) => other.has(name) && other.has(this.x)).map((name) => {
        const curve = one(other, name, n++, label);
        return this.differences && this.overTime ? { ...curve, ys: differenceFrom(recording, other, name) } : curve;
      }),
    );
    return [...own, ...theirs];
  }

  // A log scale cannot show everything; say so.
  noteHidden() {
    const hidden = this.chart.spec.curves.some(
      (c) => (this.logY && c.ys.some((v) => v <= 0)) || (this.logX && c.xs.some((v) => v <= 0)),
    );
    if (hidden) {
      this.foot.prepend(el("p", { class: "note" }, "Values of zero and below cannot be shown on a log scale."));
    }
  }

  connect() {
    const { chart, clock } = this;
    const nearest = (at) => {
      const { row, curve } = chart.nearest(at);
      return curve && curve.from !== this.recording ? this.recording.nearestRow(curve.from.time[row]) : (row ?? 0);
    };
    const rowOf = (at) => (this.overTime ? this.recording.nearestRow(at.x) : nearest(at));
    chart.on("hover", (at) => clock.setHover(at ? rowOf(at) : null));
    chart.on("click", (at) => {
      clock.pause();
      clock.seekRow(rowOf(at));
    });
    chart.on("zoom", (x) => this.overTime && clock.setView(x));
  }

  applyView() {
    if (this.overTime) {
      const x = this.clock.view ?? this.chart.fullView().x;
      const same = x[0] === this.chart.view.x[0] && x[1] === this.chart.view.x[1];
      if (!same) {
        this.chart.setView({ x });
      }
    }
  }

  // The line or the dots mark the replay time; the legend shows the value there, or under
  // the pointer.
  follow() {
    const row = this.clock.hover ?? this.clock.nearest;
    const at = this.recording.time[row];
    const rowOf = (curve) => (curve.from === this.recording ? row : curve.from.nearestRow(at));
    const dots = this.chart.spec.curves.map((curve) => ({ curve, row: rowOf(curve) }));
    const x = this.clock.hover === null ? this.clock.time : this.recording.time[row];
    this.chart.mark(this.overTime ? { x, dots } : { dots });
    this.legend.show(rowOf);
  }

  columns() {
    const { recording } = this;
    const names = this.overTime ? ["time", ...this.y] : ["time", this.x, ...this.y];
    const own = [...new Set(names)].map((name) => ({ name, unit: recording.unit(name), values: recording.get(name) }));
    const theirs = (this.against?.others ?? []).flatMap(({ recording: other, label }) =>
      [...new Set(names)].filter((name) => other.has(name)).map((name) => ({ name: `${label}: ${name}`, unit: recording.unit(name), values: other.get(name) })),
    );
    return [...own, ...theirs];
  }

  destroy() {
    this.off.forEach((off) => off());
    this.chart.destroy();
    this.legend.off();
    this.node.remove();
  }
}

// Values of a channel; of the place of a contact only those in contact: the others say nothing, and
// would be drawn as jumps to the origin.
function whereInContact(recording, name) {
  const values = recording.get(name);
  const pair = /^(contact\..*)\.point\.[xyz]$/s.exec(name)?.[1];
  const count = pair && recording.get(`${pair}.count`);
  return count ? values.map((v, i) => (count[i] > 0 ? v : NaN)) : values;
}

// A channel of another recording less that of this one, at the other's times; NaN outside.
function differenceFrom(recording, other, name) {
  const own = recording.get(name);
  const theirs = other.get(name);
  return Float64Array.from(other.time, (t, i) => {
    const row = recording.rowAt(t);
    if (t < recording.start || t > recording.end) {
      return NaN;
    }
    const next = Math.min(row + 1, recording.rows - 1);
    const span = recording.time[next] - recording.time[row];
    return theirs[i] - own[row] - (span > 0 ? ((t - recording.time[row]) / span) * (own[next] - own[row]) : 0);
  });
}

// The end of a channel's name says what it is; whose it is stands in title and legend.
const ENDING = /((position|orientation|velocity|omega|force|moment|point|torque|spring|lost)\.[a-z0-9]+|[a-z_]+)$/;

function shortName(name) {
  return ENDING.exec(name)?.[0] ?? "value";
}

function axisLabel(names, unit) {
  const shorts = [...new Set(names.map(shortName))];
  const quantities = [...new Set(shorts.map((name) => name.split(".")[0]))];
  const many = quantities.length === 1 ? quantities[0] : (QUANTITY[unit] ?? (plain(unit) ? "value" : ""));
  return label(shorts.length === 1 ? shorts[0] : many, unit);
}

// "body.box.position: x, y, z" where the names differ in their last part only, "position of
// body.left, body.right" where they differ in whose they are.
function joined(names) {
  const stem = names[0].slice(0, names[0].lastIndexOf(".") + 1);
  if (names.length > 1 && stem && names.every((n) => n.startsWith(stem) && !n.slice(stem.length).includes("."))) {
    return `${stem.slice(0, -1)}: ${names.map((n) => n.slice(stem.length)).join(", ")}`;
  }
  const shorts = names.map(shortName);
  const owners = [...new Set(names.map((n, i) => n.slice(0, n.length - shorts[i].length - 1)))];
  const quantities = [...new Set(shorts.map((s) => s.split(".")[0]))];
  if (quantities.length === 1 && owners.length > 1) {
    return `${quantities[0]} of ${owners.slice(0, 3).join(", ")}${owners.length > 3 ? ", …" : ""}`;
  }
  return names.slice(0, 2).join(", ") + (names.length > 2 ? ", …" : "");
}

function panelTitle(names, x) {
  const what = names.length === 0 ? "Nothing chosen" : joined(names);
  if (x === "time") {
    return what;
  }
  const whose = names[0]?.slice(0, names[0].length - shortName(names[0]).length);
  return `${what} against ${whose && x.startsWith(whose) ? x.slice(whose.length) : x}`;
}
