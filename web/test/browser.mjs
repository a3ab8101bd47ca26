// What the browser tests share: a page in headless Chromium, watched for everything that must
// not happen.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const SKIPPED = 77;
const { FF_MODULES, FF_CHROMIUM, FF_FIXTURE, FF_PROGRAM } = process.env;

if (!FF_CHROMIUM || !existsSync(FF_CHROMIUM)) {
  console.log("SKIP browser tests: Chromium is not installed (Debian: apt-get install chromium)");
  process.exit(SKIPPED);
}
export const program = FF_PROGRAM;
export const folder = mkdtempSync(join(tmpdir(), "footfall-page-"));
const { chromium } = createRequire(join(FF_MODULES, "from-here.js"))("playwright-core");

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function makePage(kind) {
  const path = join(folder, kind + ".html");
  execFileSync(FF_FIXTURE, [kind, path], { stdio: "inherit" });
  return path;
}

const tests = [];
export const test = (name, body) => tests.push({ name, body });

// Opens the page, runs the tests on it, and checks that nothing went wrong meanwhile.
export async function runTests(path, { flags = [], ...options } = {}) {
  const browser = await chromium.launch({ executablePath: FF_CHROMIUM, args: [...ARGUMENTS, ...flags] });
  let failed = 0;
  try {
    const context = await browser.newContext({ viewport: { width: 1600, height: 1000 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    const seen = watch(page);
    page.setDefaultTimeout(30000);
    await page.goto(pathToFileURL(path).href);
    await page.waitForFunction(() => window.footfall);
    test("no console error, no request, no dialog", () => assert.deepEqual(seen, []));
    for (const { name, body } of tests) {
      failed += await runOne(name, () => body(page, path));
    }
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${tests.length - failed} passed, ${failed} failed, 0 skipped`);
  process.exitCode = failed ? 1 : 0;
}

async function runOne(name, body) {
  try {
    await body();
    console.log(`ok      ${name}`);
    return 0;
  } catch (error) {
    console.log(`FAILED  ${name}\n${error.stack}`);
    return 1;
  }
}

function watch(page) {
  const seen = [];
  page.on("console", (m) => m.type() === "error" && seen.push(`console: ${m.text()}`));
  page.on("pageerror", (e) => seen.push(`error: ${e.message}`));
  page.on("dialog", (d) => {
    seen.push(`dialog: ${d.message()}`);
    d.dismiss();
  });
  let first = true;
  page.on("request", (r) => {
    const own = r.url().startsWith("blob:") || r.url().startsWith("data:") || (first && r.url().startsWith("file:"));
    first = false;
    if (!own) {
      seen.push(`request: ${r.url()}`);
    }
  });
  return seen;
}

// Seconds until a page stands there drawn: the best of three, as others may use the machine.
export async function timeToOpen(page, path) {
  const times = [];
  for (let i = 0; i < 3; i++) {
    const other = await page.context().newPage();
    const start = performance.now();
    await other.goto(pathToFileURL(path).href);
    await other.waitForFunction(() => window.footfall.runs[0].replay.stage?.active);
    times.push((performance.now() - start) / 1000);
    await other.close();
  }
  return Math.min(...times);
}

// Text of the file that a click saves.
export async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk);
  }
  return { name: download.suggestedFilename(), bytes: Buffer.concat(chunks) };
}

export function parseCsv(text) {
  const [head, ...lines] = text.trimEnd().split("\n");
  return { head, rows: lines.map((line) => line.split(",").map(Number)) };
}

// How many colours the replay's canvas holds.
export function canvasColours(page) {
  return page.evaluate(() => {
    const { stage } = window.footfall.runs[0].replay;
    stage.render();
    const source = stage.renderer.domElement;
    const copy = document.createElement("canvas");
    copy.width = source.width;
    copy.height = source.height;
    const ctx = copy.getContext("2d");
    ctx.drawImage(source, 0, 0);
    const pixels = new Uint32Array(ctx.getImageData(0, 0, copy.width, copy.height).data.buffer);
    return new Set(pixels).size;
  });
}

// No part of the page is wider than the window.
export async function checkFits(page, width) {
  await page.setViewportSize({ width, height: 844 });
  await page.waitForTimeout(300);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= width, `the page is ${wide} px wide in a window of ${width}`);
}
