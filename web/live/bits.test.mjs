// Native program and WebAssembly engine must give the same recording, byte by byte:
// node bits.test.mjs ENGINE.js PROGRAM SCENE...
// The last line counts. CPU times of both without a file, over all scenes, are printed as two ratios: of the
// first run of an engine, which the browser compiles meanwhile, and of its second.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

const [engineFile, program, ...scenes] = process.argv.slice(2);
const makeEngine = createRequire(import.meta.url)(resolve(engineFile));
const folder = mkdtempSync(join(tmpdir(), "footfall-bits-"));

// Scenes lie in the engine's file system as they do on disk.
function copyInto(FS, from, to) {
  FS.mkdirTree(to);
  for (const name of readdirSync(from)) {
    const path = join(from, name);
    if (statSync(path).isDirectory()) {
      copyInto(FS, path, `${to}/${name}`);
    } else {
      FS.writeFile(`${to}/${name}`, readFileSync(path));
    }
  }
}

async function runInside(scene) {
  const engine = await makeEngine({ wasmBinary: readFileSync(resolve(dirname(engineFile), "engine.wasm")) });
  copyInto(engine.FS, dirname(scene), "/scenes");
  const call = (name, types, args) => engine.ccall(name, "number", types, args);
  const run = (output) => {
    const start = process.cpuUsage();
    const opened = call("live_open", ["string", "string", "string"], ["/scenes/" + basename(scene), "", output]);
    const status = opened || call("live_execute", [], []);
    const used = process.cpuUsage(start);
    if (status) {
      throw new Error(engine.ccall("live_error", "string", [], []));
    }
    return (used.user + used.system) / 1e6;
  };
  const [first, second] = [run(""), run("")];
  run("/out.csv");
  return { bytes: Buffer.from(engine.FS.readFile("/out.csv")), first, second };
}

function runNative(scene) {
  const out = join(folder, "native.csv");
  const words = '"$0" run "$1" --quiet --threads 1';
  execFileSync("bash", ["-c", `${words} -o "$2" >/dev/null 2>&1 || true`, program, scene, out]);
  const said = execFileSync("bash", ["-c", `${words} >/dev/null 2>&1; times`, program, scene], { encoding: "utf8" });
  const seconds = [...said.split("\n")[1].matchAll(/(\d+)m([\d.]+)s/g)].map((m) => 60 * Number(m[1]) + Number(m[2]));
  return { bytes: readFileSync(out), cpu: seconds[0] + seconds[1] };
}

function firstDifference(a, b) {
  const left = a.toString().split("\n");
  const right = b.toString().split("\n");
  const line = left.findIndex((text, i) => text !== right[i]);
  return `line ${line + 1} of ${left.length}`;
}

let passed = 0;
let failed = 0;
const cpu = { native: 0, first: 0, second: 0 };
process.setMaxListeners(0); // each engine listens for errors
for (const scene of scenes) {
  try {
    const native = runNative(scene);
    const inside = await runInside(scene);
    cpu.native += native.cpu;
    cpu.first += inside.first;
    cpu.second += inside.second;
    if (native.bytes.equals(inside.bytes)) {
      passed++;
      if (process.env.FF_SHOW) {
        console.log(`same ${basename(scene)}: ${native.cpu.toFixed(2)} s, ${(inside.first / native.cpu).toFixed(2)}, then ${(inside.second / native.cpu).toFixed(2)} times`);
      }
    } else {
      failed++;
      console.log(`FAILED ${basename(scene)}: recordings differ from ${firstDifference(native.bytes, inside.bytes)}`);
    }
  } catch (error) {
    failed++;
    console.log(`FAILED ${basename(scene)}: ${error.message}`);
  }
}
rmSync(folder, { recursive: true });
const ratio = (used) => (used / cpu.native).toFixed(2);
console.log(`CPU time in WebAssembly: first run ${ratio(cpu.first)} of native, second ${ratio(cpu.second)}`);
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed ? 1 : 0;
