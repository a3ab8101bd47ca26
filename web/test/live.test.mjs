// A live page: the engine in its worker, against the program's own recording of the same values.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { folder, parseCsv, program, runTests, test } from "./browser.mjs";

const scene = join(process.env.FF_SCENES, "bouncing-ball.yaml");
const path = join(folder, "live.html");
const made = spawnSync(program, ["run", scene, "--quiet", "--report", path, "--live"], { encoding: "utf8" });
if (made.status !== 0) {
  assert.match(made.stderr, /run \.\/dev live/);
  console.log("SKIP live pages: the engine is not built (./dev live)");
  process.exit(77);
}

const run = "window.footfall.runs[0]";
const idle = (page, number) => page.waitForFunction((n) => {
  const { live } = window.footfall.runs[0];
  return live.number >= n && live.mode === "idle";
}, number);
const exact = (page, name) => page.getByRole("spinbutton", { name: `${name}, exact` });
const column = (page, name) => page.evaluate((n) => [...window.footfall.runs[0].recording.get(n)], name);

// Where the ball is in the window.
const ballOnScreen = (page) =>
  page.evaluate(() => {
    const { replay } = window.footfall.runs[0];
    const ball = replay.stage.tracks.find((t) => t.info.name === "ball").object.position.clone().project(replay.stage.camera);
    const box = replay.canvas.getBoundingClientRect();
    return [box.left + ((ball.x + 1) / 2) * box.width, box.top + ((1 - ball.y) / 2) * box.height];
  });

function native(...sets) {
  const out = join(folder, "native.csv");
  execFileSync(program, ["run", scene, "--quiet", "-o", out, ...sets.flatMap((s) => ["--set", s])], { stdio: "ignore" });
  const { head, rows } = parseCsv(readFileSync(out, "utf8"));
  const at = head.split(",").findIndex((name) => name.startsWith("body.ball.position.z"));
  return rows.map((row) => row[at]);
}

async function setExact(page, name, value) {
  const number = await page.evaluate(`${run}.live.number`);
  await exact(page, name).fill(String(value));
  await exact(page, name).press("Tab");
  await idle(page, number + 1);
}

test("the engine starts and shows the parameters of the scene", async (page) => {
  await page.waitForFunction(() => window.footfall.runs[0].live.about);
  assert.equal(await exact(page, "α").inputValue(), "0.25");
  assert.equal(await page.getByRole("combobox", { name: "normal law" }).inputValue(), "hunt-crossley");
});

test("a new value gives the samples of the program, to the bit", async (page) => {
  await setExact(page, "α", 0.5);
  assert.deepEqual(await column(page, "body.ball.position.z"), native("contacts.0.normal.alpha=0.5"));
});

test("cards, ledger and events follow", async (page) => {
  const text = () => page.locator("#section-0").innerText();
  const before = await text();
  const rows = await page.locator("#section-3 table tbody tr").count();
  await setExact(page, "α", 0.05);
  assert.notEqual(await text(), before);
  assert.ok(rows > 0);
});

test("a slider runs it again within 100 ms of computing", async (page) => {
  const number = await page.evaluate(`${run}.live.number`);
  await page.getByRole("slider", { name: /^k:/ }).evaluate((box) => {
    box.value = "0.4";
    box.dispatchEvent(new Event("input"));
  });
  await idle(page, number + 1);
  const status = await page.locator(".live-status").innerText();
  assert.match(status, /^computed in [\d.]+ ms, shown after [\d.]+ ms(, first samples after [\d.]+ ms)?$/);
});

test("another law and another stepper", async (page) => {
  const number = await page.evaluate(`${run}.live.number`);
  await page.getByRole("button", { name: "Back to the values of the scene" }).click();
  await idle(page, number + 1);
  await page.getByRole("combobox", { name: "Stepper" }).selectOption("rk4");
  await idle(page, number + 2);
  assert.deepEqual(await column(page, "body.ball.position.z"), native("stepper={kind: rk4, step: 0.0001}"));
});

