// Animated GIF: a palette of 255 colours for all frames, and pixels that do not change left out.

// Palette by median cut over 5-bit colours.
function makePalette(samples) {
  const counts = new Map();
  for (const data of samples) {
    for (let i = 0; i < data.length; i += 4) {
      const key = ((data[i] >> 3) << 10) | ((data[i + 1] >> 3) << 5) | (data[i + 2] >> 3);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const points = [...counts].map(([key, count]) => ({ c: [key >> 10, (key >> 5) & 31, key & 31], count }));
  let boxes = [points];
  while (boxes.length < 255) {
    const box = boxes.reduce((best, b) => (weight(b) > weight(best) ? b : best));
    if (box.length < 2) {
      break;
    }
    boxes = [...boxes.filter((b) => b !== box), ...split(box)];
  }
  return boxes.map((box) => {
    const total = box.reduce((sum, p) => sum + p.count, 0);
    return [0, 1, 2].map((k) => Math.round((box.reduce((sum, p) => sum + p.c[k] * p.count, 0) / total) * (255 / 31)));
  });
}

function longest(box) {
  const spans = [0, 1, 2].map((k) => {
    const values = box.map((p) => p.c[k]);
    return Math.max(...values) - Math.min(...values);
  });
  const axis = spans.indexOf(Math.max(...spans));
  return [axis, spans[axis]];
}

const weight = (box) => (box.length < 2 ? 0 : longest(box)[1] * Math.sqrt(box.reduce((sum, p) => sum + p.count, 0)));

function split(box) {
  const [axis] = longest(box);
  const sorted = [...box].sort((p, q) => p.c[axis] - q.c[axis]);
  const half = sorted.reduce((sum, p) => sum + p.count, 0) / 2;
  let sum = 0;
  let at = 0;
  while (at < sorted.length - 1 && sum + sorted[at].count <= half) {
    sum += sorted[at++].count;
  }
  at = Math.max(1, at);
  return [sorted.slice(0, at), sorted.slice(at)];
}

const CLEAR = 255; // index of pixels that stay

export class GifWriter {
  constructor(width, height, samples) {
    [this.width, this.height] = [width, height];
    this.palette = makePalette(samples);
    this.nearest = new Int16Array(32768).fill(-1);
    this.bytes = [];
    this.last = null;
    this.head();
  }

  short(value) {
    this.bytes.push(value & 255, value >> 8);
  }

  head() {
    this.bytes.push(...[..."GIF89a"].map((c) => c.charCodeAt(0)));
    this.short(this.width);
    this.short(this.height);
    this.bytes.push(0xf7, 0, 0);
    for (let i = 0; i < 256; i++) {
      this.bytes.push(...(this.palette[i] ?? [0, 0, 0]));
    }
    // Repeat for ever.
    this.bytes.push(0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0);
  }

  index(r, g, b) {
    const key = ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);
    if (this.nearest[key] < 0) {
      let best = Infinity;
      this.palette.forEach(([pr, pg, pb], i) => {
        const off = (pr - r) ** 2 + (pg - g) ** 2 + (pb - b) ** 2;
        if (off < best) {
          best = off;
          this.nearest[key] = i;
        }
      });
    }
    return this.nearest[key];
  }

  // One frame of RGBA bytes, and its duration in seconds.
  add(data, seconds) {
    const pixels = new Uint8Array(this.width * this.height);
    for (let i = 0; i < pixels.length; i++) {
      pixels[i] = this.index(data[4 * i], data[4 * i + 1], data[4 * i + 2]);
    }
    const drawn = this.last ? pixels.map((p, i) => (p === this.last[i] ? CLEAR : p)) : pixels;
    this.last = pixels;
    this.bytes.push(0x21, 0xf9, 4, 0x05);
    this.short(Math.max(2, Math.round(100 * seconds)));
    this.bytes.push(CLEAR, 0, 0x2c, 0, 0, 0, 0);
    this.short(this.width);
    this.short(this.height);
    this.bytes.push(0);
    this.compress(drawn);
  }

  // LZW of 8-bit codes, in blocks of at most 255 bytes.
  compress(pixels) {
    const out = [];
    let buffer = 0;
    let bits = 0;
    let size = 9;
    const emit = (code) => {
      buffer |= code << bits;
      bits += size;
      while (bits >= 8) {
        out.push(buffer & 255);
        buffer >>>= 8;
        bits -= 8;
      }
    };
    let table = new Map();
    let next = 258;
    emit(256);
    let prefix = pixels[0];
    for (let i = 1; i < pixels.length; i++) {
      const key = (prefix << 8) | pixels[i];
      if (table.has(key)) {
        prefix = table.get(key);
        continue;
      }
      emit(prefix);
      if (next === 4096) {
        emit(256);
        table = new Map();
        next = 258;
        size = 9;
      } else {
        table.set(key, next);
        size = next === 1 << size ? size + 1 : size;
        next++;
      }
      prefix = pixels[i];
    }
    emit(prefix);
    emit(257);
    if (bits > 0) {
      out.push(buffer & 255);
    }
    this.bytes.push(8);
    for (let i = 0; i < out.length; i += 255) {
      const block = out.slice(i, i + 255);
      this.bytes.push(block.length, ...block);
    }
    this.bytes.push(0);
  }

  finish() {
    this.bytes.push(0x3b);
    return new Uint8Array(this.bytes);
  }
}
