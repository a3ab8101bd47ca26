// What has no shape of its own: bones of robots, and the rods, strings and pins of constraints.

import * as THREE from "three";
import { reach } from "./solids.js";

const IDENTITY = [1, 0, 0, 0];
const Z = new THREE.Vector3(0, 0, 1);

const cylinder = (from, to, radius) => {
  const along = to.clone().sub(from);
  const middle = from.clone().add(to).multiplyScalar(0.5);
  const turn = new THREE.Quaternion().setFromUnitVectors(Z, along.clone().normalize());
  return {
    kind: "cylinder",
    size: [radius, along.length() / 2, 0],
    position: middle.toArray(),
    orientation: [turn.w, turn.x, turn.y, turn.z],
  };
};

const ball = (at, radius) => ({ kind: "sphere", size: [radius, radius, radius], position: at.toArray(), orientation: IDENTITY });

// Where the bones of a link end, in its frame: at its children's joints; without any at its shapes,
// or at twice its centre of mass, which is the end of a uniform rod.
function boneEnds(body, children, places) {
  if (children.length) {
    return children.map((child) => places(body, child)).filter(Boolean);
  }
  if (body.shapes.length) {
    return body.shapes.map((shape) => new THREE.Vector3(...shape.position)).slice(0, 4);
  }
  return body.com ? [new THREE.Vector3(...body.com).multiplyScalar(2)] : [];
}

// Bones for links without visuals. tracks: those of the bodies, posed for some time.
export function addBones(solids, tracks) {
  const children = new Map();
  for (const track of tracks) {
    if (track.info.parent !== undefined) {
      children.set(track.info.parent, [...(children.get(track.info.parent) ?? []), track]);
    }
  }
  const places = (body, child) => {
    const parent = tracks.find((t) => t.info === body);
    if (!parent.position || !child.position) {
      return null;
    }
    return child.object.position.clone().applyMatrix4(parent.object.matrix.clone().invert());
  };
  tracks.forEach((track, index) => {
    if (track.info.robot === undefined || track.dressed) {
      return;
    }
    const radius = 0.018 * track.robotSize;
    const ends = boneEnds(track.info, children.get(index) ?? [], places);
    const inside = track.info.shapes.some((s) => reach(s) > 2 * radius);
    if (track.info.joint !== "fixed" && track.info.parent !== undefined) {
      solids.addShape(track.object, ball(new THREE.Vector3(), 1.3 * radius), { colour: track.dark, metal: 0.3, layer: "bones" });
    }
    for (const end of ends.filter((e) => e.length() > 1.5 * radius)) {
      solids.addShape(track.object, cylinder(new THREE.Vector3(), end, radius), {
        colour: inside ? track.dark : track.colour,
        layer: "bones",
      });
    }
  });
}

// A body of several shapes that do not touch is held together by struts.
export function addStruts(solids, track) {
  const shapes = track.info.shapes.filter((s) => reach(s) > 0);
  const centres = shapes.map((s) => new THREE.Vector3(...s.position));
  const radii = shapes.map((s, i) => reach(s) - centres[i].length());
  const apart = centres.some((c, i) => i > 0 && c.distanceTo(centres[0]) > radii[i] + radii[0]);
  if (!apart || track.info.robot !== undefined || shapes.length > 50) {
    return;
  }
  const middle = centres.reduce((sum, c) => sum.add(c), new THREE.Vector3()).divideScalar(centres.length);
  const radius = 0.18 * Math.min(...radii);
  for (const centre of centres.filter((c) => c.distanceTo(middle) > radius)) {
    solids.addShape(track.object, cylinder(middle, centre, radius), { colour: track.dark, layer: "bones" });
  }
}

// ---- constraints -----------------------------------------------------------------------------

// Rods and strings stretch between two bodies; pins sit on one of them.
export class Constraints {
  constructor(recording, poses, size) {
    this.poses = poses;
    this.group = new THREE.Group();
    this.links = [];
    const material = new THREE.MeshStandardMaterial({ color: 0x7a828c, roughness: 0.4, metalness: 0.5 });
    const rod = new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2);
    for (const info of recording.info.constraints ?? []) {
      if (poses.has(info.a) && poses.has(info.b)) {
        this.add(info, material, rod, size);
      }
    }
  }

  add(info, material, rod, size) {
    const geometry = { distance: rod, hinge: rod, ball: new THREE.SphereGeometry(1, 20, 14), weld: new THREE.BoxGeometry(1.6, 1.6, 1.6) };
    const mesh = new THREE.Mesh(geometry[info.kind] ?? geometry.ball, material);
    mesh.castShadow = true;
    const thick = (info.kind === "distance" ? 0.004 : 0.013) * size;
    this.group.add(mesh);
    const pins = info.kind === "distance" ? [1, 1].map(() => new THREE.Mesh(geometry.ball, material)) : [];
    pins.forEach((pin) => {
      pin.scale.setScalar(2 * thick);
      this.group.add(pin);
    });
    this.links.push({ info, mesh, pins, thick });
  }

  update() {
    for (const { info, mesh, pins, thick } of this.links) {
      const a = new THREE.Vector3(...info.anchor_a).applyMatrix4(this.poses.get(info.a).matrix);
      const b = new THREE.Vector3(...info.anchor_b).applyMatrix4(this.poses.get(info.b).matrix);
      if (info.kind === "distance") {
        const along = b.clone().sub(a);
        mesh.position.copy(a).add(b).multiplyScalar(0.5);
        mesh.scale.set(thick, thick, Math.max(along.length(), 1e-9));
        mesh.quaternion.setFromUnitVectors(Z, along.normalize());
        pins[0].position.copy(a);
        pins[1].position.copy(b);
      } else {
        mesh.position.copy(a);
        mesh.scale.set(thick, thick, info.kind === "hinge" ? 4 * thick : thick);
        if (info.axis) {
          const axis = new THREE.Vector3(...info.axis).transformDirection(this.poses.get(info.a).matrix);
          mesh.quaternion.setFromUnitVectors(Z, axis.normalize());
        }
      }
    }
  }
}
