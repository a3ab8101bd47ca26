// The answer first: what happened in a run, in a few numbers, chosen by what did happen.

import { button, el } from "./dom.js";
import { restitution } from "./events.js";
import { extent, show, withUnit } from "./numbers.js";

const CARDS = 8;

// ---- what bodies did -----------------------------------------------------------------------------

// What can be followed as one thing: free bodies, and robots by their centre of mass or root.
export function movers(recording) {
  const list = [];
  const robots = new Set();
  for (const body of recording.bodies) {
    if (body.robot !== undefined) {
      if (!robots.has(body.robot)) {
        robots.add(body.robot);
        const com = `robot.${body.robot}.com.`;
        list.push({ name: body.robot, robot: true, prefix: recording.vector(com) ? com : `body.${body.name}.position.`, body: body.name });
      }
    } else if (body.kind === "free") {
      list.push({ name: body.name, prefix: `body.${body.name}.position.`, body: body.name });
    }
  }
  return list.filter((m) => recording.vector(m.prefix)).map((m) => ({ ...m, ...journey(recording, m) }));
}

function journey(recording, { prefix, body }) {
  const position = recording.vector(prefix);
  const last = recording.rows - 1;
  const shift = position.map((p) => p[last] - p[0]);
  const speed = recording.vector(`body.${body}.velocity.`);
  let top = 0;
  let when = 0;
  for (let i = 0; speed && i <= last; i++) {
    const now = Math.hypot(speed[0][i], speed[1][i], speed[2][i]);
    if (now > top) {
      [top, when] = [now, recording.time[i]];
    }
  }
  return { distance: Math.hypot(shift[0], shift[1]), rise: shift[2], range: extent(position[2]), top, when };
}

// Turning over the run: largest rate about each world axis, at the start and at the end.
function spin(recording, body) {
  const omega = recording.vector(`body.${body}.omega.`);
  if (!omega) {
    return null;
  }
  const z = omega[2];
  const [least, most] = extent(z);
  const across = Math.max(...[0, 1].map((k) => Math.max(...extent(omega[k]).map(Math.abs))));
  let angle = 0; // rad that it turned, there and back
  for (let i = 1; i < z.length; i++) {
    angle += Math.abs(0.5 * (z[i] + z[i - 1])) * (recording.time[i] - recording.time[i - 1]);
  }
  return { angle, start: z[0], end: z[z.length - 1], least, most, across, reverses: least < -0.05 * most && most > 0.05 * -least };
}

// ---- what contacts did ------------------------------------------------------------------------

// Each pair that touched: peak and impulse of the normal force, time in contact, way of the centre
// of pressure.
export function contactFacts(recording) {
  const facts = [];
  for (const { name } of recording.channels) {
    const pair = /^contact\.(.*)\.force\.n$/s.exec(name)?.[1];
    if (pair !== undefined) {
      const fact = pairFacts(recording, pair);
      if (fact.peak > 0) {
        facts.push(fact);
      }
    }
  }
  return facts.sort((p, q) => q.peak - p.peak);
}

function pairFacts(recording, pair) {
  const force = recording.get(`contact.${pair}.force.n`);
  const point = recording.vector(`contact.${pair}.point.`);
  const { time } = recording;
  const fact = { pair, peak: 0, when: 0, impulse: 0, duration: 0, way: 0, box: [Infinity, -Infinity, Infinity, -Infinity] };
  for (let i = 0; i < time.length; i++) {
    if (force[i] > fact.peak) {
      [fact.peak, fact.when] = [force[i], time[i]];
    }
    const step = i > 0 ? time[i] - time[i - 1] : 0;
    fact.impulse += i > 0 ? 0.5 * step * (force[i] + force[i - 1]) : 0;
    fact.duration += force[i] > 0 ? step : 0;
    if (point && force[i] > 0) {
      const [x, y] = [point[0][i], point[1][i]];
      fact.box = [Math.min(fact.box[0], x), Math.max(fact.box[1], x), Math.min(fact.box[2], y), Math.max(fact.box[3], y)];
      fact.way += i > 0 && force[i - 1] > 0 ? Math.hypot(x - point[0][i - 1], y - point[1][i - 1]) : 0;
    }
  }
  return fact;
}

const SWING = 0.03; // s that a foot is in the air before a step ends; else it only lost its hold

// Steps of a robot: touch-downs of one foot after another, each with its distance from the last.
function stepsOf(recording, touches, robot) {
  const owner = new Map(recording.bodies.map((b) => [b.name, b.robot]));
  const downs = touches
    .filter((t) => Number.isFinite(t.start) && (owner.get(t.a) === robot || owner.get(t.b) === robot))
    .map((t) => ({ foot: owner.get(t.a) === robot ? t.a : t.b, time: t.start, pair: `${t.a}:${t.b}` }))
    .filter((t) => t.time > recording.start && swung(touches, t))
    .sort((p, q) => p.time - q.time);
  const steps = [];
  let last = null;
  for (const down of downs) {
    const position = recording.vector(`body.${down.foot}.position.`);
    if (!position || (last && last.foot === down.foot)) {
      continue;
    }
    const row = recording.rowAt(down.time);
    const here = { ...down, x: position[0][row], y: position[1][row] };
    if (last) {
      steps.push({ time: down.time, length: Math.hypot(here.x - last.x, here.y - last.y), span: down.time - last.time });
    }
    last = here;
  }
  return steps;
}

