// The 3-D scene of a recording: bodies, ground, light, camera, trails and contacts.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Contacts } from "./contacts.js";
import { extent, niceStep } from "./numbers.js";
import { bodyColour, reach, setPose, Shapes } from "./shapes.js";
import { theme } from "./theme.js";

const PARTS = ["w", "x", "y", "z"];

// From where the first view looks at the middle.
const TOWARDS = new THREE.Vector3(0.55, -1, 0.42).normalize();

export class Stage {
  constructor(canvas, recording) {
    this.recording = recording;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.shapes = new Shapes();
    this.bounds = findBounds(recording);
    this.cell = niceStep(this.bounds.size / 12);
    this.tracks = recording.bodies.map((info, i) => this.track(info, i));
    this.poses = new Map(this.tracks.map((t) => [t.info.name, t.object]));
    this.contacts = new Contacts(recording, this.bounds.size);
    this.scene.add(this.contacts.group);
    this.followed = null;
    this.light();
    this.paint();
    this.home();
  }

  // ---- making ------------------------------------------------------------------------

  track(info, index) {
    const { recording } = this;
    const position = recording.vector(`body.${info.name}.position.`);
    const orientation = recording.vector(`body.${info.name}.orientation.`, PARTS);
    const faint = info.kind !== "fixed" && !position;
    const object = setPose(this.shapes.body(info, index, faint, this.bounds.size), info.position, info.orientation);
    this.scene.add(object);
    return { info, position, orientation, object, trail: this.trail(info, position, index) };
  }

  // Trail of a body's origin; its visible part depends on the time.
  trail(info, position, index) {
    if (!position || info.kind === "fixed") {
      return null;
    }
    const points = new Float32Array(3 * position[0].length);
    for (let i = 0; i < position[0].length; i++) {
      points.set([position[0][i], position[1][i], position[2][i]], 3 * i);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: bodyColour(index) }));
    line.frustumCulled = false;
    this.scene.add(line);
    return line;
  }

  light() {
    const { centre, size } = this.bounds;
    const sun = new THREE.DirectionalLight(0xffffff, 2.4);
    sun.position.set(centre.x + size, centre.y - 1.5 * size, centre.z + 2.5 * size);
    sun.target.position.copy(centre);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 6 * size });
    sun.shadow.normalBias = 0.002 * size;
    this.scene.add(sun, sun.target, new THREE.HemisphereLight(0xffffff, 0xb0b0b0, 1.9));
  }

  // Ground and background, by theme.
  paint() {
    const dark = theme.name === "dark";
    this.scene.background = new THREE.Color(dark ? 0x16191d : 0xffffff);
    for (const track of this.tracks) {
      track.ground?.removeFromParent();
      const flat = track.info.shapes.find((s) => s.kind === "half-space");
      if (flat) {
        const extentOfGround = this.cell * 2 * Math.ceil((2 * this.bounds.size) / this.cell);
        track.ground = this.shapes.ground(flat, extentOfGround, this.cell, dark);
        track.object.add(track.ground);
      }
    }
  }

  // ---- camera ---------------------------------------------------------------------------

  home() {
    const { centre } = this.bounds;
    const far = this.distanceToSeeAll();
    this.camera.position.copy(centre).addScaledVector(TOWARDS, far);
    this.camera.near = far / 500;
    this.camera.far = far * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
  }

  // Camera distance: the largest that a corner of the run's bounding box needs.
  distanceToSeeAll() {
    const { centre, box } = this.bounds;
    const right = new THREE.Vector3(0, 0, 1).cross(TOWARDS).normalize();
    const up = TOWARDS.clone().cross(right);
    const slope = Math.tan((this.camera.fov * Math.PI) / 360) / 1.2;
    let far = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new THREE.Vector3(
        k & 1 ? box.max.x : box.min.x,
        k & 2 ? box.max.y : box.min.y,
        k & 4 ? box.max.z : box.min.z,
      ).sub(centre);
      const half = Math.max(Math.abs(corner.dot(up)), Math.abs(corner.dot(right)) / this.camera.aspect);
      far = Math.max(far, half / slope + corner.dot(TOWARDS));
    }
    return far;
  }

  follow(name) {
    this.followed = name && this.poses.has(name) ? { object: this.poses.get(name), last: null } : null;
  }

  // Camera and target go where the followed body went.
  carry() {
    if (!this.followed) {
      return;
    }
    const now = this.followed.object.position.clone();
    if (this.followed.last) {
      const moved = now.clone().sub(this.followed.last);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
    } else {
      this.camera.position.add(now.clone().sub(this.controls.target));
      this.controls.target.copy(now);
    }
    this.followed.last = now;
  }

  // ---- time --------------------------------------------------------------------------------

  // Bodies at time t: as recorded at a sample, between two of them interpolated.
  setTime(t) {
    const { recording } = this;
    const row = recording.rowAt(t);
    const next = Math.min(row + 1, recording.rows - 1);
    const span = recording.time[next] - recording.time[row];
    const part = span > 0 ? Math.min(1, (t - recording.time[row]) / span) : 0;
    for (const track of this.tracks) {
      moveTrack(track, row, next, part);
      track.trail?.geometry.setDrawRange(0, row + 1);
    }
    this.carry();
    this.active = this.contacts.update(part > 0.5 ? next : row, this.camera, this.poses);
    return this.active;
  }

  setTrails(on) {
    for (const { trail } of this.tracks) {
      if (trail) {
        trail.visible = on;
      }
    }
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render() {
    this.renderer.render(this.scene, this.camera);
  }
}

function moveTrack({ position, orientation, object }, row, next, part) {
  if (position) {
    object.position.set(...position.map((p) => p[row] + part * (p[next] - p[row])));
  }
  if (orientation) {
    const [w, x, y, z] = orientation;
    object.quaternion.set(x[row], y[row], z[row], w[row]);
    if (part > 0) {
      object.quaternion.slerp(new THREE.Quaternion(x[next], y[next], z[next], w[next]), part);
    }
  }
}

// A box around everything finite, over the whole run.
function findBounds(recording) {
  const box = new THREE.Box3();
  for (const body of recording.bodies) {
    const finite = body.shapes.filter((s) => s.kind !== "half-space");
    if (finite.length || !body.shapes.length) {
      const room = Math.max(0, ...finite.map(reach));
      addTrack(box, recording.vector(`body.${body.name}.position.`), body.position, room);
    }
  }
  if (box.isEmpty()) {
    box.expandByPoint(new THREE.Vector3()).expandByScalar(0.5);
  }
  const centre = box.getCenter(new THREE.Vector3());
  return { box, centre, size: Math.max(box.getSize(new THREE.Vector3()).length(), 1e-9) };
}

function addTrack(box, position, start, room) {
  const ends = position ? position.map((p) => extent(p)) : start.map((v) => [v, v]);
  for (const k of [0, 1]) {
    const corner = new THREE.Vector3(...ends.map((e) => (Number.isFinite(e[k]) ? e[k] : 0)));
    box.expandByPoint(corner.clone().addScalar(room)).expandByPoint(corner.addScalar(-room));
  }
}
