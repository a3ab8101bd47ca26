// Energy ledger: stored and dissipated energy, stacked, against initial energy plus work; and the
// residual, on its own scale.

import { Chart } from "./chart.js";
import { chartHost, el, lazily } from "./dom.js";
import { extent, withUnit } from "./numbers.js";
import { flowBlock } from "./flow.js";
import { Legend, tools } from "./panel.js";
import { areaColour, curveColour, theme } from "./theme.js";

const STORED = ["kinetic", "gravity", "spring.normal", "spring.tangent", "spring.joint"].map((n) => `energy.${n}`);
const SHADES = ["sky", "blue", "green", "purple", "red", "orange", "yellow", "grey", "brown", "navy", "olive", "rose"];

export function ledgerBlock(recording, clock) {
  const box = el("div", { class: "ledger" });
  const layers = findLayers(recording);
  if (!layers.length) {
    return el("p", { class: "note" }, "No energy channels were recorded.");
  }
  const flow = flowBlock(recording, layers);
  if (flow) {
    box.append(flow);
  }
  const head = el("div", { class: "panel-head" }, el("h3", {}, "Energy, stacked"));
  const host = chartHost(300);
  box.append(el("figure", { class: "panel" }, head, host, el("p", { class: "note" }, ledgerNote(recording))));
  lazily(box, () => {
    const chart = new Chart(host, stackSpec(recording, layers));
    head.append(tools(() => chart, () => columns(recording, layers)));
    link(recording, clock, chart, host);
    box.chart = chart;
  });
  if (recording.has("energy.residual")) {
    box.append(residualPanel(recording, clock));
  }
  return box;
}

// Gravity has no natural zero: it is counted from its lowest value in this run.
function findLayers(recording) {
  const lost = recording.channels.map((c) => c.name).filter((n) => n.startsWith("energy.lost."));
  return [...STORED, ...lost]
    .filter((name) => recording.has(name))
    .map((name) => {
      const raw = recording.get(name);
      const [least, most] = extent(raw);
      const floor = name === "energy.gravity" ? least : 0;
      return { name, raw, floor, used: most > floor || least < floor };
    })
    .filter((layer) => layer.used)
    .map((layer, n) => ({ ...layer, colour: SHADES[n % SHADES.length] }));
}

function ledgerNote(recording) {
  const audit = recording.summary.audit ?? {};
  const words = ["Gravity is counted from its lowest value in this run."];
  if (recording.has("energy.work")) {
    words.push("The line is the energy at the start plus the work done: the stack must reach it.");
  }
  if (Number.isFinite(audit.energy_residual)) {
    words.push(`Largest residual ${withUnit(audit.energy_residual, "J", 3)}.`);
  }
  return words.join(" ");
}

// Each layer is drawn from zero up to its sum; the highest first, so that the lower cover it.
function stackSpec(recording, layers) {
  const stack = layers.map((layer) => ({
    name: layer.name,
    unit: "J",
    xs: recording.time,
    ys: new Float64Array(recording.rows),
    base: new Float64Array(recording.rows),
    layer,
    shownValues: layer.floor ? layer.raw.map((v) => v - layer.floor) : layer.raw,
    shown: true,
    axis: "y",
    sorted: true,
    colour: () => areaColour(layer.colour),
  }));
  restack(stack);
  return {
    title: "Energy, stacked",
    summary: `Stacked energies over time: ${layers.map((l) => l.name).join(", ")}`,
    x: { label: "time (s)" },
    axes: { y: { label: "energy (J)" } },
    height: 300,
    changed: () => restack(stack),
    curves: [...[...stack].reverse(), ...expected(recording, stack)],
  };
}

// Sums from the bottom, of the enabled entries.
function restack(stack) {
  let below = stack[0].base;
  for (const curve of stack.filter((c) => c.shown)) {
    const { raw, floor } = curve.layer;
    for (let i = 0; i < raw.length; i++) {
      curve.ys[i] = below[i] + raw[i] - floor;
    }
    below = curve.ys;
  }
}

// Reference: initial energy plus the work done since.
function expected(recording, stack) {
  const work = recording.get("energy.work");
  if (!work || !recording.rows) {
    return [];
  }
  const start = stack[stack.length - 1].ys[0];
  const ys = work.map((w) => start + w - work[0]);
  return [
    { name: "start + energy.work", unit: "J", xs: recording.time, ys, axis: "y", dash: [6, 4], colour: () => theme.ink },
  ];
}

function residualPanel(recording, clock) {
  const head = el("div", { class: "panel-head" }, el("h3", {}, "energy.residual"));
  const host = chartHost(190);
  const box = el("figure", { class: "panel" }, head, host);
  lazily(box, () => {
    const spec = {
      title: "energy.residual",
      summary: "Energy residual over time, on its own scale",
      x: { label: "time (s)" },
      axes: { y: { label: "residual (J)" } },
      height: 190,
      curves: [
        {
          name: "energy.residual",
          unit: "J",
          xs: recording.time,
          ys: recording.get("energy.residual"),
          axis: "y",
          colour: () => curveColour(1),
        },
      ],
    };
    const chart = new Chart(host, spec);
    head.append(tools(() => chart, () => columns(recording, [{ name: "energy.residual" }])));
    link(recording, clock, chart, host);
  });
  return box;
}

function columns(recording, layers) {
  const names = ["time", ...layers.map((l) => l.name)];
  return names.map((name) => ({ name, unit: recording.unit(name), values: recording.get(name) }));
}

function link(recording, clock, chart, host) {
  const legend = new Legend(chart);
  host.after(legend.node);
  const follow = () => {
    const row = clock.hover ?? clock.nearest;
    chart.mark({ x: clock.hover === null ? clock.time : recording.time[row] });
    legend.show(row);
  };
  const show = () => chart.setView({ x: clock.view ?? chart.fullView().x });
  chart.on("hover", (at) => clock.setHover(at ? recording.nearestRow(at.x) : null));
  chart.on("click", (at) => clock.seekRow(recording.nearestRow(at.x)));
  chart.on("zoom", (x) => clock.setView(x));
  clock.on("time", follow);
  clock.on("hover", follow);
  clock.on("view", show);
  if (clock.view) {
    show();
  }
  follow();
}
