// What the camera looks at: the box of what moves, over the run, and whether to go with it.

import * as THREE from "three";
import { poseMatrix } from "./solids.js";

const CORNERS = 300000; // corners looked at, over the run

// Corners of the boxes of a body's visuals, or else its shapes, in its frame; its origin if it has
// neither.
function cornersOf(body, meshes) {
  const visuals = body.visuals ?? [];
  const shown = visuals.length ? visuals : body.shapes.filter((s) => s.kind !== "half-space");
  const corners = shown.flatMap((shape) => {
    const [low, high] = boxOf(shape, meshes);
    const matrix = poseMatrix(shape.position, shape.orientation);
    return [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
      new THREE.Vector3(k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1], k & 4 ? high[2] : low[2]).applyMatrix4(matrix),
    );
  });
  if (!corners.length && body.com) {
    corners.push(new THREE.Vector3(), new THREE.Vector3(...body.com).multiplyScalar(2)); // its bone
  }
  return corners.length ? corners : [new THREE.Vector3()];
}

// Opposite corners of a shape's box, in its frame.
function boxOf(shape, meshes) {
  const both = (far) => [far.map((v) => -v), far];
  const [x, y, z] = shape.size;
  if (shape.kind === "mesh") {
    const { low, high } = meshes[shape.mesh].info;
    return [low.map((v, k) => v * shape.size[k]), high.map((v, k) => v * shape.size[k])];
  }
  if (shape.vertices) {
    const along = (k, pick) => pick(...shape.vertices.map((v) => v[k]));
    return [[0, 1, 2].map((k) => along(k, Math.min)), [0, 1, 2].map((k) => along(k, Math.max))];
  }
  return both({ sphere: [x, x, x], capsule: [x, x, x + y], cylinder: [x, x, y] }[shape.kind] ?? [x, y, z]);
}

// {box, centre, size, path}: box around everything that moves, over the whole run; path: null, or
// where its middle goes if it travels farther than its own size. Then box is that of a moment.
export function findFrame(tracks, recording) {
  const infinite = (t) => t.info.shapes.some((s) => s.kind === "half-space");
  const moving = tracks.filter((t) => t.info.kind !== "fixed" && !infinite(t));
  const still = tracks.filter((t) => t.info.kind === "fixed" && t.info.shapes.length && !infinite(t));
  const seen = (moving.length ? moving : still).map((track) => ({ track, corners: cornersOf(track.info, recording.meshes) }));
  const moments = findMoments(recording, seen);
  const whole = new THREE.Box3();
  moments.forEach((m) => whole.union(m.box));
  addAnchors(whole, recording);
  if (whole.isEmpty()) {
    whole.expandByPoint(new THREE.Vector3()).expandByScalar(0.5);
  }
  still.forEach((t) => addStill(whole, t, cornersOf(t.info, recording.meshes)));
  const path = findPath(moments, whole);
  const box = path?.box ?? whole;
  const size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-9);
  return { box, whole, centre: box.getCenter(new THREE.Vector3()), size, path: path?.at ?? null };
}

// Boxes of what moves at some of the recorded times.
function findMoments(recording, seen) {
  const corners = Math.max(1, seen.reduce((sum, s) => sum + s.corners.length, 0));
  const count = Math.max(2, Math.min(recording.rows, 200, Math.floor(CORNERS / corners)));
  const moments = [];
  const at = new THREE.Vector3();
  for (let k = 0; k < count && recording.rows > 0; k++) {
    const row = Math.round((k * (recording.rows - 1)) / (count - 1));
    const box = new THREE.Box3();
    for (const { track, corners: list } of seen) {
      poseTrack(track, row, row, 0);
      for (const corner of list) {
        at.copy(corner).applyMatrix4(track.object.matrix);
        if (Number.isFinite(at.x + at.y + at.z)) {
          box.expandByPoint(at);
        }
      }
    }
    moments.push({ time: recording.time[row], box });
  }
  return moments;
}

