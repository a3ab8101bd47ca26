// The engine in a worker. Messages in: start, run, play, speed, pause, step, pull, release, finish.
// Out: ready, document, rows, failed. `id` numbers runs; answers carry that of their run.

/* global footfallEngine */

const CHUNK = 0.002; // s of simulated time between updates of a pull
const BUDGET = 25; // ms of computing between two looks at the messages
const LONGEST = 600; // s, of a run by hand

let engine = null;
let scene = "";
let playing = null; // {id, time, speed, running, rows, pull}

const call = (name, types = [], args = []) => engine.ccall(name, "number", types, args);
const numbers = (count) => Array(count).fill("number");

function check(status) {
  if (status) {
    throw new Error(engine.ccall("live_error", "string"));
  }
}

function text(name) {
  return engine.ccall(name, "string");
}

function writeFile(name, bytes) {
  const path = "/w/" + name;
  engine.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  engine.FS.writeFile(path, bytes);
}

const open = (sets) => check(call("live_open", ["string", "string", "string"], [scene, sets.join("\n"), ""]));

// The document as a page holds it: its JSON, and its series by number.
function readDocument() {
  check(call("live_document", ["string"], ["/document"]));
  const all = engine.FS.readFile("/document", { encoding: "utf8" });
  const series = {};
  const tags = /<script type="application\/(json|octet-stream)" id="footfall-(document|series|mesh)-?(\d*)">([^<]*)<\/script>/g;
  let json = null;
  for (const [, , kind, index, body] of all.matchAll(tags)) {
    if (kind === "document") {
      json = JSON.parse(body);
    } else if (kind === "series") {
      series[index] = decode(body);
    }
  }
  return { json, series };
}

function decode(body) {
  const raw = atob(body);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    bytes[i] = raw.charCodeAt(i);
  }
  return new Float64Array(bytes.buffer);
}

function sendDocument(id, started) {
  const { json, series } = readDocument();
  const ms = performance.now() - started;
  postMessage({ type: "document", id, json, series, ms }, Object.values(series).map((s) => s.buffer));
}

// ---- while it runs ---------------------------------------------------------------------------------

// Rows since the last message, one column after another.
function sendRows() {
  const rows = call("live_rows");
  const fresh = rows - playing.rows;
  if (fresh > 0) {
    const channels = call("live_channels");
    const values = new Float64Array(fresh * channels);
    for (let c = 0; c < channels; c++) {
      const at = call("live_column", ["number"], [c]) / 8 + playing.rows;
      values.set(engine.HEAPF64.subarray(at, at + fresh), c * fresh);
    }
    playing.rows = rows;
    postMessage({ type: "rows", id: playing.id, count: fresh, channels, values }, [values.buffer]);
  }
}

function pullNow() {
  const { pull } = playing;
  if (pull) {
    call("live_pull", numbers(8), [pull.body, ...pull.point, ...pull.target, pull.mass]);
  }
}

function advance(until) {
  const started = performance.now();
  while (playing.time < until && performance.now() - started < BUDGET) {
    pullNow();
    playing.time = Math.min(until, playing.time + CHUNK);
    check(call("live_advance", ["number"], [playing.time]));
  }
}

function tick() {
  if (!playing?.running) {
    return;
  }
  const now = performance.now();
  const wanted = playing.time + Math.min(0.1, (now - playing.seen) / 1000) * playing.speed;
  playing.seen = now;
  try {
    advance(wanted);
    sendRows();
    setTimeout(tick, 8);
  } catch (error) {
    playing.running = false;
    sendRows();
    postMessage({ type: "failed", id: playing.id, what: error.message });
  }
}

const actions = {
  async start({ wasm, files, text: yaml, scene: name }) {
    engine = await footfallEngine({ wasmBinary: new Uint8Array(wasm), print() {}, printErr() {} });
    files.forEach((f) => writeFile(f.name, f.bytes));
    scene = "/w/" + name;
    engine.FS.mkdirTree(scene.slice(0, scene.lastIndexOf("/")));
    engine.FS.writeFile(scene, yaml);
    open([]);
    postMessage({ type: "ready", about: JSON.parse(text("live_about")) });
  },
  scene({ text: yaml, id }) {
    engine.FS.writeFile(scene, yaml);
    open([]);
    postMessage({ type: "ready", id, about: JSON.parse(text("live_about")) });
  },
  run({ id, sets }) {
    playing = null;
    const started = performance.now();
    open(sets);
    check(call("live_execute"));
    sendDocument(id, started);
  },
  play({ id, sets, speed }) {
    open([...sets, `duration=${LONGEST}`]);
    const names = [];
    for (let c = 0; c < call("live_channels"); c++) {
      names.push(engine.ccall("live_channel", "string", ["number"], [c]));
    }
    postMessage({ type: "playing", id, names });
    playing = { id, time: 0, speed, running: true, rows: 0, pull: null, seen: performance.now() };
    tick();
  },
  speed({ speed }) {
    playing.speed = speed;
  },
  pause({ on }) {
    playing.running = !on;
    playing.seen = performance.now();
    tick();
  },
  step() {
    const rows = playing.rows;
    for (let k = 0; k < 1000 && call("live_rows") === rows; k++) {
      advance(playing.time + CHUNK);
    }
    sendRows();
  },
  pull({ name, point, target }) {
    const body = call("live_body", ["string"], [name]);
    playing.pull = { body, point, target, mass: call("live_mass", ["number"], [body]) };
  },
  release() {
    if (playing?.pull) {
      call("live_push", numbers(7), [playing.pull.body, 0, 0, 0, 0, 0, 0]);
      playing.pull = null;
    }
  },
  finish({ id }) {
    const started = performance.now();
    playing = null;
    call("live_stop");
    call("live_execute"); // ends with "stopped"
    sendDocument(id, started);
  },
};

onmessage = async ({ data }) => {
  try {
    await actions[data.type](data);
  } catch (error) {
    postMessage({ type: "failed", id: data.id, what: error.message });
  }
};
