// A report without a run: words, tables, claims and plots.

import assert from "node:assert/strict";
import { checkFits, makePage, parseCsv, runTests, saved, test } from "./browser.mjs";

test("words before the first section, and sections in order", async (page) => {
  assert.deepEqual(await page.locator(".prose p").allTextContents(), ["A mass of 2 kg.", "On a fixed floor."]);
  assert.deepEqual(await page.locator("h2").allTextContents(), ["Fig. 4"]);
});

test("claims with verdict, in words and not by colour alone", async (page) => {
  const rows = page.locator("table.claims tbody tr");
  assert.equal(await rows.count(), 2);
  assert.match(await rows.nth(0).textContent(), /restitution falls with speed Fig. 40.88e at 1 m\/s from 0.87 to 0.89 reading: 1 %0.8801✓ holds/);
  assert.match(await rows.nth(1).textContent(), /the peak moves3 ms5 ms✗ differsa misprint/);
  assert.match(await page.locator("table.claims caption").textContent(), /1 of 2 claims hold/);
});

test("tables", async (page) => {
  const cells = await page.locator("table.plain tbody td").allTextContents();
  assert.deepEqual(cells, ["mass", "2", "gravity", "9.81"]);
});

test("plots: curves with their own points, styles, axes with units, log", async (page) => {
  await page.locator(".plots").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelectorAll(".plots .legend").length === 2);
  const spec = await page.evaluate(() => {
    const { spec } = document.querySelector(".plots figure").chart;
    return {
      x: spec.x,
      y: spec.axes.y,
      curves: spec.curves.map((c) => [c.name, c.xs.length, c.dash.length > 0, c.line ?? "", c.marker ?? -1]),
    };
  });
  assert.deepEqual(spec.x, { label: "impact speed (m/s)", log: true });
  assert.deepEqual(spec.y, { label: "restitution", log: false });
  assert.deepEqual(spec.curves, [
    ["exact", 50, false, "", -1],
    ["first order", 25, true, "", -1],
    ["paper", 10, false, "none", 2],
  ]);
});

test("markers look in the legend as they do in the plot", async (page) => {
  const items = page.locator(".plots figure").first().locator(".legend li");
  assert.equal(await items.nth(0).locator(".swatch path").count(), 0);
  const triangle = await items.nth(2).locator(".swatch path").getAttribute("d");
  assert.equal(triangle.split("L").length, 3);
});

test("the pointer reads off the nearest point", async (page) => {
  const first = page.locator(".plots figure").first();
  const at = await page.evaluate(() => {
    const { chart } = document.querySelector(".plots figure");
    const box = chart.plot.over.getBoundingClientRect();
    const curve = chart.spec.curves[0];
    return [box.left + chart.plot.valToPos(curve.xs[30], "x"), box.top + chart.plot.valToPos(curve.ys[30], "y"), curve.xs[30], curve.ys[30]];
  });
  await page.mouse.move(at[0], at[1]);
  const words = await first.locator(".readout").textContent();
  assert.equal(words, `exact: impact speed ${Number(at[2].toPrecision(6))} m/s, restitution ${Number(at[3].toPrecision(6))}`);
});

test("CSV holds each curve's points", async (page) => {
  const first = page.locator(".plots figure").first();
  const { head, rows } = parseCsv((await saved(page, () => first.getByRole("button", { name: /CSV/ }).click())).bytes.toString());
  assert.ok(head.startsWith("exact: impact speed (m/s),exact: restitution (1),first order: impact speed (m/s)"));
  assert.equal(rows.length, 50);
  assert.equal(rows[30][1], 1 / (1 + 0.3 * rows[30][0]));
});

test("fits a phone", (page) => checkFits(page, 390));

await runTests(makePage("paper"));
