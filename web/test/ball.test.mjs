// The report of a run, against the closed form it was made from (fixture.c).

import assert from "node:assert/strict";
import { canvasColours, checkFits, makePage, parseCsv, runTests, saved, test } from "./browser.mjs";

const [radius, drop, gravity, mass, stiffness] = [0.1, 1, 9.81, 2, 2e4];
const fall = Math.sqrt((2 * drop) / gravity);
const speed = gravity * fall;
const omega = Math.sqrt(stiffness / mass);
const touch = Math.PI / omega;

function heightAt(t) {
  const phase = (t + fall) % (2 * fall + touch);
  return phase < 2 * fall
    ? radius + speed * phase - (gravity * phase * phase) / 2
    : radius - (speed / omega) * Math.sin(omega * (phase - 2 * fall));
}

// Round-off of the closed form, in C and here.
const close = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-12 * Math.max(1, Math.abs(expected)), `${actual} is not ${expected}`);
const shown = (text) => Number(text.replace(/−/g, "-").replace(/[^-0-9.e].*$/, ""));

const state = (page) =>
  page.evaluate(() => {
    const { clock, replay } = window.footfall.runs[0];
    const ball = replay.stage.tracks.find((t) => t.info.name === "ball").object;
    return { time: clock.time, row: clock.row, position: ball.position.toArray(), quaternion: ball.quaternion.toArray() };
  });

const panel = (page, title) => page.locator("figure.panel", { has: page.locator("h3", { hasText: title }) }).first();

test("the canvas is not blank, and changes with time", async (page) => {
  assert.ok((await canvasColours(page)) > 50);
  const picture = () => page.evaluate(() => {
    const { stage } = window.footfall.runs[0].replay;
    stage.render();
    return stage.renderer.domElement.toDataURL();
  });
  const first = await picture();
  await page.evaluate(() => window.footfall.runs[0].clock.seek(0.2));
  assert.notEqual(await picture(), first);
});

test("play advances, pause stops", async (page) => {
  await page.getByRole("combobox", { name: "Speed" }).selectOption("0.1");
  const before = (await state(page)).time;
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.waitForFunction((t) => window.footfall.runs[0].clock.time > t + 0.02, before);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const stopped = (await state(page)).time;
  await page.waitForTimeout(150);
  assert.equal((await state(page)).time, stopped);
});

test("speeds reach from 1/1000 to 10", async (page) => {
  const speeds = await page.getByRole("combobox", { name: "Speed" }).locator("option").evaluateAll((all) => all.map((o) => Number(o.value)));
  assert.equal(Math.min(...speeds), 0.001);
  assert.equal(Math.max(...speeds), 10);
});

test("scrubbing puts the body where it was recorded", async (page) => {
  for (const part of [0.1, 0.301, 0.5, 0.93]) {
    await page.locator("input.scrub").evaluate((box, value) => {
      box.value = value;
      box.dispatchEvent(new Event("input"));
    }, String(part));
    const now = await state(page);
    assert.equal(now.time, now.row * 1e-3);
    close(now.position[0], 0.3 * now.time);
    close(now.position[2], heightAt(now.time));
    close(now.quaternion[1], Math.sin((0.3 * now.time) / radius / 2));
  }
});

test("keys: step by sample, start and end, speed, events", async (page) => {
  await page.locator(".stage canvas").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal((await state(page)).row, 1);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal((await state(page)).row, 11);
  await page.keyboard.press("ArrowLeft");
  assert.equal((await state(page)).row, 10);
  await page.keyboard.press("n");
  close((await state(page)).time, fall);
  await page.keyboard.press("End");
  assert.equal((await state(page)).row, 1500);
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.evaluate(() => window.footfall.runs[0].clock.speed), 0.2);
  await page.keyboard.press("f");
  assert.equal(await page.getByRole("combobox", { name: "Follow a body" }).inputValue(), "=ball");
  await page.keyboard.press("r");
});

test("buttons jump to touch-down, peak and lift-off, and back", async (page) => {
  await page.keyboard.press("Home");
  const next = page.getByRole("button", { name: "Next contact event" });
  for (const t of [fall, fall + touch / 2, fall + touch, 3 * fall + touch]) {
    await next.click();
    close((await state(page)).time, t);
  }
  await page.getByRole("button", { name: "Previous contact event" }).click();
  close((await state(page)).time, fall + touch);
});

