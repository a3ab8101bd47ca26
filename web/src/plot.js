// A plot of a report: curves that each have their own x and y.

import { Chart } from "./chart.js";
import { chartHost, el, lazily } from "./dom.js";
import { label, withUnit } from "./numbers.js";
import { Legend, tools } from "./panel.js";
import { curveColour, curveDash } from "./theme.js";

const HEIGHT = 320;
const DASHES = { line: [], dash: [8, 5], dot: [2, 4], markers: [], "line-markers": [] };

export function plotBlock(block, doc) {
  const host = chartHost(HEIGHT);
  const readout = el("p", { class: "readout", aria: { live: "polite" } });
  const head = el("div", { class: "panel-head" }, el("h3", {}, el("bdi", {}, block.title)));
  const box = el("figure", { class: "panel" }, head, host, readout);
  lazily(box, () => {
    const chart = new Chart(host, plotSpec(block, doc));
    const legend = new Legend(chart);
    host.after(legend.node);
    head.append(tools(() => chart, () => columns(block, doc)));
    chart.on("hover", (at) => hover(chart, block, readout, at));
    box.chart = chart;
  });
  const reduced = block.curves.filter((c) => c.kept < c.recorded);
  if (reduced.length) {
    box.append(
      el("p", { class: "note" }, reduced.map((c) => `${c.name}: ${c.kept} of ${c.recorded} points, minima and maxima kept. `)),
    );
  }
  return box;
}

function plotSpec(block, doc) {
  return {
    title: block.title,
    summary: `${block.title || "Plot"}: ${block.curves.map((c) => c.name).join(", ")}`,
    x: { label: label(block.x.label, block.x.unit), log: block.x.log },
    axes: { y: { label: label(block.y.label, block.y.unit), log: block.y.log } },
    height: HEIGHT,
    curves: block.curves.map((c, n) => plotCurve(c, n, block, doc)),
  };
}

function plotCurve(curve, n, block, doc) {
  const marked = curve.style === "markers" || curve.style === "line-markers";
  return {
    name: curve.name,
    unit: block.y.unit,
    xs: doc.numbers[curve.x].values,
    ys: doc.numbers[curve.y].values,
    axis: "y",
    colour: () => curveColour(n),
    dash: curve.style === "line" ? curveDash(n) : DASHES[curve.style],
    line: curve.style === "markers" ? "none" : undefined,
    marker: marked ? n : undefined,
  };
}

function columns(block, doc) {
  return block.curves.flatMap((c) => [
    { name: `${c.name}: ${block.x.label}`, unit: block.x.unit, values: doc.numbers[c.x].values },
    { name: `${c.name}: ${block.y.label}`, unit: block.y.unit, values: doc.numbers[c.y].values },
  ]);
}

function hover(chart, block, readout, at) {
  const found = at ? chart.nearest(at) : null;
  if (!found?.curve) {
    readout.textContent = "";
    chart.mark({});
    return;
  }
  const { curve, row } = found;
  chart.mark({ dots: [found] });
  readout.textContent =
    `${curve.name}: ${block.x.label} ${withUnit(curve.xs[row], block.x.unit)}, ` +
    `${block.y.label} ${withUnit(curve.ys[row], block.y.unit)}`;
}
