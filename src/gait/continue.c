/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "curve.h"
#include "model/model.h"
#include "num/def.h"
#include "num/memory.h"
#include "parts.h"
#include "sim/sim.h"
#include <math.h>
#include <string.h>

/* Continuation: the gaits of a walker as one number of its scene varies. */

/* A branch that is being followed. Its points are in the coordinates of the section of the first gait: every other walker
 * uses its base, basis and scales, so that x has the same meaning for all values. The parameter of the curve is the value
 * divided by the range, from 0 to 1. */
typedef struct follow {
    ff_gait *first;
    ff_gait_branch def;
    ff_gait *other; /* a walker for the current value, or NULL */
    double value;
    ff_error *error;
} follow;

static double value_at(const follow *f, double parameter) {
    return parameter == 1 ? f->def.to : f->def.from + parameter * (f->def.to - f->def.from);
}

/* Gives x the same meaning for one walker as for another. */
static ff_status adopt(ff_gait *gait, const ff_gait *from, ff_error *error) {
    const size_t count = from->chart.count;
    if (gait->chart.count != count || gait->chart.states != from->chart.states ||
        gait->inner_count != from->inner_count ||
        gait->model->body_count != from->model->body_count) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "the number that changes must not change how many coordinates the "
                             "walker has");
    }
    gait->begins = true; /* every point is on the section */
    gait->n = from->n;
    memcpy(gait->base, from->base, from->chart.states * sizeof *gait->base);
    memcpy(gait->across, from->across, count * sizeof *gait->across);
    memcpy(gait->along, from->along, count * sizeof *gait->along);
    memcpy(gait->basis, from->basis, (from->n - from->spring_count) * count * sizeof *gait->basis);
    gait->spring_count = from->spring_count;
    memcpy(gait->springs, from->springs, from->spring_count * sizeof *gait->springs);
    memcpy(gait->base_inner, from->base_inner, from->inner_count * sizeof *gait->base_inner);
    memcpy(gait->chart.freedoms, from->chart.freedoms, count * sizeof *gait->chart.freedoms);
    return FF_OK;
}

/* A walker for a value of the number. */
static ff_status walker_for(follow *f, double value, ff_gait **out) {
    *out = NULL;
    ff_status status = f->def.walker(f->def.user, value, out, f->error);
    status = status < 0 ? status : adopt(*out, f->first, f->error);
    if (status < 0) {
        ff_gait_free(*out);
        *out = NULL;
    }
    return status;
}

static ff_status branch_map(void *user, const double *x, double parameter, bool fine, double *out) {
    follow *f = user;
    const double value = value_at(f, parameter);
    if (!f->other || f->value != value) {
        ff_gait_free(f->other);
        ff_status status = walker_for(f, value, &f->other);
        if (status < 0) {
            return status;
        }
        f->value = value;
    }
    ff_walked walk = {.gait = f->other, .sim = fine ? f->other->sim : f->other->quick};
    ff_status status = ff_gait_map(&walk, x, out);
    if (status < 0 && *f->other->why.text) {
        *f->error = f->other->why;
    }
    f->first->steps++;
    return status;
}

/* Reports a point of the branch. */
static ff_status report_point(follow *f, const ff_curve *curve) {
    const double *z = curve->here.z, value = value_at(f, z[curve->map->n]);
    const size_t n = curve->map->n;
    ff_gait *gait;
    ff_gait_cycle cycle = {0};
    ff_status status = walker_for(f, value, &gait);
    if (status < 0) {
        return status;
    }
    double *x = ff_gait_cycle_room(n), *work = x + n, *jacobian = work + 2 * n;
    status = x ? FF_OK : FF_NO_MEMORY;
    if (status >= 0) {
        memcpy(x, z, n * sizeof *x);
        status = ff_gait_describe(gait, x, jacobian, work, &cycle);
        if (status < 0 && *gait->why.text) {
            *f->error = gait->why;
        }
    }
    ff_free(x);
    cycle.steps = gait->steps;
    status = status < 0 ? status : f->def.point(f->def.user, value, curve->turning, gait, &cycle);
    ff_gait_free(gait);
    return status;
}

static ff_status follow_branch(follow *f, ff_curve *curve, const ff_curve_map *map) {
    const double part = 1 / f->def.points;
    double *x = ff_calloc(map->n + 1, sizeof *x);
    ff_status status = x ? ff_curve_start(curve, map, x, 0, 1, part) : FF_NO_MEMORY;
    ff_free(x);
    for (size_t count = 1; status == FF_OK; count++) {
        if (count >= f->def.most) {
            return ff_model_fail(f->error, FF_UNREACHABLE, "%zu points are as many as may be",
                                 count);
        }
        /* the number changes by at most `part` of its range, the state by at most 5 `part` of its scales */
        const double slope = fabs(curve->here.tangent[map->n]);
        *f->error->text = '\0';
        status = ff_curve_next(curve, 0, 1, fmin(part / slope, 5 * part));
        status = status < 0 ? status : report_point(f, curve);
        const double at = curve->here.z[map->n];
        if (at <= 0 || at >= 1) {
            break;
        }
    }
    if (status == FF_SINGULAR && !*f->error->text) {
        ff_model_fail(f->error, status, "branches cross there, or none goes on");
    } else if (status == FF_UNREACHABLE && !*f->error->text) {
        ff_model_fail(f->error, status,
                      "no gait is found however near; an event of a step may begin or end there");
    }
    return status;
}