test("contacts show: arrow to the stated scale, stick and slip, friction cone", async (page) => {
  await page.getByLabel("friction cones").check();
  const found = await page.evaluate((t) => {
    const run = window.footfall.runs[0];
    run.clock.seek(t);
    const { contacts } = run.replay.stage;
    const c = contacts.list[0];
    const row = run.clock.row;
    return {
      visible: c.on,
      cone: c.cone.visible && c.cone.scale.x / c.cone.scale.y,
      length: c.length,
      force: Math.hypot(...c.force.map((f) => f[row])),
      scale: contacts.scale,
      said: document.querySelector(".scale-note").textContent,
      overlay: document.querySelector(".overlay").textContent,
    };
  }, fall + touch / 2);
  assert.ok(found.visible);
  close(found.cone, 0.4);
  assert.ok(Math.abs(found.length / found.force / found.scale - 1) < 1e-9);
  const [, metres, newtons] = /arrow of ([\d.]+) m = ([\d.e]+) N/.exec(found.said);
  assert.ok(Math.abs((found.scale * newtons) / metres - 1) < 0.01, found.said);
  assert.match(found.overlay, /^ball:floor: stick, [\d.]+ N$/);
});

test("the cursor shows the recorded value, in every panel", async (page) => {
  const first = panel(page, "body.ball.position");
  const box = await first.locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
  const row = await page.evaluate(() => window.footfall.runs[0].clock.hover);
  assert.ok(Math.abs(row / 1500 - 0.4) < 0.01);
  const value = async (where, name) => shown(await where.locator(".legend li", { hasText: name }).locator(".value").textContent());
  assert.equal(await value(first, "position.z"), Number(heightAt(row * 1e-3).toPrecision(6)));
  assert.equal(await value(first, "position.x"), Number((0.3 * row * 1e-3).toPrecision(6)));
  await page.mouse.click(box.x + box.width * 0.4, box.y + box.height * 0.5);
  assert.equal((await state(page)).row, row);
  await page.mouse.move(5, 5);
});

test("zoom by dragging is shared by time axes, and reset undoes it", async (page) => {
  const box = await panel(page, "body.ball.position").locator(".u-over").boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 35, { steps: 5 });
  await page.mouse.up();
  const views = () => page.evaluate(() => window.footfall.runs[0].explorer.panels.filter((p) => p.overTime).map((p) => p.chart.view.x));
  for (const [a, b] of await views()) {
    assert.ok(Math.abs(a - 0.3) < 0.01 && Math.abs(b - 0.6) < 0.01, `${a} .. ${b}`);
  }
  await panel(page, "body.ball.position").getByRole("button", { name: "Show everything" }).click();
  assert.deepEqual((await views())[1], [0, 1.5]);
});

test("the legend switches curves off and on", async (page) => {
  const press = panel(page, "body.ball.position").locator(".legend button").first();
  await press.click();
  assert.equal(await press.getAttribute("aria-pressed"), "false");
  assert.equal(await page.evaluate(() => window.footfall.runs[0].explorer.panels[0].chart.spec.curves[0].shown), false);
  await press.click();
});

test("any channel against any other, several panels, log scales", async (page) => {
  await page.getByRole("button", { name: "Add a panel" }).click();
  const last = page.locator(".explorer figure.panel").last();
  await last.locator("summary").click();
  await last.getByLabel("Horizontal axis").selectOption("body.ball.position.z");
  await last.getByLabel("Find a channel").fill("velocity.z");
  await last.getByLabel("body.ball.velocity.z (m/s)").check();
  const spec = await page.evaluate(() => {
    const { panels } = window.footfall.runs[0].explorer;
    const { spec } = panels[panels.length - 1].chart;
    return { x: spec.x.label, axes: Object.values(spec.axes).map((a) => a.label), names: spec.curves.map((c) => c.name) };
  });
  assert.equal(spec.x, "position.z (m)");
  assert.ok(spec.names.includes("body.ball.velocity.z") && spec.axes.includes("velocity.z (m/s)"));
  await last.getByLabel("log y").check();
  assert.match(await last.locator(".note").textContent(), /zero and below/);
  await last.getByRole("button", { name: "Remove this panel" }).click();
});

