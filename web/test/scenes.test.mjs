// Scenes run by the program itself: run --report, and view of a recording.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canvasColours, folder, program, runTests, test } from "./browser.mjs";

const scenes = process.env.FF_SCENES;
const scene = (name) => join(scenes, name + ".yaml");
const page = join(folder, "box.html");

execFileSync(program, ["run", scene("tumbling-box"), "--quiet", "--report", page, "-o", join(folder, "box.h5")]);

test("the report of a run shows its recording and its verdict", async (tab) => {
  assert.equal(await tab.title(), "Tumbling box");
  assert.equal(await tab.locator("header .badge").textContent(), "✓ verdict: good");
  assert.ok((await canvasColours(tab)) > 50);
  const rows = await tab.evaluate(() => window.footfall.runs[0].recording.rows);
  assert.equal(rows, 1501);
});

test("contact events come from the run, with restitution", async (tab) => {
  const touches = await tab.evaluate(() => window.footfall.runs[0].touches);
  assert.ok(touches.length > 10);
  const first = touches[0];
  assert.ok(first.approach > 2 && first.end > first.start && first.peakForce > 100 && first.peakDepth > 0);
  assert.ok(first.peakTime > first.start && first.peakTime < first.end && !first.sampled);
  await tab.evaluate(() => window.footfall.runs[0].clock.seek(0));
  await tab.getByRole("button", { name: "Next contact event" }).click();
  assert.equal(await tab.evaluate(() => window.footfall.runs[0].clock.time), first.start);
});

test("view makes the same page of the recording, beside it or where told", async (tab) => {
  const environment = { ...process.env, DISPLAY: "", WAYLAND_DISPLAY: "" };
  const said = execFileSync(program, ["view", join(folder, "box.h5")], { env: environment }).toString();
  assert.equal(said.trim(), page);
  const other = join(folder, "other.html");
  execFileSync(program, ["view", join(folder, "box.h5"), "-o", other], { env: environment });
  const heights = (where) => where.evaluate(() => [...window.footfall.runs[0].recording.get("body.box.position.z")]);
  const copy = await tab.context().newPage();
  await copy.goto("file://" + other);
  await copy.waitForFunction(() => window.footfall);
  assert.deepEqual(await heights(copy), await heights(tab));
  await copy.close();
});

test("nothing but what was asked for is left behind", () => {
  assert.deepEqual(readdirSync(folder).sort(), ["box.h5", "box.html", "other.html"]);
});

test("a law that acts over an overlap shows its patch", async (tab) => {
  const own = join(folder, "patch.yaml");
  const out = join(folder, "patch.html");
  writeFileSync(
    own,
    `footfall: 1
duration: 0.1
stepper: {kind: rk4, step: 1e-4}
record: {every: 1e-3}
bodies:
  floor: {fixed: true, shape: {half-space: {}}}
  ball: {mass: 2, shape: {sphere: {radius: 0.1}}, position: [0.3, 0, 0.1], velocity: [0, 0, -0.1]}
contacts:
  - {pair: [ball, floor], normal: {law: volumetric, k_V: 2e5, a_V: 0.5}}
`,
  );
  spawnSync(program, ["run", own, "--quiet", "--report", out]);
  const other = await tab.context().newPage();
  await other.goto("file://" + out);
  await other.waitForFunction(() => window.footfall.runs[0].replay.stage?.active);
  const { reach, radius } = await other.evaluate(() => {
    const { clock, recording, replay } = window.footfall.runs[0];
    const depth = recording.get("contact.ball:floor.depth");
    const row = depth.indexOf(Math.max(...depth));
    clock.seekRow(row);
    const contact = replay.stage.contacts.list[0];
    const points = contact.patch.geometry.getAttribute("position").array;
    let reach = 0;
    for (let i = 0; i < points.length; i += 3) {
      reach = Math.max(reach, Math.hypot(points[i] - 0.3, points[i + 1]));
    }
    return { reach, radius: Math.sqrt(depth[row] * (0.2 - depth[row])) };
  });
  // The ball is drawn with 48 by 24 faces.
  assert.ok(Math.abs(reach / radius - 1) < 0.05, `${reach} against ${radius}`);
  await other.close();
});

test("the ledger of a robot reaches its line with what its joints store, each layer in a colour of its own", async (tab) => {
  const out = join(folder, "biped.html");
  spawnSync(program, ["run", scene("planar-biped"), "--quiet", "--report", out]);
  const other = await tab.context().newPage();
  await other.goto("file://" + out);
  await other.waitForFunction(() => window.footfall);
  await other.locator(".ledger").scrollIntoViewIfNeeded();
  await other.waitForSelector(".ledger .legend");
  const { off, most, stored, layers, colours } = await other.evaluate(() => {
    const { spec } = document.querySelector(".ledger").chart;
    const stack = spec.curves.filter((c) => c.base);
    const line = spec.curves.find((c) => !c.base).ys;
    return {
      off: Math.max(...line.map((y, i) => Math.abs(y - stack[0].ys[i]))),
      most: Math.max(...line),
      stored: Math.max(...window.footfall.runs[0].recording.get("energy.spring.joint")),
      layers: stack.length,
      colours: new Set(stack.map((c) => c.colour())).size,
    };
  });
  assert.ok(stored > 0.01 && off < 0.1 * stored, `off by ${off} J of ${most} J, joints store ${stored} J`);
  assert.equal(colours, layers);
  await other.close();
});

test("every scene makes a page that works", async (tab) => {
  for (const file of readdirSync(scenes).filter((f) => f.endsWith(".yaml"))) {
    const out = join(folder, "scene.html");
    const run = spawnSync(program, ["run", join(scenes, file), "--quiet", "--set", "duration=0.05", "--report", out]);
    assert.ok(existsSync(out), `${file}: ${run.stderr}`);
    const errors = [];
    const other = await tab.context().newPage();
    await other.setViewportSize({ width: 480, height: 320 }); // drawn without a graphics card
    other.on("pageerror", (e) => errors.push(e.message));
    await other.goto("file://" + out);
    await other.waitForFunction(() => window.footfall.runs[0].replay.stage?.active);
    assert.ok((await canvasColours(other)) > 50, file);
    assert.deepEqual(errors, [], file);
    await other.close();
  }
});

test("bad arguments and unreadable recordings exit with 2", () => {
  const code = (...words) => spawnSync(program, words).status;
  assert.equal(code("view"), 2);
  assert.equal(code("view", join(folder, "missing.h5")), 2);
  assert.equal(code("view", page), 2);
  assert.equal(code("view", join(folder, "box.h5"), "-o", join(folder, "no", "such", "folder.html")), 1);
});

await runTests(page);
