// Conversion of numbers to pen strokes, shared by canvas and SVG.

// A pen has the operations of both canvas and SVG paths: moveTo and lineTo.
export class SvgPen {
  constructor() {
    this.text = "";
  }

  moveTo(x, y) {
    this.text += `M${x.toFixed(2)} ${y.toFixed(2)}`;
  }

  lineTo(x, y) {
    this.text += `L${x.toFixed(2)} ${y.toFixed(2)}`;
  }
}

export function ascending(values) {
  for (let i = 1; i < values.length; i++) {
    if (!(values[i] >= values[i - 1])) {
      return false;
    }
  }
  return true;
}

// Visible rows [from, to), one more on each side so that lines leave the picture.
export function visibleRows(curve, [min, max]) {
  const xs = curve.xs;
  if (!curve.sorted) {
    return [0, xs.length];
  }
  const from = lowerBound(xs, min) - 1;
  const to = lowerBound(xs, max) + 2;
  return [Math.max(0, from), Math.min(xs.length, to)];
}

function lowerBound(xs, value) {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Draws the line of a curve. toX and toY give positions, NaN where there is none (gaps, and
// values a log scale cannot show). Where many samples share a pixel column, its first, lowest,
// highest and last are drawn: nothing visible is lost.
export function strokeCurve(pen, curve, [from, to], toX, toY, width) {
  if (curve.sorted && to - from > 4 * width) {
    strokeColumns(pen, curve, from, to, toX, toY);
    return;
  }
  let down = false;
  for (let i = from; i < to; i++) {
    const x = toX(curve.xs[i]);
    const y = toY(curve.ys[i]);
    if (Number.isFinite(x) && Number.isFinite(y)) {
      if (down) {
        pen.lineTo(x, y);
      } else {
        pen.moveTo(x, y);
      }
      down = true;
    } else {
      down = false;
    }
  }
}

function strokeColumns(pen, curve, from, to, toX, toY) {
  let column = NaN;
  let low, high, last;
  let down = false;
  const flush = () => {
    if (!Number.isNaN(column)) {
      pen.lineTo(column, low);
      pen.lineTo(column, high);
      pen.lineTo(column, last);
    }
  };
  for (let i = from; i < to; i++) {
    const x = Math.round(toX(curve.xs[i]));
    const y = toY(curve.ys[i]);
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      flush();
      column = NaN;
      down = false;
    } else if (x === column) {
      low = Math.max(low, y);
      high = Math.min(high, y);
      last = y;
    } else {
      flush();
      if (down) {
        pen.lineTo(x, y);
      } else {
        pen.moveTo(x, y);
      }
      down = true;
      column = x;
      low = high = last = y;
    }
  }
  flush();
}

// The outline of an area between a curve and its base; of many rows the lowest and highest
// of each stretch.
export function strokeArea(pen, curve, [from, to], toX, toY, width) {
  const rows = outlineRows(curve.ys, from, to, Math.max(1, Math.floor((to - from) / (2 * width))));
  if (!rows.length) {
    return;
  }
  pen.moveTo(toX(curve.xs[rows[0]]), toY(curve.base[rows[0]]));
  for (const i of rows) {
    pen.lineTo(toX(curve.xs[i]), toY(curve.ys[i]));
  }
  for (const i of rows.reverse()) {
    pen.lineTo(toX(curve.xs[i]), toY(curve.base[i]));
  }
}

function outlineRows(ys, from, to, stretch) {
  const rows = [];
  for (let i = from; i < to; i += stretch) {
    let low = i;
    let high = i;
    for (let k = i + 1; k < Math.min(to, i + stretch); k++) {
      low = ys[k] < ys[low] ? k : low;
      high = ys[k] > ys[high] ? k : high;
    }
    rows.push(Math.min(low, high));
    if (low !== high) {
      rows.push(Math.max(low, high));
    }
  }
  return rows;
}

// Marker outlines by number, so that curves differ by form and not by colour alone.
const MARKERS = [
  (r) => Array.from({ length: 12 }, (_, k) => [r * Math.cos((k * Math.PI) / 6), r * Math.sin((k * Math.PI) / 6)]),
  (r) => [[-r, -r], [r, -r], [r, r], [-r, r]].map(([x, y]) => [x * 0.88, y * 0.88]),
  (r) => [[0, -r * 1.2], [r * 1.05, r * 0.8], [-r * 1.05, r * 0.8]],
  (r) => [[0, -r * 1.3], [r * 1.3, 0], [0, r * 1.3], [-r * 1.3, 0]],
  (r) => [[0, r * 1.2], [r * 1.05, -r * 0.8], [-r * 1.05, -r * 0.8]],
];

// One of them around a place, as the path of an SVG.
export function markerPath(number, radius, x, y) {
  const corners = MARKERS[number % MARKERS.length](radius);
  return `M${corners.map(([dx, dy]) => `${(x + dx).toFixed(2)} ${(y + dy).toFixed(2)}`).join("L")}Z`;
}

export function strokeMarkers(pen, curve, [from, to], toX, toY, number, radius) {
  const outline = MARKERS[number % MARKERS.length](radius);
  for (let i = from; i < to; i++) {
    const x = toX(curve.xs[i]);
    const y = toY(curve.ys[i]);
    if (Number.isFinite(x) && Number.isFinite(y)) {
      outline.forEach(([dx, dy], k) => (k ? pen.lineTo(x + dx, y + dy) : pen.moveTo(x + dx, y + dy)));
      pen.lineTo(x + outline[0][0], y + outline[0][1]);
    }
  }
}
