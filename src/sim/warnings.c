/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "warnings.h"
#include "body/vector.h"
#include "dynamics/assembly.h"
#include "num/bracket.h"
#include "num/elementary.h"
#include "num/memory.h"
#include <float.h>
#include <footfall/impact.h>
#include <footfall/material.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Warnings about a model. Nothing here changes a result; limits are such that no scene of scenes/ and papers/ gets a
 * warning (tests/cli/warnings.sh). */

/* ---- lists ---- */

const char *ff_warning_name(ff_warning_kind kind) {
    static const char *const names[] = {
#define NAME(kind, name) name,
        FF_WARNING_LIST(NAME)
#undef NAME
    };
    return (unsigned)kind < FF_WARNING_KINDS ? names[kind] : NULL;
}

void ff_warnings_add(ff_warnings *list, ff_warning_kind kind, double value, double limit,
                     const char *format, ...) {
    if (list->of_kind[kind]++ >= FF_WARNINGS_OF_KIND) {
        return;
    }
    ff_warning *w = &list->at[list->last[kind] = list->count++];
    *w = (ff_warning){.kind = kind, .value = value, .limit = limit};
    va_list values;
    va_start(values, format);
    vsnprintf(w->text, sizeof w->text, format, values);
    va_end(values);
}

void ff_warnings_end(ff_warnings *list) {
    for (int kind = 0; kind < FF_WARNING_KINDS; kind++) {
        if (list->of_kind[kind] > FF_WARNINGS_OF_KIND) {
            char *text = list->at[list->last[kind]].text;
            const size_t used = strlen(text);
            snprintf(text + used, sizeof list->at->text - used, "; and %zu more of this kind",
                     list->of_kind[kind] - FF_WARNINGS_OF_KIND);
        }
    }
}

ff_warning ff_warnings_at(const ff_warnings *list, size_t i) {
    return i < list->count ? list->at[i] : (ff_warning){.value = NAN, .limit = NAN};
}

/* ---- bodies ---- */

/* Osmium, the densest solid, 22,590 kg/m^3 (Arblaster 2013, Platinum Metals Rev. 57, 177), and 1 % for rounded figures. */
#define DENSEST (1.01 * 22590)

/* The volume that contains all of a body's mass, m^3; 0: unknown. If the inertia comes from the shapes, they are the body.
 * A given inertia shows this for a ball about the centre of mass if no mass needs to lie outside: the mean square distance
 * of the mass from the centre is half the trace of the inertia divided by the mass. */
static double body_volume(const ff_model *model, size_t body) {
    if (model->crowd) {
        return 4 * FF_PI / 3 * model->crowd->radius[body] * model->crowd->radius[body] *
               model->crowd->radius[body];
    }
    const ff_model_body *b = &model->bodies[body];
    const ff_topology *t = model->topology;
    const bool whole = isnan(model->defs.bodies.at[body].inertia[0][0]);
    const size_t from = t->first[body], to = t->first[body + 1];
    double volume = 0;
    for (size_t i = from; i < to; i++) {
        const ff_shape_def *s = &model->defs.shapes.at[t->shapes[i]];
        if (s->box[0] > 0) {
            return whole ? s->box[0] * s->box[1] * s->box[2] : 0;
        }
        volume += 4 * FF_PI / 3 * s->radius * s->radius * s->radius;
        if (!whole) {
            const double square =
                             (b->inertia[0][0] + b->inertia[1][1] + b->inertia[2][2]) / 2 / b->mass,
                         *c = s->center;
            if (to - from > 1 || ff_dot(c, c) > 0 || square > s->radius * s->radius) {
                return 0;
            }
        }
    }
    return volume;
}

static void warn_density(const ff_model *model, ff_warnings *list) {
    for (size_t i = 0; i < model->body_count; i++) {
        const double volume = body_volume(model, i), mass = model->bodies[i].mass;
        if (volume > 0 && mass / volume > DENSEST) {
            ff_warnings_add(list, FF_WARN_DENSITY, mass / volume, DENSEST,
                            "body %.60s has %.4g kg in %.4g m^3, a density of %.4g kg/m^3: no "
                            "solid has more than 22590",
                            model->bodies[i].name, mass, volume, mass / volume);
        }
    }
}

