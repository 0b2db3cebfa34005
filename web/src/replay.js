// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// The scene in three dimensions at the time of the clock: bodies, ground, contact forces and friction cones.

import * as THREE from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import * as colours from './colours.js';
import {directions, visiblePart} from './ground.js';
import {distinct} from './palette.js';
import {place} from './run.js';

const up = new THREE.Vector3(0, 1, 0);  // axis of the cones and cylinders of three.js

/** The box around everything that moves, and the sizes of the largest and the smallest body. */
function extent(run) {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const size = new Float64Array(run.bodies.length);
    for (const [body, x, y, z, r] of run.spheres) size[body] = Math.max(size[body], Math.hypot(x, y, z) + r);
    for (const [body, ...edges] of run.boxes) size[body] = Math.max(size[body], Math.hypot(...edges) / 2);
    for (const {body, anchor, other, other_anchor: otherAnchor} of run.joints) {
        if (body >= 0) size[body] = Math.max(size[body], Math.hypot(...anchor));
        size[other] = Math.max(size[other], Math.hypot(...otherAnchor));
    }
    run.bodies.forEach((_, body) => {
        run.vector('bodies', body, ['x', 'y', 'z']).forEach((column, axis) => {
            for (const value of column) {
                low[axis] = Math.min(low[axis], value - size[body]);
                high[axis] = Math.max(high[axis], value + size[body]);
            }
        });
    });
    return {low, high, largest: Math.max(...size)};
}

/** The largest number of the form 1, 2 or 5 times a power of ten that does not exceed the value. */
function nice(value) {
    const power = 10 ** Math.floor(Math.log10(value)), digit = value / power;
    return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** A sphere with eight patches of two tones, so that its rotation is visible. */
function ballGeometry(cuts) {
    const patches = [];
    for (let i = 0; i < 8; i++) {
        const patch = new THREE.SphereGeometry(1, cuts, cuts, (i >> 1) * Math.PI / 2, Math.PI / 2, (i & 1) * Math.PI / 2, Math.PI / 2);
        const tone = ((i >> 1) + i) & 1 ? 0.62 : 1;
        patch.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * patch.attributes.position.count).fill(tone), 3));
        patches.push(patch);
    }
    return mergeGeometries(patches);
}

/** Whether WebGL is rendered in software. */
function drawnBySoftware() {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) throw new Error('there is no WebGL 2');
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    const slow = Boolean(info) && /swiftshader|llvmpipe|software/i.test(gl.getParameter(info.UNMASKED_RENDERER_WEBGL));
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return slow;
}

/** The points of a path that are needed to draw it with an error of at most `off` (Ramer 1972, Douglas and Peucker
 * 1973). */
function simplified(points, off) {
    const kept = [0], last = points.length - 1, stack = [[0, last]], a = new THREE.Vector3(), line = new THREE.Line3(), inside = [];
    while (stack.length > 0) {
        const [from, to] = stack.pop();
        let most = off, at = -1;
        line.set(points[from], points[to]);
        for (let i = from + 1; i < to; i++) {
            const by = line.closestPointToPoint(points[i], true, a).distanceTo(points[i]);
            if (by > most) [most, at] = [by, i];
        }
        if (at > 0) {
            inside.push(at);
            stack.push([from, at], [at, to]);
        }
    }
    return [...kept, ...inside.sort((i, j) => i - j), last].map(i => points[i]);
}

/** A repeating texture of squares with thin borders. */
function gridTexture(ground, line, fine) {
    const canvas = document.createElement('canvas'), size = 128;
    canvas.width = canvas.height = size;
    const ctx = canvas.getContext('2d');
    ctx.fillStyle = ground;
    ctx.fillRect(0, 0, size, size);
    ctx.strokeStyle = line;
    ctx.lineWidth = 2;
    ctx.strokeRect(0, 0, size, size);
    const texture = new THREE.CanvasTexture(canvas);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.anisotropy = fine ? 8 : 1;
    texture.colorSpace = THREE.SRGBColorSpace;
    return texture;
}

