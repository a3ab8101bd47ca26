// A page of ours as text: bundle(MODULES, ENTRY) gives {head, tail}; the document goes in between.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

// The page carries other people's work: their licences go with it.
function notices(modules) {
  const texts = ["three", "uplot"].map((name) => readFileSync(join(modules, name, "LICENSE"), "utf8").trim());
  return `/*! Holds three.js and uPlot.\n\n${texts.join("\n\n").replace(/\*\//g, "* /")}\n*/\n`;
}

export async function bundle(modules, entry) {
  const esbuild = createRequire(join(modules, "from-here.js"))("esbuild");
  const result = await esbuild.build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    outdir: "out",
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    nodePaths: [modules],
    logLevel: "warning",
  });
  const file = (ending) => result.outputFiles.find((f) => f.path.endsWith(ending)).text;

  // Inside its tag the script must not seem to end, and the style neither.
  const script = notices(modules) + file(".js").replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
  const style = file(".css").replace(/<\//g, "<\\/");

  // Only this very script may run, WebAssembly that the page holds, and workers that the script makes;
  // nothing may be loaded from anywhere.
  const hash = createHash("sha256").update(script).digest("base64");
  const policy =
    `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; ` +
    "base-uri 'none'; form-action 'none'";

  const parts = { policy, style, script };
  const page = readFileSync(join(here, "src/page.html"), "utf8");
  const [head, tail] = page.split("{{data}}").map((half) => half.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]));
  return { head, tail };
}