/* ---- contacts ---- */

/* The depth at which a spring carries a load at rest, m; NAN if the law has inner states and is not a power law. */
static double depth_under(const ff_normal *law, double load) {
    ff_power power;
    if (ff_normal_power(law, 0, &power)) {
        return ff_pow(load / power.k, 1 / power.n);
    }
    if (law->states > 0) {
        return (double)NAN;
    }
    ff_bracket b = {.g_low = -load, .high = 1e-9};
    while ((b.g_high = ff_normal_force(law, b.high, 0, NULL) - load) <= 0 && b.high < 1e9) {
        b.low = b.high;
        b.g_low = b.g_high;
        b.high *= 2;
    }
    /* more digits than a warning prints */
    while (b.g_high > 0 && ff_bracket_wider(&b, 1e-9 * b.high)) {
        const double at = ff_bracket_guess(&b);
        ff_bracket_narrow(&b, at, ff_normal_force(law, at, 0, NULL) - load);
    }
    return b.high;
}

/* The radius that a depth is compared with: of two spheres the smaller one. */
static double radius_of(const ff_slot *slot) {
    return slot->other < 0 ? slot->radius : fmin(slot->radius, slot->other_radius);
}

/* The part of a body's weight that each of its contacts with this plane carries if they share it equally, N; 0 if joints or
 * springs may carry it. */
static double share_of_weight(const ff_model *model, size_t contact, const ff_slot *slot) {
    const ff_topology *t = model->topology;
    size_t sharers = 0;
    if (model->open || slot->other >= 0 || t->held[slot->body]) {
        return 0;
    }
    const double load = -model->bodies[slot->body].mass * ff_dot(model->gravity, slot->normal);
    for (size_t i = 0; i < model->contact_count; i++) {
        const ff_slot_source *from = &t->sources[i];
        sharers += from->plane == t->sources[contact].plane && from->other < 0 &&
                   model->defs.shapes.at[from->shape].body == slot->body;
    }
    return fmax(load, 0) / (double)sharers;
}

/* A start at a large depth: above a tenth of the radius, or for a point without one above ten times its depth at rest; and
 * in any case above twice the depth at rest. */
static void warn_inside(const ff_slot *slot, double depth, double rest, ff_warnings *list) {
    const double radius = radius_of(slot),
                 limit = fmax(radius > 0 ? FF_DEPTH_PART * radius : 10 * rest, 2 * rest);
    if (depth > limit && limit > 0) {
        const double stored = ff_normal_stored(&slot->law, depth, 0, NULL);
        ff_warnings_add(list, FF_WARN_INSIDE, depth, limit,
                        "%.90s starts %.3g m deep%s: the contact has stored %.3g J", slot->name,
                        depth, radius > 0 && depth > radius ? ", more than its radius" : "",
                        stored);
    }
}

static void warn_rest(const ff_slot *slot, double rest, ff_warnings *list) {
    const double radius = radius_of(slot);
    if (radius > 0 && rest > FF_DEPTH_PART * radius) {
        ff_warnings_add(list, FF_WARN_DEPTH, rest / radius, FF_DEPTH_PART,
                        "%.90s rests %.3g m deep under its weight, %.3g %% of its radius: contact "
                        "laws are valid for small deformations, up to %g %%",
                        slot->name, rest, 100 * rest / radius, 100 * FF_DEPTH_PART);
    }
}

/* Hertz: the largest pressure of two spheres is p0 = (6 F E*^2/(pi^3 R^2))^(1/3), the mean pressure 2/3 of it (Johnson
 * 1985, Contact Mechanics, eqs 4.22 and 4.24), Pa. A ductile solid begins to yield below the surface at a mean pressure of
 * 1.1 times its yield strength (eq. 6.9). A corner or a point without a radius has no such pressure: 0. */
