// Making elements. Data reaches the page as text nodes and attributes only, never as markup:
// names in a scene are untrusted and must be displayed literally.

import { keepScope, untilEnd } from "./scope.js";

const SVG = "http://www.w3.org/2000/svg";

// el("button", {class: "x", onclick: f, aria: {label: "Play"}}, "text", child, ...)
export function el(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    setOption(node, key, value);
  }
  append(node, children);
  return node;
}

function setOption(node, key, value) {
  if (value === undefined || value === null || value === false) {
    return;
  }
  if (key === "class") {
    node.className = value;
  } else if (key === "aria") {
    for (const [name, text] of Object.entries(value)) {
      node.setAttribute("aria-" + name, text);
    }
  } else if (key.startsWith("on")) {
    node.addEventListener(key.slice(2), value);
  } else if (key in node && typeof value !== "string") {
    node[key] = value;
  } else {
    node.setAttribute(key, value === true ? "" : value);
  }
}

export function append(node, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }
  return node;
}

export function button(text, label, action, extra = {}) {
  return el("button", { type: "button", title: label, aria: { label }, onclick: action, ...extra }, text);
}

// A labelled check box.
export function check(text, on, action) {
  const box = el("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => action(box.checked));
  return el("label", { class: "check" }, box, " ", text);
}

// A labelled list to choose from; options are [value, text].
export function select(label, options, value, action) {
  const box = el("select", { aria: { label }, title: label });
  for (const [key, text] of options) {
    box.append(el("option", { value: String(key) }, text));
  }
  box.value = String(value);
  box.addEventListener("change", () => action(box.value));
  return box;
}

// Calls mount when the node comes near the window, or before printing.
export function lazily(node, mount) {
  let done = false;
  const mountHere = keepScope(mount);
  const run = () => {
    if (!done) {
      done = true;
      observer.disconnect();
      mountHere();
    }
  };
  const observer = new IntersectionObserver(
    (entries) => entries.some((e) => e.isIntersecting) && run(),
    { rootMargin: "400px" },
  );
  observer.observe(node);
  window.addEventListener("beforeprint", run, { once: true });
  untilEnd(() => {
    observer.disconnect();
    window.removeEventListener("beforeprint", run);
  });
  return run;
}

// Placeholder that reserves the space of a chart.
export function chartHost(height) {
  const host = el("div", { class: "chart-host" });
  host.style.minHeight = `${height}px`;
  return host;
}

// Icons are drawn as paths: fonts differ, and a file opened offline cannot load any.
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

export const icons = {
  play: "M7 4v16l13-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  back: "M16 4v16L6 12z",
  forward: "M8 4v16l10-8z",
  previous: "M6 4h3v16H6zM20 4v16l-10-8z",
  next: "M15 4h3v16h-3zM4 4v16l10-8z",
  home: "M12 3 3 11h2v9h5v-6h4v6h5v-9h2z",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
};
