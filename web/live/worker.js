// The engine in a worker. Messages in: start, scene, run, play, speed, pause, step, pull, release, finish.
// Out: ready, begun, rows, document, failed. `id` numbers runs; answers carry that of their run.

/* global footfallEngine */

const CHUNK = 0.002; // s of simulated time between updates of a pull
const BUDGET = 25; // ms of computing between two looks at the messages
const WARM = 200; // ms
const LONGEST = 600; // s, of a run by hand

let engine = null;
let scene = "";
let warm = 0; // ms of computing that warmUp may still take
let warmTime = 0; // s
let current = null; // {id, time, rows, whole, started}; by hand also {speed, running, pull, seen}

const call = (name, types = [], args = []) => engine.ccall(name, "number", types, args);
const numbers = (count) => Array(count).fill("number");
const nextTask = new MessageChannel(); // without the delay of a timer

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

// Begins a run: names its channels.
function begin(run, sets) {
  current = null;
  warm = 0;
  open(sets);
  const names = [];
  for (let c = 0; c < call("live_channels"); c++) {
    names.push(engine.ccall("live_channel", "string", ["number"], [c]));
  }
  current = { time: 0, rows: 0, ...run };
  postMessage({ type: "begun", id: run.id, names, end: call("live_duration") });
}

// Rows since the last message, one column after another.
function sendRows(last = false) {
  const rows = call("live_rows");
  const fresh = rows - current.rows;
  if (fresh > 0) {
    const channels = call("live_channels");
    const values = new Float64Array(fresh * channels);
    for (let c = 0; c < channels; c++) {
      const at = call("live_column", ["number"], [c]) / 8 + current.rows;
      values.set(engine.HEAPF64.subarray(at, at + fresh), c * fresh);
    }
    current.rows = rows;
    postMessage({ type: "rows", id: current.id, count: fresh, channels, values, last }, [values.buffer]);
  }
}

// The document as a page holds it; the numbers of its channels are the rows that were sent. Of a new
// scene it names bodies, and meshes with their numbers.
function sendDocument() {
  sendRows(true);
  check(call("live_document", ["string", "number"], ["/document", current.bodies ? 1 : 0]));
  const all = engine.FS.readFile("/document", { encoding: "utf8" });
  const tags = /<script type="application\/(?:json|octet-stream)" id="footfall-(document|mesh)-?\d*">([^<]*)<\/script>/g;
  const meshes = [];
  let json = null;
  for (const [, kind, body] of all.matchAll(tags)) {
    if (kind === "document") {
      json = JSON.parse(body);
    } else {
      meshes.push(body);
    }
  }
  const { id, started } = current;
  current = null;
  postMessage({ type: "document", id, json, meshes, ms: performance.now() - started });
}

function failed(id, error) {
  if (current) {
    sendRows();
    current = null;
  }
  postMessage({ type: "failed", id, what: error.message });
}

// ---- whole runs ------------------------------------------------------------------------------------

// A part of the run, then whatever was asked meanwhile, then the next: what is computed is shown at
// once, and a new value does not wait for the end of the old run.
function continueRun() {
  const run = current;
  if (!run?.whole) {
    return;
  }
  try {
    const until = performance.now() + BUDGET;
    while (run.time < run.end && performance.now() < until) {
      run.time = Math.min(run.end, run.time + run.end / 400);
      check(call("live_advance", ["number"], [run.time]));
    }
    if (run.time < run.end) {
      sendRows();
      nextTask.port2.postMessage(null);
    } else {
      check(call("live_execute"));
      sendDocument();
    }
  } catch (error) {
    failed(run.id, error);
  }
}
nextTask.port1.onmessage = continueRun;

function runWhole(id, sets, bodies) {
  begin({ id, whole: true, started: performance.now(), bodies }, sets);
  current.end = call("live_duration");
  continueRun();
}

// Runs a part of a fresh scene while nothing is asked, so that the browser has compiled what a run needs
// when a value is changed.
function warmUp() {
  if (!current && warm > 0) {
    const started = performance.now();
    warmTime = warm === WARM ? CHUNK : warmTime + CHUNK;
    const more = warmTime < call("live_duration") && call("live_advance", ["number"], [warmTime]) === 0;
    warm -= Math.max(1, performance.now() - started);
    if (more) {
      setTimeout(warmUp);
    }
  }
}

// ---- by hand ---------------------------------------------------------------------------------------

function pullNow() {
  const { pull } = current;
  if (pull) {
    call("live_pull", numbers(8), [pull.body, ...pull.point, ...pull.target, pull.mass]);
  }
}

function advance(until) {
  const started = performance.now();
  while (current.time < until && performance.now() - started < BUDGET) {
    pullNow();
    current.time = Math.min(until, current.time + CHUNK);
    check(call("live_advance", ["number"], [current.time]));
  }
}

function tick() {
  const run = current;
  if (!run?.running) {
    return;
  }
  const now = performance.now();
  const wanted = run.time + Math.min(0.1, (now - run.seen) / 1000) * run.speed;
  run.seen = now;
  try {
    advance(wanted);
    sendRows();
    setTimeout(tick, 8);
  } catch (error) {
    failed(run.id, error);
  }
}

const actions = {
  async start({ wasm, files, text: yaml, scene: name }) {
    engine = await footfallEngine({ wasmBinary: new Uint8Array(wasm), print() {}, printErr() {} });
    engine.FS.mkdirTree("/w");
    engine.FS.chdir("/w");
    if (name) {
      files.forEach((f) => writeFile(f.name, f.bytes));
      actions.scene({ text: yaml, scene: name });
    } else {
      postMessage({ type: "ready", about: null });
    }
  },
  // Another scene; its files are there already.
  scene({ text: yaml, scene: name, id }) {
    current = null;
    scene = name;
    writeFile(name, yaml);
    open([]);
    postMessage({ type: "ready", id, about: JSON.parse(text("live_about")) });
    warm = WARM;
    setTimeout(warmUp, 50);
  },
  files({ files }) {
    files.forEach((f) => writeFile(f.name, f.bytes));
  },
  // bodies: the document is to name them, as the first of a scene.
  run({ id, sets, bodies }) {
    runWhole(id, sets, bodies);
  },
  play({ id, sets, speed }) {
    begin({ id, speed, running: true, pull: null, seen: performance.now() }, [...sets, `duration=${LONGEST}`]);
    tick();
  },
  speed({ speed }) {
    current.speed = speed;
  },
  pause({ on }) {
    current.running = !on;
    current.seen = performance.now();
    tick();
  },
  step() {
    const rows = current.rows;
    for (let k = 0; k < 1000 && call("live_rows") === rows; k++) {
      advance(current.time + CHUNK);
    }
    sendRows();
  },
  pull({ name, point, target }) {
    if (current) {
      const body = call("live_body", ["string"], [name]);
      current.pull = { body, point, target, mass: call("live_mass", ["number"], [body]) };
    }
  },
  release() {
    if (current?.pull) {
      call("live_push", numbers(7), [current.pull.body, 0, 0, 0, 0, 0, 0]);
      current.pull = null;
    }
  },
  finish() {
    Object.assign(current, { started: performance.now(), running: false });
    call("live_stop");
    call("live_execute"); // ends with "stopped"
    sendDocument();
  },
};

// One message after another: what follows the start waits for it.
let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => actions[data.type](data)).catch((error) => failed(data.id, error));
};
