// Where the energy went: a picture of flows from what gave it to what took it, and the same as a
// table. Each flow is as thick as its energy.

import { button, el } from "./dom.js";
import { fileName, save, xmlText } from "./export.js";
import { withUnit } from "./numbers.js";
import { areaColour, onTheme, theme } from "./theme.js";

const WORDS = {
  kinetic: "motion",
  gravity: "height",
  "spring.normal": "squeezed contacts",
  "spring.tangent": "sheared contacts",
  "spring.joint": "joint springs",
  "lost.normal": "lost: damping of contacts",
  "lost.tangent": "lost: sideways damping",
  "lost.slip": "lost: sliding friction",
  "lost.viscous": "lost: viscous friction",
  "lost.rolling": "lost: rolling",
  "lost.spin": "lost: spinning",
  "lost.impact": "lost: impacts",
  "lost.joint": "lost: joints",
  "lost.depth": "lost: correction of depth",
  "lost.step": "lost: time stepping",
  work: "work done",
  residual: "not accounted for",
};
const word = (name) => WORDS[name] ?? name;

// Change of every entry over the run; positive work gives, losses take.
export function energyChanges(recording, layers) {
  const last = recording.rows - 1;
  const change = (name) => recording.get(name)[last] - recording.get(name)[0];
  const stored = layers.map((layer) => ({ name: layer.name.slice(7), colour: layer.colour, taken: change(layer.name) }));
  const work = recording.has("energy.work") ? [{ name: "work", colour: "navy", taken: -change("energy.work") }] : [];
  return [...work, ...stored];
}

const UNCHANGED = 1e-6; // a smaller part of the energy is rounding, not a flow

function energyInPlay(recording, layers) {
  const rows = recording.rows;
  const all = (row) => layers.reduce((total, { raw, floor }) => total + Math.abs(raw[row] - floor), 0);
  return Math.max(all(0), all(rows >> 1), all(rows - 1));
}

// null if no energy went anywhere.
export function flowBlock(recording, layers) {
  const changes = energyChanges(recording, layers);
  const given = changes.filter((c) => c.taken < 0).map((c) => ({ ...c, size: -c.taken }));
  const taken = changes.filter((c) => c.taken > 0).map((c) => ({ ...c, size: c.taken }));
  const total = Math.max(sum(given), sum(taken));
  if (!(total > UNCHANGED * energyInPlay(recording, layers))) {
    return null;
  }
  // What is too thin to see is one flow.
  const [left, right] = [gather(given, total), gather(taken, total)];
  const host = el("div", { class: "flow", role: "img", aria: { label: describe(left, right) } });
  const draw = () => host.replaceChildren(parseSvg(flowSvg(left, right, total)));
  draw();
  onTheme(draw);
  const tool = button("SVG", "Save the picture as SVG", () => save(fileName("energy flow", "svg"), "image/svg+xml", flowSvg(left, right, total)));
  const head = el("div", { class: "panel-head" }, el("h3", {}, "Where the energy went"), el("div", { class: "tools" }, tool));
  return el("figure", { class: "panel wide" }, head, el("div", { class: "flow-both" }, host, flowTable(changes)));
}

const sum = (list) => list.reduce((s, c) => s + c.size, 0);

function gather(list, total) {
  const large = list.filter((c) => c.size >= 0.005 * total).sort((p, q) => q.size - p.size);
  const small = sum(list) - sum(large);
  return small > 0.001 * total ? [...large, { name: "the rest", colour: "grey", size: small }] : large;
}

function describe(left, right) {
  const tell = (list) => list.map((c) => `${word(c.name)} ${withUnit(c.size, "J", 3)}`).join(", ") || "nothing";
  return `Energy over the run: given by ${tell(left)}; taken by ${tell(right)}`;
}

function parseSvg(text) {
  return document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
}

const [WIDTH, BAR, TEXT, GAP] = [640, 12, 190, 8];

function flowSvg(left, right, total) {
  const tall = 170;
  const height = tall + 30 + GAP * Math.max(left.length, right.length);
  const scale = tall / total;
  const middle = (height - tall) / 2;
  const parts = [`<rect x="${WIDTH / 2 - BAR / 2}" y="${middle}" width="${BAR}" height="${tall}" rx="3" fill="${theme.ink}"/>`];
  side(left, -1, parts, scale, middle, height);
  side(right, 1, parts, scale, middle, height);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ` +
    `font-family="system-ui, sans-serif" font-size="13" fill="${theme.ink}"><rect width="100%" height="100%" fill="${theme.paper}"/>` +
    `${parts.join("")}</svg>`
  );
}

// Flows on one side of the middle bar: a band from there to the outer end, with its name.
function side(list, sign, parts, scale, middle, height) {
  const outer = sign < 0 ? TEXT : WIDTH - TEXT;
  const inner = WIDTH / 2 + (sign * BAR) / 2;
  let from = middle;
  let to = (height - sum(list) * scale - GAP * (list.length - 1)) / 2;
  let free = 0; // where the next text may stand
  for (const flow of list) {
    const thick = flow.size * scale;
    const bend = (outer + inner) / 2;
    const edge = (y0, y1) => `${inner} ${y0}C${bend} ${y0} ${bend} ${y1} ${outer} ${y1}`;
    const back = `L${outer} ${to + thick}C${bend} ${to + thick} ${bend} ${from + thick} ${inner} ${from + thick}Z`;
    parts.push(`<path d="M${edge(from, to)}${back}" fill="${areaColour(flow.colour)}" fill-opacity="0.75"/>`);
    const x = outer + sign * 8;
    const anchor = sign < 0 ? "end" : "start";
    const y = Math.max(free, to + thick / 2 + (thick > 22 ? -2 : 4));
    free = y + (thick > 22 ? 32 : 15);
    const value = withUnit(flow.size, "J", 3);
    parts.push(
      thick > 22
        ? `<text x="${x}" y="${y}" text-anchor="${anchor}">${xmlText(word(flow.name))}</text><text x="${x}" y="${y + 16}" text-anchor="${anchor}" opacity="0.7">${xmlText(value)}</text>`
        : `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="12">${xmlText(`${word(flow.name)} ${value}`)}</text>`,
    );
    from += thick;
    to += thick + GAP;
  }
}

function flowTable(changes) {
  const rows = changes.map((c) =>
    el("tr", {}, el("th", { scope: "row" }, word(c.name)), el("td", { class: "number" }, c.taken < 0 ? withUnit(-c.taken, "J", 4) : ""), el("td", { class: "number" }, c.taken > 0 ? withUnit(c.taken, "J", 4) : "")),
  );
  const head = el("tr", {}, ["over the run", "gave", "took"].map((n) => el("th", { scope: "col" }, n)));
  return el("div", { class: "scroll", tabIndex: 0, role: "region", aria: { label: "Energy given and taken" } }, el("table", { class: "plain" }, el("thead", {}, head), el("tbody", {}, rows)));
}