static double mean_pressure(const ff_slot *slot, const ff_material *const m[2], double force) {
    const double modulus = ff_modulus(m[0]->E, m[0]->nu, m[1]->E, m[1]->nu),
                 radius = slot->other < 0 ? slot->radius
                                          : ff_reduced_radius(slot->radius, slot->other_radius);
    return radius > 0 && force > 0 ? 2.0 / 3 *
                                         ff_pow(6 * force * modulus * modulus /
                                                    (FF_PI * FF_PI * FF_PI * radius * radius),
                                                1.0 / 3)
                                   : 0;
}

/* Warns about a force on a contact with known materials; speed > 0: of a typical impact, otherwise of a run. */
static void warn_pressure(const ff_slot *slot, const ff_material *const m[2], double force,
                          double speed, ff_warnings *list) {
    const double pressure = m[0] && m[1] ? mean_pressure(slot, m, force) : 0;
    char when[40] = "";
    if (speed > 0) {
        snprintf(when, sizeof when, "in a typical impact at %.3g m/s, ", speed);
    }
    const ff_material *weaker = m[0] && m[1] && m[1]->strength < m[0]->strength ? m[1] : m[0];
    if (pressure > 0 && pressure > weaker->strength) {
        ff_warnings_add(list, FF_WARN_PRESSURE, pressure, weaker->strength,
                        "%s%.90s presses with %.3g N, a mean pressure of %.3g MPa: the strength of "
                        "%s is %.3g MPa, and contact laws do not include plastic flow",
                        when, slot->name, force, pressure / 1e6, weaker->name,
                        weaker->strength / 1e6);
    }
}

/* Whether a body cannot turn. */
static bool is_upright(const ff_model *model, int body) {
    return body < 0 || (model->bodies[body].locked & FF_LOCK_ROTATION) == FF_LOCK_ROTATION;
}

/* Laws of rolling and twist that have no effect: a point has no radius, what cannot turn has no omega. */
static void warn_turning(const ff_model *model, const ff_slot *slot, ff_warnings *list) {
    const double radius = slot->other < 0 ? slot->radius : fmin(slot->radius, slot->other_radius);
    const bool upright = is_upright(model, slot->body) && is_upright(model, slot->other);
    for (int twist = 0; twist < 2; twist++) {
        const ff_friction_law *law = twist ? slot->twist.law : slot->rolling.law;
        const bool point = radius == 0 && !(twist && slot->arm == FF_ARM_LENGTH);
        if (law && (point || upright)) {
            ff_warnings_add(list, FF_WARN_PARAMETER, radius, (double)NAN,
                            "%s of contact %.80s has no effect: %s", twist ? "twist" : "rolling",
                            slot->name,
                            point ? "it touches with a radius of 0"
                                  : "what touches is locked and does not turn");
        }
    }
}

/* Only this many contacts are examined: an open model may have millions, of a few pairs. */
enum { CONTACTS_MOST = 2000 };

static void warn_contacts(const ff_model *model, const bool *flipped, ff_warnings *list) {
    const size_t count =
        model->contact_count < CONTACTS_MOST ? model->contact_count : CONTACTS_MOST;
    for (size_t i = 0; i < count; i++) {
        const int plane = model->topology->sources[i].plane;
        ff_slot slot;
        ff_touch touch;
        ff_model_slot(model, i, &slot);
        ff_touch_find(&slot, 0, model->starts, &touch);
        const double load = share_of_weight(model, i, &slot),
                     rest = load > 0 ? depth_under(&slot.law, load) : 0;
        if (touch.z > 0 && !(slot.other < 0 && flipped[plane]) &&
            !ff_touch_ignored(&slot, model->starts)) {
            warn_inside(&slot, touch.z, rest, list);
        }
        warn_rest(&slot, rest, list);
        warn_turning(model, &slot, list);
        const ff_contact_facts f = ff_model_contact_facts(model, i);
        ff_impact impact;
        if (f.materials[0] && ff_impact_solve(f.normal, f.mass, f.speed, &impact) >= 0) {
            warn_pressure(&slot, f.materials, impact.max_force, f.speed, list);
        }
    }
}

/* ---- planes ---- */

/* The distance of a body behind a plane, m: the smallest over the centres of its shapes, or of its centre of mass if it has
 * none. */
