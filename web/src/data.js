// The document and its numbers. Series are typed arrays, decoded at first use.

import { extent } from "./numbers.js";

// The page's document, or null if there is none.
export function readDocument() {
  const node = document.getElementById("footfall-document");
  if (!node) {
    return null;
  }
  const doc = JSON.parse(node.textContent);
  doc.numbers = doc.series.map((info, index) => new Series(info, index));
  doc.solids = (doc.meshes ?? []).map((info, index) => new Mesh(info, index));
  doc.runs = doc.recordings.map((info) => new Recording(info, doc.numbers, doc.solids));
  return doc;
}

function decode(text) {
  if (Uint8Array.fromBase64) {
    return Uint8Array.fromBase64(text);
  }
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    bytes[i] = raw.charCodeAt(i);
  }
  return bytes;
}

// One row of numbers: a constant, or little-endian doubles in the script tag of its number.
class Series {
  constructor(info, index) {
    this.count = info.count;
    this.info = info;
    this.index = index;
    this.cache = null;
  }

  get values() {
    if (!this.cache) {
      this.cache = "constant" in this.info ? this.fill() : this.load();
    }
    return this.cache;
  }

  fill() {
    return new Float64Array(this.count).fill(this.info.constant);
  }

  load() {
    const node = document.getElementById("footfall-series-" + this.index);
    const values = new Float64Array(decode(node.textContent).buffer);
    node.remove();
    return values;
  }
}

// A row of numbers that grows while a run goes on.
export class Growing {
  constructor() {
    this.room = new Float64Array(1024);
    this.count = 0;
  }

  get values() {
    return this.room.subarray(0, this.count);
  }

  append(values) {
    if (this.count + values.length > this.room.length) {
      const larger = new Float64Array(2 * (this.count + values.length));
      larger.set(this.room.subarray(0, this.count));
      this.room = larger;
    }
    this.room.set(values, this.count);
    this.count += values.length;
  }
}

// A mesh: 16-bit positions in its box, then the corners of the triangles of each part.
export class Mesh {
  // text: base64 of its numbers, if they are in no tag of the page.
  constructor(info, index, text) {
    this.info = info;
    this.index = index;
    this.text = text;
  }

  get points() {
    this.load();
    return this.cachedPoints;
  }

  get corners() {
    this.load();
    return this.cachedCorners;
  }

  load() {
    if (this.cachedPoints) {
      return;
    }
    const node = this.text === undefined ? document.getElementById("footfall-mesh-" + this.index) : null;
    const words = new Uint16Array(decode(this.text ?? node.textContent).buffer);
    node?.remove();
    this.text = "";
    const { points, low, high, parts } = this.info;
    this.cachedPoints = new Float32Array(3 * points);
    for (let i = 0; i < 3 * points; i++) {
      this.cachedPoints[i] = low[i % 3] + (words[i] / 65535) * (high[i % 3] - low[i % 3]);
    }
    let at = 3 * points;
    this.cachedCorners = parts.map((part) => words.subarray(at, (at += 3 * part.triangles)));
  }
}

// A run: channels over one time axis, bodies, and events.
export class Recording {
  constructor(info, numbers, meshes = []) {
    this.info = info;
    this.meshes = meshes;
    this.pairs = info.pairs ?? [];
    this.channels = info.channels.map((c) => ({ name: c.name, unit: c.unit, series: numbers[c.series] }));
    this.byName = new Map(this.channels.map((c) => [c.name, c]));
    this.bodies = info.bodies ?? namedBodies(this.channels);
    this.time = this.channels.length ? this.channels[0].series.values : new Float64Array(0);
    this.summary = parseSummary(info.summary);
    this.rows = this.time.length;
  }

  // Another run of the same bodies, whose rows are here already: what the engine of a live page
  // says of it.
  adopt(json) {
    const info = json.recordings[0];
    const { views, panels, bodies, constraints } = this.info;
    this.info = { ...this.info, ...info, views, panels, bodies, constraints };
    this.pairs = info.pairs ?? [];
    const units = new Map(info.channels.map((c) => [c.name, c.unit]));
    this.channels.forEach((c) => (c.unit = units.get(c.name) ?? c.unit));
    this.summary = parseSummary(info.summary);
  }

  setChannels(channels) {
    this.channels = channels;
    this.byName = new Map(channels.map((c) => [c.name, c]));
    this.time = channels.length ? channels[0].series.values : new Float64Array(0);
    this.rows = this.time.length;
  }

  // Empty channels of these names, to which append adds rows: columns one after another.
  begin(names) {
    this.setChannels(names.map((name) => ({ name, unit: this.unit(name), series: new Growing() })));
  }

  append(count, values) {
    this.channels.forEach((c, i) => c.series.append(values.subarray(i * count, (i + 1) * count)));
    this.time = this.channels[0].series.values;
    this.rows = this.time.length;
  }

  get start() {
    return this.rows ? this.time[0] : 0;
  }

  get end() {
    return this.rows ? this.time[this.rows - 1] : 0;
  }

  has(name) {
    return this.byName.has(name);
  }

  // Values of a channel; undefined where it was not recorded.
  get(name) {
    return this.byName.get(name)?.series.values;
  }

  unit(name) {
    return this.byName.get(name)?.unit ?? "";
  }

  // Three channels of a vector, or null if one is missing.
  vector(prefix, parts = ["x", "y", "z"]) {
    const all = parts.map((p) => this.get(prefix + p));
    return all.every(Boolean) ? all : null;
  }

  range(name) {
    const [min, max] = extent(this.get(name));
    return max >= min ? max - min : 0;
  }

  // The last row at or before t.
  rowAt(t) {
    let low = 0;
    let high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  // The row whose time is nearest to t.
  nearestRow(t) {
    const row = this.rowAt(t);
    const next = Math.min(row + 1, this.rows - 1);
    return Math.abs(this.time[next] - t) < Math.abs(this.time[row] - t) ? next : row;
  }
}

// Without a scene, bodies are what has a position; they have no shape.
function namedBodies(channels) {
  const names = channels.map((c) => /^body\.(.*)\.position\.x$/s.exec(c.name)?.[1]).filter((n) => n !== undefined);
  return names.map((name) => ({ name, kind: "free", position: [0, 0, 0], orientation: [1, 0, 0, 0], shapes: [] }));
}

function parseSummary(text) {
  try {
    const summary = JSON.parse(text || "{}");
    return summary && typeof summary === "object" ? summary : {};
  } catch {
    return {};
  }
}
