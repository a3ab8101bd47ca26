// The 3-D scene of a recording: bodies, ground, light, camera, trails and contacts.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Contacts } from "./contacts.js";
import { distanceToSee, findFrame, poseTrack } from "./framing.js";
import { Ground, sky, tiltOf } from "./ground.js";
import { niceStep } from "./numbers.js";
import { addBones, addStruts, Constraints } from "./skeleton.js";
import { poseMatrix, reach, rgbColour, Solids } from "./solids.js";
import { bodyColours, theme } from "./theme.js";

const PARTS = ["w", "x", "y", "z"];
const UP = new THREE.Vector3(0, 0, 1);

// From where the first view looks at the middle.
const TOWARDS = [0.62, -1, 0.36];

export class Stage {
  // others: recordings that are shown as ghosts, [{recording}].
  constructor(canvas, recording, others = []) {
    this.recording = recording;
    this.others = others.map((other) => other.recording);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.copy(UP);
    this.controls = new OrbitControls(this.camera, canvas);
    this.solids = new Solids();
    this.tracks = recording.bodies.map((info) => this.track(info));
    this.frame = findFrame(this.tracks, recording);
    this.cell = niceStep(this.frame.size / 12);
    this.poses = new Map(this.tracks.map((t) => [t.info.name, t.object]));
    this.fill();
    this.contacts = new Contacts(recording, this.frame.size, this.tracks);
    this.scene.add(this.contacts.group);
    this.followed = null;
    this.light();
    this.setFine(!isSoftware(this.renderer));
    this.paint();
    this.home();
  }

  // ---- making ------------------------------------------------------------------------

  track(info, recording = this.recording) {
    const position = positionOf(info, recording);
    const orientation = recording.vector(`body.${info.name}.orientation.`, PARTS);
    const object = new THREE.Object3D();
    object.matrix.copy(poseMatrix(info.position, info.orientation));
    object.matrix.decompose(object.position, object.quaternion, object.scale);
    return { info, position, orientation, object, faint: info.kind !== "fixed" && !position };
  }

  fill() {
    assignColours(this.tracks);
    this.moveBodies(this.recording.start);
    this.tracks.forEach((track) => this.addBody(track));
    this.addGhosts();
    addBones(this.solids, this.tracks);
    this.tracks.forEach((track) => addStruts(this.solids, track));
    this.constraints = new Constraints(this.recording, this.poses, this.frame.size);
    this.grounds = this.tracks.flatMap((track) =>
      track.info.shapes
        .filter((s) => s.kind === "half-space")
        .map((shape) => new Ground(track, shape, this.frame.size, this.cell)),
    );
    this.solids.finish();
    this.scene.add(this.solids.group, this.constraints.group, ...this.grounds.map((g) => g.group));
    this.grounds.forEach((g) => this.shapeGround(g));
    this.tracks.forEach((track) => this.addTrail(track));
  }

  // A robot's link looks as its visuals say, and one without any is not seen if other links have some; the
  // shapes are then a layer that is hidden at first.
  addBody(track) {
    const { info } = track;
    const look = { colour: track.colour, opacity: track.faint ? 0.3 : 1, patterned: info.robot === undefined };
    const visuals = info.visuals ?? [];
    for (const visual of visuals) {
      const own = visual.rgba ? { colour: rgbColour(visual.rgba), opacity: visual.rgba[3] || 1, given: true } : {};
      const as = { ...look, ...own, layer: "visuals" };
      if (visual.kind === "mesh") {
        this.solids.addMesh(track.object, visual, this.recording.meshes[visual.mesh], as);
      } else {
        this.solids.addShape(track.object, visual, as);
      }
    }
    this.hasVisuals ||= visuals.length > 0;
    const hidden = visuals.length > 0 || (track.dressed && !info.missing);
    for (const shape of info.shapes) {
      this.solids.addShape(track.object, shape, hidden ? { ...look, opacity: 0.35, layer: "shapes", hidden: true } : look);
    }
    const bare = !info.shapes.length && !visuals.length && info.robot === undefined && info.kind !== "fixed";
    if (bare) {
      track.axes = new THREE.AxesHelper(this.frame.size / 10);
      track.axes.matrixAutoUpdate = false;
      this.scene.add(track.axes);
    }
  }