// Did the foot leave what it touches now some time before?
function swung(touches, { pair, time }) {
  const left = touches.filter((t) => `${t.a}:${t.b}` === pair && t.end < time).map((t) => t.end);
  return left.length > 0 && time - Math.max(...left) > SWING;
}

// ---- cards ---------------------------------------------------------------------------------------

// Cards {label, value, detail, time, weight}: the heaviest are shown.
function cards(recording, touches) {
  return [
    ...moverCards(recording, touches),
    ...contactCards(recording, touches),
    ...energyCards(recording),
  ].sort((p, q) => q.weight - p.weight).slice(0, CARDS);
}

function moverCards(recording, touches) {
  const all = movers(recording);
  const list = [];
  const far = [...all].sort((p, q) => q.distance - p.distance)[0];
  if (far && far.distance > 1e-3) {
    const mean = far.distance / (recording.end - recording.start || 1);
    list.push({ label: `${far.name} travelled`, value: withUnit(far.distance, "m", 3), detail: `mean ${withUnit(mean, "m/s", 3)}`, weight: far.robot ? 9 : 6 });
  }
  for (const robot of all.filter((m) => m.robot)) {
    const steps = stepsOf(recording, touches, robot.name);
    if (steps.length >= 3) {
      const lengths = steps.map((s) => s.length).filter((l) => l > 0);
      const spans = steps.map((s) => s.span);
      const mean = (v) => v.reduce((a, b) => a + b, 0) / (v.length || 1);
      list.push({ label: `${robot.name}: steps`, value: String(steps.length), detail: `mean length ${withUnit(mean(lengths), "m", 3)}, one in ${withUnit(mean(spans), "s", 3)}`, weight: 8.5, time: steps[0].time });
    }
    if (robot.range[1] - robot.range[0] > 0.3 * Math.abs(robot.range[1])) {
      list.push({ label: `${robot.name}: height`, value: `${show(robot.range[1], 3)} → ${withUnit(robot.range[0], "m", 3)}`, detail: "highest to lowest, of its centre of mass or root", weight: 7.5 });
    }
  }
  const fast = [...all].sort((p, q) => q.top - p.top)[0];
  if (fast && fast.top > 1e-4) {
    list.push({ label: "top speed", value: withUnit(fast.top, "m/s", 3), detail: fast.name, time: fast.when, weight: 4 });
  }
  if (all.length <= 3) {
    for (const mover of all.filter((m) => !m.robot)) {
      const turn = spin(recording, mover.body);
      if (turn && turn.angle > 0.2 && Math.max(turn.most, -turn.least) > 0.3 * turn.across && Math.max(turn.most, -turn.least) > 0.05) {
        const value = turn.reverses ? `${show(turn.most, 3)} to ${withUnit(turn.least, "rad/s", 3)}` : `${show(turn.start, 3)} → ${withUnit(turn.end, "rad/s", 3)}`;
        list.push({ label: `${mover.name}: spin`, value, detail: turn.reverses ? "about the vertical; it reverses" : "about the vertical, start to end", weight: turn.reverses ? 9 : 5 });
      }
    }
  }
  return list;
}

function contactCards(recording, touches) {
  const facts = contactFacts(recording);
  const list = [];
  const [peak] = facts;
  const sharp = touches.filter((t) => t.peakForce > (peak?.peak ?? 0)).sort((p, q) => q.peakForce - p.peakForce)[0];
  if (peak) {
    const [value, when, pair] = sharp ? [sharp.peakForce, sharp.peakTime, `${sharp.a}:${sharp.b}`] : [peak.peak, peak.when, peak.pair];
    list.push({ label: "peak contact force", value: withUnit(value, "N", 4), detail: pair, time: when, weight: 8 });
    const most = [...facts].sort((p, q) => q.impulse - p.impulse)[0];
    list.push({ label: "largest impulse", value: withUnit(most.impulse, "N s", 3), detail: `${most.pair}, normal, over the run`, weight: 5.5 });
    const longest = [...facts].sort((p, q) => q.duration - p.duration)[0];
    const share = (100 * longest.duration) / (recording.end - recording.start || 1);
    list.push({ label: "time in contact", value: withUnit(longest.duration, "s", 3), detail: `${longest.pair}, ${show(share, 2)} % of the run`, weight: 4.5 });
    if (facts.length <= 4 && peak.way > 0 && peak.box[1] > peak.box[0]) {
      const [w, d] = [peak.box[1] - peak.box[0], peak.box[3] - peak.box[2]];
      list.push({ label: "way of the centre of pressure", value: withUnit(peak.way, "m", 3), detail: `${peak.pair}, within ${show(w, 2)} × ${show(d, 2)} m`, weight: 6 });
    }
  }
  // An impact, not bodies that come to rest on one another.
  const fastest = Math.max(...touches.map((t) => (t.approach > 0 ? t.approach : 0)), 0);
  const first = touches.find((t) => restitution(t) >= 0 && t.approach >= Math.max(1e-3, 0.1 * fastest));
  if (first) {
    list.push({ label: "restitution", value: show(restitution(first), 3), detail: `${first.a}:${first.b}, first touch at ${withUnit(first.approach, "m/s", 3)}`, time: first.start, weight: touches.length < 40 ? 7 : 3 });
  }
  if (!facts.length) {
    list.push(unrecordedContact(recording, touches));
  }
  return list;
}