export class Replay {
    /** Throws if there is no WebGL. */
    constructor(run, clock, frame) {
        this.run = run;
        this.clock = clock;
        this.frame = frame;
        this.show = {forces: true, cones: true, paths: run.bodies.length <= distinct, follow: false};
        this.frames = 0;
        // software rendering is coarse while something moves and fine at rest
        this.slow = drawnBySoftware();
        this.ratio = Math.min(devicePixelRatio || 1, 2);
        this.renderer = new THREE.WebGLRenderer({antialias: !this.slow, preserveDrawingBuffer: true});
        this.renderer.setPixelRatio(this.ratio);
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.autoUpdate = !this.slow;
        frame.append(this.renderer.domElement);
        this.measure();
        this.build();
        this.camera = new THREE.PerspectiveCamera(35, 1, this.reach / 500, this.reach * 50);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, this.renderer.domElement);
        this.controls.enableDamping = false;
        // the wheel scrolls the page; with ctrl, or by pinching, it zooms
        this.controls.enableZoom = false;
        this.renderer.domElement.addEventListener('wheel', event => {
            if (!event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            this.nearer(Math.exp(event.deltaY / 300));
        }, {passive: false});
        this.renderer.domElement.style.touchAction = 'pan-y pinch-zoom';
        this.aim();
        this.controls.addEventListener('change', () => this.ask());
        clock.listen(() => this.ask());
        colours.onScheme(() => this.paint());
        new ResizeObserver(() => this.fit()).observe(frame);
        this.paint();
        this.fit();
    }

    measure() {
        const {low, high, largest} = extent(this.run);
        const span = Math.hypot(...high.map((value, i) => value - low[i])) || 1;
        // nearby ground is part of the scene
        for (const plane of this.run.planes) {
            const n = plane.normal, level = n.reduce((sum, value, i) => sum + value * plane.point[i], 0);
            const corner = n.map((value, i) => (value > 0 ? low[i] : high[i]));
            const above = n.reduce((sum, value, i) => sum + value * corner[i], 0) - level;
            if (above > 0 && above < span) {
                n.forEach((value, i) => {
                    low[i] = Math.min(low[i], corner[i] - above * value);
                    high[i] = Math.max(high[i], corner[i] - above * value);
                });
            }
        }
        this.size = largest > 0 ? largest : span / 40;
        this.middle = new THREE.Vector3(...low.map((value, i) => (value + high[i]) / 2));
        this.span = Math.hypot(...high.map((value, i) => value - low[i])) || 1;
        // a small object that moves far is followed
        this.show.follow = this.run.bodies.length <= 3 && this.span > 40 * this.size;
        this.reach = this.show.follow ? 20 * this.size : Math.max(this.span / 2, 2 * this.size);
        const margin = Math.max(0.12 * this.span, 2 * this.size);
        this.box = [low.map((value, i) => value - (i < 2 ? margin : 0.01 * margin)), high.map((value, i) => value + (i < 2 ? margin : 0))];
        this.strongest = 0;
        for (let i = 0; i < this.run.contacts.length; i++) {
            const [x, y, z] = this.run.vector('contacts', i, ['fx', 'fy', 'fz']);
            for (let row = 0; row < x.length; row++) this.strongest = Math.max(this.strongest, x[row] ** 2 + y[row] ** 2 + z[row] ** 2);
        }
        this.strongest = Math.sqrt(this.strongest);
        // a crowd has no individual contacts: bodies are coloured by their normal force
        this.loads = this.run.bodies.map((_, body) => this.run.column('bodies', body, 'normal_force'));
        this.pressed = this.loads[0] !== undefined;
        for (const load of this.pressed ? this.loads : []) {
            for (const value of load) this.strongest = Math.max(this.strongest, value);
        }
        this.cell = nice(this.reach / 4);
        this.thick = this.reach / 110;
        this.dust = this.reach / 50;  // radius at which point masses are drawn
        // bodies without a shape are drawn as points at their centres of mass
        const shaped = new Set([...this.run.spheres, ...this.run.boxes].map(([body]) => body));
        this.spheres = [...this.run.spheres, ...this.run.bodies.map((_, body) => [body, 0, 0, 0, 0]).filter(([body]) => !shaped.has(body))];
    }

