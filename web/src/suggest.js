// Which panels a report starts with: those that the scene names, or else by relevance: what moves,
// what turns, what touches.

import { extent } from "./numbers.js";
import { contactFacts, movers } from "./results.js";

const MOST = 5;

export function startPanels(recording) {
  const named = (recording.info.panels ?? []).map((p) => namedPanel(recording, p)).filter((p) => p.y.length);
  return named.length ? named : defaultPanels(recording);
}

// Channels of a panel that the scene names; "*" stands for any text.
function namedPanel(recording, { title, x, y }) {
  const fits = (glob) => {
    const test = new RegExp(`^${glob.split("*").map((s) => s.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`, "s");
    return recording.channels.map((c) => c.name).filter((name) => test.test(name));
  };
  return { title, x: fits(x)[0] ?? "time", y: [...new Set(y.flatMap(fits))].slice(0, 12) };
}

function defaultPanels(recording) {
  if (recording.channels.length > 1 && recording.channels.length <= 9) {
    return byUnit(recording); // few channels: the scene named them
  }
  const all = movers(recording);
  const facts = contactFacts(recording);
  const panels = [
    positionPanel(recording, all),
    turningPanel(recording, all),
    jointPanel(recording, all),
    forcePanel(facts),
    pressurePanel(recording, facts),
    loopPanel(recording, facts),
    velocityPanel(recording, all),
  ].filter((p) => p && p.y.length);
  const chosen = panels.sort((p, q) => q.weight - p.weight).slice(0, MOST);
  return chosen.length ? chosen : byUnit(recording).slice(0, MOST);
}

function byUnit(recording) {
  const units = new Map();
  for (const { name, unit } of recording.channels.slice(1)) {
    units.set(unit, [...(units.get(unit) ?? []), name]);
  }
  return [...units.values()].map((y) => ({ x: "time", y: y.slice(0, 6), weight: 1 }));
}

// Components that move at least a tenth of the one that moves most.
function moving(recording, names) {
  const present = names.filter((name) => recording.has(name));
  const most = Math.max(0, ...present.map((name) => recording.range(name)));
  return present.filter((name) => recording.range(name) > 0.1 * most && recording.range(name) > 0);
}

const axes = (prefix) => ["x", "y", "z"].map((k) => prefix + k);

function positionPanel(recording, all) {
  const far = [...all].sort((p, q) => travel(recording, q) - travel(recording, p)).slice(0, 6);
  return { x: "time", y: moving(recording, far.flatMap((m) => axes(m.prefix))).slice(0, 6), weight: 10 };
}

function travel(recording, mover) {
  return Math.max(...axes(mover.prefix).map((name) => recording.range(name)));
}

function velocityPanel(recording, all) {
  const fast = all.filter((m) => !m.robot).slice(0, 6);
  return { x: "time", y: moving(recording, fast.flatMap((m) => axes(`body.${m.body}.velocity.`))).slice(0, 6), weight: 4 };
}

// Turning matters where it is as fast as the motion, measured on the body's path.
function turningPanel(recording, all) {
  const bodies = all.filter((m) => !m.robot).slice(0, 3);
  const names = moving(recording, bodies.flatMap((m) => axes(`body.${m.body}.omega.`))).slice(0, 6);
  const rate = Math.max(0, ...names.map((n) => Math.max(...extent(recording.get(n)).map(Math.abs))));
  return { x: "time", y: rate > 0.2 ? names : [], weight: bodies.length === 1 ? 8 : 5 };
}

function jointPanel(recording, all) {
  const names = recording.channels.map((c) => c.name).filter((n) => /^joint\..*\.position$/s.test(n));
  const free = all.every((m) => m.robot && travel(recording, m) < 0.2);
  const most = names.map((n) => [n, recording.range(n)]).sort((p, q) => q[1] - p[1]).filter(([, r]) => r > 1e-3);
  return { x: "time", y: most.slice(0, 6).map(([n]) => n), weight: free ? 11 : 6 };
}

function forcePanel(facts) {
  return { x: "time", y: facts.slice(0, 4).map((f) => `contact.${f.pair}.force.n`), weight: 9 };
}

// The centre of pressure, where it wanders.
function pressurePanel(recording, facts) {
  const wanders = facts.filter((f) => f.way > 0 && f.box[1] - f.box[0] + f.box[3] - f.box[2] > 1e-4);
  if (!wanders.length || facts.length > 4) {
    return null;
  }
  return { x: "time", y: moving(recording, [`contact.${wanders[0].pair}.point.x`, `contact.${wanders[0].pair}.point.y`]), weight: 7 };
}

// Force over depth: what a law is. Only where the depth is resolved.
function loopPanel(recording, facts) {
  const [first] = facts;
  const depth = first && `contact.${first.pair}.depth`;
  return first && recording.has(depth) && recording.range(depth) > 0 && facts.length <= 4
    ? { x: depth, y: [`contact.${first.pair}.force.n`], weight: 6.5 }
    : null;
}
