/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#pragma once

/* A differential inclusion as expressions: parameters, states, named auxiliaries, rates. dio(psi) and chi sgn(theta) are
 * found in them and replaced by names of forces, following the procedure of Xiong, Kikuuwe and Yamamoto 2013 (section 4.4);
 * the resulting expressions are compiled and passed to the engine. */

#include "expr/tape.h"
#include <footfall/source.h>

/* bytes for units such as `N/m^1.5`; empty if unknown */
enum { FF_EQUATIONS_UNITS = 64 };

ff_equations *ff_equations_create(void);

/* Each function takes the text of an expression, which may use the names defined before it, and t unless it is a start
 * value. On failure `error` has the reason and column; FF_NO_MEMORY or FF_BAD_VALUE. */
ff_status ff_equations_parameter(ff_equations *s, const char *name, const char *text,
                                 ff_expr_error *error);
ff_status ff_equations_state(ff_equations *s, const char *name, const char *start,
                             ff_expr_error *error);
/* A name for an expression. An expression that contains sgn must be chi*sgn(theta): a friction force. */
ff_status ff_equations_let(ff_equations *s, const char *name, const char *text,
                           ff_expr_error *error);
ff_status ff_equations_rate(ff_equations *s, const char *state, const char *text,
                            ff_expr_error *error);
ff_status ff_equations_output(ff_equations *s, const char *name, const char *text,
                              ff_expr_error *error);
/* energy (J) and power (W) for the ledger; `what` is one of these words */
ff_status ff_equations_account(ff_equations *s, const char *what, const char *text,
                               ff_expr_error *error);
/* A time at which something jumps. */
ff_status ff_equations_switch(ff_equations *s, const char *text, ff_expr_error *error);
/* A constant expression of parameters for the caller; with this unit, if both have one (NULL: any). */
ff_status ff_equations_number(ff_equations *s, const char *text, const char *unit, double *value,
                              ff_expr_error *error);

/* The parameters so far, as expressions see them; valid until something is added. */
size_t ff_equations_parameters(const ff_equations *s);
const ff_expr_name_def *ff_equations_parameter_at(const ff_equations *s, size_t i);

/* Treats a name whose expression is invalid as defined, so that expressions that use it can be checked. */
void ff_equations_assume(ff_equations *s, const char *name);

/* The contact and friction forces that were found, by name. */
size_t ff_equations_contacts(const ff_equations *s);
const char *ff_equations_contact(const ff_equations *s, size_t i);
size_t ff_equations_frictions(const ff_equations *s);
const char *ff_equations_friction(const ff_equations *s, size_t i);
/* What is known about the gap of a contact and the slip of a friction force, and whether that has a matrix. */
const ff_expr_facts *ff_equations_gap_facts(const ff_equations *s, size_t i);
const ff_expr_facts *ff_equations_slip_facts(const ff_equations *s, size_t i);
bool ff_equations_shaped(const ff_equations *s, size_t i);

/* beta for a mass (kg) that is held by friction of this stiffness (N/m) with this damping ratio. */
double ff_damping_time(double mass, double stiffness, double damping_ratio);

/* Sets the law of a force, and the reason for its parameters: "" if they were given. */
enum { FF_WHY = 240 };
void ff_equations_set_contact(ff_equations *s, size_t i, const ff_normal *law, const char *why);
void ff_equations_set_friction(ff_equations *s, size_t i, const ff_friction *law, const char *why);
/* Finds the rate of a contact's gap, for a law with a damper that was set before. FF_BAD_VALUE if the rate would contain a
 * force. */
ff_status ff_equations_close(ff_equations *s, size_t i, ff_expr_error *error);

/* Compiles the system; nothing can be added afterwards. */
ff_status ff_equations_finish(ff_equations *s, ff_expr_error *error);
size_t ff_equations_states(const ff_equations *s);
const char *ff_equations_state_name(const ff_equations *s, size_t i);
void ff_equations_state_units(const ff_equations *s, size_t i, char units[FF_EQUATIONS_UNITS]);

/* The resulting expressions, in which forces appear by name. */
const ff_expr_pool *ff_equations_pool(const ff_equations *s);
ff_expr ff_equations_rate_of(const ff_equations *s, size_t state);
ff_expr ff_equations_gap(const ff_equations *s, size_t contact);
ff_expr ff_equations_gap_rate(const ff_equations *s, size_t contact); /* 0 if it is unknown */
ff_expr ff_equations_slip(const ff_equations *s, size_t friction);
ff_expr ff_equations_factor(const ff_equations *s, size_t friction);
