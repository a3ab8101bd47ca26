// Chart: axes, zoom and cursor by uPlot; curves are drawn here, because a force-depth loop
// or a phase plane runs back and forth in x, which uPlot's own lines do not.
//
// spec: {
//   title, summary,                        summary: what a screen reader says
//   x: {label, log}, axes: {y: {label, log, side}},
//   curves: [{name, unit, xs, ys, base, axis, dash, line, marker, colour, shown}],
//   height, changed                        changed(): a curve was switched on or off
// }

import uPlot from "uplot";
import { el } from "./dom.js";
import { extent, padded, tickTexts, ticks } from "./numbers.js";
import { ascending, strokeArea, strokeCurve, strokeMarkers, visibleRows } from "./curves.js";
import { onTheme, theme } from "./theme.js";

// Axis text follows the size of the page's text.
const textSize = () => Math.round(0.78 * parseFloat(getComputedStyle(document.documentElement).fontSize));
const font = () => `${textSize()}px system-ui, sans-serif`;

export class Chart {
  constructor(host, spec) {
    this.spec = spec;
    this.host = host;
    this.marks = [];
    this.hooks = { hover: [], click: [], zoom: [] };
    for (const curve of spec.curves) {
      curve.sorted ??= ascending(curve.xs);
      curve.shown ??= true;
    }
    this.view = this.fullView();
    this.box = el("div", { class: "chart", role: "img", aria: { label: spec.summary ?? spec.title ?? "plot" } });
    host.append(this.box);
    host.style.minHeight = "";
    this.build();
    this.watch();
  }

  on(what, listener) {
    this.hooks[what].push(listener);
  }

  // ---- visible range -------------------------------------------------------------

  // Ranges that show every enabled curve.
  fullView() {
    const shown = this.spec.curves.filter((c) => c.shown);
    const view = { x: this.span(shown, this.spec.x.log, (c) => [c.xs]) };
    if (!this.spec.x.log && shown.length && shown.every((c) => c.sorted && c.marker === undefined)) {
      view.x = tight(shown);
    }
    for (const [key, axis] of Object.entries(this.spec.axes)) {
      const mine = shown.filter((c) => c.axis === key);
      view[key] = this.span(mine, axis.log, (c) => (c.base ? [c.ys, c.base] : [c.ys]));
    }
    return view;
  }

  span(curves, log, pick) {
    let all = [Infinity, -Infinity];
    for (const values of curves.flatMap(pick)) {
      const [min, max] = extent(values, log);
      all = [Math.min(all[0], min), Math.max(all[1], max)];
    }
    return padded(all, log);
  }

  setView(view) {
    Object.assign(this.view, view);
    this.plot.batch(() => {
      for (const [key, [min, max]] of Object.entries(this.view)) {
        this.plot.setScale(key, { min, max });
      }
    });
    this.place();
  }

  reset() {
    this.setView(this.fullView());
    this.tell("zoom", null);
  }

  // Zooms about the middle, or about x where given.
  zoom(factor, at) {
    const [a, b] = this.view.x;
    const log = this.spec.x.log;
    const to = log ? Math.log : (v) => v;
    const back = log ? Math.exp : (v) => v;
    const middle = to(at !== undefined && at > a && at < b ? at : back((to(a) + to(b)) / 2));
    this.setView({ x: [back(middle - (middle - to(a)) / factor), back(middle + (to(b) - middle) / factor)] });
    this.tell("zoom", this.view.x);
  }

  toggle(curve) {
    curve.shown = !curve.shown;
    this.spec.changed?.();
    const x = this.view.x;
    this.setView({ ...this.fullView(), x });
  }

  tell(what, ...args) {
    for (const hook of this.hooks[what]) {
      hook(...args);
    }
  }

  // ---- uPlot ----------------------------------------------------------------------