  // Bodies of the other recordings that have a pose there, with the looks of this one's, in one
  // colour for each recording.
  addGhosts() {
    this.ghosts = this.others.map((recording, n) => {
      const colour = new THREE.Color(bodyColours.at(this.tracks.length + n + 1));
      const infinite = (info) => info.shapes.some((s) => s.kind === "half-space");
      const tracks = this.recording.bodies
        .filter((info) => info.kind !== "fixed" && !infinite(info) && recording.vector(`body.${info.name}.position.`))
        .map((info) => this.track(info, recording));
      for (const { info, object } of tracks) {
        const shapes = info.visuals?.length ? info.visuals : info.shapes;
        for (const shape of shapes) {
          const look = { colour, opacity: 0.35, layer: "ghosts" };
          if (shape.kind === "mesh") {
            this.solids.addMesh(object, shape, this.recording.meshes[shape.mesh], { ...look, given: true });
          } else {
            this.solids.addShape(object, shape, look);
          }
        }
      }
      return { recording, tracks };
    });
  }

  showGhosts(on) {
    this.solids.showLayer("ghosts", on);
    this.solids.update();
  }

  shapeGround(ground) {
    ground.update(this.frame.centre);
    const tilt = tiltOf(ground.normal);
    if (!ground.moves && tilt > 0.2 && tilt < 60) {
      const { whole } = this.frame;
      ground.makeSlope(whole.getCenter(new THREE.Vector3()), 1.25 * Math.max(whole.getSize(new THREE.Vector3()).length(), this.frame.size));
      this.tilt = Math.max(this.tilt ?? 0, tilt);
    }
  }

