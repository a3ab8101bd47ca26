// three.js geometry of the shapes of a scene. Faces have a faint pattern that makes rotation visible.

import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { colours } from "./theme.js";

const BODY_COLOURS = ["sky", "orange", "green", "purple", "yellow", "red", "blue"];

export function bodyColour(index) {
  return new THREE.Color(colours[BODY_COLOURS[index % BODY_COLOURS.length]]);
}

// Light and darker fields, eight around and four along.
function pattern() {
  const across = 8;
  const along = 4;
  const data = new Uint8Array(across * along * 4);
  for (let i = 0; i < across * along; i++) {
    const tone = (i + Math.floor(i / across)) % 2 ? 255 : 196;
    data.set([tone, tone, tone, 255], 4 * i);
  }
  const texture = new THREE.DataTexture(data, across, along);
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.needsUpdate = true;
  return texture;
}

// A sphere whose points are moved radially onto the superellipsoid.
function superellipsoid([a, b, c], [p, q]) {
  const geometry = new THREE.SphereGeometry(1, 64, 32).rotateX(Math.PI / 2);
  const points = geometry.getAttribute("position");
  for (let i = 0; i < points.count; i++) {
    const [x, y, z] = [points.getX(i), points.getY(i), points.getZ(i)];
    const across = (Math.abs(x) ** p + Math.abs(y) ** p) ** (1 / p);
    const norm = (across ** q + Math.abs(z) ** q) ** (1 / q);
    points.setXYZ(i, (a * x) / norm, (b * y) / norm, (c * z) / norm);
  }
  geometry.computeVertexNormals();
  return geometry;
}

function hull(vertices) {
  return new ConvexGeometry(vertices.map((v) => new THREE.Vector3(...v)));
}

// Sizes as in a scene: see ff_shape_kind. Axes of capsule and cylinder along z.
const GEOMETRY = {
  sphere: ([r]) => new THREE.SphereGeometry(r, 48, 24).rotateX(Math.PI / 2),
  ellipsoid: ([a, b, c]) => new THREE.SphereGeometry(1, 48, 24).rotateX(Math.PI / 2).scale(a, b, c),
  box: ([x, y, z]) => new THREE.BoxGeometry(2 * x, 2 * y, 2 * z),
  capsule: ([r, h]) => new THREE.CapsuleGeometry(r, 2 * h, 12, 32).rotateX(Math.PI / 2),
  cylinder: ([r, h]) => new THREE.CylinderGeometry(r, r, 2 * h, 48).rotateX(Math.PI / 2),
  superellipsoid: (size, shape) => superellipsoid(size, shape.exponents),
  polyhedron: (_, shape) => hull(shape.vertices),
  intersection: (_, shape) => hull(shape.vertices),
};

// Radius of the bounding sphere of a shape; 0 for infinite ones.
export function reach(shape) {
  const [x, y, z] = shape.size;
  const by = {
    sphere: () => x,
    ellipsoid: () => Math.max(x, y, z),
    box: () => Math.hypot(x, y, z),
    capsule: () => x + y,
    cylinder: () => Math.hypot(x, y),
    superellipsoid: () => Math.hypot(x, y, z),
    polyhedron: () => Math.max(...shape.vertices.map((v) => Math.hypot(...v))),
    intersection: () => Math.max(...shape.vertices.map((v) => Math.hypot(...v))),
  };
  return by[shape.kind] ? by[shape.kind]() + Math.hypot(...shape.position) : 0;
}

// A box needs no pattern: of each two faces that look the same, one is darker.
function faces(material) {
  const light = material.clone();
  light.map = null;
  const dark = light.clone();
  dark.color.multiplyScalar(0.72);
  return [light, dark, light, dark, light, dark];
}

export class Shapes {
  constructor() {
    this.texture = pattern();
  }

  // A group with every finite shape of a body, axes if it has none at all; faint where the body
  // was not recorded.
  body(info, index, faint, sceneSize) {
    const group = new THREE.Group();
    const material = new THREE.MeshStandardMaterial({
      color: bodyColour(index),
      map: this.texture,
      roughness: 0.55,
      transparent: faint,
      opacity: faint ? 0.3 : 1,
    });
    for (const shape of info.shapes.filter((s) => GEOMETRY[s.kind])) {
      group.add(this.solid(shape, shape.kind === "box" ? faces(material) : material));
    }
    if (!group.children.length && !info.shapes.length) {
      group.add(new THREE.AxesHelper(sceneSize / 10));
    }
    return group;
  }

  solid(shape, material) {
    const mesh = new THREE.Mesh(GEOMETRY[shape.kind](shape.size, shape), material);
    mesh.castShadow = true;
    if (["box", "cylinder", "polyhedron", "intersection"].includes(shape.kind)) {
      const lines = new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.45 });
      mesh.add(new THREE.LineSegments(new THREE.EdgesGeometry(mesh.geometry, 30), lines));
    }
    return setPose(mesh, shape.position, shape.orientation);
  }

  // The surface of a half-space: a plane that takes shadows, with a grid of the given cell.
  ground(shape, size, cell, dark) {
    const group = new THREE.Group();
    const plane = new THREE.Mesh(
      new THREE.PlaneGeometry(size, size),
      new THREE.MeshStandardMaterial({
        color: dark ? 0x2a3037 : 0xffffff,
        roughness: 1,
        side: THREE.DoubleSide,
        polygonOffset: true,
        polygonOffsetFactor: 2,
        polygonOffsetUnits: 2,
      }),
    );
    plane.receiveShadow = true;
    const grid = new THREE.LineSegments(
      gridGeometry(Math.round(size / cell / 2), cell),
      new THREE.LineBasicMaterial({ color: dark ? 0x5d666f : 0xc3c9cf }),
    );
    grid.position.z = size * 1e-5;
    group.add(plane, grid);
    return setPose(group, shape.position, shape.orientation);
  }
}

// Lines cut at every crossing: some renderers lose a long line that passes behind the eye.
function gridGeometry(half, cell) {
  const points = [];
  for (let i = -half; i <= half; i++) {
    for (let k = -half; k < half; k++) {
      points.push(i * cell, k * cell, 0, i * cell, (k + 1) * cell, 0);
      points.push(k * cell, i * cell, 0, (k + 1) * cell, i * cell, 0);
    }
  }
  return new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
}

export function setPose(object, [x, y, z], [w, i, j, k]) {
  object.position.set(x, y, z);
  object.quaternion.set(i, j, k, w);
  return object;
}