static double behind(const ff_model *model, size_t body, const ff_plane_def *plane) {
    const ff_model_body *b = &model->bodies[body];
    const size_t from = model->crowd ? 0 : model->topology->first[body],
                 to = model->crowd ? 0 : model->topology->first[body + 1];
    const double length = sqrt(ff_dot(plane->normal, plane->normal));
    double least = INFINITY;
    for (size_t i = from; i < to || i == from; i++) {
        double way[3];
        memcpy(way, b->start + FF_P, sizeof way);
        if (i < to) {
            double center[3], turned[3], axes[3][3];
            ff_add_scaled(model->defs.shapes.at[model->topology->shapes[i]].center, -1, b->centre,
                          center);
            ff_rotation(b->start + FF_Q, axes);
            ff_rotate(axes, center, turned);
            ff_add_scaled(way, 1, turned, way);
        }
        ff_add_scaled(way, -1, plane->point, way);
        least = fmin(least, -ff_dot(way, plane->normal) / length);
    }
    return least;
}

/* Warns about a plane if all bodies are behind it. */
static void warn_planes(const ff_model *model, bool *flipped, ff_warnings *list) {
    for (size_t p = 0; p < model->defs.planes.count; p++) {
        const ff_plane_def *plane = &model->defs.planes.at[p];
        double least = INFINITY;
        for (size_t i = 0; i < model->body_count; i++) {
            least = fmin(least, behind(model, i, plane));
        }
        flipped[p] = model->body_count > 0 && least > 0;
        if (flipped[p]) {
            ff_warnings_add(list, FF_WARN_PLANE, least, 0,
                            "plane %.60s: its normal points away from everything: all bodies start "
                            "inside the ground, by at least %.3g m",
                            plane->name, least);
        }
    }
}

/* ---- things that no pair names ---- */

/* Marks bodies that are supported by a contact, a joint or spring to the world, or another supported body. */
static void mark_carried(const ff_model *model, bool *carried) {
    const ff_scene *defs = &model->defs;
    for (size_t i = 0; i < model->contact_count; i++) {
        const ff_slot_source *from = &model->topology->sources[i];
        carried[defs->shapes.at[from->shape].body] = true;
        if (from->other >= 0) {
            carried[defs->shapes.at[from->other].body] = true;
        }
    }
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < defs->joints.count + defs->forces.count; i++) {
            const bool joint = i < defs->joints.count;
            const ff_joint_def *j = joint ? &defs->joints.at[i] : NULL;
            const ff_force_def *f = joint ? NULL : &defs->forces.at[i - defs->joints.count];
            if ((joint && j->kind == FF_JOINT_FREE) || (f && f->joint >= 0)) {
                continue;
            }
            /* a force other than a spring may support the body */
            const int a = joint ? j->second : f->body, b = joint                        ? j->first
                                                           : f->kind == FF_FORCE_SPRING ? f->other
                                                                                        : -1;
            const bool held = b < 0 || carried[a] || carried[b];
            more = more || (held && (!carried[a] || (b >= 0 && !carried[b])));
            carried[a] = carried[a] || held;
            if (b >= 0) {
                carried[b] = carried[b] || held;
            }
        }
    }
}

/* Warns about a body with a shape that nothing supports, above a plane that it falls towards. */
static void warn_unpaired(const ff_model *model, const bool *carried, ff_warnings *list) {
    for (size_t i = 0; i < model->body_count && !model->crowd; i++) {
        const bool shaped = model->topology->first[i] < model->topology->first[i + 1];
        for (size_t p = 0; shaped && !carried[i] && p < model->defs.planes.count; p++) {
            const ff_plane_def *plane = &model->defs.planes.at[p];
            const double above = -behind(model, i, plane);
            if (above > 0 && ff_dot(plane->normal, model->gravity) < 0) {
                ff_warnings_add(list, FF_WARN_UNPAIRED, above, NAN,
                                "no pair names %.60s and %.60s: nothing supports %.60s, which "
                                "falls through from %.3g m above it",
                                model->bodies[i].name, plane->name, model->bodies[i].name, above);
            }
        }
    }
}

/* ---- run options ---- */

