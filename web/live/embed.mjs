// Writes the engine as the tags of a page and as a C file that holds them:
//   node embed.mjs ENGINE.js ENGINE.wasm MODULES OUT.c OUT.html
//
// There are two script tags: the compressed WebAssembly as base64, and the script of the worker that runs
// it. The size is printed.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [glue, wasm, modules, out, tags] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, "from-here.js"))("esbuild");
const source = readFileSync(glue, "utf8") + readFileSync(join(here, "worker.js"), "utf8");
const { code } = await esbuild.transform(source, { minify: true, charset: "ascii", target: "es2022" });
const worker = gzipSync(code, { level: 9 });
const engine = gzipSync(readFileSync(wasm), { level: 9 });
const tag = (id, bytes) => `<script type="application/octet-stream" id="${id}">${bytes.toString("base64")}</script>\n`;
const text = Buffer.from(tag("footfall-engine", engine) + tag("footfall-worker", worker));
writeFileSync(tags, text);
const lines = [];
for (let i = 0; i < text.length; i += 32) {
  lines.push([...text.subarray(i, i + 32)].join(","));
}
writeFileSync(
  out,
  "extern const unsigned char ff_page_engine[];\nextern const unsigned long ff_page_engine_size;\n" +
    `const unsigned char ff_page_engine[] = {${lines.join(",\n")},0};\nconst unsigned long ff_page_engine_size = ${text.length}ul;\n`,
);
console.log(`${Math.round((engine.length + worker.length) / 1000)} kB compressed`);
