// The playground, one page with the engine and the scenes in it:
//   node playground.mjs MODULES ENGINE.html SCENES VERSION OUT.html
// ENGINE.html holds the tags that live/embed.mjs writes.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle } from "./bundle.mjs";

const [modules, engine, folder, version, out] = process.argv.slice(2);
const read = (below, ending) =>
  readdirSync(join(folder, below))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => ({ name: join("scenes", below, name), text: readFileSync(join(folder, below, name), "utf8") }));

// Title, and the comment at the head of a scene.
function describe({ name, text }) {
  const lines = text.split("\n");
  const about = lines.slice(0, lines.findIndex((line) => !line.startsWith("#"))).map((line) => line.replace(/^# ?/, ""));
  return { file: name, title: /^name: *(.*)$/m.exec(text)?.[1].replace(/^"(.*)"$/, "$1") ?? name, about: about.join(" ").trim() };
}

const scenes = read("", ".yaml");
const data = { version, scenes: scenes.map(describe), files: [...scenes, ...read("robots", ".urdf")] };
const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const { head, tail } = await bundle(modules, "playground.js");
const document = `<script type="application/json" id="footfall-playground">${json}</script>\n`;
writeFileSync(out, head.replace("<title>Footfall report</title>", "<title>Footfall playground</title>") + document + readFileSync(engine, "utf8") + tail);