static double largest_step(const ff_stiffness *s, ff_method method) {
    const double semi = isnan(s->step_semi_implicit) ? 2 * s->time_scale : s->step_semi_implicit;
    switch (method) {
    case FF_EULER: return s->step_euler;
    case FF_HEUN: return s->step_heun;
    case FF_RK4: return s->step_rk4;
    default: return semi;
    }
}

static double stable_step(ff_contact_facts f, ff_method method) {
    ff_impact impact;
    if (ff_impact_solve(f.normal, f.mass, f.speed, &impact) < 0) {
        return INFINITY;
    }
    const ff_stiffness s = ff_impact_stiffness(f.normal, f.mass, impact.max_depth);
    const double step = largest_step(&s, method);
    return isnan(step) ? (double)INFINITY : step;
}

void ff_warn_step(const ff_model *model, const ff_run_options *o, ff_warnings *list) {
    const size_t classes = ff_model_class_count(model), contacts = model->contact_count;
    const size_t count = contacts < CONTACTS_MOST ? contacts : CONTACTS_MOST;
    double least = INFINITY;
    const char *who = NULL;
    ff_contact_facts last = {.normal = NULL};
    if (!ff_method_fixed(o->method)) {
        return;
    }
    for (size_t i = 0; i < count + classes; i++) {
        const ff_contact_facts f =
            i < count ? ff_model_contact_facts(model, i) : ff_model_class_facts(model, i - count);
        if (f.normal == last.normal && f.mass == last.mass && f.speed == last.speed) {
            continue;
        }
        last = f;
        const double step = stable_step(f, o->method);
        if (step < least) {
            least = step;
            who =
                i < count ? ff_model_contact_name(model, i) : ff_model_class_name(model, i - count);
        }
    }
    const char *method = ff_method_name(o->method);
    if (o->dt > least && least > 0) {
        ff_warnings_add(list, FF_WARN_STEP, o->dt, least,
                        "dt is %.3g s, but an impact of %.90s is stable up to %.3g s with method "
                        "%s",
                        o->dt, who, least, method);
    } else if (o->dt > least) {
        ff_warnings_add(list, FF_WARN_STEP, o->dt, least,
                        "dt is %.3g s, but no step of method %s is stable in an impact of %.90s",
                        o->dt, method, who);
    }
}

/* a correction of this size is rounding */
#define NEGLIGIBLE 1e-9

static void warn_traces(const ff_model *model, ff_warnings *list) {
    if (model->contact_count > FF_CONTACTS_LISTED) {
        ff_warnings_add(
            list, FF_WARN_TRACE, (double)model->contact_count, FF_CONTACTS_LISTED,
            "traces omit contacts: there are %zu, and with more than %d they have no columns",
            model->contact_count, FF_CONTACTS_LISTED);
    }
}

static void warn_start(const ff_model *model, ff_warnings *list) {
    const ff_assembly a = ff_model_assembly(model);
    const double most = fmax(fmax(a.moved, a.turned), fmax(a.velocity, a.omega));
    if (most > NEGLIGIBLE) {
        ff_warnings_add(
            list, FF_WARN_START, most, NEGLIGIBLE,
            "the start was corrected to satisfy the joints: %.2g m, %.2g rad, %.2g m/s, %.2g rad/s",
            a.moved, a.turned, a.velocity, a.omega);
    }
}

static void warn_parameters(const ff_model *model, ff_warnings *list) {
    for (size_t i = 0; i < model->defs.parameters.count; i++) {
        const ff_parameter *p = &model->defs.parameters.at[i];
        if (!p->used) {
            ff_warnings_add(list, FF_WARN_PARAMETER, p->value, NAN,
                            "parameter %.60s, %.6g, is not used", p->name, p->value);
        }
    }
}

/* Relative rounding error of the angular acceleration of a body under a constraint force at an anchor: the force is F = m a with a
 * relative error eps, and a = F/m + (I^-1 (r x F)) x r, whose second part exceeds the first by up to the trace of m S^T I^-1 S,
 * with S x = r x x. It is 0 for a thin rod held on its axis. */
static double anchor_noise(const ff_model_body *b, const double r[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        double arm[3], turned[3];
        ff_cross(r, e, arm);
        ff_rotate(b->per_inertia, arm, turned);
        sum += ff_dot(arm, turned);
    }
    return DBL_EPSILON * b->mass * sum;
}

