// Text, tables, and tables of claim against result.

import { append, el } from "./dom.js";
import { show, withUnit } from "./numbers.js";

export function textBlock(block) {
  return append(
    el("div", { class: "prose" }),
    block.text.split(/\n\s*\n/).map((part) => el("p", {}, part)),
  );
}

export function sourceBlock(block) {
  return el("details", { class: "source" }, el("summary", {}, block.title), el("pre", { tabIndex: 0 }, el("code", {}, block.text)));
}

function scrolling(label, table) {
  return el("div", { class: "scroll", tabIndex: 0, role: "region", aria: { label } }, table);
}

// Cells that read as numbers stand to the right.
const numeric = (cell) => cell !== "" && !Number.isNaN(Number(cell.replace(/−/g, "-")));

export function tableBlock(block) {
  const head = el("tr", {}, block.columns.map((name) => el("th", { scope: "col" }, el("bdi", {}, name))));
  const rows = block.rows.map((cells) =>
    el("tr", {}, cells.map((cell, i) => el("td", { class: numeric(cell) ? "number" : undefined, "data-column": block.columns[i] }, el("bdi", {}, cell)))),
  );
  const caption = block.caption ? el("caption", {}, el("bdi", {}, block.caption)) : null;
  return scrolling(block.caption || "Table", el("table", { class: block.columns.length > 3 ? "plain stack" : "plain" }, caption, el("thead", {}, head), append(el("tbody"), rows)));
}

const VERDICTS = {
  holds: ["✓", "good"],
  differs: ["✗", "bad"],
  partly: ["≈", "partly"],
  "not tested": ["–", "open"],
};

export function badge(verdict, kind, mark) {
  return el("span", { class: "badge " + kind }, el("span", { aria: { hidden: "true" } }, mark + " "), verdict);
}

export function claimsBlock(block) {
  const names = ["claim", "paper", "criterion", "Footfall", "verdict", "note"];
  const head = el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)));
  const rows = block.rows.map((row) => {
    const [mark, kind] = VERDICTS[row.verdict] ?? VERDICTS["not tested"];
    const source = row.source ? el("small", {}, " ", el("bdi", {}, row.source)) : null;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, el("bdi", {}, row.claim), source),
      el("td", { "data-column": "paper" }, el("bdi", {}, row.paper)),
      el("td", { "data-column": "criterion" }, el("bdi", {}, row.criterion ?? ""), row.basis ? el("small", {}, " ", el("bdi", {}, row.basis)) : null),
      el("td", { "data-column": "Footfall" }, el("bdi", {}, row.result)),
      el("td", {}, badge(row.verdict, kind, mark)),
      row.note ? el("td", {}, el("bdi", {}, row.note)) : el("td"),
    );
  });
  const count = (verdict) => block.rows.filter((r) => r.verdict === verdict).length;
  const sum = `${count("holds")} of ${block.rows.length} claims hold`;
  return scrolling(sum, el("table", { class: "claims stack" }, el("caption", {}, sum), el("thead", {}, head), append(el("tbody"), rows)));
}

// ---- the laws of a run -----------------------------------------------------------------------------

const NAMES_SHOWN = 8;

// A table for each set of laws and numbers, with the pairs that it applies to.
export function lawsBlock(recording) {
  const { pairs } = recording;
  if (!pairs.length) {
    return el("p", { class: "note" }, "No two bodies of this scene can collide.");
  }
  const groups = new Map();
  for (const pair of pairs) {
    const key = JSON.stringify([pair.normal, pair.friction]);
    groups.set(key, [...(groups.get(key) ?? []), pair]);
  }
  const total = recording.info.pair_count ?? pairs.length;
  const rest = total > pairs.length ? el("p", { class: "note" }, `Of the first ${pairs.length} of ${total} pairs.`) : null;
  return el("div", { class: "laws" }, [...groups.values()].map(groupTable), rest);
}

function groupTable(pairs) {
  const names = pairs.map((pair) => `${pair.a} – ${pair.b}`);
  const hidden = names.length - NAMES_SHOWN;
  const more = hidden > 0 ? el("details", {}, el("summary", {}, `and ${hidden} more ${hidden === 1 ? "pair" : "pairs"}`), el("bdi", {}, names.slice(NAMES_SHOWN).join(", "))) : null;
  const columns = ["law", "parameter", "value", "unit", "meaning"];
  const head = el("tr", {}, columns.map((n) => el("th", { scope: "col" }, n)));
  const bodies = [["normal", pairs[0].normal], ["friction", pairs[0].friction]]
    .filter(([, law]) => law)
    .map(([role, law]) => lawRows(role, law));
  const caption = el("caption", {}, el("bdi", {}, names.slice(0, NAMES_SHOWN).join(", ")), more);
  return scrolling(`Laws of ${names[0]}`, el("table", { class: "plain stack" }, caption, el("thead", {}, head), bodies));
}

