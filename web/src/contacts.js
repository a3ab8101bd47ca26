// Contacts in the replay: point, force arrow to scale, friction cone, patch, and whether it
// sticks or slips (by colour and by form). Points and arrows are instances: four draw calls in all.

import * as THREE from "three";
import { withUnit } from "./numbers.js";
import { sectionOf } from "./patch.js";
import { formOf, poseMatrix } from "./solids.js";
import { colours } from "./theme.js";

export const MODES = {
  1: { name: "stick", colour: colours.green },
  2: { name: "slip", colour: colours.red },
};
const TOUCH = { name: "touch", colour: colours.purple };
const Y = new THREE.Vector3(0, 1, 0);
const LONGEST = 0.9; // of the scene's size: longer arrows end there, with a bar

export class Contacts {
  constructor(recording, size, tracks) {
    this.recording = recording;
    this.size = size;
    this.tracks = new Map(tracks.map((t) => [t.info.name, t]));
    this.group = new THREE.Group();
    this.list = [];
    this.gain = 1;
    this.show = { points: true, arrows: true, cones: false };
    this.read();
  }

  // The recording's contacts; again after it has other samples. While it grows the scale of the
  // arrows stays.
  read(growing = false) {
    const before = new Map(this.list.map((contact) => [contact.name, contact]));
    this.list = contactPrefixes(this.recording).map((prefix) => {
      const contact = this.contact(prefix);
      const { cone, patch, rim } = before.get(contact.name) ?? {};
      return Object.assign(contact, cone && { cone }, patch && { patch, rim });
    });
    if (!growing || !(this.reference > 0)) {
      this.reference = typicalForce(this.list);
    }
    if (!this.pools || this.list.length > this.room) {
      Object.values(this.pools ?? {}).forEach(({ mesh }) => mesh.removeFromParent());
      this.room = Math.max(1, this.list.length);
      this.pools = makePools(this.room);
      Object.values(this.pools).forEach(({ mesh }, i) => {
        mesh.renderOrder = 20 + i;
        this.group.add(mesh);
      });
    }
  }

  // m of arrow for each N: a large force of the run is a third of the scene's size.
  get scale() {
    return this.reference > 0 ? (this.gain * this.size) / (3 * this.reference) : 0;
  }

  contact(prefix) {
    const { recording } = this;
    const pair = recording.pairs.find((p) => `contact.${p.a}:${p.b}.` === prefix) ?? {};
    return {
      pair,
      name: prefix.slice("contact.".length, -1),
      point: recording.vector(prefix + "point."),
      force: recording.vector(prefix + "force."),
      normal: recording.get(prefix + "force.n"),
      count: recording.get(prefix + "count"),
      mode: recording.get(prefix + "mode"),
      depth: recording.get(prefix + "depth"),
      on: false,
    };
  }

  // Places everything for this row; marks scale with the camera distance.
  update(row, camera, poses) {
    const active = [];
    Object.values(this.pools).forEach((pool) => (pool.used = 0));
    for (const contact of this.list) {
      contact.on = isOpen(contact, row);
      if (contact.on) {
        this.place(contact, row, camera, poses);
        active.push(describe(contact, row));
      } else {
        [contact.cone, contact.patch, contact.rim].forEach((part) => part && (part.visible = false));
      }
    }
    Object.values(this.pools).forEach(finishPool);
    return active.sort((p, q) => q.size - p.size);
  }

  place(contact, row, camera, poses) {
    const look = MODES[contact.mode?.[row]] ?? TOUCH;
    const force = new THREE.Vector3(...contact.force.map((f) => f[row]));
    const point = new THREE.Vector3(...contact.point.map((p) => p[row]));
    const mark = 0.009 * camera.position.distanceTo(point);
    if (this.show.points) {
      const slips = look === MODES[2];
      put(slips ? this.pools.diamonds : this.pools.balls, point, null, [mark, mark, mark].map((m) => (slips ? 1.5 : 1) * m), look);
    }
    if (this.show.arrows) {
      contact.length = this.placeArrow(point, force, mark, look);
    }
    const plane = planeOf(contact.pair.b, this.recording, poses);
    this.placeCone(contact, row, look, point, contactNormal(contact.pair, point, plane, this.recording, poses));
    this.placePatch(contact, plane, force);
  }

