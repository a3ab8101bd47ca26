// Contacts in the replay: point, force arrow to scale, friction cone, patch, and whether it
// sticks or slips (by colour and by form).

import * as THREE from "three";
import { withUnit } from "./numbers.js";
import { sectionOf } from "./patch.js";
import { colours } from "./theme.js";

export const MODES = {
  1: { name: "stick", colour: colours.green },
  2: { name: "slip", colour: colours.red },
};
const TOUCH = { name: "touch", colour: colours.purple };

export class Contacts {
  constructor(recording, size) {
    this.recording = recording;
    this.size = size;
    this.group = new THREE.Group();
    this.list = contactPrefixes(recording).map((prefix) => this.contact(prefix));
    this.largest = Math.max(0, ...this.list.map((c) => largestForce(c.force)));
    this.gain = 1;
    this.show = { points: true, arrows: true, cones: false };
  }

  // m of arrow for each N: the largest force of the run is a third of the scene's size.
  get scale() {
    return this.largest > 0 ? (this.gain * this.size) / (3 * this.largest) : 0;
  }

  contact(prefix) {
    const { recording } = this;
    const pair = recording.pairs.find((p) => `contact.${p.a}:${p.b}.` === prefix) ?? {};
    const parts = makeParts();
    this.group.add(parts.whole);
    return {
      pair,
      name: prefix.slice("contact.".length, -1),
      point: recording.vector(prefix + "point."),
      force: recording.vector(prefix + "force."),
      normal: recording.get(prefix + "force.n"),
      count: recording.get(prefix + "count"),
      mode: recording.get(prefix + "mode"),
      depth: recording.get(prefix + "depth"),
      ...parts,
    };
  }

  // Places everything for this row; marks scale with the camera distance.
  update(row, camera, poses) {
    const active = [];
    for (const contact of this.list) {
      const on = isOpen(contact, row);
      contact.whole.visible = on;
      if (on) {
        this.place(contact, row, camera, poses);
        active.push(describe(contact, row));
      }
    }
    return active;
  }

  place(contact, row, camera, poses) {
    const look = MODES[contact.mode?.[row]] ?? TOUCH;
    const force = new THREE.Vector3(...contact.force.map((f) => f[row]));
    const point = new THREE.Vector3(...contact.point.map((p) => p[row]));
    const mark = 0.011 * camera.position.distanceTo(point);
    contact.whole.position.copy(point);
    for (const part of [contact.ball, contact.diamond, contact.arrow.shaft, contact.arrow.head, contact.cone]) {
      part.material.color.set(look.colour);
    }
    contact.ball.visible = this.show.points && look !== MODES[2];
    contact.diamond.visible = this.show.points && look === MODES[2];
    contact.ball.scale.setScalar(mark);
    contact.diamond.scale.setScalar(1.5 * mark);
    placeArrow(contact.arrow, force, this.scale, this.show.arrows, mark);
    const plane = planeOf(contact.pair.b, this.recording, poses);
    this.placeCone(contact, row, contactNormal(contact.pair, point, plane, this.recording, poses));
    placePatch(contact, plane, poses.get(contact.pair.a));
  }

  // Opening by the coefficient of friction; height equal to the length of the normal force.
  placeCone(contact, row, normal) {
    const mu = contact.pair.mu;
    const height = Math.abs(contact.normal?.[row] ?? 0) * this.scale;
    contact.cone.visible = this.show.cones && mu > 0 && height > 0 && normal !== null;
    if (contact.cone.visible) {
      contact.cone.scale.set(mu * height, height, mu * height);
      contact.cone.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
    }
  }
}

function contactPrefixes(recording) {
  const end = "point.x";
  return recording.channels
    .map((c) => c.name)
    .filter((name) => name.startsWith("contact.") && name.endsWith("." + end))
    .map((name) => name.slice(0, -end.length))
    .filter((prefix) => recording.vector(prefix + "point.") && recording.vector(prefix + "force."));
}

function largestForce(force) {
  let most = 0;
  for (let i = 0; i < force[0].length; i++) {
    const size = Math.hypot(force[0][i], force[1][i], force[2][i]);
    most = size > most ? size : most;
  }
  return most;
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
  return { text: `${contact.name}: ${look.name}, ${withUnit(size, "N", 4)}`, colour: look.colour };
}

function makeParts() {
  const flat = () => new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
  const ball = new THREE.Mesh(new THREE.SphereGeometry(0.5, 16, 12), flat());
  const diamond = new THREE.Mesh(new THREE.OctahedronGeometry(0.5), flat());
  const cone = new THREE.Mesh(
    new THREE.ConeGeometry(1, 1, 48, 1, true).rotateX(Math.PI).translate(0, 0.5, 0),
    new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.25, side: THREE.DoubleSide, depthWrite: false }),
  );
  const patch = new THREE.Mesh(
    new THREE.BufferGeometry(),
    new THREE.MeshBasicMaterial({ color: colours.orange, transparent: true, opacity: 0.6, side: THREE.DoubleSide, depthTest: false }),
  );
  const arrow = {
    shaft: new THREE.Mesh(new THREE.CylinderGeometry(0.5, 0.5, 1, 12).translate(0, 0.5, 0), flat()),
    head: new THREE.Mesh(new THREE.ConeGeometry(0.5, 1, 16).translate(0, -0.5, 0), flat()),
    turn: new THREE.Group(),
  };
  arrow.turn.add(arrow.shaft, arrow.head);
  const whole = new THREE.Group();
  whole.add(patch, cone, arrow.turn, ball, diamond);
  whole.children.forEach((part, i) => (part.renderOrder = 10 + i));
  return { whole, ball, diamond, cone, patch, arrow };
}

// From the point, along the force, its length to scale; the head takes part of that length.
function placeArrow(arrow, force, scale, wanted, mark) {
  const length = force.length() * scale;
  arrow.turn.visible = wanted && length > 0;
  if (!arrow.turn.visible) {
    return;
  }
  const head = Math.min(2.2 * mark, 0.5 * length);
  arrow.turn.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.clone().normalize());
  arrow.shaft.scale.set(0.4 * mark, length - head, 0.4 * mark);
  arrow.head.scale.set(1.2 * mark, head, 1.2 * mark);
  arrow.head.position.y = length;
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

// Laws that act over an overlap have a patch: the section of a with the plane of b. It lies in
// the world, not at the contact point.
function placePatch(contact, plane, body) {
  const corners = contact.pair.patch && plane && body ? sectionOf(body, plane.point, plane.normal) : [];
  contact.patch.visible = corners.length > 0;
  if (contact.patch.visible) {
    contact.patch.geometry.dispose();
    contact.patch.geometry = new THREE.BufferGeometry();
    contact.patch.geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
    contact.patch.position.copy(contact.whole.position).negate();
  }
}
