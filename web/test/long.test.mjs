// A million samples of 25 channels: small enough to mail, and no peak lost; the time to open is told.

import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { canvasColours, makePage, runTests, test, timeToOpen } from "./browser.mjs";

const ROWS = 1000000;

test("the file is under 30 MB", (page, path) => {
  const size = statSync(path).size;
  console.log(`        ${(size / 1e6).toFixed(1)} MB`);
  assert.ok(size < 30e6);
});

test("opens, replay and panels drawn", async (page, path) => {
  const opened = await timeToOpen(page, path);
  console.log(`        ${opened.toFixed(2)} s`);
  assert.ok((await canvasColours(page)) > 50);
});

test("says what was left out", async (page) => {
  const note = await page.locator(".reduction").textContent();
  const kept = await page.evaluate(() => window.footfall.runs[0].recording.rows);
  assert.ok(note.includes(`${kept} of ${ROWS} recorded samples`), note);
  assert.ok(kept > 10000 && kept < ROWS);
});

test("keeps true samples, their extremes, and both ends", async (page) => {
  const found = await page.evaluate(() => {
    const { recording } = window.footfall.runs[0];
    const force = recording.get("contact.ball:floor.force.n");
    const time = recording.time;
    let increasing = true;
    for (let i = 1; i < time.length; i++) {
      increasing &&= time[i] > time[i - 1];
    }
    return { first: time[0], last: time[time.length - 1], increasing, most: Math.max(...force) };
  });
  assert.ok(found.increasing);
  assert.equal(found.first, 0);
  assert.equal(found.last, (ROWS - 1) * 2e-5);
  assert.ok(Math.abs(found.most - largestForce()) < 1e-9 * found.most);
});

test("still replays", async (page) => {
  await page.evaluate(() => window.footfall.runs[0].clock.play());
  await page.waitForFunction(() => window.footfall.runs[0].clock.time > 0.1);
});

// The largest force among all samples, from the closed form of fixture.c.
function largestForce() {
  const fall = Math.sqrt(2 / 9.81);
  const omega = Math.sqrt(2e4 / 2);
  const period = 2 * fall + Math.PI / omega;
  let most = 0;
  for (let i = 0; i < ROWS; i++) {
    const angle = omega * (((i * 2e-5 + fall) % period) - 2 * fall);
    most = angle > 0 ? Math.max(most, Math.sin(angle)) : most;
  }
  return ((2e4 * 9.81 * fall) / omega) * most;
}

await runTests(makePage("long"));
