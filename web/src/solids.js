// Geometry of shapes, visuals and meshes, and their instances: each form is one draw call, however
// many bodies have it.

import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

// Light and darker fields, eight around and four along: they make rotation visible.
function pattern() {
  const across = 8;
  const along = 4;
  const data = new Uint8Array(across * along * 4);
  for (let i = 0; i < across * along; i++) {
    const tone = (i + Math.floor(i / across)) % 2 ? 255 : 214;
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

const sphere = (coarse) => new THREE.SphereGeometry(1, coarse ? 16 : 48, coarse ? 8 : 24).rotateX(Math.PI / 2);
const plain = (key, make, scale) => ({ key, make, scale });

// Form of a shape: a key that equal forms share, how to make it (coarse: with fewer faces), and its scale.
// Sizes as in a scene (see ff_shape_kind); axes of capsule and cylinder along z.
const FORMS = {
  sphere: ([r]) => plain("sphere", sphere, [r, r, r]),
  ellipsoid: (size) => plain("sphere", sphere, size),
  box: (size) => plain("box", () => new THREE.BoxGeometry(2, 2, 2), size),
  cylinder: ([r, h]) => plain("cylinder", (coarse) => new THREE.CylinderGeometry(1, 1, 2, coarse ? 16 : 48).rotateX(Math.PI / 2), [r, r, h]),
  cone: ([r, h]) => plain("cone", (coarse) => new THREE.ConeGeometry(1, 1, coarse ? 16 : 48).rotateX(Math.PI / 2).translate(0, 0, 0.25), [r, r, h]),
  capsule: ([r, h]) =>
    plain(`capsule ${h / r}`, (coarse) => new THREE.CapsuleGeometry(1, (2 * h) / r, coarse ? 4 : 12, coarse ? 12 : 32).rotateX(Math.PI / 2), [r, r, r]),
  superellipsoid: (size, { exponents }) =>
    plain(`superellipsoid ${size} ${exponents}`, () => superellipsoid(size, exponents), [1, 1, 1]),
  polyhedron: (_, { vertices }) => plain(`hull ${JSON.stringify(vertices)}`, () => hull(vertices), [1, 1, 1]),
  intersection: (_, { vertices }) => plain(`hull ${JSON.stringify(vertices)}`, () => hull(vertices), [1, 1, 1]),
};

export const formOf = (shape) => FORMS[shape.kind]?.(shape.size, shape);
const ROUND = new Set(["sphere", "ellipsoid", "capsule", "superellipsoid", "cylinder", "cone"]);
const EDGED = new Set(["box", "cylinder", "cone", "polyhedron", "intersection"]);

// Radius of the bounding sphere of a shape about its body's origin; 0 for infinite ones.
export function reach(shape) {
  const [x, y, z] = shape.size;
  const by = {
    sphere: () => x,
    ellipsoid: () => Math.max(x, y, z),
    box: () => Math.hypot(x, y, z),
    capsule: () => x + y,
    cylinder: () => Math.hypot(x, y),
    cone: () => Math.max(0.75 * y, Math.hypot(x, 0.25 * y)),
    superellipsoid: () => Math.hypot(x, y, z),
    polyhedron: () => Math.max(...shape.vertices.map((v) => Math.hypot(...v))),
    intersection: () => Math.max(...shape.vertices.map((v) => Math.hypot(...v))),
  };
  return by[shape.kind] ? by[shape.kind]() + Math.hypot(...shape.position) : 0;
}

export function poseMatrix([x, y, z], [w, i, j, k], scale = [1, 1, 1]) {
  return new THREE.Matrix4().compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(i, j, k, w), new THREE.Vector3(...scale));
}

// Parts of a mesh by colour: geometries that share their points.
export function meshParts(mesh) {
  mesh.parts ??= mesh.info.parts.map((part, n) => {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(mesh.points, 3));
    geometry.setIndex(new THREE.BufferAttribute(mesh.corners[n], 1));
    return { rgba: part.rgba, geometry: toCreasedNormals(geometry, 0.75) };
  });
  return mesh.parts;
}

// ---- instances -----------------------------------------------------------------------------------

const COARSE_FROM = 300; // instances of round forms from which each has fewer faces
const EDGES_MOST = 300; // edges are lines of their own for each shape

export class Solids {
  constructor() {
    this.texture = pattern();
    this.batches = new Map();
    this.group = new THREE.Group();
    this.edges = [];
  }

  // Adds a shape of an object. look: {colour, opacity, patterned, layer}; layer: what is shown and
  // hidden together.
  addShape(object, shape, look) {
    const form = formOf(shape);
    if (form) {
      const local = poseMatrix(shape.position, shape.orientation, form.scale);
      const edged = EDGED.has(shape.kind) && look.patterned;
      this.add(form.key, form.make, object, local, {
        ...look,
        patterned: look.patterned && ROUND.has(shape.kind),
        edged,
        faces: look.patterned && shape.kind === "box",
      });
    }
  }

