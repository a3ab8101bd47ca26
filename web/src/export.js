// A panel as a file: PNG and SVG of what is seen, CSV of the data behind it.

import { markerPath, SvgPen, strokeArea, strokeCurve, strokeMarkers, visibleRows } from "./curves.js";
import { tickTexts, ticks } from "./numbers.js";
import { theme } from "./theme.js";

export function save(name, type, content) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// A name valid on any file system.
export function fileName(title, ending) {
  const word = title.normalize("NFKD").replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return (word || "panel") + "." + ending;
}

// ---- CSV -------------------------------------------------------------------------------------

function cell(text) {
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

const heading = (name, unit) => cell(unit ? `${name} (${unit})` : name);

// Columns {name, unit, values}; numbers are written so that they read back to the same bits.
export function csvText(columns) {
  const lines = [columns.map((c) => heading(c.name, c.unit)).join(",")];
  const rows = Math.max(0, ...columns.map((c) => c.values.length));
  for (let i = 0; i < rows; i++) {
    lines.push(columns.map((c) => (i < c.values.length ? String(c.values[i]) : "")).join(","));
  }
  return lines.join("\n") + "\n";
}

// ---- PNG -------------------------------------------------------------------------------------

// The canvas as it stands, on paper, with its title and the curves that are on.
export function pngBlob(chart) {
  const source = chart.plot.ctx.canvas;
  const ratio = source.width / chart.plot.width;
  const line = 20 * ratio;
  const curves = chart.spec.curves.filter((c) => c.shown);
  const out = document.createElement("canvas");
  out.width = source.width;
  out.height = source.height + line * (1.4 + Math.ceil(curves.length / 2));
  const ctx = out.getContext("2d");
  ctx.fillStyle = theme.paper;
  ctx.fillRect(0, 0, out.width, out.height);
  ctx.drawImage(source, 0, line * 1.4);
  ctx.font = `${14 * ratio}px system-ui, sans-serif`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = theme.ink;
  ctx.fillText(chart.spec.title ?? "", 12 * ratio, line * 0.8, out.width - 24 * ratio);
  ctx.font = `${12 * ratio}px system-ui, sans-serif`;
  curves.forEach((curve, i) => {
    const x = 12 * ratio + (i % 2) * (out.width / 2);
    const y = source.height + line * (1.9 + Math.floor(i / 2));
    ctx.fillStyle = curve.colour();
    ctx.fillRect(x, y - 2 * ratio, 18 * ratio, 4 * ratio);
    ctx.fillStyle = theme.ink;
    ctx.fillText(curve.name, x + 24 * ratio, y, out.width / 2 - 40 * ratio);
  });
  return new Promise((resolve) => out.toBlob(resolve, "image/png"));
}

// ---- SVG -------------------------------------------------------------------------------------

const NAMES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

// Characters XML allows, with those it reads as markup named.
export function xmlText(text) {
  return String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/[&<>"']/g, (c) => NAMES[c]);
}

const text = (x, y, content, more = "") => `<text x="${x}" y="${y}" ${more}>${xmlText(content)}</text>`;

export function svgText(chart, width = 800, height = 480) {
  const curves = chart.spec.curves.filter((c) => c.shown);
  const axes = Object.entries(chart.spec.axes);
  const box = {
    left: 84,
    top: 40,
    right: width - (axes.length > 1 ? 84 : 20),
    bottom: height - 60,
  };
  const legend = 20 * Math.ceil(curves.length / 2);
  const all = [
    text(width / 2, 22, chart.spec.title ?? "", 'text-anchor="middle" font-size="15"'),
    svgAxis(chart.spec.x, chart.view.x, box, "x", height),
    ...axes.map(([key, axis], i) => svgAxis(axis, chart.view[key], box, i ? "right" : "left", height)),
    `<clipPath id="frame"><rect x="${box.left}" y="${box.top}" width="${box.right - box.left}" ` +
      `height="${box.bottom - box.top}"/></clipPath>`,
    `<g clip-path="url(#frame)">${curves.map((c) => svgCurve(chart, c, box)).join("\n")}</g>`,
    ...curves.map((c, i) => svgLegend(c, i, box, width, height)),
  ];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + legend}" ` +
    `viewBox="0 0 ${width} ${height + legend}" font-family="system-ui, sans-serif" font-size="12" fill="${theme.ink}">\n` +
    `<rect width="100%" height="100%" fill="${theme.paper}"/>\n${all.join("\n")}\n</svg>\n`
  );
}