test("CSV holds the data to the last bit", async (page) => {
  const { name, bytes } = await saved(page, () => panel(page, "body.ball.position").getByRole("button", { name: /CSV/ }).click());
  assert.match(name, /\.csv$/);
  const { head, rows } = parseCsv(bytes.toString());
  assert.equal(head, "time (s),body.ball.position.x (m),body.ball.position.z (m)");
  assert.equal(rows.length, 1501);
  const exact = await page.evaluate(() => ["time", "body.ball.position.x", "body.ball.position.z"].map((n) => [...window.footfall.document.runs[0].get(n)]));
  rows.forEach((row, i) => assert.deepEqual(row, exact.map((values) => values[i])));
  close(rows[700][2], heightAt(0.7));
});

test("SVG is well formed and draws every sample of a short run", async (page) => {
  const { bytes } = await saved(page, () => panel(page, "force.n against").getByRole("button", { name: /SVG/ }).click());
  const svg = await page.evaluate((text) => {
    const doc = new DOMParser().parseFromString(text, "image/svg+xml");
    return {
      broken: doc.querySelector("parsererror") !== null,
      points: doc.querySelector("g path").getAttribute("d").split(/[ML]/).length - 1,
      texts: [...doc.querySelectorAll("text")].map((t) => t.textContent),
    };
  }, bytes.toString());
  assert.equal(svg.broken, false);
  assert.equal(svg.points, 1501);
  assert.ok(svg.texts.includes("depth (m)") && svg.texts.includes("force.n (N)"));
  assert.ok(svg.texts.includes("contact.ball:floor.force.n"));
});

test("PNG is a picture", async (page) => {
  const { bytes } = await saved(page, () => panel(page, "contact.ball:floor.force.n").getByRole("button", { name: /PNG/ }).click());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.readUInt32BE(16) > 300 && bytes.length > 3000);
});

test("the replay as WebM plays in a browser", async (page) => {
  const { name, bytes } = await saved(page, () => page.getByRole("button", { name: "Play the run and save it as WebM" }).click());
  assert.match(name, /\.webm$/);
  assert.equal(bytes.subarray(0, 4).toString("hex"), "1a45dfa3"); // EBML
  const other = await page.context().newPage(); // the report's own policy allows no video
  await other.setContent("<video muted></video>");
  const film = await other.evaluate(async (source) => {
    const video = document.querySelector("video");
    video.src = source;
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error(video.error.message));
    });
    await video.play(); // frames are decoded when they are shown
    await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const ctx = canvas.getContext("2d");
    ctx.drawImage(video, 0, 0);
    return { size: [video.videoWidth, video.videoHeight], colours: new Set(new Uint32Array(ctx.getImageData(0, 0, ...[canvas.width, canvas.height]).data.buffer)).size };
  }, `data:video/webm;base64,${bytes.toString("base64")}`);
  await other.close();
  assert.ok(film.size[0] > 300 && film.colours > 50, JSON.stringify(film));
});

test("the replay as PNG and GIF", async (page) => {
  const click = (name) => () => page.locator(".replay").getByRole("button", { name }).click();
  const png = (await saved(page, click(/print resolution/))).bytes;
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.equal(png.readUInt32BE(16), 2400);
  await page.getByRole("combobox", { name: "Speed" }).selectOption("10");
  const gif = (await saved(page, click(/animated GIF/))).bytes;
  assert.equal(gif.subarray(0, 6).toString(), "GIF89a");
  const frames = await page.evaluate(async (numbers) => {
    const decoder = new ImageDecoder({ data: new Uint8Array(numbers), type: "image/gif" });
    await decoder.completed;
    const { image } = await decoder.decode({ frameIndex: 2 });
    return [decoder.tracks.selectedTrack.frameCount, image.codedWidth];
  }, [...gif]);
  assert.deepEqual(frames, [3, 480]);
  await page.getByRole("combobox", { name: "Speed" }).selectOption("1");
});

