// SPDX-License-Identifier: Apache-2.0
// Copyright the footfall authors
//
// Visible parts of planes: clipped by a box around everything that moves, and by each other.

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => {
    const length = Math.hypot(...a) || 1;
    return a.map(value => value / length);
};

/** Two perpendicular directions in a plane; the first is horizontal. */
export function directions(normal) {
    const steep = Math.abs(normal[2]) > 0.999;
    const u = steep ? [1, 0, 0] : unit(cross([0, 0, 1], normal));
    return [unit(u), unit(cross(normal, u))];
}

/** The part of a convex polygon where normal.x >= level (Sutherland and Hodgman 1974). */
export function cut(polygon, normal, level) {
    const kept = [];
    polygon.forEach((a, i) => {
        const b = polygon[(i + 1) % polygon.length];
        const above = dot(normal, a) - level, next = dot(normal, b) - level;
        if (above >= 0) kept.push(a);
        if (above >= 0 !== next >= 0) {
            const part = above / (above - next);
            kept.push(a.map((value, k) => value + part * (b[k] - value)));
        }
    });
    return kept;
}

/** The visible part of a plane: a polygon in world coordinates, empty if it lies outside of the box [low, high]. */
export function visiblePart(plane, planes, [low, high]) {
    const [u, v] = directions(plane.normal);
    const middle = low.map((value, i) => (value + high[i]) / 2), reach = 2 * Math.hypot(...high.map((value, i) => value - low[i]));
    const away = dot(plane.normal, plane.point) - dot(plane.normal, middle);
    const centre = middle.map((value, i) => value + away * plane.normal[i]);
    let polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
        centre.map((value, i) => value + reach * (a * u[i] + b * v[i])));
    for (let axis = 0; axis < 3; axis++) {
        const e = [0, 0, 0];
        e[axis] = 1;
        polygon = cut(cut(polygon, e, low[axis]), e.map(value => -value), -high[axis]);
    }
    // another plane clips this one only if their intersection remains visible
    for (const other of planes) {
        const passing = plane.velocity.map((value, i) => value - other.velocity[i]);
        const stays = dot(other.velocity, other.normal) === 0 && Math.abs(dot(passing, other.normal)) < 1e-12;
        if (other === plane || !stays || dot(other.normal, plane.normal) > 0.999) continue;
        polygon = cut(polygon, other.normal, dot(other.normal, other.point));
    }
    return polygon;
}