test("every normal law runs with the values that the page proposes", async (page) => {
  const choose = page.getByRole("combobox", { name: "normal law" });
  const laws = await choose.locator("option").allInnerTexts();
  assert.ok(laws.length >= 8);
  for (const law of laws) {
    const number = await page.evaluate(`${run}.live.number`);
    await choose.selectOption(law);
    await idle(page, number + 1);
    const status = await page.locator(".live-status").innerText();
    assert.match(status, /^computed/, `${law}: ${status}`);
    assert.ok((await column(page, "contact.ball:floor.force.n")).some((f) => f > 0), law);
    const stepper = await page.getByRole("combobox", { name: "Stepper" }).inputValue();
    assert.equal(stepper, ["rigid", "membrane"].includes(law) ? "micro-macro" : "rk4", law);
  }
  await page.getByRole("button", { name: "Back to the values of the scene" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].live.mode === "idle");
});

// Runs by hand, so slowly that the ball is still where it is seen when the pointer gets there.
async function playSlowly(page) {
  await page.getByRole("combobox", { name: "Speed by hand" }).selectOption("0.01");
  await page.locator(".stage canvas").scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "Run it now" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].recording.rows > 5 && window.footfall.runs[0].live.mode === "playing");
}

test("a push by hand moves the ball away from the camera", async (page) => {
  await playSlowly(page);
  assert.ok((await column(page, "body.ball.velocity.y")).every((v) => v === 0), "nothing else moves it aside");
  await page.keyboard.down("Shift");
  await page.mouse.click(...(await ballOnScreen(page)));
  await page.keyboard.up("Shift");
  await page.waitForFunction(() => {
    const { recording } = window.footfall.runs[0];
    return recording.get("body.ball.velocity.y")[recording.rows - 1] > 1e-3; // the first view looks along +y
  });
  await page.getByRole("button", { name: "End the run by hand" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].live.mode === "idle");
});

test("what the engine refuses is said", async (page) => {
  await setExact(page, "k", -1);
  assert.match(await page.locator(".live-status").innerText(), /contacts\.0\.normal\.k/);
  await setExact(page, "k", 8.5e6);
});

test("by hand: it runs, a drag moves the ball aside, pause and step, finish", async (page) => {
  await page.getByRole("button", { name: "Back to the values of the scene" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].live.mode === "idle");
  await playSlowly(page);
  const at = await ballOnScreen(page);
  await page.mouse.move(...at);
  await page.mouse.down();
  await page.mouse.move(at[0] + 120, at[1], { steps: 4 });
  await page.getByRole("combobox", { name: "Speed by hand" }).selectOption("0.1");
  await page.waitForFunction(() => {
    const { recording } = window.footfall.runs[0];
    const x = recording.get("body.ball.position.x");
    return Math.abs(x[recording.rows - 1]) > 1e-3;
  });
  await page.mouse.up();
  await page.getByRole("button", { name: "Run it now" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].live.mode === "paused");
  await page.waitForTimeout(100);
  const rows = await page.evaluate(`${run}.recording.rows`);
  await page.getByRole("button", { name: "One recorded sample on" }).click();
  await page.waitForFunction((n) => window.footfall.runs[0].recording.rows > n, rows);
  await page.getByRole("button", { name: "End the run by hand" }).click();
  await page.waitForFunction(() => window.footfall.runs[0].live.mode === "idle");
  assert.ok((await page.evaluate(`${run}.recording.rows`)) >= rows);
});

test("a robot's page holds the files of the robot", async (page) => {
  const other = join(folder, "robot.html");
  const standing = join(process.env.FF_SCENES, "quadruped-standing.yaml");
  spawnSync(program, ["run", standing, "--quiet", "--set", "duration=0.1", "--report", other, "--live"]);
  const second = await page.context().newPage();
  await second.goto(pathToFileURL(other).href);
  await second.waitForFunction(() => window.footfall.runs[0].live.about);
  const before = await second.evaluate(`[...${run}.recording.get("body.trunk.position.z") ?? ${run}.recording.time]`);
  await second.evaluate(`${run}.live.runSoon()`);
  await idle(second, 1);
  assert.deepEqual(await second.evaluate(`[...${run}.recording.get("body.trunk.position.z") ?? ${run}.recording.time]`), before);
  await second.close();
});

await runTests(path);