function lawRows(role, law) {
  const cite = law.citation ? el("small", {}, ` [${law.citation}]`) : null;
  const title = el("th", { scope: "rowgroup", rowSpan: Math.max(1, law.parameters.length) }, `${role}: ${law.name}`, cite);
  const rows = law.parameters.map((p) => [
    el("td", {}, p.symbol && p.symbol !== "-" && p.symbol !== p.name ? `${p.name} (${p.symbol})` : p.name),
    el("td", { class: "number", "data-column": "value" }, p.value === null ? "–" : show(p.value, 8)),
    p.unit === "1" ? el("td") : el("td", { "data-column": "unit" }, p.unit),
    el("td", {}, p.meaning),
  ]);
  const lines = rows.length ? rows : [[el("td", { colSpan: 4 }, law.summary)]];
  return append(el("tbody"), lines.map((cells, i) => el("tr", {}, i === 0 ? title : null, cells)));
}

// ---- the summary of a run -----------------------------------------------------------------------

// Numbers of the summary that are worth a row: where, what they are called, unit.
const FACTS = [
  ["audit.energy_scale", "energy that moved", "J"],
  ["audit.energy_residual", "largest energy residual", "J"],
  ["audit.energy_residual_relative", "relative to the energy that moved", ""],
  ["audit.energy_tolerance", "allowed", ""],
  ["audit.momentum_residual", "largest momentum residual", "kg m/s"],
  ["audit.angular_residual", "largest angular momentum residual", "kg m²/s"],
  ["audit.coarseness", "coarseness (step × contact frequency)", "rad"],
  ["audit.needed_step", "step that resolves every contact", "s"],
  ["steps", "steps", ""],
  ["evaluations", "force evaluations", ""],
  ["touch_downs", "touch-downs", ""],
  ["lift_offs", "lift-offs", ""],
];

function factRows(summary) {
  return FACTS.map(([path, name, unit]) => {
    const value = path.split(".").reduce((at, key) => at?.[key], summary);
    return [name, Number.isFinite(value) ? (Number.isInteger(value) ? String(value) : withUnit(value, unit, 4)) : null];
  });
}

function stepperText(stepper) {
  if (!stepper || typeof stepper !== "object") {
    return null;
  }
  const settings = Object.entries(stepper).filter(([key]) => key !== "kind");
  return [stepper.kind, ...settings.map(([key, value]) => `${key} ${typeof value === "number" ? show(value) : value}`)].join(", ");
}

// The run's verdict: not good if anything that was found is a failure.
export function verdictBadge(summary) {
  const verdict = summary.audit?.verdict;
  if (typeof verdict !== "string") {
    return null;
  }
  const failed = Array.isArray(summary.findings) && summary.findings.some((f) => f?.severity === "failure");
  const good = verdict === "good" && !failed;
  return badge(`verdict: ${good ? "good" : "not good"}`, good ? "good" : "bad", good ? "✓" : "✗");
}

// Two columns, name and value; values that are absent leave no row.
export function summaryBlock(recording, version) {
  const { summary, info } = recording;
  const rows = [
    ["scene", info.title],
    ["file", typeof summary.scene === "string" ? summary.scene : null],
    ["version that ran it", summary.footfall],
    ["version of this report", version],
    ["stepper", stepperText(summary.stepper) ?? info.stepper],
    ["duration", withUnit(recording.end - recording.start, "s")],
    ["samples recorded", String(info.recorded)],
    ["channels", String(recording.channels.length)],
    ["verdict", verdictBadge(summary)],
    ...factRows(summary),
  ].filter(([, value]) => value);
  const body = rows.map(([name, value]) =>
    el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value instanceof Node ? value : el("bdi", {}, value))),
  );
  return scrolling("Summary", el("table", { class: "facts" }, append(el("tbody"), body)));
}

// What was left out of a long recording, in words.
export function reductionNote(recording) {
  const { recorded } = recording.info;
  if (recording.rows >= recorded) {
    return null;
  }
  const { stretches } = recording.info;
  const how = stretches
    ? `with the minimum and the maximum of every channel in each of ${stretches} stretches`
    : "evenly spaced, because there are too many channels to keep the peaks of each";
  return el(
    "p",
    { class: "note reduction" },
    `This page holds ${recording.rows} of ${recorded} recorded samples, ${how}. The recording itself holds them all.`,
  );
}