  // Trail of a body's origin, of robots their root's only; its visible part depends on the time.
  addTrail(track) {
    const { info, position } = track;
    const many = this.tracks.length > 60;
    if (!position || info.kind === "fixed" || info.parent !== undefined || many || info.shapes.some((s) => s.kind === "half-space")) {
      return;
    }
    const points = new Float32Array(3 * position[0].length);
    for (let i = 0; i < position[0].length; i++) {
      points.set([position[0][i], position[1][i], position[2][i]], 3 * i);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    track.trail = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: track.colour, transparent: true, opacity: 0.7 }));
    track.trail.frustumCulled = false;
    this.scene.add(track.trail);
  }

  // A sun from above the camera's left that casts the shadows, and soft light from everywhere.
  light() {
    this.sun = new THREE.DirectionalLight(0xffffff, 2.0);
    this.sun.castShadow = true;
    const fill = new THREE.DirectionalLight(0xdfe8ff, 0.9);
    fill.position.set(-0.4, -1, 0.5);
    this.hemisphere = new THREE.HemisphereLight(0xffffff, 0xb9b6b0, 1.35);
    this.scene.add(this.sun, this.sun.target, fill, this.hemisphere);
    const { size } = this.frame;
    const far = 0.75 * size;
    Object.assign(this.sun.shadow.camera, { left: -far, right: far, top: far, bottom: -far, near: 0.1 * size, far: 5 * size });
    this.sun.shadow.normalBias = 0.0015 * size;
    this.sun.shadow.bias = -0.0004;
  }

  // Fine shadows; coarse ones where the processor draws, except in pictures that are saved.
  setFine(fine) {
    const { shadow } = this.sun;
    shadow.mapSize.setScalar(fine ? 2048 : 512);
    shadow.radius = fine ? 5 : 2;
    shadow.map?.dispose();
    shadow.map = null;
    this.renderer.shadowMap.type = fine ? THREE.PCFSoftShadowMap : THREE.PCFShadowMap;
    this.renderer.shadowMap.needsUpdate = true;
    this.fine = fine;
  }

  paint() {
    this.scene.background = sky();
    this.hemisphere.intensity = theme.name === "dark" ? 1.05 : 1.35;
    this.grounds.forEach((g) => g.paint());
  }

  // ---- another run of the same bodies ----------------------------------------------------

  // The recording has other samples; while it grows, trails wait.
  reload(growing = false) {
    const { recording } = this;
    for (const track of this.tracks) {
      track.position = positionOf(track.info, recording);
      track.orientation = recording.vector(`body.${track.info.name}.orientation.`, PARTS);
      track.trail?.removeFromParent();
      track.trail?.geometry.dispose();
      track.trail = undefined;
    }
    if (!growing) {
      this.moveBodies(recording.start);
      this.frame.path = findFrame(this.tracks, recording).path;
      this.tracks.forEach((track) => this.addTrail(track));
      this.follow(this.followedName);
    }
    this.contacts.read(growing);
  }

  // What the pointer is on, at -1 .. 1 across the view: {track, point in the body, in the world}.
  pick(x, y) {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const [hit] = this.solids.hits(ray);
    const track = hit && this.tracks.find((t) => t.object === hit.object);
    if (!track || track.info.kind === "fixed" || !track.position) {
      return null;
    }
    const local = hit.point.clone().applyMatrix4(track.object.matrix.clone().invert());
    return { track, local, point: hit.point };
  }

  // The point under the pointer in the plane through `point` that faces the camera.
  dragTo(x, y, point) {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    const facing = this.camera.getWorldDirection(new THREE.Vector3());
    return ray.ray.intersectPlane(new THREE.Plane().setFromNormalAndCoplanarPoint(facing, point), new THREE.Vector3()) ?? point;
  }

  // The line from a body to the pointer; null: none.
  showPull(from, to) {
    this.pullLine ??= new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xd55e00, depthTest: false }));
    this.pullLine.frustumCulled = false;
    this.pullLine.visible = Boolean(from);
    if (from) {
      this.pullLine.geometry.setFromPoints([from, to]);
      this.scene.add(this.pullLine);
    }
  }

  // ---- camera ---------------------------------------------------------------------------

  get views() {
    return this.recording.info.views ?? [];
  }

  // The first view, or one that the scene names.
  home(view = this.views[0] ?? {}) {
    const { box, path } = this.frame;
    const now = this.time ?? this.recording.start;
    const towards = new THREE.Vector3(...(view.from ?? TOWARDS)).normalize();
    const centre = view.at ? new THREE.Vector3(...view.at) : path ? path(now) : this.frame.centre.clone();
    const up = Math.abs(towards.z) > 0.99 ? new THREE.Vector3(0, 1, 0) : UP;
    const around = box.clone().translate(centre.clone().sub(this.frame.centre));
    let far = distanceToSee(around, centre, towards, up, this.camera);
    if (view.width > 0) {
      far = view.width / (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.aspect);
    }
    this.camera.position.copy(centre).addScaledVector(towards, far);
    this.camera.near = far / 200;
    this.camera.far = far * 60;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.follow(view.follow || (path && !view.at ? "*" : null));
    this.controls.update();
  }

  // A body or robot by name, "*" for what moves as a whole, null for none.
  follow(name) {
    const track = this.tracks.find((t) => t.info.name === name || (t.info.robot === name && t.info.parent === undefined));
    this.followedName = name === "*" && this.frame.path ? "*" : (track?.info.name ?? null);
    this.followed = this.followedName === "*" ? () => this.frame.path(this.time ?? 0) : track ? () => track.object.position.clone() : null;
    this.last = this.followed?.() ?? null;
  }

  // Camera and target go where the followed body went.
  carry() {
    if (this.followed) {
      const now = this.followed();
      const moved = now.clone().sub(this.last);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.last = now;
    }
  }

  // ---- time --------------------------------------------------------------------------------

  // Bodies at time t: as recorded at a sample, between two of them interpolated.
  moveBodies(t) {
    const [row, next, part] = between(this.recording, t);
    for (const ghost of this.ghosts ?? []) {
      const at = between(ghost.recording, t);
      ghost.tracks.forEach((track) => poseTrack(track, ...at));
    }
    for (const track of this.tracks) {
      poseTrack(track, row, next, part);
      track.trail?.geometry.setDrawRange(0, row + 1);
      track.axes?.matrix.copy(track.object.matrix);
    }
    return part > 0.5 ? next : row;
  }

  setTime(t) {
    this.time = t;
    const row = this.moveBodies(t);
    this.carry();
    this.solids.update();
    this.constraints.update();
    this.active = this.contacts.update(row, this.camera, this.poses);
    return this.active;
  }

  setTrails(on) {
    for (const { trail } of this.tracks) {
      if (trail) {
        trail.visible = on;
      }
    }
  }

  // Collision shapes instead of visuals.
  showShapes(on) {
    this.solids.showLayer("shapes", on);
    this.solids.showLayer("visuals", !on);
    this.solids.update();
  }

  resize(width, height) {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  // Gives the graphics memory back; nothing can be drawn afterwards.
  dispose() {
    this.gone = true;
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  render() {
    if (this.gone) {
      return;
    }
    const { target } = this.controls;
    this.grounds.forEach((g) => g.update(target));
    const { size } = this.frame;
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).add(new THREE.Vector3(0.7 * size, -0.9 * size, 2 * size));
    this.renderer.render(this.scene, this.camera);
  }
}