// Constraints to the ground hang somewhere: show where.
function addAnchors(box, recording) {
  for (const { b, anchor_b } of recording.info.constraints ?? []) {
    const body = recording.bodies.find((other) => other.name === b);
    if (body?.kind === "fixed") {
      const [w, x, y, z] = body.orientation;
      const at = new THREE.Vector3(...anchor_b).applyQuaternion(new THREE.Quaternion(x, y, z, w));
      box.expandByPoint(at.add(new THREE.Vector3(...body.position)));
    }
  }
}

// Fixed bodies of about the same size belong in the picture, a landscape does not.
function addStill(box, track, corners) {
  const own = new THREE.Box3().setFromPoints(corners.map((c) => c.clone().applyMatrix4(track.object.matrix)));
  const size = box.getSize(new THREE.Vector3()).length();
  if (own.getSize(new THREE.Vector3()).length() < 2 * size && box.distanceToPoint(own.getCenter(new THREE.Vector3())) < 1.5 * size) {
    box.union(own);
  }
}

// null, or the box about the middle and the way of the middle.
function findPath(moments, whole) {
  const own = new THREE.Box3();
  const middles = moments.map(({ box }) => (box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3())));
  moments.forEach(({ box }, i) => own.union(box.clone().translate(middles[i].clone().negate())));
  if (moments.length < 2 || whole.getSize(new THREE.Vector3()).length() < 3 * own.getSize(new THREE.Vector3()).length()) {
    return null;
  }
  own.expandByScalar(0.12 * own.getSize(new THREE.Vector3()).length()); // room to see where it goes
  return { box: own.translate(middles[0]), at: smoothPath(moments.map((m) => m.time), middles) };
}

// The middle at a time, smoothed over a fortieth of the run so that the camera does not shake.
function smoothPath(times, middles) {
  const wide = Math.max(1, Math.round(middles.length / 40));
  const smooth = middles.map((_, i) => {
    const near = middles.slice(Math.max(0, i - wide), i + wide + 1);
    return near.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(near.length);
  });
  return (t) => {
    let i = times.findIndex((at) => at > t);
    i = i < 0 ? times.length - 1 : Math.max(1, i);
    const part = Math.min(1, Math.max(0, (t - times[i - 1]) / (times[i] - times[i - 1] || 1)));
    return smooth[i - 1].clone().lerp(smooth[i], part);
  };
}

// Camera distance from which the box is seen whole: the largest that one of its corners needs.
export function distanceToSee(box, centre, towards, up, camera) {
  const right = up.clone().cross(towards).normalize();
  const above = towards.clone().cross(right);
  const slope = Math.tan((camera.fov * Math.PI) / 360) / 1.12;
  let far = 0;
  for (let k = 0; k < 8; k++) {
    const corner = new THREE.Vector3(
      k & 1 ? box.max.x : box.min.x,
      k & 2 ? box.max.y : box.min.y,
      k & 4 ? box.max.z : box.min.z,
    ).sub(centre);
    const half = Math.max(Math.abs(corner.dot(above)), Math.abs(corner.dot(right)) / camera.aspect);
    far = Math.max(far, half / slope + corner.dot(towards));
  }
  return far;
}

const other = new THREE.Quaternion();

// A body between two rows.
export function poseTrack({ position, orientation, object }, row, next, part) {
  if (!position && !orientation) {
    return;
  }
  if (position) {
    const [x, y, z] = position;
    object.position.set(x[row] + part * (x[next] - x[row]), y[row] + part * (y[next] - y[row]), z[row] + part * (z[next] - z[row]));
  }
  if (orientation) {
    const [w, x, y, z] = orientation;
    object.quaternion.set(x[row], y[row], z[row], w[row]);
    if (part > 0) {
      object.quaternion.slerp(other.set(x[next], y[next], z[next], w[next]), part);
    }
  }
  object.updateMatrix();
}