/* Above this multiple of the tolerance, such errors determine the steps of the maximal formulation: a double pendulum of rods of 1 m,
 * 1 kg and 1e-10 kg m^2 (550 times the tolerance) needs 35 times as many steps as with 1e-9 kg m^2 (55 times), and at
 * 1e-12 kg m^2 a run of 3 s takes minutes. */
#define NOISE_PART 100

static void warn_inertia(const ff_model *model, const ff_run_options *o, ff_warnings *list) {
    if (o->formulation != FF_MAXIMAL || ff_method_fixed(o->method)) {
        return;
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ff_joint *j = &model->joints[i];
        for (int side = 0; side < 2; side++) {
            const int body = side ? j->second : j->first;
            const double noise =
                body < 0 ? 0
                         : anchor_noise(&model->bodies[body], side ? j->second_anchor : j->anchor);
            if (noise > NOISE_PART * o->tol) {
                ff_warnings_add(
                    list, FF_WARN_INERTIA, noise, NOISE_PART * o->tol,
                    "the inertia of body %.60s is so small that rounding of the force at joint "
                    "%.60s exceeds the tolerance: steps will be very short; use formulation "
                    "articulated",
                    model->bodies[body].name, j->name);
            }
        }
    }
}

/* ---- queries ---- */

void ff_warnings_of_model(const ff_model *model, ff_warnings *list) {
    *list = (ff_warnings){.count = 0};
    if (model->kind) {
        return;
    }
    bool *flipped = ff_calloc(model->defs.planes.count + model->body_count + 1, sizeof *flipped);
    warn_parameters(model, list);
    warn_start(model, list);
    warn_traces(model, list);
    warn_density(model, list);
    if (flipped) {
        warn_planes(model, flipped, list);
        if (!model->crowd) {
            bool *carried = flipped + model->defs.planes.count;
            mark_carried(model, carried);
            warn_unpaired(model, carried, list);
            warn_contacts(model, flipped, list);
        }
    }
    ff_warn_step(model, &model->run, list);
    warn_inertia(model, &model->run, list);
    ff_warnings_end(list);
    ff_free(flipped);
}

ff_warning ff_model_warning(const ff_model *model, size_t i) {
    ff_warnings list;
    ff_warnings_of_model(model, &list);
    return ff_warnings_at(&list, i);
}

/* ---- runs ---- */

/* Constraint work above this fraction of the energy scale causes a warning. Constraint methods that correct do 1e-7 and
 * less, `penalty` with its default mass 1e-6 (scenes/, with adaptive steps and with 1 ms). */
#define WORK_PART 1e-4

static void warn_work(ff_sim *sim, ff_warnings *list) {
    const double part = sim->model->joint_count > 0 ? ff_sim_constraint_part(sim) : 0;
    if (part > WORK_PART) {
        ff_warnings_add(
            list, FF_WARN_CONSTRAINT, part, WORK_PART,
            "joints did %.3g J of work, %.2g of the energy scale, although they should do none",
            -ff_sim_ledger(sim).constraint, part);
    }
}

/* A planar linkage of revolute joints in space has redundant constraints, but the undetermined forces are out of its plane
 * and 0 under loads in the plane: its reactions do not depend on the stiffness of the parts, and there is no warning. A
 * warning is given if a nonzero reaction has an undetermined component, such as the weight of a door on two hinges: elastic
 * parts would share it differently. Evaluated at the current state. */
#define REACTION_PART 1e-6

