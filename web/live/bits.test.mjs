// Native program and WebAssembly engine must give the same recording, byte by byte:
// node bits.test.mjs ENGINE.js PROGRAM SCENE...
// The last line counts. CPU times of both are printed as a ratio, over all scenes.

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
  const start = process.cpuUsage();
  const opened = call("live_open", ["string", "string", "string"], ["/scenes/" + basename(scene), "", "/out.csv"]);
  const status = opened || call("live_execute", [], []);
  const used = process.cpuUsage(start);
  if (status) {
    throw new Error(engine.ccall("live_error", "string", [], []));
  }
  return { bytes: Buffer.from(engine.FS.readFile("/out.csv")), cpu: (used.user + used.system) / 1e6 };
}

function runNative(scene) {
  const out = join(folder, "native.csv");
  const script = `"$0" run "$1" -o "$2" --quiet --threads 1 >/dev/null 2>&1; times`;
  const said = execFileSync("bash", ["-c", script, program, scene, out], { encoding: "utf8" });
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
const cpu = { native: 0, inside: 0 };
for (const scene of scenes) {
  try {
    const native = runNative(scene);
    const inside = await runInside(scene);
    cpu.native += native.cpu;
    cpu.inside += inside.cpu;
    if (native.bytes.equals(inside.bytes)) {
      passed++;
      if (process.env.FF_SHOW) {
        console.log(`same ${basename(scene)}: ${native.cpu.toFixed(2)} s, ${(inside.cpu / native.cpu).toFixed(2)} times`);
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
console.log(`CPU time in WebAssembly: ${(cpu.inside / cpu.native).toFixed(2)} of native`);
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed ? 1 : 0;
