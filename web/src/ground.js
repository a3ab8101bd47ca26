// Half-spaces: a floor that fades into the distance, a slope as a wedge, a belt whose bands run.

import * as THREE from "three";
import { theme } from "./theme.js";

const SHADES = {
  light: { ground: 0xe9ebee, line: 0xbfc6cd, band: 0xd5dade, sky: 0xffffff },
  dark: { ground: 0x23282e, line: 0x414952, band: 0x2b3138, sky: 0x16191d },
};
export const sky = () => new THREE.Color(SHADES[theme.name].sky);

// One surface. It lies where the camera looks, and its grid moves with the body it belongs to.
export class Ground {
  constructor(track, shape, size, cell) {
    this.track = track;
    this.size = size;
    const { position, orientation } = shape;
    this.local = new THREE.Matrix4().compose(
      new THREE.Vector3(...position),
      new THREE.Quaternion(orientation[1], orientation[2], orientation[3], orientation[0]),
      new THREE.Vector3(1, 1, 1),
    );
    this.moves = track.info.kind === "prescribed";
    this.uniforms = {
      cell: { value: cell },
      origin: { value: new THREE.Vector2() },
      reach: { value: 6 * size },
      banded: { value: this.moves ? 1 : 0 },
      lineColour: { value: new THREE.Color() },
      bandColour: { value: new THREE.Color() },
      skyColour: { value: new THREE.Color() },
    };
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), this.material());
    this.mesh.receiveShadow = true;
    this.mesh.matrixAutoUpdate = false;
    this.mesh.renderOrder = -1;
    this.group = new THREE.Group();
    this.group.add(this.mesh);
    this.frame = new THREE.Matrix4();
    this.paint();
  }

  // A standard surface with lines drawn by the fragment shader: fine ones, and every tenth stronger.
  material() {
    const material = new THREE.MeshStandardMaterial({
      roughness: 0.95,
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 2,
    });
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec2 vHere;")
        .replace("#include <begin_vertex>", "#include <begin_vertex>\nvHere = position.xy * vec2(length(modelMatrix[0].xyz), length(modelMatrix[1].xyz));");
      shader.fragmentShader = shader.fragmentShader
        .replace(
          "#include <common>",
          `#include <common>
          varying vec2 vHere;
          uniform vec2 origin; uniform float cell, reach, banded;
          uniform vec3 lineColour, bandColour, skyColour;
          float gridLine(float size) {
            vec2 at = (vHere + origin) / size;
            vec2 wide = fwidth(at);
            vec2 off = abs(fract(at - 0.5) - 0.5) / wide;
            return (1.0 - min(min(off.x, off.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(wide.x, wide.y)));
          }`,
        )
        .replace(
          "#include <color_fragment>",
          `#include <color_fragment>
          float far = length(vHere) / reach;
          float band = banded * step(0.5, fract((vHere.x + origin.x) / (4.0 * cell)));
          diffuseColor.rgb = mix(diffuseColor.rgb, bandColour, band);
          diffuseColor.rgb = mix(diffuseColor.rgb, lineColour, 0.6 * gridLine(cell) + 0.4 * gridLine(10.0 * cell));`,
        )
        .replace(
          "#include <dithering_fragment>",
          `gl_FragColor.rgb = mix(gl_FragColor.rgb, skyColour, smoothstep(0.25, 1.0, far));
          #include <dithering_fragment>`,
        );
    };
    return material;
  }

  paint() {
    const shades = SHADES[theme.name];
    this.mesh.material.color.set(shades.ground);
    this.uniforms.lineColour.value.set(shades.line);
    this.uniforms.bandColour.value.set(shades.band);
    // Mixed in after the conversion to the screen's colours.
    this.uniforms.skyColour.value.set(shades.sky).convertLinearToSRGB();
    this.wedge?.material.color.set(shades.ground).multiplyScalar(0.86);
  }

  get normal() {
    return new THREE.Vector3().setFromMatrixColumn(this.frame, 2);
  }

  // A slope ends at a square around the middle of the run, with sides below it.
  makeSlope(middle, extent) {
    this.middle = middle;
    this.extent = extent;
    this.uniforms.reach.value = 50 * extent;
    this.update(middle);
    const corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(([x, y]) =>
      new THREE.Vector3(x, y, 0).applyMatrix4(this.mesh.matrix),
    );
    const material = new THREE.MeshStandardMaterial({ roughness: 1, side: THREE.DoubleSide });
    this.wedge = new THREE.Mesh(wedgeGeometry(corners), material);
    this.group.add(this.wedge);
    this.paint();
  }

  // Places the surface below the focus.
  update(focus) {
    this.frame.multiplyMatrices(this.track.object.matrix, this.local);
    const here = (this.middle ?? focus).clone().applyMatrix4(this.frame.clone().invert());
    this.uniforms.origin.value.set(here.x, here.y);
    const wide = this.extent ?? 2 * this.uniforms.reach.value;
    this.mesh.matrix
      .copy(this.frame)
      .multiply(new THREE.Matrix4().makeTranslation(here.x, here.y, 0))
      .multiply(new THREE.Matrix4().makeScale(wide, wide, 1));
    this.mesh.matrixWorldNeedsUpdate = true;
  }
}

// The tilt of a surface against the horizontal, degrees.
export function tiltOf(normal) {
  return (Math.acos(Math.min(1, Math.abs(normal.z))) * 180) / Math.PI;
}

// Body of a slope: vertical sides from the edges of its surface down to a level below it, so that
// its inclination is seen against the horizontal.
function wedgeGeometry(corners) {
  const low = Math.min(...corners.map((c) => c.z)) - 0.02 * corners[0].distanceTo(corners[2]);
  const points = [];
  for (let i = 0; i < 4; i++) {
    const [a, b] = [corners[i], corners[(i + 1) % 4]];
    const [c, d] = [a.clone().setZ(low), b.clone().setZ(low)];
    points.push(...[c, d, b, c, b, a].flatMap((p) => p.toArray()));
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.computeVertexNormals();
  return geometry;
}