    build() {
        const {run} = this;
        this.world = new THREE.Scene();
        this.sky = new THREE.HemisphereLight(0xffffff, 0xb0aca4, 1.5);
        this.sky.position.set(0, 0, 1);
        this.sun = new THREE.DirectionalLight(0xffffff, 1.7);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(1024, 1024);
        this.sun.shadow.bias = -0.0005;
        this.world.add(this.sky, this.sun, this.sun.target);

        const many = run.bodies.length > 100;
        this.balls = new THREE.InstancedMesh(ballGeometry(many ? 3 : this.slow ? 6 : 10), new THREE.MeshLambertMaterial({vertexColors: true}), Math.max(this.spheres.length, 1));
        this.balls.count = this.spheres.length;
        this.blocks = new THREE.InstancedMesh(new THREE.BoxGeometry(1, 1, 1), new THREE.MeshLambertMaterial(), Math.max(run.boxes.length, 1));
        this.blocks.count = run.boxes.length;
        for (const mesh of [this.balls, this.blocks]) {
            mesh.castShadow = true;
            mesh.receiveShadow = !many;
            mesh.frustumCulled = false;
            this.world.add(mesh);
        }

        this.grounds = run.planes.map(plane => this.ground(plane)).filter(Boolean);
        this.paths = this.pathLines();
        this.world.add(this.paths);

        // forces would be hidden inside of bodies: they are drawn on top
        const overlay = {transparent: true, depthTest: false, depthWrite: false};
        const contacts = Math.max(run.contacts.length, 1);
        const shaft = new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), tip = new THREE.ConeGeometry(1, 1, 20).translate(0, 0.5, 0);
        this.shafts = new THREE.InstancedMesh(shaft, new THREE.MeshBasicMaterial(overlay), contacts);
        this.tips = new THREE.InstancedMesh(tip, new THREE.MeshBasicMaterial(overlay), contacts);
        const cone = new THREE.ConeGeometry(1, 1, 40, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);
        this.cones = new THREE.InstancedMesh(cone, new THREE.MeshBasicMaterial({...overlay, opacity: 0.2, side: THREE.DoubleSide}), contacts);
        this.cones.renderOrder = 1;
        this.shafts.renderOrder = this.tips.renderOrder = 2;
        for (const mesh of [this.cones, this.shafts, this.tips]) {
            mesh.frustumCulled = false;
            mesh.setColorAt(0, new THREE.Color());
            this.world.add(mesh);
        }

