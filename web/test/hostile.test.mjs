// Names are not ours: whatever they hold shows as text, and nothing else happens.

import assert from "node:assert/strict";
import { canvasColours, checkFits, makePage, runTests, saved, test } from "./browser.mjs";

const RUN = "window.pwned";

test("nothing in a name runs", async (page) => {
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await page.waitForTimeout(500);
  assert.equal(await page.evaluate(() => typeof window.pwned), "undefined");
});

test("no name becomes markup", async (page) => {
  const found = await page.evaluate(() => ({
    images: document.querySelectorAll("img, b, i, u, plaintext, iframe, object").length,
    scripts: [...document.scripts].filter((s) => !s.type).length,
    handlers: [...document.querySelectorAll("*")].filter((n) => n.getAttributeNames().some((a) => a.startsWith("on"))).length,
  }));
  assert.deepEqual(found, { images: 0, scripts: 1, handlers: 0 });
});

test("names show as they are", async (page) => {
  assert.equal(await page.locator("h1").textContent(), `</script><script>${RUN}=1</script>`);
  assert.equal(await page.title(), `</script><script>${RUN}=1</script>`);
  assert.equal(await page.locator(".subtitle").textContent(), `<img src=x onerror=${RUN}=2>`);
  const text = await page.locator("main").innerText();
  const names = [
    `"><svg onload=${RUN}=3>`,
    `' onmouseover='${RUN}=4`,
    "${window.pwned=5}`{{window.pwned=6}}",
    "<!--<script>",
    "]]>--></style></title><b>bold</b>",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "broken \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd utf-8",
    "__proto__",
    "<script>window['pwned']=9",
    "'><plaintext>&amp;",
  ];
  for (const name of names) {
    assert.ok(text.includes(name), name);
  }
  assert.ok((await page.locator("main").textContent()).includes("\u202ereversed"));
});

test("text that runs the other way stays in its place", async (page) => {
  const loose = await page.evaluate(() =>
    [...document.querySelectorAll("h1, h2, h3, td, th, a, small, .legend .name")]
      .filter((n) => n.textContent.includes("\u202e") && !n.closest("bdi") && !n.querySelector("bdi"))
      .map((n) => n.outerHTML.slice(0, 120)),
  );
  assert.deepEqual(loose, []);
});

test("the replay and its panels work with such names", async (page) => {
  await page.evaluate(() => window.scrollTo(0, 0));
  assert.ok((await canvasColours(page)) > 50);
  const bodies = await page.evaluate(() => window.footfall.runs[0].recording.bodies.map((b) => [b.name, b.shapes.length]));
  assert.deepEqual(bodies, [["'><plaintext>&amp;", 1], ["<script>window['pwned']=9", 1]]);
  assert.ok((await page.evaluate(() => window.footfall.runs[0].replay.stage.contacts.list.length)) > 0);
});

test("exports hold such names safely", async (page) => {
  const first = page.locator(".explorer figure.panel").first();
  const csv = await saved(page, () => first.getByRole("button", { name: /CSV/ }).click());
  assert.ok(csv.bytes.toString().startsWith("time (s),body.<script>window['pwned']=9.position."));
  const svg = await saved(page, () => first.getByRole("button", { name: /SVG/ }).click());
  const parsed = await page.evaluate((text) => {
    const doc = new DOMParser().parseFromString(text, "image/svg+xml");
    return [doc.querySelector("parsererror") !== null, doc.querySelectorAll("script").length];
  }, svg.bytes.toString());
  assert.deepEqual(parsed, [false, 0]);
  assert.match(svg.name, /^[A-Za-z0-9-]+\.svg$/);
});

test("very long names do not widen the page", async (page) => {
  await checkFits(page, 390);
  await checkFits(page, 1280);
});

await runTests(makePage("hostile"));