  build() {
    const axes = Object.entries(this.spec.axes);
    const options = {
      width: Math.max(200, this.box.clientWidth),
      height: this.spec.height ?? 240,
      legend: { show: false },
      cursor: { points: { show: false }, drag: { x: true, y: true, uni: 30, setScale: false } },
      scales: Object.fromEntries(
        [["x", this.spec.x], ...axes].map(([key, axis]) => [
          key,
          { time: false, auto: false, distr: axis.log ? 3 : 1, range: () => this.view[key] },
        ]),
      ),
      series: [{}, ...axes.map(([key]) => ({ scale: key, show: false }))],
      axes: [this.axis("x", this.spec.x, 2), ...axes.map(([key, axis]) => this.axis(key, axis, axis.side ?? 3))],
      hooks: {
        draw: [() => this.draw()],
        setSelect: [(u) => this.selected(u)],
        setCursor: [(u) => this.moved(u)],
        ready: [() => this.place()],
      },
    };
    // uPlot needs some data before it draws axes; the curves are drawn in draw().
    this.plot = new uPlot(options, [[0, 1], ...axes.map(() => [0, 1])], this.box);
    this.playhead = el("div", { class: "playhead" });
    this.plot.over.append(this.playhead);
    this.plot.over.addEventListener("pointerdown", (e) => (this.pressed = [e.clientX, e.clientY]));
    this.plot.over.addEventListener("click", (e) => this.clicked(e));
    this.plot.over.addEventListener("dblclick", () => this.reset());
    this.plot.over.addEventListener("mouseleave", () => this.tell("hover", null));
  }

  axis(key, axis, side) {
    const vertical = side % 2 === 1;
    return {
      scale: key,
      side,
      label: axis.label,
      labelSize: 1.7 * textSize(),
      labelGap: 2,
      font: font(),
      labelFont: font(),
      stroke: () => theme.ink,
      grid: { stroke: () => theme.grid, width: 1, show: side !== 1 },
      ticks: { stroke: () => theme.grid, width: 1 },
      size: vertical ? (u, texts) => 22 + widest(u.ctx, texts ?? []) : 14 + 1.6 * textSize(),
      splits: (u, i, min, max) => ticks(min, max, tickCount(u, vertical), axis.log),
      filter: (u, splits) => splits, // else log axes keep only whole decades
      values: (u, splits) => tickTexts(splits),
    };
  }

  watch() {
    this.observer = new ResizeObserver(() => {
      const width = this.box.clientWidth;
      if (width > 0 && width !== this.plot.width) {
        this.plot.setSize({ width, height: this.plot.height });
        this.place();
      }
    });
    this.observer.observe(this.box);
    this.offTheme = onTheme(() => this.plot.redraw(false));
  }

  destroy() {
    this.observer.disconnect();
    this.offTheme();
    this.plot.destroy();
    this.box.remove();
  }

  // ---- drawing -------------------------------------------------------------------------

  draw() {
    const { ctx, bbox } = this.plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const ratio = uPlot.pxRatio;
    for (const curve of this.spec.curves.filter((c) => c.shown)) {
      this.drawCurve(ctx, curve, ratio);
    }
    ctx.restore();
  }