// Without channels of contacts the summary of the run knows them.
function unrecordedContact(recording, touches) {
  const peak = recording.summary.results?.peak_force;
  if (Number.isFinite(peak?.value) && peak.value > 0) {
    return { label: "peak contact force", value: withUnit(peak.value, "N", 4), detail: `${peak.a}:${peak.b}`, time: peak.time, weight: 8 };
  }
  const touched = touches.length > 0 || recording.summary.touch_downs > 0;
  return touched
    ? { label: "contact", value: "not recorded", detail: "the scene records no channels of contacts", weight: 2 }
    : { label: "contact", value: "none", detail: "no bodies touched", weight: 2 };
}

function energyCards(recording) {
  const lost = recording.channels.map((c) => c.name).filter((n) => n.startsWith("energy.lost."));
  const totals = lost.map((n) => [n.slice(12), recording.get(n)[recording.rows - 1] - recording.get(n)[0]]);
  const sum = totals.reduce((s, [, v]) => s + v, 0);
  const [most] = totals.sort((p, q) => q[1] - p[1]);
  return sum > 0 ? [{ label: "energy lost", value: withUnit(sum, "J", 3), detail: `${show((100 * most[1]) / sum, 2)} % of it: ${most[0]}`, weight: 5 }] : [];
}

// ---- findings -------------------------------------------------------------------------------------

// What the verdict found: {kind, severity, bodies, first, worst, value, limit, unit, meaning, advice}.
export function findings(recording) {
  const list = recording.summary.findings;
  return Array.isArray(list) ? list.filter((f) => f && typeof f === "object") : [];
}

function findingItem(finding, clock) {
  const words = [];
  if (Number.isFinite(finding.value)) {
    words.push(withUnit(finding.value, finding.unit, 3));
    words.push(Number.isFinite(finding.limit) ? ` (allowed ${withUnit(finding.limit, finding.unit, 3)})` : "");
  }
  const bodies = Array.isArray(finding.bodies) ? finding.bodies.join(", ") : "";
  const failure = finding.severity === "failure";
  const times = [["first", finding.first], ["worst", finding.worst]].filter(([, t], i) => Number.isFinite(t) && (i === 0 || t !== finding.first));
  return el(
    "li",
    { class: failure ? "bad" : "open" },
    el("strong", {}, el("bdi", {}, `${failure ? "✗" : "!"} ${String(finding.kind ?? "finding")}`)),
    bodies ? el("span", {}, " ", el("bdi", {}, bodies)) : null,
    words.length ? el("span", {}, ": ", words.join("")) : null,
    times.map(([name, t]) => [times.length > 1 ? ` ${name} ` : " ", jumpButton(t, clock)]).flat(),
    finding.meaning ? el("p", { class: "note" }, el("bdi", {}, String(finding.meaning))) : null,
    finding.advice ? el("p", { class: "note" }, el("bdi", {}, String(finding.advice))) : null,
  );
}

function jumpButton(time, clock) {
  const text = `at ${withUnit(time, "s", 4)}`;
  return button(text, `Show ${text} in the replay`, () => {
    clock.pause();
    clock.seek(time);
    document.querySelector(".stage")?.scrollIntoView({ block: "nearest" });
  }, { class: "link" });
}

export function resultsBlock(recording, touches, clock) {
  const found = findings(recording);
  const list = cards(recording, touches);
  return el(
    "div",
    { class: "results" },
    found.length ? el("ul", { class: "findings", aria: { label: "Findings of the verdict" } }, found.map((f) => findingItem(f, clock))) : null,
    el(
      "dl",
      { class: "cards" },
      list.map((card) =>
        el(
          "div",
          { class: "card" },
          el("dt", {}, el("bdi", {}, card.label)),
          el("dd", {}, el("span", { class: "big" }, card.value), el("span", { class: "detail" }, el("bdi", {}, card.detail), Number.isFinite(card.time) ? [" ", jumpButton(card.time, clock)] : null)),
        ),
      ),
    ),
    recording.info.scene_error ? el("p", { class: "note" }, `The scene could not be read again, so its shapes are not drawn: ${recording.info.scene_error}`) : null,
  );
}