  // From the point, along the force, its length to scale; the head takes part of that length.
  placeArrow(point, force, mark, look) {
    const full = force.length() * this.scale;
    if (!(full > 0)) {
      return 0;
    }
    const length = Math.min(full, LONGEST * this.size);
    const head = Math.min(2.6 * mark, 0.45 * length);
    const turn = new THREE.Quaternion().setFromUnitVectors(Y, force.clone().normalize());
    const tip = force.clone().setLength(length).add(point);
    put(this.pools.shafts, point, turn, [0.42 * mark, length - head, 0.42 * mark], look);
    put(this.pools.heads, tip, turn, [1.35 * mark, head, 1.35 * mark], look);
    if (full > length) {
      put(this.pools.bars, tip, turn, [1.5 * mark, 0.35 * mark, 1.5 * mark], look);
    }
    return full;
  }

  // Opening by the coefficient of friction; height equal to the length of the normal force.
  placeCone(contact, row, look, point, normal) {
    const mu = contact.pair.mu;
    const height = Math.min(Math.abs(contact.normal?.[row] ?? 0) * this.scale, LONGEST * this.size);
    const seen = this.show.cones && mu > 0 && height > 0 && normal !== null;
    if (seen) {
      contact.cone ??= this.addCone();
      contact.cone.material.color.set(look.colour);
      contact.cone.position.copy(point);
      contact.cone.scale.set(mu * height, height, mu * height);
      contact.cone.quaternion.setFromUnitVectors(Y, normal);
    }
    if (contact.cone) {
      contact.cone.visible = seen;
    }
  }

  addCone() {
    const cone = new THREE.Mesh(
      new THREE.ConeGeometry(1, 1, 48, 1, true).rotateX(Math.PI).translate(0, 0.5, 0),
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false }),
    );
    cone.renderOrder = 12;
    this.group.add(cone);
    return cone;
  }

  // Laws that act over an overlap have a patch: the section of a with the plane of b, darker under
  // more force, with its rim.
  placePatch(contact, plane, force) {
    const track = this.tracks.get(contact.pair.a);
    if (!contact.pair.patch || !plane || !track) {
      return;
    }
    const section = sectionOf(solidParts(track), plane.point, plane.normal);
    if (!contact.patch) {
      Object.assign(contact, makePatch());
      this.group.add(contact.patch, contact.rim);
    }
    contact.patch.visible = contact.rim.visible = section.fill.length > 0;
    if (contact.patch.visible) {
      setPoints(contact.patch, section.fill);
      setPoints(contact.rim, section.rim);
      contact.patch.material.opacity = 0.35 + 0.5 * Math.min(1, force.length() / (this.reference || 1));
    }
  }
}

function setPoints(object, points) {
  object.geometry.dispose();
  object.geometry = new THREE.BufferGeometry();
  object.geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
}

function makePatch() {
  const fill = { color: colours.orange, transparent: true, side: THREE.DoubleSide, depthTest: false };
  const patch = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial(fill));
  const rim = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: colours.red, depthTest: false }));
  patch.renderOrder = 10;
  rim.renderOrder = 11;
  patch.frustumCulled = rim.frustumCulled = false;
  return { patch, rim };
}

// Geometries of a body's collision shapes with their matrices in the body.
function solidParts(track) {
  track.parts ??= track.info.shapes
    .map((shape) => [shape, formOf(shape)])
    .filter(([, form]) => form)
    .map(([shape, form]) => ({ geometry: form.make(), local: poseMatrix(shape.position, shape.orientation, form.scale) }));
  return track.parts.map(({ geometry, local }) => ({ geometry, matrix: track.object.matrix.clone().multiply(local) }));
}

