// What a page says and draws of particular scenes.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, program, runTests, test } from "./browser.mjs";

function report(scene, ...sets) {
  const out = join(folder, scene.split("/").pop() + ".html");
  const run = spawnSync(program, ["run", scene, "--quiet", "--report", out, ...sets.flatMap((s) => ["--set", s])], { encoding: "utf8" });
  assert.ok([0, 1].includes(run.status), run.stderr);
  return out;
}
const shipped = (name, ...sets) => report(join(process.env.FF_SCENES, name + ".yaml"), ...sets);

async function open(page, path) {
  const other = await page.context().newPage();
  await other.goto("file://" + path);
  await other.waitForFunction(() => window.footfall.runs[0].replay.stage?.active);
  return other;
}

test("a robot that stands takes no steps", async (page) => {
  const cards = await page.locator(".card dt").allTextContents();
  assert.ok(cards.length > 3 && !cards.some((card) => card.includes("steps")), cards.join("; "));
});

test("one component of a position is enough to move a body", async (page) => {
  const other = await open(page, shipped("disc-on-layer"));
  const heights = await other.evaluate(() => {
    const { clock, recording, replay } = window.footfall.runs[0];
    const disc = replay.stage.tracks.find((t) => t.info.name === "disc");
    return [0, 0.3].map((part) => {
      clock.seek(part * recording.end);
      return disc.object.position.toArray();
    });
  });
  assert.deepEqual(heights[0], [0, 0, 1.5]);
  assert.ok(heights[1][0] === 0 && heights[1][2] < 1.2, JSON.stringify(heights));
  await other.close();
});

test("the place of a contact is drawn only in contact, and saved as recorded", async (page) => {
  const other = await open(page, shipped("rolling-sphere"));
  const { drawn, recorded, open: inContact } = await other.evaluate(() => {
    const { explorer, recording } = window.footfall.runs[0];
    const panel = explorer.add({ x: "time", y: ["contact.ball:floor.point.x"] });
    const count = recording.get("contact.ball:floor.count");
    return {
      drawn: panel.chart.spec.curves[0].ys.filter((v) => !Number.isNaN(v)).length,
      recorded: panel.columns()[1].values.filter((v) => !Number.isNaN(v)).length,
      open: count.filter((n) => n > 0).length,
    };
  });
  assert.ok(inContact > 0 && inContact < recorded);
  assert.equal(drawn, inContact);
  await other.close();
});

test("a run that recorded no contacts does not claim that there were none", async (page) => {
  const other = await open(page, shipped("arch", "duration=0.02"));
  const cards = await other.locator(".card").allTextContents();
  assert.ok(cards.some((card) => /^peak contact force[\d.]+ N/.test(card)), cards.join("; "));
  await other.close();
});

test("a link without visuals is not seen where another has some", async (page) => {
  const link = (name, parts) =>
    `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1e-2" iyy="1e-2" izz="1e-2" ixy="0" ixz="0" iyz="0"/></inertial>${parts}</link>`;
  const box = "<geometry><box size='0.1 0.1 0.1'/></geometry>";
  writeFileSync(
    join(folder, "two.urdf"),
    `<robot name="two">${link("base", `<visual>${box}</visual>`)}${link("guard", `<collision>${box}</collision>`)}` +
      "<joint name='j' type='revolute'><parent link='base'/><child link='guard'/><axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>",
  );
  const scene = join(folder, "two.yaml");
  writeFileSync(scene, "footfall: 1\nduration: 0.01\nstepper: {kind: rk4, step: 1e-3}\nrobots:\n  two: {urdf: two.urdf, base: fixed}\n");
  const other = await open(page, report(scene));
  const seen = () =>
    other.evaluate(() => {
      const { stage } = window.footfall.runs[0].replay;
      return [...stage.solids.batches.values()].filter((b) => b.mesh.visible).flatMap((b) => b.items.map((i) => stage.tracks.find((t) => t.object === i.object).info.name));
    });
  assert.deepEqual(await seen(), ["two-base"]);
  await other.getByLabel("collision shapes").check();
  assert.deepEqual(await seen(), ["two-guard"]);
  await other.close();
});

await runTests(shipped("quadruped-standing"), { viewport: { width: 800, height: 600 } });