  drawCurve(ctx, curve, ratio) {
    const rows = visibleRows(curve, this.view.x);
    const [toX, toY] = this.positions(curve);
    const width = this.plot.bbox.width;
    ctx.strokeStyle = ctx.fillStyle = curve.colour();
    ctx.lineWidth = 1.75 * ratio;
    ctx.lineJoin = "round";
    if (curve.base) {
      ctx.beginPath();
      strokeArea(ctx, curve, rows, toX, toY, width);
      ctx.fill();
    } else if (curve.line !== "none") {
      ctx.setLineDash((curve.dash ?? []).map((d) => d * ratio));
      ctx.beginPath();
      strokeCurve(ctx, curve, rows, toX, toY, width);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    if (curve.marker !== undefined) {
      ctx.beginPath();
      strokeMarkers(ctx, curve, rows, toX, toY, curve.marker, 4 * ratio);
      ctx.lineWidth = 1.5 * ratio;
      ctx.stroke();
    }
  }

  // Value to canvas position, NaN where a log scale has none.
  positions(curve) {
    const place = (key, axis) => (v) => (axis.log && !(v > 0) ? NaN : this.plot.valToPos(v, key, true));
    return [place("x", this.spec.x), place(curve.axis, this.spec.axes[curve.axis])];
  }

  // ---- pointer ----------------------------------------------------------------------------

  selected(u) {
    const { left, top, width, height } = u.select;
    if (width < 3 && height < 3) {
      return;
    }
    const view = {};
    if (width > 3 && width < u.over.clientWidth - 1) {
      view.x = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
    }
    if (height > 3 && height < u.over.clientHeight - 1) {
      for (const key of Object.keys(this.spec.axes)) {
        view[key] = [u.posToVal(top + height, key), u.posToVal(top, key)];
      }
    }
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.setView(view);
    if (view.x) {
      this.tell("zoom", view.x);
    }
  }

  moved(u) {
    const { left, top } = u.cursor;
    if (left === undefined || left < 0) {
      return;
    }
    this.tell("hover", { left, top, x: u.posToVal(left, "x") });
  }

  clicked(event) {
    const [x, y] = this.pressed ?? [event.clientX, event.clientY];
    if (Math.hypot(event.clientX - x, event.clientY - y) > 4) {
      return;
    }
    const box = this.plot.over.getBoundingClientRect();
    const left = event.clientX - box.left;
    this.tell("click", { left, top: event.clientY - box.top, x: this.plot.posToVal(left, "x") });
  }

  // The recorded point nearest to a place in the picture: {curve, row, distance}.
  nearest({ left, top }) {
    let best = { distance: Infinity };
    for (const curve of this.spec.curves.filter((c) => c.shown && !c.base)) {
      const [from, to] = visibleRows(curve, this.view.x);
      const axis = this.spec.axes[curve.axis];
      for (let row = from; row < to; row++) {
        if ((this.spec.x.log && !(curve.xs[row] > 0)) || (axis.log && !(curve.ys[row] > 0))) {
          continue;
        }
        const dx = this.plot.valToPos(curve.xs[row], "x") - left;
        const dy = this.plot.valToPos(curve.ys[row], curve.axis) - top;
        const distance = dx * dx + dy * dy;
        if (distance < best.distance) {
          best = { curve, row, distance };
        }
      }
    }
    best.distance = Math.sqrt(best.distance);
    return best;
  }

  // ---- marks at the replay time ----------------------------------------------------------

  // x: a vertical line there. dots: [{curve, row}], a dot on each.
  mark({ x, dots = [] }) {
    this.marked = { x, dots };
    this.place();
  }

  place() {
    if (!this.plot || !this.playhead) {
      return;
    }
    const { x, dots = [] } = this.marked ?? {};
    const inside = x !== undefined && x >= this.view.x[0] && x <= this.view.x[1];
    this.playhead.style.display = inside ? "block" : "none";
    if (inside) {
      this.playhead.style.transform = `translateX(${this.plot.valToPos(x, "x")}px)`;
    }
    while (this.marks.length < dots.length) {
      const dot = el("div", { class: "playdot" });
      this.plot.over.append(dot);
      this.marks.push(dot);
    }
    this.marks.forEach((dot, i) => this.placeDot(dot, dots[i]));
  }

  placeDot(dot, at) {
    const x = at && at.curve.shown ? this.plot.valToPos(at.curve.xs[at.row], "x") : NaN;
    const y = at && at.curve.shown ? this.plot.valToPos(at.curve.ys[at.row], at.curve.axis) : NaN;
    const { width, height } = this.plot.bbox;
    const inside = x >= 0 && y >= 0 && x <= width / uPlot.pxRatio && y <= height / uPlot.pxRatio;
    dot.style.display = inside ? "block" : "none";
    if (inside) {
      dot.style.transform = `translate(${x}px, ${y}px)`;
      dot.style.background = at.curve.colour();
    }
  }
}

// Lines fill the width of their picture.
function tight(curves) {
  const min = Math.min(...curves.map((c) => c.xs[0]));
  const max = Math.max(...curves.map((c) => c.xs[c.xs.length - 1]));
  return max > min ? [min, max] : padded([min, max], false);
}

function widest(ctx, texts) {
  ctx.font = font();
  return Math.max(16, ...texts.map((text) => ctx.measureText(text).width));
}

function tickCount(u, vertical) {
  const size = vertical ? u.bbox.height : u.bbox.width;
  return Math.max(2, Math.floor(size / uPlot.pxRatio / textSize() / (vertical ? 3 : 6.5)));
}
