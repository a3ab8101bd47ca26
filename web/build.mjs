// Bundles the page and writes it as a C file: node build.mjs MODULES OUT.c
//
// The page is split where the document goes: ff_page_head, then data, then ff_page_tail.

import { writeFileSync } from "node:fs";
import { bundle } from "./bundle.mjs";

const [modules, out] = process.argv.slice(2);
const { head, tail } = await bundle(modules, "main.js");
writeFileSync(out, cArray("ff_page_head", head) + cArray("ff_page_tail", tail));

function cArray(name, text) {
  const bytes = Buffer.from(text, "utf8");
  const lines = [];
  for (let i = 0; i < bytes.length; i += 24) {
    lines.push([...bytes.subarray(i, i + 24)].join(","));
  }
  return (
    `extern const unsigned char ${name}[];\nextern const unsigned long ${name}_size;\n` +
    `const unsigned char ${name}[] = {${lines.join(",\n")},0};\n` +
    `const unsigned long ${name}_size = ${bytes.length}ul;\n`
  );
}