// Rows before and after a time, and how far it is between them.
function between(recording, t) {
  const row = recording.rowAt(t);
  const next = Math.min(row + 1, recording.rows - 1);
  const span = recording.time[next] - recording.time[row];
  return [row, next, span > 0 ? Math.min(1, Math.max(0, (t - recording.time[row]) / span)) : 0];
}

// Recorded positions of a body; what is not recorded of them is as at the start. null: nothing is.
function positionOf(info, recording) {
  const parts = ["x", "y", "z"].map((axis) => recording.get(`body.${info.name}.position.${axis}`));
  if (!parts.some(Boolean)) {
    return null;
  }
  return parts.map((part, i) => part ?? new Float64Array(recording.rows).fill(info.position[i]));
}

function isSoftware(renderer) {
  const gl = renderer.getContext();
  const known = gl.getExtension("WEBGL_debug_renderer_info");
  return known !== null && /swiftshader|llvmpipe|software/i.test(gl.getParameter(known.UNMASKED_RENDERER_WEBGL));
}

// One colour for each robot and each free body, unless the scene names one; what does not move is
// grey.
function assignColours(tracks) {
  let used = 0;
  const robots = new Map();
  for (const track of tracks) {
    const { info } = track;
    const own = info.colour ? bodyColours.named(info.colour) : null;
    if (own) {
      track.colour = new THREE.Color(own);
    } else if (info.kind === "fixed" || info.shapes.some((s) => s.kind === "half-space")) {
      track.colour = new THREE.Color(bodyColours.still);
    } else if (info.robot !== undefined) {
      robots.set(info.robot, robots.get(info.robot) ?? bodyColours.at(used++));
      track.colour = new THREE.Color(robots.get(info.robot));
    } else {
      track.colour = new THREE.Color(bodyColours.at(used++));
    }
    track.dark = track.colour.clone().lerp(new THREE.Color(0x3a3f46), 0.75);
  }
  const dressed = new Set(tracks.filter((t) => t.info.visuals?.length).map((t) => t.info.robot));
  for (const track of tracks) {
    track.dressed = track.info.robot !== undefined && dressed.has(track.info.robot);
    track.robotSize = robotSize(tracks, track.info.robot);
  }
}

// The size of a robot at the start, for the thickness of its bones.
function robotSize(tracks, robot) {
  const box = new THREE.Box3();
  for (const { info, position } of tracks.filter((t) => robot !== undefined && t.info.robot === robot)) {
    if (position) {
      const room = Math.max(0, ...info.shapes.map(reach));
      const at = new THREE.Vector3(...position.map((p) => p[0]));
      box.expandByPoint(at.clone().addScalar(room)).expandByPoint(at.addScalar(-room));
    }
  }
  return box.isEmpty() ? 0.1 : box.getSize(new THREE.Vector3()).length();
}
