// Contact patch of a law that acts over an overlap: where a plane cuts a body.

import * as THREE from "three";

// Section of a body (convex parts {geometry, matrix}) with the plane through a point, in the world:
// fill, triangles, and rim, segments; three numbers a corner. Empty if they do not meet.
export function sectionOf(parts, point, normal) {
  const out = { fill: [], rim: [] };
  for (const { geometry, matrix } of parts) {
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point).applyMatrix4(matrix.clone().invert());
    fillSection(cutTriangles(geometry, plane), matrix, out);
  }
  return out;
}

// Segments in which the plane cuts the triangles of a geometry: pairs of points.
function cutTriangles(geometry, plane) {
  const position = geometry.getAttribute("position");
  const index = geometry.index;
  const corner = (i) => new THREE.Vector3().fromBufferAttribute(position, index ? index.getX(i) : i);
  const segments = [];
  for (let i = 0; i < (index ? index.count : position.count); i += 3) {
    const corners = [corner(i), corner(i + 1), corner(i + 2)];
    const height = corners.map((c) => plane.distanceToPoint(c));
    const cuts = [0, 1, 2]
      .map((k) => [k, (k + 1) % 3])
      .filter(([a, b]) => height[a] < 0 !== height[b] < 0)
      .map(([a, b]) => corners[a].clone().lerp(corners[b], height[a] / (height[a] - height[b])));
    if (cuts.length === 2) {
      segments.push(cuts);
    }
  }
  return segments;
}

// The section of a convex body is convex: a fan from its middle fills it.
function fillSection(segments, toWorld, out) {
  const middle = new THREE.Vector3();
  for (const [a, b] of segments) {
    middle.addScaledVector(a, 0.5 / segments.length).addScaledVector(b, 0.5 / segments.length);
  }
  middle.applyMatrix4(toWorld);
  for (const pair of segments) {
    const [a, b] = pair.map((p) => p.applyMatrix4(toWorld));
    out.fill.push(...middle.toArray(), ...a.toArray(), ...b.toArray());
    out.rim.push(...a.toArray(), ...b.toArray());
  }
}
