// Five thousand bodies: one draw call a shape, and a frame that the page prepares in time.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canvasColours, folder, program, runTests, test } from "./browser.mjs";

// Half balls, half boxes, each shape `count` times; 0.002 s of fall.
function makeReport(name, layers) {
  const scene = join(folder, name + ".yaml");
  const out = join(folder, name + ".html");
  writeFileSync(
    scene,
    `footfall: 1
duration: 0.002
stepper: {kind: symplectic-euler, step: 1e-3}
record: {every: 1e-3, channels: ["body.*.position.*", "body.*.orientation.*"]}
bodies:
  floor: {fixed: true, shape: {half-space: {}}}
  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1], grid: {count: [25, 10, ${layers}], spacing: [0.3, 0.3, 0.3]}}
  box: {mass: 1, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0, 4, 1], grid: {count: [25, 10, ${layers}], spacing: [0.3, 0.3, 0.3]}}
contacts:
  - {pair: ["*", "*"], normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 0.5}}
`,
  );
  const run = spawnSync(program, ["run", scene, "--quiet", "--report", out], { encoding: "utf8" });
  assert.ok([0, 1].includes(run.status), run.stderr);
  return out;
}

const large = makeReport("large", 10);
const small = makeReport("small", 2);

const drawn = (page) =>
  page.evaluate(() => {
    const { stage } = window.footfall.runs[0].replay;
    stage.render();
    const { calls, triangles } = stage.renderer.info.render;
    return { bodies: stage.tracks.length - 1, calls, triangles, shapes: stage.solids.batches.size };
  });

test("5,000 bodies of two shapes take the draw calls of 1,000", async (page) => {
  await page.waitForFunction(() => window.footfall.runs[0].replay.stage?.active);
  const many = await drawn(page);
  const other = await page.context().newPage();
  await other.goto("file://" + small);
  await other.waitForFunction(() => window.footfall.runs[0].replay.stage?.active);
  const few = await drawn(other);
  await other.close();
  assert.deepEqual([many.bodies, many.shapes, few.bodies, few.shapes], [5000, 2, 1000, 2]);
  assert.equal(many.calls, few.calls);
  assert.ok(many.calls <= 10, `${many.calls} draw calls`);
  assert.ok(many.triangles < 4e6, `${many.triangles} triangles`);
});

test("they replay", async (page) => {
  await page.evaluate(() => window.footfall.runs[0].clock.seek(0.001));
  assert.ok((await canvasColours(page)) > 50);
});

await runTests(large, { viewport: { width: 480, height: 320 } }); // drawn without a graphics card
