// Makes the pictures of README and docs from reports: node pictures.mjs PROGRAM ROOT MODULES CHROMIUM

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [program, root, modules, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, "from-here.js"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "footfall-pictures-"));
const images = join(root, "docs/images");
const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

// A report in a window of this size, drawn.
async function open(scene, width, height, ...sets) {
  const path = join(folder, "report.html");
  const given = sets.flatMap((set) => ["--set", set]);
  execFileSync(program, ["run", join(root, "scenes", scene), "--quiet", "--report", path, ...given], { stdio: "ignore" });
  const page = await (await browser.newContext({ viewport: { width, height }, colorScheme: "light" })).newPage();
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction(() => window.footfall?.runs[0].replay.stage?.active);
  return page;
}

// The whole run as an animation of this width.
async function animate(scene, name, width, ...sets) {
  const page = await open(scene, 1400, 1000, ...sets);
  const text = await page.evaluate(async (wide) => {
    const blob = await window.footfall.replayGif(window.footfall.runs[0].replay, () => {}, wide);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  }, width);
  writeFileSync(join(images, name), Buffer.from(text, "base64"));
  await page.close();
}

// The replay at this part of the run.
async function still(scene, name, part, ...sets) {
  const page = await open(scene, 1400, 900, ...sets);
  await page.evaluate((at) => {
    const { clock, recording } = window.footfall.runs[0];
    clock.seek(at * recording.end);
  }, part);
  await page.waitForTimeout(500);
  const view = await page.evaluateHandle(() => window.footfall.runs[0].replay.view);
  await view.asElement().screenshot({ path: join(images, name) });
  await page.close();
}

// The page of a study.
async function sweep(study, name) {
  const path = join(folder, "sweep.html");
  const words = ["sweep", `scenes/studies/${study}`, "--store", join(folder, "store.db"), "--quiet"];
  execFileSync(program, words, { cwd: root });
  execFileSync(program, [...words, "--report", path], { cwd: root });
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 }, colorScheme: "light" });
  await page.goto(pathToFileURL(path).href);
  await page.waitForTimeout(1000);
  await page.screenshot({ path: join(images, name) });
  await page.close();
}

try {
  await still("quadruped-quasi-rigid.yaml", "quadruped.png", 0.6);
  await sweep("sliding-block.yaml", "sweep.png");
  const page = await open("tumbling-box.yaml", 1600, 1000);
  await page.evaluate(() => {
    const { clock, recording } = window.footfall.runs[0];
    clock.seek(0.35 * recording.end);
  });
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(images, "report.png") });
  await page.close();
  await animate("humanoid-walking.yaml", "walking.gif", 320, "duration=5");
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
