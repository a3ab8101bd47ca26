// A comparison of two runs and of measured data with columns of their own times.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canvasColours, checkFits, folder, program, runTests, test } from "./browser.mjs";

const scene = join(process.env.FF_SCENES, "bouncing-ball.yaml");
const file = (name) => join(folder, name);
const record = (name, ...sets) =>
  execFileSync(program, ["run", scene, "--quiet", "-o", file(name), ...sets.flatMap((s) => ["--set", s])], { stdio: "ignore" });
record("a.h5");
record("b.h5", "contacts.0.normal.alpha=0.5", "record.every=0.001");
// A fall without contact, 20 times a second.
const fall = (t) => 0.1165 - 4.905 * t * t;
const times = [0, 0.05, 0.1, 0.14];
writeFileSync(file("data.csv"), ["time,body.ball.position.z", ...times.map((t) => `${t},${fall(t) + 0.001}`)].join("\n") + "\n");
writeFileSync(file("alien.csv"), "time,ball.height\n0,1\n1,2\n");
writeFileSync(file("late.csv"), "time,body.ball.position.z\n10,1\n11,2\n");
const compare = (...names) => spawnSync(program, ["view", ...names.map(file), "-o", file("compare.html")], { encoding: "utf8" });
assert.equal(compare("a.h5", "b.h5", "data.csv").status, 0);

for (const [name, words] of [
  ["alien.csv", /alien\.csv.*no column has the name of a channel of 'a\.h5'; 'ball\.height' is unknown/],
  ["late.csv", /late\.csv.*has no time in common with 'a\.h5'/],
]) {
  test(`${name} is refused with the reason`, () => {
    const said = compare("a.h5", name);
    assert.equal(said.status, 2);
    assert.match(said.stderr, words);
  });
}

test("curves of all three stand in one panel", async (page) => {
  const names = await page.locator("figure.panel", { has: page.locator("h3", { hasText: "position.z" }) }).first().locator(".legend .name").allInnerTexts();
  assert.deepEqual(names.map((n) => n.split(", ")[1]), ["a.h5", "b.h5", "data.csv"]);
});

test("the table has the largest difference of the measured fall", async (page) => {
  const row = page.locator("#section-1 tr", { hasText: "data.csv" });
  assert.match(await row.innerText(), /body\.ball\.position\.z/);
  const most = Number((await row.locator("td").nth(2).innerText()).split(" ")[0]);
  // the offset of 1 mm, and the chords of a parabola between samples: at most g h^2 / 8 below it
  assert.ok(most < 0.0011 && most > -0.0155 && Math.abs(most) > 0.0009, `${most}`);
});

test("ghosts move with their own recording", async (page) => {
  const at = await page.evaluate(() => {
    const { clock, replay } = window.footfall.runs[0];
    clock.seek(0.3);
    return [replay.stage.tracks[1].object.position.z, ...replay.stage.ghosts.filter((g) => g.tracks.length).map((g) => g.tracks[0].object.position.z)];
  });
  assert.equal(at.length, 2); // the measured data has no position in x and y
  assert.ok(Math.abs(at[0] - at[1]) > 1e-3, `${at}`);
  assert.ok((await canvasColours(page)) > 50);
});

test("differences from the first", async (page) => {
  const panel = page.locator("figure.panel").first();
  await panel.locator("summary", { hasText: "Channels and axes" }).click();
  await panel.getByLabel("differences").check();
  const curves = await page.evaluate(() => window.footfall.runs[0].explorer.panels[0].chart.spec.curves.map((c) => [c.name, c.ys[1]]));
  assert.equal(curves.length, 2);
  assert.ok(Math.abs(curves[1][1] - 0.001) < 1e-6, `${curves}`);
});

test("it fits a phone", (page) => checkFits(page, 390));

await runTests(file("compare.html"));
