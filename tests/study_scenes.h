/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Scenes for sweeps and studies. */

/* z = 1 + 3 t - 5 t^2, x = 2 t */
static const char thrown[] = "gravity: [0, 0, -10]\n"
                             "bodies:\n"
                             "  ball: {mass: 2 kg, shape: {sphere: {radius: 1 cm}}, position: [0, "
                             "0, 1], velocity: [2, 0, 3]}\n"
                             "run: {until: 1 s}\n";

/* drops on a spring: bounces forever */
static const char bounce[] =
    "parameters: {height: 20 cm}\n"
    "bodies:\n"
    "  ball: {mass: 154 g, shape: {sphere: {radius: 1 cm}}, position: [0, 0, height], velocity: "
    "[0.1, 0, 0]}\n"
    "ground:\n"
    "  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
    "pairs:\n"
    "  - between: [ball, floor]\n"
    "    normal: {law: hunt-crossley, k: 1e6, lambda: 2e5}\n"
    "    friction: {law: clutch, k: 1e5, damping: 1e3, mu: 0.2}\n"
    "events:\n"
    "  low: ball.position[2] - 5 cm\n"
    "run: {until: 1.2 s}\n";
