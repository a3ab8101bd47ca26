/* A scene whose first step has no solution. */
#ifndef FF_TESTS_JAMMED_H
#define FF_TESTS_JAMMED_H

#include <stdio.h>

/* Cylinders too large for the slot that they are in, each in the next, have no solution: their step
 * is given up soon. None: an ellipsoid instead. One body with few contacts is tried from random
 * guesses and uses up all the effort that a step may take, half a second or more. */
static inline const char *jammed(int count) {
  static char text[2048];
  int at = snprintf(text, sizeof text,
                    "footfall: 1\n"
                    "duration: 1\n"
                    "stepper: {kind: quasi-rigid, step: 1e-3}\n"
                    "contacts:\n"
                    "  - pair: ['*', '*']\n"
                    "    normal: {law: quasi-rigid, k: 2e4, c: 20, max_deflection: 1e-3}\n"
                    "    friction: {law: ellipsoidal, mu: 0.5, e_r: 0.01}\n"
                    "bodies:\n"
                    "  slot: {fixed: true, shapes: [{half-space: {}}, "
                    "{half-space: {normal: [0, 0, -1], offset: -0.1}}]}\n"
                    "%s",
                    count > 0 ? ""
                              : "  egg: {mass: 1, position: [0, 0, 0.05], "
                                "shape: {ellipsoid: {axes: [0.1, 0.08, 0.07]}}}\n");
  for (int i = 0; i < count; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "  c%d: {mass: 1, position: [%g, 0, 0.05], orientation: {axis: [%d, %d, 3], "
                   "angle: %g}, shape: {cylinder: {radius: 0.1, height: 0.2}}}\n",
                   i, 0.1 * i, i % 3 + 1, 2 - i % 4, 0.5 + 0.1 * i);
  }
  return text;
}

#endif
