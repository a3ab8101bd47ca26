// A chart with title, tools, and a legend that toggles curves.

import { markerPath } from "./curves.js";
import { button, el, icon } from "./dom.js";
import { csvText, fileName, pngBlob, save, svgText } from "./export.js";
import { withUnit } from "./numbers.js";
import { onTheme } from "./theme.js";

// Buttons every panel has. columns(): what its CSV holds. chart(): the chart as it is now.
export function tools(chart, columns) {
  const name = (ending) => fileName(chart().spec.title ?? "panel", ending);
  return el(
    "div",
    { class: "tools", role: "toolbar", aria: { label: "Panel tools" } },
    button("−", "Zoom out", () => chart().zoom(0.5)),
    button("+", "Zoom in", () => chart().zoom(2, chart().marked?.x)),
    button("Reset", "Show everything", () => chart().reset()),
    button("PNG", "Save the panel as PNG", async () => save(name("png"), "image/png", await pngBlob(chart()))),
    button("SVG", "Save the panel as SVG", () => save(name("svg"), "image/svg+xml", svgText(chart()))),
    button("CSV", "Save the panel's data as CSV", () => save(name("csv"), "text/csv", csvText(columns()))),
  );
}

function swatchStyle(curve) {
  if (curve.base) {
    return "area";
  }
  return curve.marker !== undefined ? "marker" : curve.dash?.length ? "dash" : "line";
}

// Swatch, name and value of each curve; a click switches the curve off and on.
export class Legend {
  constructor(chart) {
    this.chart = chart;
    this.node = el("ul", { class: "legend", aria: { label: "Curves" } });
    this.items = chart.spec.curves.map((curve) => this.item(curve));
    this.off = onTheme(() => this.paint());
    this.paint();
  }

  item(curve) {
    const swatch = el("span", { class: "swatch" }, curve.marker === undefined ? null : icon(markerPath(curve.marker, 7, 12, 12)));
    const value = el("span", { class: "value" });
    const press = el(
      "button",
      {
        type: "button",
        aria: { pressed: "true" },
        title: "Show or hide this curve",
        onclick: () => {
          this.chart.toggle(curve);
          press.setAttribute("aria-pressed", String(curve.shown));
        },
      },
      swatch,
      el("span", { class: "name" }, el("bdi", {}, curve.name)),
      value,
    );
    this.node.append(el("li", {}, press));
    return { curve, swatch, value };
  }

  paint() {
    for (const { curve, swatch } of this.items) {
      swatch.style.setProperty("--colour", curve.colour());
      swatch.dataset.style = swatchStyle(curve);
    }
  }

  // Values at a row, or at that of each curve by a function; NaN or null: none.
  show(at) {
    for (const { curve, value } of this.items) {
      const row = typeof at === "function" ? at(curve) : at;
      const number = row === null ? undefined : (curve.shownValues ?? curve.ys)[row];
      value.textContent = number === undefined ? "" : withUnit(number, curve.unit);
    }
  }
}
