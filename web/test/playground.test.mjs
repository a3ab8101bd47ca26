// The playground: five laws on one impact, and a scene that is chosen.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkFits, folder, runTests, test } from "./browser.mjs";

const engine = process.env.FF_ENGINE_TAGS;
if (!engine || !existsSync(engine)) {
  console.log("SKIP playground: the engine is not built (./dev live)");
  process.exit(77);
}
const path = join(folder, "playground.html");
const web = join(dirname(fileURLToPath(import.meta.url)), "..");
execFileSync("node", [join(web, "playground.mjs"), process.env.FF_MODULES, engine, process.env.FF_SCENES, "1.2.3", path]);

const computed = (page) => page.waitForFunction(() => !window.footfall.impact.running && /^computed/.test(window.footfall.impact.status.textContent));
const restitution = async (page) => {
  const rows = await page.locator(".impact tbody tr").all();
  return Object.fromEntries(await Promise.all(rows.map(async (row) => [await row.locator("th").innerText(), Number(await row.locator("td").first().innerText())])));
};

test("five laws on one impact, with the published restitution", async (page) => {
  await computed(page);
  const found = await restitution(page);
  assert.deepEqual(Object.keys(found), ["hunt-crossley", "azad-featherstone", "volumetric", "quasi-rigid", "elastic"]);
  assert.equal(found["azad-featherstone"], 0.6203); // [Azad10 Fig. 2, 3], 1 m/s
  assert.ok(Object.values(found).every((e) => Math.abs(e - 0.62) < 0.01), JSON.stringify(found));
});

test("another speed parts them, and the curves follow", async (page) => {
  const most = () => page.evaluate(() => Math.max(...window.footfall.impact.laws[1].force));
  const before = await most();
  await page.getByRole("spinbutton", { name: "speed, exact" }).fill("0.1");
  await page.getByRole("spinbutton", { name: "speed, exact" }).press("Tab");
  await page.waitForFunction(() => !window.footfall.impact.running && !window.footfall.impact.pending.size);
  const found = await restitution(page);
  assert.equal(found["azad-featherstone"], 0.7313); // [Azad10 Fig. 2, 3], 0.1 m/s
  assert.ok(found["hunt-crossley"] > 0.94 && Math.abs(found.elastic - 0.62) < 0.01, JSON.stringify(found));
  assert.ok((await most()) < before / 5);
});

test("a scene runs, and its report is live", async (page) => {
  await page.getByRole("combobox", { name: "Scene" }).selectOption("scenes/dominoes.yaml");
  await page.waitForFunction(() => window.footfall.runs[0]?.live.about);
  assert.equal(await page.locator(".scene-report .badge").first().innerText(), "✓ verdict: good");
  assert.ok(page.url().endsWith("#dominoes"));
  const rows = await page.evaluate(() => window.footfall.runs[0].recording.rows);
  await page.getByRole("button", { name: "Back to the values of the scene" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].live.mode === "idle");
  assert.equal(await page.evaluate(() => window.footfall.runs[0].recording.rows), rows);
});

test("another scene takes its place; what listened to the first is gone", async (page) => {
  await page.getByRole("combobox", { name: "Scene" }).selectOption("scenes/rolling-sphere.yaml");
  await page.waitForFunction(() => window.footfall.runs[0].recording.info.title === "Rolling sphere");
  assert.equal(await page.locator(".scene-report .stage").count(), 1);
  assert.ok(await page.evaluate(() => window.footfall.runs[0].recording.rows > 10));
});

test("fits a phone", (page) => checkFits(page, 390));

await runTests(path);
