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
/* A number of the caller's, of a constant expression of parameters. */
ff_status ff_system_number(ff_system *s, const char *text, double *value, ff_expr_error *error);

/* Takes a name whose expression is wrong as known, so that what uses it can be read. */
void ff_system_assume(ff_system *s, const char *name);

/* The contact and friction forces that were found, by name. */
size_t ff_system_contacts(const ff_system *s);
const char *ff_system_contact(const ff_system *s, size_t i);
size_t ff_system_frictions(const ff_system *s);
const char *ff_system_friction(const ff_system *s, size_t i);
/* What becomes of one of them. */
void ff_system_set_contact(ff_system *s, size_t i, const ff_normal *law);
void ff_system_set_friction(ff_system *s, size_t i, const ff_friction *law);

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

/* The ordinary differential equation that comes out, as text: a line an equation, in the notation of the input.
 * The caller frees it; NULL where memory ends or an equation is beyond FF_EXPR_LENGTH. */
char *ff_system_show(const ff_system *s);
