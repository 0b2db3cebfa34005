/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A differential inclusion as expressions: parameters, states, named auxiliaries, rates. dio(psi) and chi sgn(theta)
 * are found in them and replaced by names of forces, as the procedure of Xiong, Kikuuwe and Yamamoto 2013
 * (section 4.4) has it; what is left is compiled and handed to the engine. */

#include "expr/tape.h"
#include <footfall/inclusion.h>

typedef struct ff_system ff_system;

/* bytes for the units of something, as `N/m^1.5`; empty where they are not known */
enum { FF_SYSTEM_UNITS = 64 };

ff_system *ff_system_create(void);
void ff_system_free(ff_system *s);

/* Each takes the text of an expression that may use the names before it, and t where it is no start value. What is
 * wrong is in `error`, with its column; FF_NO_MEMORY or FF_BAD_VALUE. */
ff_status ff_system_parameter(ff_system *s, const char *name, const char *text,
                              ff_expr_error *error);
ff_status ff_system_state(ff_system *s, const char *name, const char *start, ff_expr_error *error);
/* A name for an expression. One that holds sgn must be chi*sgn(theta): a friction force. */
ff_status ff_system_let(ff_system *s, const char *name, const char *text, ff_expr_error *error);
ff_status ff_system_rate(ff_system *s, const char *state, const char *text, ff_expr_error *error);
ff_status ff_system_output(ff_system *s, const char *name, const char *text, ff_expr_error *error);
/* energy (J) and power (W) for the ledger; `what` is one of these words */
ff_status ff_system_account(ff_system *s, const char *what, const char *text, ff_expr_error *error);
/* A time at which something jumps. */
ff_status ff_system_switch(ff_system *s, const char *text, ff_expr_error *error);
/* A number of the caller's, of a constant expression of parameters; in this unit, where both have one (NULL: any).
 */
ff_status ff_system_number(ff_system *s, const char *text, const char *unit, double *value,
                           ff_expr_error *error);

/* The parameters so far, as expressions know them: they stay where they are until something is added. */
size_t ff_system_parameters(const ff_system *s);
const ff_expr_name_def *ff_system_parameter_at(const ff_system *s, size_t i);

/* Takes a name whose expression is wrong as known, so that what uses it can be read. */
void ff_system_assume(ff_system *s, const char *name);

/* The contact and friction forces that were found, by name. */
size_t ff_system_contacts(const ff_system *s);
const char *ff_system_contact(const ff_system *s, size_t i);
size_t ff_system_frictions(const ff_system *s);
const char *ff_system_friction(const ff_system *s, size_t i);
/* What is known of the gap of a contact and of the slip of a friction force, and whether that has a matrix. */
const ff_expr_facts *ff_system_gap_facts(const ff_system *s, size_t i);
const ff_expr_facts *ff_system_slip_facts(const ff_system *s, size_t i);
bool ff_system_shaped(const ff_system *s, size_t i);

/* beta of a mass (kg) that a friction of that stiffness (N/m) holds, where it has this damping ratio. */
double ff_damping_time(double mass, double stiffness, double damping_ratio);

/* What becomes of one of them, and what its numbers were chosen for: "" where they were given. */
enum { FF_WHY = 240 };
void ff_system_set_contact(ff_system *s, size_t i, const ff_normal *law, const char *why);
void ff_system_set_friction(ff_system *s, size_t i, const ff_friction *law, const char *why);
const char *ff_system_contact_why(const ff_system *s, size_t i);
const char *ff_system_friction_why(const ff_system *s, size_t i);
/* Finds the rate of a contact's gap, for a law with a damper that was set before. FF_BAD_VALUE where that would
 * contain a force. */
ff_status ff_system_close(ff_system *s, size_t i, ff_expr_error *error);

/* Compiles it; nothing can be added then. */
ff_status ff_system_finish(ff_system *s, ff_expr_error *error);
/* For ff_inclusion_create(), once it is finished; as long as the system lives. One inclusion at a time. */
const ff_inclusion_def *ff_system_def(const ff_system *s);

size_t ff_system_states(const ff_system *s);
const char *ff_system_state_name(const ff_system *s, size_t i);
void ff_system_state_units(const ff_system *s, size_t i, char units[FF_SYSTEM_UNITS]);
size_t ff_system_outputs(const ff_system *s);
const char *ff_system_output_name(const ff_system *s, size_t i);
const char *ff_system_output_units(const ff_system *s, size_t i);
/* How many numbers an output has, and its values where `view` is. */
size_t ff_system_output_length(const ff_system *s, size_t i);
void ff_system_output_at(ff_system *s, const ff_inclusion_view *view, double *values);

/* What is left of the expressions: forces stand in them by name. */
const ff_expr_pool *ff_system_pool(const ff_system *s);
ff_expr ff_system_rate_of(const ff_system *s, size_t state);
ff_expr ff_system_gap(const ff_system *s, size_t contact);
ff_expr ff_system_gap_rate(const ff_system *s, size_t contact); /* 0 where it is not known */
ff_expr ff_system_slip(const ff_system *s, size_t friction);
ff_expr ff_system_factor(const ff_system *s, size_t friction);

/* The ordinary differential equation that comes out of a finished system, as text: a line an equation, in the
 * notation of the input (show.c). The caller frees it; NULL where memory ends or an equation is beyond
 * FF_EXPR_LENGTH. */
char *ff_system_show(const ff_system *s);
