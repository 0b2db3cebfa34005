// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// court.h for engines in JavaScript: node court.mjs rapier|cannon FOLDER, a folder with node_modules
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import path from "node:path";

const RADIUS = 0.1, MASS = 1, PHASES = 5;
const ASKED = [0.2, 0.5, 0.8, 1.0], STEPS = [1e-2, 1e-3, 1e-4], SPEEDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const [engine, folder] = process.argv.slice(2);
const require = createRequire(pathToFileURL(path.join(path.resolve(folder), "x.js")));

// each returns begin(e, z, speed, dt), which returns {step, height, velocity, end}
async function rapier() {
    const R = require("@dimforge/rapier3d-compat");
    await R.init();
    return (e, z, speed, dt) => {
        const world = new R.World({ x: 0, y: 0, z: 0 });
        world.timestep = dt;
        // its shapes have a plane as half-space
        world.createCollider(new R.ColliderDesc(new R.HalfSpace({ x: 0, y: 0, z: 1 })).setRestitution(e).setFriction(0));
        const ball = world.createRigidBody(R.RigidBodyDesc.dynamic().setTranslation(0, 0, z).setLinvel(0, 0, -speed).setCanSleep(false));
        world.createCollider(R.ColliderDesc.ball(RADIUS).setMass(MASS).setRestitution(e).setFriction(0), ball);
        return { step: () => world.step(), height: () => ball.translation().z, velocity: () => ball.linvel().z, end: () => world.free() };
    };
}

async function cannon() {
    const C = require("cannon-es");
    return (e, z, speed, dt) => {
        const world = new C.World({ gravity: new C.Vec3(0, 0, 0) });
        world.defaultContactMaterial.restitution = e;
        world.defaultContactMaterial.friction = 0;
        world.addBody(new C.Body({ mass: 0, shape: new C.Plane() }));
        const ball = new C.Body({ mass: MASS, shape: new C.Sphere(RADIUS), position: new C.Vec3(0, 0, z), velocity: new C.Vec3(0, 0, -speed),
            linearDamping: 0 });
        world.addBody(ball);
        return { step: () => world.step(dt), height: () => ball.position.z, velocity: () => ball.velocity.z, end: () => {} };
    };
}

const begin = await { rapier, cannon }[engine]();
for (const e of ASKED) for (const dt of STEPS) for (const speed of SPEEDS) {
    const got = [];
    for (let p = 0; p < PHASES; p++) {
        const run = begin(e, RADIUS + speed * dt * (3 + (p + 0.5) / PHASES), speed, dt);
        let v = -speed;
        for (let i = 0, most = Math.floor(0.5 / dt) + 10; i < most; i++) {
            run.step();
            v = run.velocity();
            if (v > 0 && run.height() >= RADIUS) break;
        }
        run.end();
        got.push(v / speed);
    }
    const mean = got.reduce((a, b) => a + b) / PHASES;
    console.log([e, dt, speed, ...[mean, Math.min(...got), Math.max(...got)].map(x => +x.toPrecision(6))].join(","));
}
