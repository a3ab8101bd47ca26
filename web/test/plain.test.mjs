// A browser without WebGL, in the dark: everything but the 3-D view is there.

import assert from "node:assert/strict";
import { makePage, runTests, test } from "./browser.mjs";

test("says that the 3-D view is missing", async (page) => {
  assert.match(await page.locator(".stage").textContent(), /needs WebGL/);
});

test("time, panels and events still work", async (page) => {
  await page.getByRole("button", { name: "One sample on" }).click();
  assert.equal(await page.locator(".clock").textContent(), "0.001 s");
  const value = page.locator(".explorer .legend li", { hasText: "position.x" }).locator(".value");
  assert.equal(await value.textContent(), "0.0003 m");
  await page.getByRole("button", { name: "Next contact event" }).click();
  assert.match(await page.locator(".clock").textContent(), /^0\.4515/);
  await page.getByLabel("trails").uncheck();
  await page.getByRole("button", { name: "Back to the first view" }).click();
});

test("follows the system into the dark", async (page) => {
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

await runTests(makePage("ball"), { flags: ["--disable-3d-apis"], colorScheme: "dark" });
