// Reads the document of the page and shows it.

import { readDocument } from "./data.js";
import { append, el } from "./dom.js";
import { Engine } from "./engine.js";
import { Live } from "./live.js";
import { replayGif } from "./media.js";
import { renew, showReport } from "./report.js";
import { startTheme } from "./theme.js";

// The engine, above the replay.
function addLive(doc, run) {
  run.live = new Live(new Engine(), run, () => renew(run, doc));
  run.live.begin(doc.live);
  run.replay.node.parentNode.before(run.live.node);
}

function start() {
  startTheme();
  const root = document.getElementById("footfall");
  const doc = readDocument();
  if (!doc) {
    root.append(el("p", {}, "This page contains no report."));
    return;
  }
  const { runs } = showReport(root, doc);
  document.title = doc.title;
  append(root, [el("footer", {}, `Footfall ${doc.version}`)]);
  if (doc.live && runs.length === 1 && runs[0].replay) {
    addLive(doc, runs[0]);
  }
  // For the console, for tests, and for ./dev pictures.
  window.footfall = { document: doc, runs, replayGif };
}

start();