static void warn_reactions(ff_sim *sim, ff_warnings *list) {
    const ff_model *model = sim->model;
    const size_t joints = model->joint_count, size = model->body_count * FF_BODY_STRIDE;
    if (!model->tree || model->tree->assembly.redundant == 0) {
        return;
    }
    ff_joint_record *reactions = ff_calloc(joints, sizeof *reactions);
    double *numbers = ff_calloc(joints + size, sizeof *numbers), most = 0;
    /* bodies that are held at their centres of mass have a size of 0 */
    const double reach = ff_mechanism_size(model), length = reach > 0 ? reach : 1;
    if (reactions && numbers) {
        ff_sim_joints(sim, reactions, joints);
        memcpy(numbers + joints, ff_sim_bodies_at(sim, sim->flow.y), size * sizeof *numbers);
        for (size_t i = 0; i < joints; i++) {
            const ff_joint_record *r = &reactions[i];
            most = fmax(most, sqrt(ff_dot(r->force, r->force) +
                                   ff_dot(r->moment, r->moment) / (length * length)));
        }
        if (ff_assembly_undetermined(model, ff_sim_now_time(sim), numbers + joints, reactions,
                                     length, numbers) < 0) {
            most = INFINITY;
        }
    }
    for (size_t i = 0; reactions && numbers && i < joints; i++) {
        if (numbers[i] > REACTION_PART * most) {
            ff_warnings_add(
                list, FF_WARN_REACTION, numbers[i] / most, REACTION_PART,
                "the reaction of joint %.60s is not unique: %.3g N of it (moments divided by %.3g "
                "m) could be carried by other joints, because constraints are redundant",
                model->joints[i].name, numbers[i], length);
        }
    }
    ff_free(numbers);
    ff_free(reactions);
}

/* Warns about things that no pair names but that met. */
static void warn_meetings(const ff_sim *sim, ff_warnings *list) {
    const ff_scene *defs = &sim->model->defs;
    for (size_t i = 0; i < (size_t)sim->now.meetings; i++) {
        const ff_meeting *met = &sim->now.met[i];
        const ff_slot_source *s = &sim->model->topology->apart[(size_t)met->which];
        ff_warnings_add(
            list, FF_WARN_UNPAIRED, met->time, NAN,
            "%.60s and %.60s pass through each other from %.6g s on: no pair names them",
            defs->bodies.at[defs->shapes.at[s->shape].body].name,
            s->other < 0 ? defs->planes.at[s->plane].name
                         : defs->bodies.at[defs->shapes.at[s->other].body].name,
            met->time);
    }
}

/* Warns about bodies without a shape that went through a plane, and are behind it now. */
static void warn_behind(ff_sim *sim, ff_warnings *list) {
    const ff_scene *defs = &sim->model->defs;
    const size_t planes = defs->planes.count;
    const double *bodies = planes > 0 ? ff_sim_bodies_at(sim, sim->flow.y) : NULL;
    for (size_t i = 0; i < sim->model->body_count * planes && !sim->model->crowd; i++) {
        const ff_behind *seen = NULL;
        for (size_t k = 0; k < (size_t)sim->now.behind_count; k++) {
            seen = sim->now.behind[k].which == (double)i ? &sim->now.behind[k] : seen;
        }
        const double depth =
            fmax(seen ? seen->depth : 0, ff_meetings_behind(sim, i / planes, i % planes, bodies));
        if (depth > 0) {
            const double since = seen ? seen->time : ff_sim_now_time(sim);
            ff_warnings_add(list, FF_WARN_BEHIND, depth, 0,
                            "body %.60s went through plane %.60s, at %.4g s or a few steps before, "
                            "by up to %.3g m: it has no shape that could touch the plane",
                            defs->bodies.at[i / planes].name, defs->planes.at[i % planes].name,
                            since, depth);
        }
    }
}

/* The largest rotation by an equilibrium search without a warning, 10 degrees: more than the sag of springs and motors of a
 * start that was meant as written. */
#define REST_ANGLE (10 * FF_PI / 180)

static void warn_rest_start(const ff_sim *sim, ff_warnings *list) {
    const ff_shift *s = &sim->shift;
    if (s->way > s->size) {
        ff_warnings_add(list, FF_WARN_REST, s->way, s->size,
                        "start: rest moved body %.60s by %.3g m, more than its size, %.3g m: the "
                        "equilibrium is not near the start that is written",
                        sim->model->bodies[s->moved].name, s->way, s->size);
    }
    if (s->angle > REST_ANGLE) {
        ff_warnings_add(
            list, FF_WARN_REST, s->angle, REST_ANGLE,
            "start: rest turned body %.60s by %.3g degrees: the equilibrium is not near "
            "the start that is written",
            sim->model->bodies[s->turned].name, s->angle * 180 / FF_PI);
    }
}

