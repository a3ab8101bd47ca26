// Builds the sections of a report from its document.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Clock } from "./clock.js";
import { append, button, el, icon, icons, lazily } from "./dom.js";
import { eventsBlock, eventTimes, findTouches } from "./events.js";
import { Explorer } from "./explorer.js";
import { ledgerBlock } from "./ledger.js";
import { plotBlock } from "./plot.js";
import { Replay } from "./replay.js";
import { resultsBlock } from "./results.js";
import { Scope } from "./scope.js";
import { startPanels } from "./suggest.js";
import { claimsBlock, lawsBlock, reductionNote, sourceBlock, summaryBlock, tableBlock, textBlock, verdictBadge } from "./tables.js";
import { toggleTheme } from "./theme.js";

// A run on the page: its recording, clock and touches, shared by every block about it.
function makeRun(recording) {
  const clock = new Clock(recording);
  const touches = findTouches(recording);
  clock.events = eventTimes(touches);
  return { recording, clock, touches, renewed: [] };
}

function exploreBlock(block, run) {
  const box = el("div", { class: "explore" });
  run.replay = new Replay(run.recording, run.clock);
  run.explorer = new Explorer(run.recording, run.clock, block.panels.length ? block.panels : startPanels(run.recording));
  box.append(run.replay.node, run.explorer.node);
  lazily(box, () => run.replay.start());
  const note = reductionNote(run.recording);
  return note ? el("div", {}, note, box) : box;
}

// Blocks that are made anew when a live page has run again.
const RENEWED = new Set(["results", "ledger", "events", "laws", "summary"]);

// Makes those blocks of a run, and draws its panels, anew.
export function renew(run, doc) {
  run.touches = findTouches(run.recording);
  run.clock.events = eventTimes(run.touches);
  run.renewed = run.renewed.map(({ block, node, scope }) => {
    scope.end();
    const fresh = scope.run(() => makeBlock(block, doc, [run]));
    node.replaceWith(fresh);
    return { block, node: fresh, scope };
  });
  run.explorer.panels.forEach((panel) => panel.draw());
  document.querySelector(".head .title .badge")?.replaceWith(verdictBadge(run.recording.summary) ?? "");
}

// Several recordings over the first: ghosts in its replay, their curves in its panels.
function compareBlock(block, runs) {
  const [run, ...others] = block.recordings.map((id, i) => ({ ...runs[id], label: block.names[i] }));
  const box = el("div", { class: "explore" });
  const first = runs[block.recording];
  first.replay = new Replay(run.recording, run.clock, others);
  const panels = startPanels(run.recording).filter((p) => p.y.some((name) => others.some((o) => o.recording.has(name))));
  first.explorer = new Explorer(run.recording, run.clock, panels, { label: run.label, others });
  box.append(first.replay.node, first.explorer.node);
  lazily(box, () => first.replay.start());
  return box;
}

function makeBlock(block, doc, runs) {
  const run = runs[block.recording];
  const kinds = {
    text: () => textBlock(block),
    source: () => sourceBlock(block),
    table: () => tableBlock(block),
    claims: () => claimsBlock(block),
    plot: () => plotBlock(block, doc),
    results: () => resultsBlock(run.recording, run.touches, run.clock),
    replay: () => exploreBlock(block, run),
    compare: () => compareBlock(block, runs),
    ledger: () => ledgerBlock(run.recording, run.clock),
    events: () => eventsBlock(run.recording, run.touches, run.clock),
    laws: () => lawsBlock(run.recording),
    summary: () => summaryBlock(run.recording, doc.version),
  };
  return kinds[block.type] ? kinds[block.type]() : null;
}

// Sections of these alone stand side by side where there is room.
const NARROW = new Set(["table", "laws", "summary", "source"]);

function makeSection(section, index, doc, runs, scopes) {
  const id = `section-${index}`;
  const blocks = [];
  // Plots that follow one another share a grid.
  for (const block of section.blocks) {
    const scope = new Scope();
    const node = scope.run(() => makeBlock(block, doc, runs));
    scopes.push(scope);
    if (RENEWED.has(block.type)) {
      runs[block.recording].renewed.push({ block, node, scope });
    }
    const last = blocks[blocks.length - 1];
    if (block.type === "plot" && last?.className === "plots") {
      last.append(node);
    } else {
      blocks.push(block.type === "plot" ? el("div", { class: "plots" }, node) : node);
    }
  }
  const heading = section.heading ? el("h2", { id: id + "-heading" }, el("bdi", {}, section.heading)) : null;
  const wide = section.blocks.some((block) => !NARROW.has(block.type));
  return el("section", { id, class: wide ? "wide" : "", aria: heading ? { labelledby: id + "-heading" } : {} }, heading, blocks);
}

function makeHeader(doc, runs, inside) {
  const badges = runs.map((run) => verdictBadge(run.recording.summary)).filter(Boolean);
  const headed = doc.sections.map((s, i) => [s.heading, i]).filter(([heading]) => heading);
  const links = headed.map(([heading, i]) => el("a", { href: `#section-${i}` }, el("bdi", {}, heading)));
  return el(
    inside ? "div" : "header",
    { class: "head" },
    el("div", { class: "title" }, el(inside ? "h2" : "h1", {}, el("bdi", {}, doc.title)), badges.slice(0, 1)),
    inside ? null : button(icon(icons.theme), "Light or dark", toggleTheme, { class: "icon theme" }),
    doc.subtitle ? el("p", { class: "subtitle" }, el("bdi", {}, doc.subtitle)) : null,
    links.length > 1 ? el("nav", { aria: { label: "Sections" } }, links) : null,
  );
}

// Shows a document in a node: {runs, end}; end() stops all that listens and draws. inside: the node
// is part of a page that has a header and a main part of its own.
export function showReport(root, doc, inside = false) {
  doc.title ||= "Footfall report";
  const runs = doc.runs.map(makeRun);
  const scopes = [];
  append(root, [
    makeHeader(doc, runs, inside),
    append(el(inside ? "div" : "main", { class: "sections" }), doc.sections.map((s, i) => makeSection(s, i, doc, runs, scopes))),
  ]);
  const end = () => {
    scopes.forEach((scope) => scope.end());
    runs.forEach((run) => {
      run.clock.pause();
      run.replay?.stage?.dispose();
    });
  };
  return { runs, end };
}