        // spheres away from the centre of mass are connected to it by rods
        this.rods = run.spheres.filter(([, x, y, z, r]) => Math.hypot(x, y, z) > r).map(([body, x, y, z]) => ({body, center: [x, y, z]}));
        const rod = new THREE.CylinderGeometry(1, 1, 1, 10, 1, true).translate(0, 0.5, 0), pin = new THREE.SphereGeometry(1, 12, 8);
        this.rails = this.railsOf();
        const links = this.rods.length + run.springs.length + 2 * run.joints.length + this.rails.length;
        this.links = new THREE.InstancedMesh(rod, new THREE.MeshLambertMaterial(), Math.max(links, 1));
        this.pins = new THREE.InstancedMesh(pin, new THREE.MeshLambertMaterial(), Math.max(run.joints.length, 1));
        this.sliders = new THREE.InstancedMesh(new THREE.BoxGeometry(1, 1, 1), new THREE.MeshLambertMaterial(), Math.max(this.rails.length, 1));
        for (const mesh of [this.links, this.pins, this.sliders]) {
            mesh.castShadow = true;
            mesh.frustumCulled = false;
            this.world.add(mesh);
        }
    }

    /** Joints whose bodies slide along an axis, with the ends of the rail as far as it is used in the run. */
    railsOf() {
        const {run} = this;
        return run.joints.flatMap(({joint_kind: kind, name, axis}, joint) => {
            // traces of older versions do not contain the axis
            if (!axis || !['prismatic', 'cylindrical'].includes(kind)) return [];
            const ways = run.jointColumns.find(column => column.joint === name && column.name === 'distance').values;
            const margin = 4 * this.thick;
            return [{joint, low: ways.reduce((a, b) => Math.min(a, b), 0) - margin, high: ways.reduce((a, b) => Math.max(a, b), 0) + margin}];
        });
    }

    ground(plane) {
        const polygon = visiblePart(plane, this.run.planes, this.box);
        if (polygon.length < 3) return null;
        const [u, v] = directions(plane.normal), along = (p, d) => p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(polygon.flat()), 3));
        geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(polygon.flatMap(() => plane.normal)), 3));
        geometry.setAttribute('uv', new THREE.BufferAttribute(new Float32Array(
            polygon.flatMap(p => [along(p, u) / this.cell, along(p, v) / this.cell])), 2));
        const corners = [];
        for (let i = 1; i + 1 < polygon.length; i++) corners.push(0, i, i + 1);
        geometry.setIndex(corners);
        // visible from above only, so that a plane does not hide the scene
        const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({side: THREE.FrontSide}));
        mesh.receiveShadow = true;
        this.world.add(mesh);
        return {mesh, plane, u, v};
    }

    pathLines() {
        const group = new THREE.Group(), {run} = this, step = Math.ceil(run.rows / 2000);
        if (run.bodies.length > distinct) return group;
        run.bodies.forEach((_, body) => {
            const [x, y, z] = run.vector('bodies', body, ['x', 'y', 'z']), points = [];
            for (let row = 0; row < run.rows; row += step) points.push(new THREE.Vector3(x[row], y[row], z[row]));
            const geometry = new THREE.BufferGeometry().setFromPoints(simplified(points, this.reach / 1000));
            group.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({transparent: true, opacity: 0.8})));
        });
        return group;
    }

    /** Applies the colours of the current colour scheme. */
    paint() {
        const ground = colours.css('--ground'), line = colours.css('--ground-line');
        this.texture?.dispose();
        this.texture = gridTexture(ground, line, !this.slow);
        this.world.background = new THREE.Color(colours.css('--stage'));
        for (const {mesh} of this.grounds) {
            // a moving belt has its own copy of the texture
            mesh.material.map = this.texture.clone();
            mesh.material.needsUpdate = true;
        }
        const tone = new THREE.Color(), many = this.run.bodies.length > distinct;
        const of = body => tone.set(many ? ['#7fa9c4', '#a9c3d3', '#5d8dac', '#c9d6de'][body % 4] : colours.line(body));
        this.spheres.forEach(([body], i) => this.balls.setColorAt(i, of(body)));
        this.run.boxes.forEach(([body], i) => this.blocks.setColorAt(i, of(body)));
        if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
        if (this.blocks.instanceColor) this.blocks.instanceColor.needsUpdate = true;
        this.paths.children.forEach((path, body) => path.material.color.set(colours.line(body)));
        this.links.material.color.set(colours.css('--quiet'));
        this.pins.material.color.set(colours.css('--text'));
        this.sliders.material.color.set(colours.css('--text'));
        this.ask();
    }

    /** Places the camera so that the whole scene is visible. */
    aim() {
        const {run} = this, {follow} = this.show, z = new THREE.Vector3(0, 0, 1);
        const target = follow ? this.centre(place(run.times, this.clock.time)) : this.middle;
        // perpendicular to the direction of motion, slightly rotated and from above
        const along = this.centre({row: run.rows - 1, part: 0}).sub(this.centre({row: 0, part: 0})).setZ(0);
        const side = along.length() > 0.2 * this.span ? along.normalize() : new THREE.Vector3(1, 0, 0);
        const away = side.cross(z).applyAxisAngle(z, 0.4).setZ(0.42).normalize();
        const right = new THREE.Vector3().crossVectors(z, away).normalize();
        const above = new THREE.Vector3().crossVectors(away, right);
        // everything that moves must be inside of the frame, with a small margin
        const tall = 0.88 * Math.tan(this.camera.fov * Math.PI / 360), wide = tall * this.camera.aspect;
        let distance = follow ? this.reach / tall : 0;
        const rows = follow ? 0 : Math.ceil(run.rows / 200), bodies = Math.ceil(run.bodies.length / 200);
        for (let row = 0; rows && row < run.rows; row += rows) {
            for (let body = 0; body < run.bodies.length; body += bodies) {
                const p = new THREE.Vector3(...run.pose(body, {row, part: 0}).p).sub(target), near = p.dot(away) + this.size;
                distance = Math.max(distance, (Math.abs(p.dot(right)) + this.size) / wide + near,
                    (Math.abs(p.dot(above)) + this.size) / tall + near);
            }
        }
        distance = Math.max(distance, 4 * this.size / tall);
        this.controls.target.copy(target);
        this.camera.position.copy(target).addScaledVector(away, distance);
        this.controls.update();
    }

    nearer(factor) {
        const away = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
        const length = Math.min(Math.max(away.length(), this.reach / 50), this.reach * 20);
        this.camera.position.copy(this.controls.target).add(away.setLength(length));
        this.controls.update();
        this.ask();
    }

    centre(when) {
        const sum = new THREE.Vector3(), {run} = this;
        run.bodies.forEach((_, body) => sum.add(new THREE.Vector3(...run.pose(body, when).p)));
        return sum.divideScalar(run.bodies.length || 1);
    }

    fit() {
        const {clientWidth: w, clientHeight: h} = this.frame;
        if (!w || !h) return;
        this.renderer.setSize(w, h);
        this.camera.aspect = w / h;
        this.camera.updateProjectionMatrix();
        if (!this.placed) {
            this.placed = true;
            this.aim();
        }
        this.ask();
    }

    /** Requests one drawing before the next frame. */
    ask() {
        if (this.asked) return;
        this.asked = true;
        requestAnimationFrame(() => {
            this.asked = false;
            this.refine(false);
            this.draw();
            clearTimeout(this.rest);
            if (this.slow) {
                this.rest = setTimeout(() => {
                    if (this.asked || this.clock.playing) return;
                    this.refine(true);
                    this.draw();
                }, 300);
            }
        });
    }

    /** Chooses coarse pixels without shadows, or fine ones with them; this makes a difference only where drawing is
     * slow. A video has the pixels and shadows of a screen. */
    refine(fine) {
        const ratio = this.filmed ? this.ratio : fine ? 2 * this.ratio : 0.66, shadows = fine || Boolean(this.filmed);
        if (!this.slow) return;
        this.renderer.shadowMap.needsUpdate = shadows;
        if (this.drawnAt === ratio) return;
        this.drawnAt = ratio;
        this.sun.castShadow = shadows;
        this.renderer.setPixelRatio(ratio);
    }

    draw() {
        const {run, clock} = this, when = place(run.times, clock.time);
        this.moveBodies(when);
        this.moveGround();
        this.moveForces(when);
        this.moveLinks(when);
        this.paths.visible = this.show.paths;
        // a followed object is kept in the middle of the frame
        if (this.show.follow) {
            const centre = this.centre(when);
            this.camera.position.add(centre).sub(this.controls.target);
            this.controls.target.copy(centre);
            this.camera.lookAt(centre);
        }
        // shadows near the viewed point
        const reach = 1.6 * this.reach, camera = this.sun.shadow.camera;
        this.sun.target.position.copy(this.controls.target);
        this.sun.position.copy(this.controls.target).add(new THREE.Vector3(-0.5, -0.35, 1.2).multiplyScalar(2 * this.reach));
        if (camera.right !== reach) {
            Object.assign(camera, {left: -reach, right: reach, top: reach, bottom: -reach, near: this.reach / 100, far: 6 * this.reach});
            camera.updateProjectionMatrix();
        }
        this.renderer.render(this.world, this.camera);
        this.frames++;
    }

    moveBodies(when) {
        const {run} = this, matrix = new THREE.Matrix4(), p = new THREE.Vector3(), q = new THREE.Quaternion(), s = new THREE.Vector3();
        const poses = run.bodies.map((_, body) => run.pose(body, when));
        this.spheres.forEach(([body, x, y, z, r], i) => {
            const {p: [a, b, c], q: [w, ...v]} = poses[body];
            q.set(...v, w);
            p.set(x, y, z).applyQuaternion(q);
            p.set(p.x + a, p.y + b, p.z + c);
            this.balls.setMatrixAt(i, matrix.compose(p, q, s.setScalar(r > 0 ? r : this.dust)));
        });
        run.boxes.forEach(([body, ...edges], i) => {
            const {p: at, q: [w, ...v]} = poses[body];
            this.blocks.setMatrixAt(i, matrix.compose(p.set(...at), q.set(...v, w), s.set(...edges)));
        });
        this.balls.instanceMatrix.needsUpdate = this.blocks.instanceMatrix.needsUpdate = true;
        if (this.pressed) this.colourLoads(when);
    }

    /** Colours the bodies of a crowd by the square root of their normal force, which also determines the length of
     * arrows. */
    colourLoads({row, part}) {
        const [none, some, most] = colours.palette().load.map(colour => new THREE.Color(colour)), tone = new THREE.Color();
        this.spheres.forEach(([body], i) => {
            const load = this.loads[body], now = part > 0 ? load[row] + (load[row + 1] - load[row]) * part : load[row];
            const size = this.show.forces && this.strongest > 0 ? Math.sqrt(Math.max(now, 0) / this.strongest) : 0;
            tone.lerpColors(size < 0.5 ? none : some, size < 0.5 ? some : most, size < 0.5 ? 2 * size : 2 * size - 1);
            this.balls.setColorAt(i, tone);
        });
        this.balls.instanceColor.needsUpdate = true;
    }

    moveGround() {
        const t = this.clock.time, dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for (const {mesh, plane, u, v} of this.grounds) {
            mesh.position.set(...plane.normal.map(n => n * dot(plane.velocity, plane.normal) * t));
            // motion of a plane along itself is shown by its texture
            const skin = plane.velocity.map((value, i) => value + plane.surface_velocity[i]);
            mesh.material.map?.offset.set(-dot(skin, u) * t / this.cell, -dot(skin, v) * t / this.cell);
        }
    }

    /** Arrows have a length proportional to the square root of the force, and cones the height of its normal
     * component: the force of a slipping contact lies on its cone. */
    moveForces(when) {
        const {run} = this, matrix = new THREE.Matrix4(), q = new THREE.Quaternion(), s = new THREE.Vector3(), p = new THREE.Vector3();
        const tone = new THREE.Color(), {stick, slip} = colours.palette();
        let arrows = 0, cones = 0;
        const longest = 0.55 * this.reach, {thick} = this;
        for (let i = 0; i < run.contacts.length; i++) {
            const touch = run.touch(i, when);
            if (!touch || !(this.strongest > 0)) continue;
            const f = new THREE.Vector3(...touch.force), n = new THREE.Vector3(...touch.normal), size = f.length();
            const length = longest * Math.sqrt(size / this.strongest);
            if (!(length > 0)) continue;
            const head = Math.min(5 * thick, 0.6 * length), direction = f.divideScalar(size);
            const {mu} = run.contacts[i];
            tone.set(mu > 0 ? (touch.slips ? slip : stick) : colours.line(6));
            p.set(...touch.point);
            if (this.show.forces) {
                q.setFromUnitVectors(up, direction);
                this.shafts.setMatrixAt(arrows, matrix.compose(p, q, s.set(thick, length - head, thick)));
                this.tips.setMatrixAt(arrows, matrix.compose(p.clone().addScaledVector(direction, length - head), q, s.set(2.4 * thick, head, 2.4 * thick)));
                this.shafts.setColorAt(arrows, tone);
                this.tips.setColorAt(arrows, tone);
                arrows++;
            }
            if (this.show.cones && mu > 0) {
                const height = Math.max(length * direction.dot(n), 0);
                q.setFromUnitVectors(up, n);
                this.cones.setMatrixAt(cones, matrix.compose(p, q, s.set(mu * height, height, mu * height)));
                this.cones.setColorAt(cones, tone);
                cones++;
            }
        }
        this.shafts.count = this.tips.count = arrows;
        this.cones.count = cones;
        for (const mesh of [this.shafts, this.tips, this.cones]) {
            mesh.instanceMatrix.needsUpdate = true;
            mesh.instanceColor.needsUpdate = true;
        }
    }

    /** A spring is drawn as a rod between its ends; a joint as rods from the centres of its bodies to a pin at the
     * joint. A sliding joint is drawn as a block on a rail along its axis instead. */
    moveLinks(when) {
        const {run, thick} = this, matrix = new THREE.Matrix4(), q = new THREE.Quaternion(), s = new THREE.Vector3();
        const a = new THREE.Vector3(), b = new THREE.Vector3(), centre = [0, 0, 0];
        let links = 0, pins = 0, sliders = 0;
        const link = (from, to, wide) => {
            a.set(...from);
            b.set(...to).sub(a);
            const length = b.length();
            if (!(length > 0)) return;
            q.setFromUnitVectors(up, b.divideScalar(length));
            this.links.setMatrixAt(links++, matrix.compose(a, q, s.set(wide, length, wide)));
        };
        for (const {body, center} of this.rods) link(run.point(body, centre, when), run.point(body, center, when), thick);
        for (const {body, anchor, other, other_anchor: otherAnchor} of run.springs) {
            link(run.point(body, anchor, when), run.point(other, otherAnchor, when), thick / 2);
        }
        const sliding = new Set(this.rails.map(({joint}) => joint));
        run.joints.forEach(({joint_kind: kind, body, anchor, other, other_anchor: otherAnchor}, joint) => {
            if (kind === 'free') return;
            const there = run.point(other, otherAnchor, when);
            link(run.point(other, centre, when), there, thick);
            if (body >= 0) link(run.point(body, centre, when), run.point(body, anchor, when), thick);
            if (!sliding.has(joint)) this.pins.setMatrixAt(pins++, matrix.compose(a.set(...there), q.identity(), s.setScalar(1.8 * thick)));
        });
        for (const {joint, low, high} of this.rails) {
            const {body, anchor, axis, other, other_anchor: otherAnchor} = run.joints[joint];
            const [from, to] = [low, high].map(way => run.point(body, anchor.map((value, i) => value + way * axis[i]), when));
            link(from, to, 0.6 * thick);
            // q is the coordinate along the rail
            a.set(...run.point(other, otherAnchor, when));
            this.sliders.setMatrixAt(sliders++, matrix.compose(a, q, s.set(2.2 * thick, 4.5 * thick, 2.2 * thick)));
        }
        this.links.count = links;
        this.pins.count = pins;
        this.sliders.count = sliders;
        for (const mesh of [this.links, this.pins, this.sliders]) mesh.instanceMatrix.needsUpdate = true;
    }

    /** Takes over the view of another replay. */
    copyView(other) {
        this.camera.position.copy(other.camera.position);
        this.controls.target.copy(other.controls.target);
        this.controls.update();
        this.ask();
    }
}