/* Warns about functions that may do something between the stages of a step. */
static void warn_hidden(const ff_sim *sim, ff_warnings *list) {
    const ff_model *model = sim->model;
    const ff_controls *c = model->crowd || model->kind ? NULL : &model->topology->controls;
    const bool fixed = ff_method_fixed(sim->options.method);
    for (size_t i = 0; c && i < c->own_count; i++) {
        const ff_controller_def *def = &c->own[i];
        if (def->every == 0 && def->shortest == 0 && !fixed) {
            ff_warnings_add(
                list, FF_WARN_UNBOUNDED, 0, 0,
                "continuous controller %.80s is a function in C: what it does between two "
                "evaluations is missed; its member `shortest` says how short that may be",
                def->name);
        }
    }
    if (sim->flow.now.doubtful > 0) {
        ff_warnings_add(
            list, FF_WARN_UNBOUNDED, sim->now.unbounded, 0,
            "from t = %.6g s on, in %d steps, a gap, a condition or an event may have changed its "
            "sign twice unnoticed: it has no bound over a short time",
            sim->now.unbounded, sim->flow.now.doubtful);
    }
    if (sim->now.unresolved > 0) {
        ff_warnings_add(
            list, FF_WARN_UNRESOLVED, sim->now.unresolved, 0,
            "from t = %.6g s on steps miss what functions of time or state do within them: %s",
            sim->now.unresolved > FF_SOON ? sim->now.unresolved : 0,
            fixed ? "they have a fixed length; a smaller dt, or method auto, would help"
                  : "events are not located");
    }
}

/* Warns about depths and pressures that contacts have reached. */
static void warn_depths(ff_sim *sim, ff_warnings *list) {
    for (size_t i = 0; i < sim->model->contact_count; i++) {
        const ff_impacts seen = ff_sim_impacts(sim, i);
        const double depth = seen.depth;
        ff_slot slot;
        if (!(depth > 0)) {
            continue;
        }
        ff_model_slot(sim->model, i, &slot);
        warn_pressure(&slot, ff_model_contact_facts(sim->model, i).materials, seen.force, 0, list);
        const double radius = radius_of(&slot), part = depth / radius;
        if (radius > 0 && part > 1) {
            ff_warnings_add(list, FF_WARN_THROUGH, part, 1,
                            "%.90s went %.3g m deep, more than %s radius of %.3g m: they pass "
                            "through each other",
                            slot.name, depth, slot.other < 0 ? "its" : "the smaller", radius);
        } else if (radius > 0 && part > FF_DEPTH_PART) {
            ff_warnings_add(list, FF_WARN_DEPTH, part, FF_DEPTH_PART,
                            "%.90s went %.3g m deep, %.3g %% of %s radius: contact laws are valid "
                            "for small deformations, up to %g %%",
                            slot.name, depth, 100 * part, slot.other < 0 ? "its" : "the smaller",
                            100 * FF_DEPTH_PART);
        }
    }
}

void ff_warnings_of_run(ff_sim *sim, ff_warnings *list) {
    const ff_run_options *o = &sim->options, *meant = &sim->model->run;
    *list = (ff_warnings){.count = 0};
    if (sim->model->kind) {
        warn_hidden(sim, list);
        ff_warnings_end(list);
        return;
    }
    ff_sim_observe(sim, NAN);
    if (o->method != meant->method || o->dt != meant->dt) {
        ff_warn_step(sim->model, o, list);
    }
    if (o->tol != meant->tol) {
        warn_inertia(sim->model, o, list);
    }
    warn_work(sim, list);
    warn_reactions(sim, list);
    warn_meetings(sim, list);
    warn_behind(sim, list);
    warn_rest_start(sim, list);
    warn_hidden(sim, list);
    warn_depths(sim, list);
    ff_warnings_end(list);
}

ff_warning ff_sim_warning(ff_sim *sim, size_t i) {
    ff_warnings list;
    ff_warnings_of_run(sim, &list);
    return ff_warnings_at(&list, i);
}