test("the ledger stacks up to the total, the residual has its own scale", async (page) => {
  await page.locator(".ledger").scrollIntoViewIfNeeded();
  await page.waitForSelector(".ledger .legend");
  const { top, sum } = await page.evaluate(() => {
    const { spec } = document.querySelector(".ledger").chart;
    const { recording } = window.footfall.runs[0];
    const [kinetic, weight, spring] = ["kinetic", "gravity", "spring.normal"].map((n) => recording.get("energy." + n));
    const lowest = Math.min(...weight);
    return { top: [...spec.curves[0].ys], sum: [...kinetic].map((k, i) => k + weight[i] - lowest + spring[i]) };
  });
  assert.equal(top.length, 1501);
  top.forEach((value, i) => close(value, sum[i]));
  await panel(page, "energy.residual").locator(".chart").waitFor();
  assert.match(await page.locator(".ledger").textContent(), /Largest residual 1.5e−13 J/);
});

test("events: touch-down, peak, lift-off and restitution", async (page) => {
  const rows = page.locator("section", { hasText: "Contact events" }).locator("tbody tr");
  assert.equal(await rows.count(), 2);
  const cells = await rows.first().locator("td").allTextContents();
  const expected = [fall, speed, (stiffness * speed) / omega, fall + touch / 2, speed / omega, fall + touch, speed, 1];
  cells.forEach((cell, i) => assert.equal(shown(cell), Number(expected[i].toPrecision(6))));
  await rows.nth(1).getByRole("button").first().click();
  close((await state(page)).time, 3 * fall + touch);
});

test("laws with units and citation, verdict and version", async (page) => {
  const laws = await page.locator("section", { hasText: "Contact laws" }).locator("table").first().textContent();
  for (const word of ["ball – floor", "normal: linear", "20000", "N/m", "friction: coulomb", "mu_static", "0.4"]) {
    assert.ok(laws.includes(word), `${word} in ${laws}`);
  }
  assert.match(laws, /\[\w+\d+\]/);
  const facts = await page.locator("table.facts").textContent();
  assert.ok(facts.includes("verdict: not good") && facts.includes("0.0.9") && facts.includes("1234"));
});

test("the answer comes first: cards of what happened, findings with a jump to their moment", async (page) => {
  const cards = await page.locator(".card").allTextContents();
  assert.ok(cards.some((c) => c.startsWith("peak contact force") && c.includes("ball:floor")), cards.join("; "));
  assert.ok(cards.some((c) => c.startsWith("ball travelled0.45 m")), cards.join("; "));
  assert.ok(cards.some((c) => c.startsWith("restitution1")), cards.join("; "));
  const finding = page.locator(".findings li");
  assert.equal(await finding.count(), 1);
  assert.match(await finding.textContent(), /✗ coarse step ball, floor: 0\.5 rad \(allowed 0\.3 rad\) first at 0\.2 s worst at 0\.7 sturns far in a step.*take a smaller step/);
  await finding.getByRole("button", { name: "0.7" }).click();
  assert.equal((await state(page)).time, 0.7);
});

test("the flow of energy is a picture with words", async (page) => {
  const flow = page.locator(".flow");
  await flow.scrollIntoViewIfNeeded();
  assert.match(await flow.getAttribute("aria-label"), /^Energy over the run: given by /);
  assert.ok((await flow.locator("svg path").count()) >= 2);
});

test("light and dark", async (page) => {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await colour();
  await page.getByRole("button", { name: "Light or dark" }).click();
  assert.notEqual(await colour(), light);
  assert.ok((await canvasColours(page)) > 50);
  await page.getByRole("button", { name: "Light or dark" }).click();
  assert.equal(await colour(), light);
});

test("everything that can be used has a name", async (page) => {
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas[role], [role=img], [role=region]")]
      .filter((node) => !(node.getAttribute("aria-label") || node.textContent.trim() || node.labels?.length))
      .map((node) => node.outerHTML.slice(0, 100)),
  );
  assert.deepEqual(nameless, []);
});

test("fits a phone, a laptop and a projector", async (page) => {
  for (const width of [390, 1280, 1920]) {
    await checkFits(page, width);
  }
});

await runTests(makePage("ball"));
