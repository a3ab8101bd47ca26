// Reads the document and builds the sections of a report.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Clock } from "./clock.js";
import { readDocument } from "./data.js";
import { append, button, el, icon, icons, lazily } from "./dom.js";
import { eventsBlock, eventTimes, findTouches } from "./events.js";
import { Explorer } from "./explorer.js";
import { ledgerBlock } from "./ledger.js";
import { Live } from "./live.js";
import { plotBlock } from "./plot.js";
import { Replay } from "./replay.js";
import { resultsBlock } from "./results.js";
import { startPanels } from "./suggest.js";
import { claimsBlock, lawsBlock, reductionNote, sourceBlock, summaryBlock, tableBlock, textBlock, verdictBadge } from "./tables.js";
import { startTheme, toggleTheme } from "./theme.js";

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

function renew(run, doc) {
  run.touches = findTouches(run.recording);
  run.clock.events = eventTimes(run.touches);
  run.renewed = run.renewed.map(({ block, node }) => {
    const fresh = makeBlock(block, doc, [run]);
    node.replaceWith(fresh);
    return { block, node: fresh };
  });
  run.explorer.panels.forEach((panel) => panel.draw());
  document.querySelector("header .title .verdict")?.replaceWith(verdictBadge(run.recording.summary) ?? "");
}

// The engine, above the replay.
function addLive(doc, run) {
  run.live = new Live(doc.live, run, () => renew(run, doc));
  run.replay.node.parentNode.before(run.live.node);
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
    ledger: () => ledgerBlock(run.recording, run.clock),
    events: () => eventsBlock(run.recording, run.touches, run.clock),
    laws: () => lawsBlock(run.recording),
    summary: () => summaryBlock(run.recording, doc.version),
  };
  return kinds[block.type] ? kinds[block.type]() : null;
}

// Sections of these alone stand side by side where there is room.
const NARROW = new Set(["table", "laws", "summary", "source"]);

function makeSection(section, index, doc, runs) {
  const id = `section-${index}`;
  const blocks = [];
  // Plots that follow one another share a grid.
  for (const block of section.blocks) {
    const node = makeBlock(block, doc, runs);
    if (RENEWED.has(block.type)) {
      runs[block.recording].renewed.push({ block, node });
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

function makeHeader(doc, runs) {
  const badges = runs.map((run) => verdictBadge(run.recording.summary)).filter(Boolean);
  const headed = doc.sections.map((s, i) => [s.heading, i]).filter(([heading]) => heading);
  const links = headed.map(([heading, i]) => el("a", { href: `#section-${i}` }, el("bdi", {}, heading)));
  return el(
    "header",
    {},
    el("div", { class: "title" }, el("h1", {}, el("bdi", {}, doc.title)), badges.slice(0, 1)),
    button(icon(icons.theme), "Light or dark", toggleTheme, { class: "icon theme" }),
    doc.subtitle ? el("p", { class: "subtitle" }, el("bdi", {}, doc.subtitle)) : null,
    links.length > 1 ? el("nav", { aria: { label: "Sections" } }, links) : null,
  );
}

function start() {
  startTheme();
  const root = document.getElementById("footfall");
  const doc = readDocument();
  if (!doc) {
    root.append(el("p", {}, "This page contains no report."));
    return;
  }
  doc.title ||= "Footfall report";
  document.title = doc.title;
  const runs = doc.runs.map(makeRun);
  append(root, [
    makeHeader(doc, runs),
    append(el("main"), doc.sections.map((s, i) => makeSection(s, i, doc, runs))),
    el("footer", {}, `Footfall ${doc.version}`),
  ]);
  if (doc.live && runs.length === 1 && runs[0].replay) {
    addLive(doc, runs[0]);
  }
  // For the console, and for tests.
  window.footfall = { document: doc, runs };
}

start();