// ---- instances -----------------------------------------------------------------------------------

function makePools(count) {
  const pool = (geometry) => {
    const material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    const mesh = new THREE.InstancedMesh(geometry, material, count);
    mesh.setColorAt(0, new THREE.Color());
    mesh.frustumCulled = false;
    return { mesh, used: 0 };
  };
  return {
    shafts: pool(new THREE.CylinderGeometry(0.5, 0.5, 1, 12).translate(0, 0.5, 0)),
    heads: pool(new THREE.ConeGeometry(0.5, 1, 16).translate(0, -0.5, 0)),
    bars: pool(new THREE.CylinderGeometry(0.5, 0.5, 1, 16)),
    balls: pool(new THREE.SphereGeometry(0.5, 16, 12)),
    diamonds: pool(new THREE.OctahedronGeometry(0.5)),
  };
}

const matrix = new THREE.Matrix4();
const colour = new THREE.Color();
const still = new THREE.Quaternion();

function put(pool, position, turn, scale, look) {
  matrix.compose(position, turn ?? still, new THREE.Vector3(...scale));
  pool.mesh.setMatrixAt(pool.used, matrix);
  pool.mesh.setColorAt(pool.used++, colour.set(look.colour));
}

function finishPool({ mesh, used }) {
  mesh.count = used;
  mesh.visible = used > 0;
  mesh.instanceMatrix.needsUpdate = true;
  mesh.instanceColor.needsUpdate = true;
}

// ---- channels ------------------------------------------------------------------------------------

function contactPrefixes(recording) {
  const end = "point.x";
  return recording.channels
    .map((c) => c.name)
    .filter((name) => name.startsWith("contact.") && name.endsWith("." + end))
    .map((name) => name.slice(0, -end.length))
    .filter((prefix) => recording.vector(prefix + "point.") && recording.vector(prefix + "force."));
}

// The force that 95 of 100 samples in contact do not exceed: a short peak does not make all other
// arrows invisible.
function typicalForce(list) {
  const sizes = [];
  const step = Math.max(1, Math.floor((list.length * (list[0]?.force[0].length ?? 0)) / 20000));
  for (const { force } of list) {
    for (let i = 0; i < force[0].length; i += step) {
      const size = Math.hypot(force[0][i], force[1][i], force[2][i]);
      if (size > 0) {
        sizes.push(size);
      }
    }
  }
  sizes.sort((p, q) => p - q);
  return sizes.length ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 0;
}

function isOpen(contact, row) {
  if (contact.count) {
    return contact.count[row] > 0;
  }
  return contact.depth ? contact.depth[row] > 0 : contact.force.some((f) => f[row] !== 0);
}

function describe(contact, row) {
  const look = MODES[contact.mode?.[row]] ?? TOUCH;
  const size = Math.hypot(...contact.force.map((f) => f[row]));
  return { text: `${contact.name}: ${look.name}, ${withUnit(size, "N", 4)}`, colour: look.colour, size };
}

// Recordings have forces, not normals: a half-space has one, and that of a ball points to its centre.
function contactNormal(pair, point, plane, recording, poses) {
  if (plane) {
    return plane.normal;
  }
  const a = recording.bodies.find((body) => body.name === pair.a);
  if (poses.has(pair.a) && a?.shapes.some((s) => s.kind === "sphere")) {
    return poses.get(pair.a).position.clone().sub(point).normalize();
  }
  return null;
}

// Boundary plane of a half-space at the current time: {point, normal}; null for other shapes.
function planeOf(name, recording, poses) {
  const body = recording.bodies.find((b) => b.name === name);
  const flat = body?.shapes.find((s) => s.kind === "half-space");
  if (!flat || !poses.has(name)) {
    return null;
  }
  const { position, quaternion } = poses.get(name);
  const [w, x, y, z] = flat.orientation;
  return {
    point: new THREE.Vector3(...flat.position).applyQuaternion(quaternion).add(position),
    normal: new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(x, y, z, w)).applyQuaternion(quaternion),
  };
}