/* Follows the branch from the gait of its first walker. */
static ff_status follow_from(ff_gait *gait, const ff_gait_branch *def, ff_error *error) {
    ff_error why = {""};
    follow f = {.first = gait, .def = *def, .error = &why};
    ff_gait_maps maps;
    ff_gait_make_maps(gait, &maps);
    const ff_curve_map map = {branch_map, &f, gait->n, maps.quick.step, maps.fine.noise};
    ff_curve curve = {0};
    const ff_status status = follow_branch(&f, &curve, &map);
    const double last = curve.here.z ? value_at(&f, curve.here.z[gait->n]) : f.def.from;
    ff_curve_clear(&curve);
    ff_gait_free(f.other);
    if (status < 0 && status != FF_NO_MEMORY) {
        return ff_model_fail(error, status, "the branch ends near %.9g: %s", last,
                             *why.text ? why.text : ff_status_text(status));
    }
    return status;
}

/* Finds the gait of a walker in its start state after some steps. */
static ff_status find_after(ff_gait *gait, size_t steps, ff_gait_cycle *cycle, ff_error *error) {
    double time = 0;
    for (size_t i = 0; i < steps; i++) {
        ff_gait_record step;
        ff_error why = {""};
        const ff_status status = ff_gait_step(gait, &step, &why);
        if (status < 0) {
            return ff_model_fail(error, status, "after %zu step%s and %.6g s: %.180s", i,
                                 i == 1 ? "" : "s", time, why.text);
        }
        time += step.period;
    }
    return ff_gait_find(gait, cycle, error);
}

/* Motions of the bodies of the last gait that was found; NULL before the first. */
typedef struct place {
    ff_motion *bodies;
    size_t count;
} place;

static ff_status place_keep(place *p, const ff_gait *gait) {
    const size_t count = gait->model->body_count;
    if (!p->bodies || p->count != count) {
        ff_free(p->bodies);
        p->bodies = ff_malloc((count + 1) * sizeof *p->bodies);
        p->count = count;
    }
    for (size_t i = 0; p->bodies && i < count; i++) {
        p->bodies[i] = ff_gait_body(gait, i);
    }
    return p->bodies ? FF_OK : FF_NO_MEMORY;
}

/* Reports the gait of one value, searched for from the last gait that was found, or else from the start of the walker. */
static ff_status report_value(const ff_gait_branch *def, double value, place *last,
                              ff_error *error) {
    ff_gait *gait = NULL;
    ff_gait_cycle cycle;
    ff_status status = def->walker(def->user, value, &gait, error);
    if (status < 0) {
        return status;
    }
    ff_status found = FF_UNREACHABLE;
    if (last->bodies && last->count == gait->model->body_count) {
        ff_gait_stand(gait, last->bodies);
        found = ff_gait_find(gait, &cycle, error);
        if (found < 0) {
            ff_gait_free(gait);
            gait = NULL;
            status = def->walker(def->user, value, &gait, error);
        }
    }
    if (status >= 0 && found < 0) {
        *error->text = '\0';
        found = find_after(gait, def->steps, &cycle, error);
    }
    if (status >= 0 && found >= 0) {
        status = place_keep(last, gait);
        status = status < 0 ? status : def->point(def->user, value, false, gait, &cycle);
    } else if (status >= 0) {
        if (!*error->text) {
            ff_model_fail(error, found, "%s", ff_status_text(found));
        }
        status = def->missing && found != FF_NO_MEMORY
                     ? def->missing(def->user, value, found, error)
                     : found;
    }
    ff_gait_free(gait);
    return status;
}

static ff_status report_values(const ff_gait_branch *def, ff_error *error) {
    place last = {0};
    ff_status status = FF_OK;
    for (size_t i = 0; i < def->count && status == FF_OK; i++) {
        *error->text = '\0';
        status = report_value(def, def->values[i], &last, error);
    }
    ff_free(last.bodies);
    return status;
}

static ff_status report_branch(const ff_gait_branch *def, ff_error *error) {
    ff_gait *gait = NULL;
    ff_gait_cycle cycle;
    ff_status status = def->walker(def->user, def->from, &gait, error);
    status = status < 0 ? status : find_after(gait, def->steps, &cycle, error);
    status = status < 0 ? status : def->point(def->user, def->from, false, gait, &cycle);
    status = status != FF_OK ? status : follow_from(gait, def, error);
    ff_gait_free(gait);
    return status;
}

ff_status ff_gait_continue(const ff_gait_branch *given, ff_error *error) {
    ff_error own = {""};
    ff_gait_branch def = ff_gait_branch_default();
    error = error ? error : &own;
    if (!FF_DEF_TAKE(&def, given)) {
        return ff_def_refuse(error);
    }
    const bool range =
        isfinite(def.from) && isfinite(def.to) && def.from != def.to && def.points >= 1;
    if (!def.walker || !def.point || !(def.values || range)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "a branch needs two values that differ, one point at least, and both "
                             "of its functions");
    }
    return def.values ? report_values(&def, error) : report_branch(&def, error);
}