function scaleTo([min, max], log, from, to) {
  const map = log ? (v) => (v > 0 ? Math.log10(v) : NaN) : (v) => v;
  return (v) => from + ((map(v) - map(min)) / (map(max) - map(min))) * (to - from);
}

function svgAxis(axis, view, box, side, height) {
  const flat = side === "x";
  const place = flat ? scaleTo(view, axis.log, box.left, box.right) : scaleTo(view, axis.log, box.bottom, box.top);
  const values = ticks(view[0], view[1], flat ? 8 : 7, axis.log);
  const texts = tickTexts(values);
  const marks = values.map((v, i) => svgTick(place(v), texts[i], box, side));
  const middle = (box.top + box.bottom) / 2;
  const at = side === "left" ? 18 : box.right + 72;
  const name = flat
    ? text((box.left + box.right) / 2, height - 18, axis.label, 'text-anchor="middle"')
    : text(0, 0, axis.label, `text-anchor="middle" transform="translate(${at} ${middle}) rotate(-90)"`);
  return marks.join("") + name;
}

function svgTick(at, label, box, side) {
  const p = at.toFixed(2);
  const line = (x1, y1, x2, y2) => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${theme.grid}"/>`;
  if (side === "x") {
    return line(p, box.top, p, box.bottom) + text(p, box.bottom + 18, label, 'text-anchor="middle"');
  }
  if (side === "left") {
    return line(box.left, p, box.right, p) + text(box.left - 8, at + 4, label, 'text-anchor="end"');
  }
  return text(box.right + 8, at + 4, label);
}

function svgCurve(chart, curve, box) {
  const rows = visibleRows(curve, chart.view.x);
  const toX = scaleTo(chart.view.x, chart.spec.x.log, box.left, box.right);
  const toY = scaleTo(chart.view[curve.axis], chart.spec.axes[curve.axis].log, box.bottom, box.top);
  const width = 4 * (box.right - box.left);
  const paths = [];
  if (curve.base) {
    const pen = new SvgPen();
    strokeArea(pen, curve, rows, toX, toY, width);
    return `<path d="${pen.text}Z" fill="${curve.colour()}"/>`;
  }
  if (curve.line !== "none") {
    const pen = new SvgPen();
    strokeCurve(pen, curve, rows, toX, toY, width);
    paths.push(pen.text && `<path d="${pen.text}" stroke-dasharray="${(curve.dash ?? []).join(" ")}"/>`);
  }
  if (curve.marker !== undefined) {
    const pen = new SvgPen();
    strokeMarkers(pen, curve, rows, toX, toY, curve.marker, 4);
    paths.push(`<path d="${pen.text}"/>`);
  }
  return `<g fill="none" stroke="${curve.colour()}" stroke-width="1.75" stroke-linejoin="round">${paths.join("")}</g>`;
}

function svgLegend(curve, i, box, width, height) {
  const x = box.left + (i % 2) * (width / 2 - 40);
  const y = height + 20 * Math.floor(i / 2) + 4;
  const dash = curve.base ? "" : (curve.dash ?? []).join(" ");
  const line =
    `<line x1="${x}" y1="${y}" x2="${x + 22}" y2="${y}" stroke="${curve.colour()}" stroke-width="3" ` +
    `stroke-dasharray="${dash}"/>`;
  const marker =
    curve.marker === undefined
      ? ""
      : `<path d="${markerPath(curve.marker, 4, x + 11, y)}" fill="none" stroke="${curve.colour()}" stroke-width="1.75"/>`;
  return (curve.line === "none" ? "" : line) + marker + text(x + 30, y + 4, curve.name);
}
