// Formatting of numbers, and axis ticks.

// Six significant digits; 1.2e-9 where that is shorter to read.
export function show(value, digits = 6) {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  }
  const size = Math.abs(value);
  let text;
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    text = value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  } else {
    text = String(Number(value.toPrecision(digits)));
  }
  return text.replace(/-/g, "−");
}

// "0.5 m", and plain "0.5" for numbers without a unit.
export function withUnit(value, unit, digits) {
  return show(value, digits) + (plain(unit) ? "" : " " + unit);
}

export function plain(unit) {
  return !unit || unit === "1";
}

// "position (m)"
export function label(name, unit) {
  return plain(unit) ? name : name ? `${name} (${unit})` : unit;
}

// The step 1, 2 or 5 times a power of ten that is at least this large.
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  const lead = least / power;
  return power * (lead <= 1.0000001 ? 1 : lead <= 2.0000001 ? 2 : lead <= 5.0000001 ? 5 : 10);
}

// About `count` round values within [min, max].
export function ticks(min, max, count, log) {
  if (!(max > min)) {
    return [min];
  }
  if (log && max / min >= 10) {
    return logTicks(min, max, count);
  }
  // One or two marks do not show a scale.
  let least = (max - min) / Math.max(1, count);
  let list = linearTicks(min, max, niceStep(least));
  while (list.length < 3) {
    least /= 2;
    list = linearTicks(min, max, niceStep(least));
  }
  return list;
}

function linearTicks(min, max, step) {
  const list = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + 1e-9 * step; k++) {
    list.push(k === 0 ? 0 : Number((k * step).toPrecision(12)));
  }
  return list;
}

function logTicks(min, max, count) {
  const first = Math.ceil(Math.log10(min) - 1e-9);
  const last = Math.floor(Math.log10(max) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, count)));
  const list = [];
  const leads = last - first < count / 3 ? [1, 2, 5] : [1];
  for (let p = first - 1; p <= last; p += every) {
    for (const lead of leads) {
      const value = Number((lead * 10 ** p).toPrecision(12));
      if (value >= min * 0.999999 && value <= max * 1.000001) {
        list.push(value);
      }
    }
  }
  return list;
}

// Texts of ticks: as many digits as tell them apart, and no more.
export function tickTexts(values) {
  const largest = Math.max(...values.map(Math.abs), 0);
  let step = Infinity;
  for (let i = 1; i < values.length; i++) {
    step = Math.min(step, Math.abs(values[i] - values[i - 1]));
  }
  const digits = Number.isFinite(step) && step > 0 ? Math.ceil(Math.log10(largest / step) + 1.01) : 4;
  return values.map((v) => show(v, Math.min(12, Math.max(2, digits))));
}

// Widest and narrowest finite value; positive ones only on a log scale.
export function extent(values, log, from = 0, to = values.length) {
  let min = Infinity;
  let max = -Infinity;
  for (let i = from; i < to; i++) {
    const v = values[i];
    if (Number.isFinite(v) && (!log || v > 0)) {
      min = v < min ? v : min;
      max = v > max ? v : max;
    }
  }
  return [min, max];
}

// Room around the data: a twentieth on each side, and something for a flat line.
export function padded([min, max], log) {
  if (!(max >= min)) {
    return log ? [0.1, 10] : [-1, 1];
  }
  if (log) {
    const room = max > min * 1.2 ? (max / min) ** 0.05 : 2;
    return [min / room, max * room];
  }
  const room = (max - min) * 0.05;
  if (room > 1e-12 * Math.max(Math.abs(min), Math.abs(max))) {
    return [min - room, max + room];
  }
  const flat = Math.abs(max) * 0.1 || 1;
  return [min - flat, max + flat];
}
