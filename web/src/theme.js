// Light and dark, and one palette that colour-blind eyes can tell apart
// (Okabe & Ito, 2008). Yellow is left out on white, black on black.

import { untilEnd } from "./scope.js";

const OKABE_ITO = {
  orange: "#e69f00",
  sky: "#56b4e9",
  green: "#009e73",
  yellow: "#f0e442",
  blue: "#0072b2",
  red: "#d55e00",
  purple: "#cc79a7",
};

// For areas that lie on one another and are more than that.
const MORE = { grey: "#8a9099", brown: "#7a4b1e", navy: "#26456e", olive: "#7d8a2e", rose: "#f4b6c2" };

const CURVES = {
  light: ["blue", "red", "green", "purple", "orange", "sky"],
  dark: ["sky", "orange", "green", "purple", "yellow", "red"],
};

const INK = { light: "#1b1f24", dark: "#e8eaed" };
const PAPER = { light: "#ffffff", dark: "#16191d" };
const GRID = { light: "#e3e6ea", dark: "#31363d" };

const listeners = new Set();
let current = initial();

function initial() {
  let stored = null;
  try {
    stored = localStorage.getItem("footfall-theme");
  } catch {
    // Files opened from disk may be denied storage.
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  return stored === "light" || stored === "dark" ? stored : dark ? "dark" : "light";
}

export function startTheme() {
  document.documentElement.dataset.theme = current;
}

export function toggleTheme() {
  current = current === "dark" ? "light" : "dark";
  startTheme();
  try {
    localStorage.setItem("footfall-theme", current);
  } catch {
    // The choice then lasts as long as the page.
  }
  for (const listener of listeners) {
    listener();
  }
}

export function onTheme(listener) {
  listeners.add(listener);
  return untilEnd(() => listeners.delete(listener));
}

export const theme = {
  get name() {
    return current;
  },
  get ink() {
    return INK[current];
  },
  get paper() {
    return PAPER[current];
  },
  get grid() {
    return GRID[current];
  },
};

// Colour and dash of the n-th curve: after all colours, the dash changes.
export function curveColour(n) {
  const names = CURVES[current];
  return OKABE_ITO[names[n % names.length]];
}

export function curveDash(n) {
  return [[], [8, 4], [2, 3], [8, 3, 2, 3]][Math.floor(n / CURVES.light.length) % 4];
}

export const colours = { ...OKABE_ITO, ...MORE };

// Dark colours of areas are lighter on a dark page.
const ON_DARK = { blue: "#2f8fd0", navy: "#7c9ad0", brown: "#b98043", olive: "#a9b64e" };
export const areaColour = (name) => (current === "dark" ? ON_DARK[name] : undefined) ?? colours[name] ?? colours.grey;

// Solids: softer than curves, and in an order in which neighbours differ.
const SOLIDS = ["#4c9fd6", "#e8a33d", "#3aa583", "#cf7fa9", "#d9703a", "#e3cf57", "#6d83c8", "#9a8f80"];
const NAMED = { black: "#26292d", white: "#f4f4f2", grey: "#8a9099" };

export const bodyColours = {
  still: "#b4bac1",
  at: (index) => SOLIDS[index % SOLIDS.length],
  named: (name) => (name.startsWith("#") ? name : (NAMED[name] ?? colours[name])),
};
