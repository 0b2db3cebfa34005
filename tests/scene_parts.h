/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* Texts of scenes: with a body, with ground, with a pair and with a force */
#define BALL "bodies: {ball: {mass: 1, shape: {sphere: {radius: 1}}}}\n"
#define BODY(body) "bodies:\n  b: {mass: 1, " body "}\n"
#define FLOOR "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
#define PAIR(pair) BALL FLOOR "pairs:\n- {between: [ball, floor], " pair "}\n"
#define LAW(law) PAIR("normal: {law: " law "}")
#define SLIDE(law) PAIR("normal: {law: hertz, k: 1},\n   friction: {law: " law "}")
#define FORCE(force) BALL "forces:\n  f: {" force "}\n"
