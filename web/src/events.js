// Contact events: from the run's summary, or else derived from the contact channels.

import { append, button, el } from "./dom.js";
import { show } from "./numbers.js";

const ROWS_SHOWN = 200;

// Touches: {a, b, start, approach, peakForce, peakTime, peakDepth, end, separation}.
export function findTouches(recording) {
  const written = recording.summary.contact_events;
  return Array.isArray(written) ? pairUp(written) : readOff(recording);
}

// A touch-down and the lift-off of the same pair that follows it.
function pairUp(events) {
  const open = new Map();
  const touches = [];
  for (const event of events) {
    const key = JSON.stringify([event.a, event.b]);
    if (event.kind === "touch") {
      const touch = { a: event.a, b: event.b, start: event.time, approach: event.speed };
      open.set(key, touch);
      touches.push(touch);
    } else {
      const touch = open.get(key) ?? { a: event.a, b: event.b };
      if (!open.delete(key)) {
        touches.push(touch);
      }
      touch.end = event.time;
      touch.separation = event.speed;
      touch.peakForce = event.peak_force;
      touch.peakTime = event.peak_time;
      touch.peakDepth = event.peak_depth;
    }
  }
  return touches;
}

// From samples: times as fine as the recording, no speeds.
function readOff(recording) {
  const touches = [];
  for (const { name } of recording.channels) {
    const match = /^contact\.(.*)\.count$/s.exec(name);
    if (match) {
      const [a, b] = splitPair(recording, match[1]);
      touches.push(...sampledTouches(recording, match[1], a, b));
    }
  }
  return touches.sort((p, q) => p.start - q.start);
}

function splitPair(recording, text) {
  const pair = recording.pairs.find((p) => `${p.a}:${p.b}` === text);
  return pair ? [pair.a, pair.b] : [text, ""];
}

function sampledTouches(recording, text, a, b) {
  const count = recording.get(`contact.${text}.count`);
  const force = recording.get(`contact.${text}.force.n`);
  const touches = [];
  let touch = null;
  for (let i = 0; i < count.length; i++) {
    if (count[i] > 0 && !touch) {
      touch = { a, b, start: recording.time[i], sampled: true };
      touches.push(touch);
    } else if (!(count[i] > 0) && touch) {
      touch.end = recording.time[i];
      touch = null;
    }
    if (touch && force && !(touch.peakForce >= force[i])) {
      touch.peakForce = force[i];
      touch.peakTime = recording.time[i];
    }
  }
  return touches;
}

// Times the replay can jump to.
export function eventTimes(touches) {
  const all = touches.flatMap((t) => [t.start, t.peakTime, t.end]).filter(Number.isFinite);
  return [...new Set(all)].sort((p, q) => p - q);
}

// NaN where the bodies did not fly apart, as when one is pressed or slides away.
export function restitution(touch) {
  return touch.approach > 0 && touch.separation >= 0 ? touch.separation / touch.approach : NaN;
}

const COLUMNS = [
  ["pair", (t) => (t.b ? `${t.a} – ${t.b}` : t.a)],
  ["touch-down (s)", (t) => t.start, (t) => t.start],
  ["approach (m/s)", (t) => t.approach],
  ["peak force (N)", (t) => t.peakForce],
  ["at (s)", (t) => t.peakTime, (t) => t.peakTime],
  ["peak depth (m)", (t) => t.peakDepth],
  ["lift-off (s)", (t) => t.end, (t) => t.end],
  ["separation (m/s)", (t) => t.separation],
  ["restitution", restitution],
];

// The table of touches; a time is a button that takes the replay there.
export function eventsBlock(recording, touches, clock) {
  if (!touches.length) {
    return el("p", { class: "note" }, "No contact began or ended in this run.");
  }
  const head = el("tr", {}, COLUMNS.map(([name]) => el("th", { scope: "col" }, name)));
  const rows = touches.slice(0, ROWS_SHOWN).map((touch) => el("tr", {}, COLUMNS.map((c) => eventCell(c, touch, clock))));
  const table = el("table", { class: "stack" }, el("thead", {}, head), append(el("tbody"), rows));
  const box = el("div", { class: "scroll tall", tabIndex: 0, role: "region", aria: { label: "Contact events" } }, table);
  const notes = [];
  const all = recording.summary.touch_downs;
  if (all > touches.length) {
    notes.push(`The recording lists the first ${touches.length} of ${all} touches.`);
  }
  if (touches.length > ROWS_SHOWN) {
    notes.push(`The first ${ROWS_SHOWN} of ${touches.length} touches; the replay jumps to all of them.`);
  }
  if (touches.some((t) => t.sampled)) {
    notes.push("Derived from the recorded samples: times have the resolution of the recording, speeds are unknown.");
  }
  return el("div", {}, box, notes.length > 0 && el("p", { class: "note" }, notes.join(" ")));
}

function eventCell([name, value, time], touch, clock) {
  const content = value(touch);
  if (typeof content === "string") {
    return el("th", { scope: "row" }, el("bdi", {}, content));
  }
  if (time && Number.isFinite(content)) {
    const go = () => {
      clock.pause();
      clock.seek(content);
    };
    return el("td", { "data-column": name }, button(show(content), `Show ${show(content)} s in the replay`, go, { class: "link" }));
  }
  return el("td", { "data-column": name }, Number.isFinite(content) ? show(content) : "–");
}