  // A mesh: its own colours go before the look's, unless the robot's file gives one.
  addMesh(object, visual, mesh, look) {
    const local = poseMatrix(visual.position, visual.orientation, visual.size);
    meshParts(mesh).forEach((part, n) => {
      const own = !look.given && part.rgba ? { colour: rgbColour(part.rgba), opacity: part.rgba[3] } : {};
      this.add(`mesh ${mesh.index} ${n}`, () => part.geometry, object, local, { ...look, ...own, double: true });
    });
  }

  add(key, make, object, local, look) {
    const opacity = look.opacity ?? 1;
    const name = [key, opacity, Boolean(look.patterned), Boolean(look.faces), look.layer ?? "", look.metal ?? ""].join("|");
    if (!this.batches.has(name)) {
      this.batches.set(name, { make, look: { ...look, opacity }, items: [] });
    }
    this.batches.get(name).items.push({ object, local, colour: look.colour, edged: look.edged });
  }

  // Makes the meshes; nothing can be added later.
  finish() {
    const edged = [...this.batches.values()].flatMap((b) => b.items.filter((i) => i.edged).map((item) => [b, item]));
    for (const batch of this.batches.values()) {
      batch.geometry = batch.make(batch.items.length > COARSE_FROM);
      batch.mesh = makeInstances(batch, this.texture);
      this.group.add(batch.mesh);
    }
    if (edged.length <= EDGES_MOST) {
      edged.forEach(([batch, item]) => this.addEdges(batch, item));
    }
  }

  addEdges(batch, item) {
    batch.edges ??= new THREE.EdgesGeometry(batch.geometry, 30);
    const ink = new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.28 });
    const lines = new THREE.LineSegments(batch.edges, ink);
    lines.matrixAutoUpdate = false;
    lines.userData.layer = batch.look.layer;
    this.edges.push({ lines, item });
    this.group.add(lines);
  }

  // Instances go where their objects are.
  update() {
    const matrix = new THREE.Matrix4();
    for (const { mesh, items } of this.batches.values()) {
      if (mesh.visible) {
        items.forEach((item, i) => mesh.setMatrixAt(i, matrix.multiplyMatrices(item.object.matrix, item.local)));
        mesh.instanceMatrix.needsUpdate = true;
      }
    }
    for (const { lines, item } of this.edges) {
      lines.matrix.multiplyMatrices(item.object.matrix, item.local);
      lines.matrixWorldNeedsUpdate = true;
    }
  }

  // What a ray meets, nearest first: [{object, point}].
  hits(ray) {
    const all = [];
    for (const { mesh, items } of this.batches.values()) {
      if (mesh.visible) {
        mesh.boundingSphere = null; // of where the instances were
        mesh.boundingBox = null;
        for (const { instanceId, point, distance } of ray.intersectObject(mesh, false)) {
          all.push({ object: items[instanceId].object, point, distance });
        }
      }
    }
    return all.sort((p, q) => p.distance - q.distance);
  }

  showLayer(layer, on) {
    for (const { mesh, look } of this.batches.values()) {
      mesh.visible = look.layer === layer ? on : mesh.visible;
    }
    for (const { lines } of this.edges) {
      lines.visible = lines.userData.layer === layer ? on : lines.visible;
    }
  }
}

export function rgbColour([r, g, b]) {
  return new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace);
}

// A box shows its turning by faces of three tones.
function boxTones(geometry) {
  const toned = geometry.clone();
  const tones = [1, 0.9, 0.94, 0.86, 1, 0.88];
  const colours = new Float32Array(geometry.getAttribute("position").count * 3);
  for (let i = 0; i < colours.length; i++) {
    colours[i] = tones[Math.floor(i / 12)];
  }
  return toned.setAttribute("color", new THREE.BufferAttribute(colours, 3));
}

function makeInstances({ geometry, look, items }, texture) {
  const material = new THREE.MeshStandardMaterial({
    map: look.patterned ? texture : null,
    roughness: look.roughness ?? 0.62,
    metalness: look.metal ?? 0.05,
    transparent: look.opacity < 1,
    opacity: look.opacity,
    depthWrite: look.opacity > 0.5,
    vertexColors: Boolean(look.faces),
    side: look.double ? THREE.DoubleSide : THREE.FrontSide,
  });
  const mesh = new THREE.InstancedMesh(look.faces ? boxTones(geometry) : geometry, material, items.length);
  items.forEach((item, i) => mesh.setColorAt(i, item.colour));
  mesh.castShadow = look.opacity > 0.5;
  mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  mesh.visible = !look.hidden;
  return mesh;
}
