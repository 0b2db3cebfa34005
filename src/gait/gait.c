/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "num/def.h"
#include "num/elementary.h"
#include "num/memory.h"
#include <footfall/gait.h>
#include <footfall/tool.h>

#include "body/vector.h"
#include "model/kinds.h"
#include "parts.h"
#include "sim/sim.h"
#include <stdlib.h>
#include <string.h>

/* Derivatives use the tolerance of the run, but at most this one, and a looser one: at 1e-6 and above, steps of integration that
 * are rejected on one side of a difference only change the state at the end of a step of the biped by a tenth of the difference. */
static const double smooth_most = 1e-7;
/* The looser tolerance is larger by a factor between these, and within these limits not tighter than `quick_least`: differences of
 * steps need errors that change smoothly, not small ones. A factor of at least ten makes the integration error visible in
 * that of the multipliers. */
static const double quick_factor[2] = {10, 30}, quick_least = 1e-8;

/* ---- the section ---- */

/* The image of a motion: bodies exchange places, each is rotated back by its own symmetry, then reflected. A rotation r in
 * body axes changes the orientation q to q r^-1 and leaves the centre of mass and velocities unchanged. In the reflection a
 * rotation vector keeps its component along the normal and changes the sign of the others. */
static ff_motion image_of(const ff_gait *gait, const ff_motion *bodies, size_t body) {
    ff_motion m = bodies[gait->partner[body]];
    const double *n = gait->reflect, *turn = gait->turn[body];
    if (ff_dot(turn + 1, turn + 1) > 0) {
        double q[4];
        ff_quaternion_times(m.orientation, turn, q);
        memcpy(m.orientation, q, sizeof q);
    }
    if (ff_dot(n, n) > 0) {
        ff_add_scaled(m.position, -2 * ff_dot(n, m.position), n, m.position);
        ff_add_scaled(m.velocity, -2 * ff_dot(n, m.velocity), n, m.velocity);
        double spin = ff_dot(n, m.omega), part = ff_dot(n, m.orientation + 1);
        for (int c = 0; c < 3; c++) {
            m.omega[c] = 2 * spin * n[c] - m.omega[c];
            m.orientation[1 + c] = 2 * part * n[c] - m.orientation[1 + c];
        }
    }
    return m;
}

static double section_of(const ff_gait *gait, const ff_motion *body) {
    return ff_dot(gait->axis,
                  gait->def.section == FF_SECTION_TURNING ? body->omega : body->velocity);
}

/* the smallest distance of the centre of mass from a plane, minus that at which the walker has fallen */
static double height_of(const ff_gait *gait, const ff_motion *bodies) {
    double at[3] = {0}, least = INFINITY;
    for (size_t i = 0; i < gait->model->body_count; i++) {
        ff_add_scaled(at, gait->model->bodies[i].mass / gait->mass, bodies[i].position, at);
    }
    for (size_t i = 0; i < gait->plane_count; i++) {
        const ff_plane_def *p = &gait->planes[i];
        double normal[3], up[3];
        ff_normalise(p->normal, normal);
        ff_add_scaled(at, -1, p->point, up);
        least = fmin(least, ff_dot(normal, up));
    }
    return least - gait->def.lowest;
}

static double watch_value(void *user, double time, const ff_motion *bodies) {
    (void)time;
    const watch *w = user;
    const ff_gait *gait = w->gait;
    switch (w->what) {
    case WATCH_END: {
        ff_motion image = image_of(gait, bodies, (size_t)gait->def.body);
        return section_of(gait, &image);
    }
    case WATCH_BEGIN: return gait->begins ? -1 : section_of(gait, &bodies[gait->def.body]);
    default: {
        double height = height_of(gait, bodies);
        return isfinite(height) ? height : 1;
    }
    }
}

/* ---- a step ---- */

/* From this state to the beginning of the next step: its image, or the motion itself on the way to the first step. */
static ff_status step_from(ff_gait *gait, ff_sim *sim, const stance *from, stance *to,
                           double *period, ff_error *error) {
    const size_t bodies = gait->model->body_count;
    const double limit = gait->def.limit;
    bool risen[WATCHES];
    ff_status status = ff_gait_begin(gait, sim, from);
    if (status < 0) {
        return ff_model_fail(error, status, "%s", ff_status_text(status));
    }
    for (size_t i = 0; i < bodies; i++) {
        gait->image.bodies[i] = ff_sim_body(sim, i);
    }
    /* on the section itself the sign is only rounding: the function must rise before it can fall */
    for (int i = 0; i < WATCHES; i++) {
        risen[i] = watch_value(&gait->watches[i], 0, gait->image.bodies) > 1e-9 * gait->turning;
    }
    gait->steps++;
    bool fallen = !risen[WATCH_FALL];
    int which = -1;
    while (which < 0 && !fallen) {
        status = ff_sim_advance(sim, limit);
        if (status != FF_EVENT) {
            break;
        }
        const ff_event *event = ff_sim_event(sim);
        size_t index = (size_t)event->contact - gait->first_watch;
        if (event->kind != FF_USER || (size_t)event->contact < gait->first_watch) {
            continue;
        }
        bool falls = !sim->phase.above[event->contact];
        if (index == WATCH_FALL) {
            fallen = falls;
        } else if (falls && risen[index]) {
            which = (int)index;
        }
        risen[index] = risen[index] || !falls;
    }
    if (fallen) {
        return ff_model_fail(error, FF_UNREACHABLE,
                             "it falls: its centre of mass is lower than %g m after %g s of a step",
                             gait->def.lowest, ff_sim_time(sim));
    }
    if (status < 0) {
        const char *why = ff_sim_error(sim);
        return ff_model_fail(error, status, "after %g s of a step: %s", ff_sim_time(sim),
                             *why ? why : ff_status_text(status));
    }
    if (which < 0) {
        return ff_model_fail(error, FF_UNREACHABLE, "no step begins within %g s", limit);
    }
    status = ff_gait_read_inner(gait, sim, gait->image.inner, error);
    for (size_t i = 0; i < bodies; i++) {
        gait->image.bodies[i] = ff_sim_body(sim, i);
    }
    for (size_t i = 0; i < bodies; i++) {
        to->bodies[i] =
            which == WATCH_END ? image_of(gait, gait->image.bodies, i) : gait->image.bodies[i];
    }
    if (which == WATCH_END && status >= 0) {
        status = ff_gait_image_inner(gait, gait->image.inner, to->inner, error);
    } else {
        memcpy(to->inner, gait->image.inner, gait->inner_count * sizeof *to->inner);
    }
    *period = ff_sim_time(sim);
    return status;
}

/* ---- the state on the section ---- */

/* The value of the section function at coordinates. */
static double section_at(ff_gait *gait, const double *y) {
    ff_chart_place(&gait->chart, y, gait->image.bodies);
    return section_of(gait, &gait->image.bodies[gait->def.body]);
}

/* Orthonormalises a vector against `found` orthonormal ones and appends it; false if nothing is left of it. */
static bool add_square(size_t count, double *done, size_t found) {
    double *row = done + found * count, square = 0;
    /* twice is enough (Kahan) */
    for (int turn = 0; turn < 2; turn++) {
        for (size_t k = 0; k < found; k++) {
            double part = 0;
            for (size_t i = 0; i < count; i++) {
                part += done[k * count + i] * row[i];
            }
            for (size_t i = 0; i < count; i++) {
                row[i] -= part * done[k * count + i];
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        square += row[i] * row[i];
    }
    for (size_t i = 0; i < count && square > 0; i++) {
        row[i] /= sqrt(square);
    }
    return square > 0;
}

/* Makes an orthonormal basis of displacements within the section at the base, perpendicular to the direction and to the
 * section's gradient. The unit vectors with the smallest new component come last, so that usually the basis consists of
 * unit vectors. */
static void make_basis(ff_gait *gait) {
    const ff_chart *chart = &gait->chart;
    const size_t count = chart->count;
    double *gradient = gait->across, *at = gait->moved;
    /* the function is linear in speeds, so changing only these corrects it */
    const double here = section_at(gait, gait->base);
    for (size_t i = 0; i < count; i++) {
        memset(gait->by, 0, count * sizeof *gait->by);
        gait->by[i] = 1;
        gradient[i] = 0;
        if (chart->freedoms[i].speed) {
            ff_chart_move(chart, gait->base, gait->by, at);
            gradient[i] = section_at(gait, at) - here;
        }
    }
    double *done = gait->memory; /* basis so far, beginning with the two vectors above */
    size_t found = 0;
    memcpy(done, gait->along, count * sizeof *done);
    found += add_square(count, done, found);
    memcpy(done + found * count, gradient, count * sizeof *done);
    found += add_square(count, done, found);
    gait->n = 0;
    while (found < count) {
        /* the unit vector with the largest new component */
        size_t best = 0;
        double most = -1;
        for (size_t i = 0; i < count; i++) {
            double left = 1;
            for (size_t k = 0; k < found; k++) {
                left -= done[k * count + i] * done[k * count + i];
            }
            if (left > most + 1e-9) {
                most = left;
                best = i;
            }
        }
        double *row = done + found * count;
        memset(row, 0, count * sizeof *row);
        row[best] = 1;
        add_square(count, done, found++);
        memcpy(gait->basis + gait->n++ * count, row, count * sizeof *row);
    }
}

/* The motions at x: the base displaced along the basis, then onto the section along its gradient, which takes one Newton
 * step because the function is linear in speeds. */
static void place(ff_gait *gait, const double *x, stance *out) {
    const ff_chart *chart = &gait->chart;
    const size_t count = chart->count, mechanical = gait->n - gait->spring_count;
    double *by = gait->by, *y = gait->moved, more = 0;
    for (size_t i = 0; i < count; i++) {
        by[i] = 0;
        for (size_t k = 0; k < mechanical; k++) {
            by[i] += x[k] * gait->basis[k * count + i];
        }
    }
    ff_chart_move(chart, gait->base, by, y);
    double value = section_at(gait, y);
    for (size_t i = 0; i < count; i++) {
        by[i] += gait->across[i];
    }
    ff_chart_move(chart, gait->base, by, y);
    more = section_at(gait, y);
    double part = more != value ? value / (more - value) : 0;
    for (size_t i = 0; i < count; i++) {
        by[i] -= (1 + part) * gait->across[i];
    }
    ff_chart_move(chart, gait->base, by, y);
    ff_chart_place(&gait->chart, y, out->bodies);
    memcpy(out->inner, gait->base_inner, gait->inner_count * sizeof *out->inner);
    for (size_t k = 0; k < gait->spring_count; k++) {
        const spring *of = &gait->springs[k];
        for (int c = 0; c < of->width; c++) {
            out->inner[of->at + (size_t)c] += x[mechanical + k] * of->size * of->way[c];
        }
    }
}

/* x of a state on the section, and its displacement along the direction. */
static double read_place(ff_gait *gait, const stance *from, double *x) {
    const size_t count = gait->chart.count, mechanical = gait->n - gait->spring_count;
    double *way = gait->way, along = 0, square = 0;
    ff_chart_read(&gait->chart, from->bodies, gait->moved);
    ff_chart_way(&gait->chart, gait->base, gait->moved, way);
    for (size_t k = 0; k < gait->spring_count; k++) {
        const spring *of = &gait->springs[k];
        double by = 0;
        for (int c = 0; c < of->width; c++) {
            const size_t i = of->at + (size_t)c;
            by += of->way[c] * (from->inner[i] - gait->base_inner[i]);
        }
        x[mechanical + k] = by / of->size;
    }
    for (size_t k = 0; k < mechanical; k++) {
        x[k] = 0;
        for (size_t i = 0; i < count; i++) {
            x[k] += gait->basis[k * count + i] * way[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        along += gait->along[i] * way[i];
        square += gait->along[i] * gait->along[i];
    }
    return square > 0 ? along / square : 0;
}

/* Makes a state the base of x, with x = 0 there. */
static void settle(ff_gait *gait, const stance *at) {
    ff_chart_read(&gait->chart, at->bodies, gait->base);
    memcpy(gait->base_inner, at->inner, gait->inner_count * sizeof *at->inner);
    make_basis(gait);
    ff_gait_make_springs(gait, at);
    gait->n += gait->spring_count;
}

/* Moves motions by -length along the direction, since the walker's position does not matter. */
static void move_back(ff_gait *gait, double length, ff_motion *bodies) {
    const ff_chart *chart = &gait->chart;
    for (size_t i = 0; i < chart->count; i++) {
        gait->by[i] = -length * gait->along[i];
    }
    double *y = gait->memory;
    ff_chart_read(&gait->chart, bodies, gait->moved);
    ff_chart_move(chart, gait->moved, gait->by, y);
    ff_chart_place(&gait->chart, y, bodies);
}

/* Whether the last step can be trusted. */
static ff_status judge(ff_gait *gait, ff_error *error) {
    ff_status status = ff_sim_verdict(gait->sim);
    return status < 0 ? ff_model_fail(error, status, "after %g s of a step: %s",
                                      ff_sim_time(gait->sim), ff_sim_error(gait->sim))
                      : FF_OK;
}

static void copy_stance(const ff_gait *gait, const stance *from, stance *to) {
    memcpy(to->bodies, from->bodies, gait->model->body_count * sizeof *to->bodies);
    memcpy(to->inner, from->inner, gait->inner_count * sizeof *to->inner);
}

ff_status ff_gait_step(ff_gait *gait, ff_gait_record *out, ff_error *error) {
    ff_gait_record record = {0};
    ff_status status = step_from(gait, gait->sim, &gait->here, &gait->next, &record.period, error);
    status = status < 0 ? status : judge(gait, error);
    if (status < 0) {
        return status;
    }
    settle(gait, &gait->here);
    double *x = gait->state;
    record.length = read_place(gait, &gait->next, x);
    for (size_t k = 0; k < gait->n; k++) {
        record.change = fmax(record.change, fabs(x[k]));
    }
    move_back(gait, record.length, gait->next.bodies);
    copy_stance(gait, &gait->next, &gait->here);
    gait->begins = true;
    if (out) {
        *out = record;
    }
    return FF_OK;
}

ff_motion ff_gait_body(const ff_gait *gait, size_t body) {
    return body < gait->model->body_count ? gait->here.bodies[body]
                                          : (ff_motion){.orientation = {1, 0, 0, 0}};
}

void ff_gait_stand(ff_gait *gait, const ff_motion *bodies) {
    memcpy(gait->here.bodies, bodies, gait->model->body_count * sizeof *bodies);
    memset(gait->here.inner, 0, gait->inner_count * sizeof *gait->here.inner);
    gait->begins = fabs(section_of(gait, &bodies[gait->def.body])) < 1e-9 * gait->turning;
}

ff_sim *ff_gait_sim(ff_gait *gait) {
    ff_gait_begin(gait, gait->sim, &gait->here);
    return gait->sim;
}

const ff_model *ff_gait_model(const ff_gait *gait) { return gait->model; }

/* ---- the cycle ---- */

/* A trial step that takes so many times the integration steps of those before it is broken off. */
#define TOO_MANY 30

/* The step map in the coordinates of the section. */
ff_status ff_gait_map(void *user, const double *x, double *out) {
    ff_walked *w = user;
    ff_gait *gait = w->gait;
    const double given = w->sim->options.max_steps,
                 most = w->usual > 0 ? fmin(given, TOO_MANY * w->usual) : given;
    place(gait, x, &gait->next);
    /* a search may try states far from any gait, a wheel at 1000 rad/s, whose step would take hours */
    w->sim->options.max_steps = most;
    ff_status status = step_from(gait, w->sim, &gait->next, &gait->next, &w->period, &gait->why);
    w->sim->options.max_steps = given;
    const double steps = (double)ff_sim_statistics(w->sim).steps;
    if (status < 0 && most < given && steps >= most) {
        return ff_model_fail(&gait->why, status,
                             "a step that was tried needs more than %g steps of integration, %d "
                             "times those before it",
                             most, TOO_MANY);
    }
    if (status >= 0) {
        w->usual = fmax(w->usual, steps);
        w->length = read_place(gait, &gait->next, out);
    }
    return status;
}

/* The largest distance of a value from its partner among others: the nearest one that no larger value has taken. */
static double compare_values(size_t n, double (*values)[2], double (*others)[2]) {
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        /* taken ones are moved to the front */
        size_t best = i;
        double least = INFINITY;
        for (size_t k = i; k < n; k++) {
            double off = ff_hypot(values[i][0] - others[k][0], values[i][1] - others[k][1]);
            if (off < least) {
                least = off;
                best = k;
            }
        }
        double taken[2] = {others[best][0], others[best][1]};
        memcpy(others[best], others[i], sizeof taken);
        memcpy(others[i], taken, sizeof taken);
        most = fmax(most, least);
    }
    return most;
}

/* Safety factor: the difference between two derivatives is the error of the less accurate one; the error of the largest
 * multiplier from the better one was up to 2.7 times its difference, for bipeds and wheels at tolerances of 1e-5 to 1e-10. */
static const double caution = 3;

/* The multipliers at x and their error: from differences over h/2 at the finer of two tolerances, compared with those over
 * h at the looser one, for which both the truncation error, h^2 |P'''|/6, and the integration error are several times
 * larger. A single multiplier may agree by chance, so the one with the largest difference gives the error of all. At a kink
 * the one-sided derivatives differ by a matrix of entries up to `kink`, with a norm of up to n times that. */
static ff_status find_multipliers(ff_gait *gait, const ff_fixed_point_map *quick,
                                  const ff_fixed_point_map *fine, const double *x, double *value,
                                  double *jacobian, ff_gait_cycle *out) {
    const size_t n = gait->n;
    double kinks[2] = {0, 0};
    double(*values[2])[2] = {gait->multipliers, gait->multipliers + n};
    const ff_fixed_point_map *maps[2] = {fine, quick};
    ff_status status = FF_OK;
    for (int i = 0; i < 2 && status >= 0; i++) {
        status = maps[i]->at(maps[i]->user, x, value);
        status =
            status < 0 ? status : ff_fixed_point_derivative(maps[i], x, value, jacobian, &kinks[i]);
        status = status < 0 ? status : ff_matrix_eigenvalues(n, jacobian, values[i]);
    }
    if (status < 0) {
        return status;
    }
    out->count = n;
    out->multipliers = gait->multipliers;
    out->largest = n ? ff_hypot(values[0][0][0], values[0][0][1]) : 0;
    out->error =
        caution * compare_values(n, values[0], values[1]) + (double)n * fmax(kinks[0], kinks[1]);
    out->stable = out->largest + out->error < 1;
    return status;
}

/* ---- check of the symmetry ---- */

/* If more images than this do not lead back to the walker, it is not a symmetry. */
enum { IMAGES_MOST = 64 };

/* Applies the image to gait->next `times` times. */
static ff_status take_image(ff_gait *gait, int times) {
    ff_status status = FF_OK;
    for (int turn = 0; turn < times && status >= 0; turn++) {
        for (size_t i = 0; i < gait->model->body_count; i++) {
            gait->image.bodies[i] = image_of(gait, gait->next.bodies, i);
        }
        status = ff_gait_image_inner(gait, gait->next.inner, gait->image.inner, &gait->why);
        copy_stance(gait, &gait->image, &gait->next);
    }
    return status;
}

/* The number of images of the base that lead back to it: 2 for a biped, n for a wheel of n spokes. */
static ff_status count_images(ff_gait *gait, int *count) {
    copy_stance(gait, &gait->here, &gait->next);
    for (*count = 1; *count <= IMAGES_MOST; ++*count) {
        ff_status status = take_image(gait, 1);
        if (status < 0) {
            return status;
        }
        ff_chart_read(&gait->chart, gait->next.bodies, gait->moved);
        ff_chart_way(&gait->chart, gait->base, gait->moved, gait->way);
        double most = 0;
        for (size_t i = 0; i < gait->chart.count; i++) {
            most = fmax(most, fabs(gait->way[i]));
        }
        /* rounding of 64 products, far below any intended rotation */
        if (most < 1e-10) {
            return FF_OK;
        }
    }
    return ff_model_fail(&gait->why, FF_BAD_VALUE,
                         "%d images do not lead back to the walker: a turn must be a whole turn "
                         "divided by a whole number, as 2*pi/8",
                         IMAGES_MOST);
}

/* Whether the image S is a symmetry of the walker, along the cycle that was found. The flow F over a period maps the base b
 * to S F b = b, displaced along the direction; if S is a symmetry, F S^j b = S^j F b, so that S^(1-j) F S^j b = b for each
 * j, where S^k = 1. A body, shape or law that differs from its image is detected here. */
static ff_status check_images(ff_gait *gait, double period, double allowed, double *x) {
    int count;
    ff_status status = count_images(gait, &count);
    if (status < 0) {
        return status;
    }
    for (int j = 1; j < count; j++) {
        copy_stance(gait, &gait->here, &gait->next);
        status = take_image(gait, j);
        status = status < 0 ? status : ff_gait_begin(gait, gait->sim, &gait->next);
        gait->steps++;
        do {
            status = status < 0 ? status : ff_sim_advance(gait->sim, period);
        } while (status == FF_EVENT);
        status = status < 0 ? status : ff_sim_verdict(gait->sim);
        if (status < 0) {
            return ff_model_fail(&gait->why, status, "in a step of image %d: %s", j,
                                 ff_status_text(status));
        }
        for (size_t i = 0; i < gait->model->body_count; i++) {
            gait->next.bodies[i] = ff_sim_body(gait->sim, i);
        }
        status = ff_gait_read_inner(gait, gait->sim, gait->next.inner, &gait->why);
        status = status < 0 ? status : take_image(gait, (count + 1 - j) % count);
        if (status < 0) {
            return status;
        }
        read_place(gait, &gait->next, x);
        for (size_t k = 0; k < gait->n; k++) {
            if (!(fabs(x[k]) < allowed)) {
                return ff_model_fail(&gait->why, FF_BAD_VALUE,
                                     "image %d of the gait is no motion of this walker: a step "
                                     "differs by %.2g of its scales; swap, turn and reflect must "
                                     "be symmetries of bodies, shapes and laws",
                                     j, fabs(x[k]));
            }
        }
    }
    return FF_OK;
}

void ff_gait_make_maps(ff_gait *gait, ff_gait_maps *m) {
    const double tol = gait->sim->options.tol, quick_tol = gait->quick->options.tol;
    /* differences over h have errors of h^2 and noise/h, smallest if h^3 is about the noise, which is about 1e-4 of the
     * tolerance (the biped: 1e-12 at 1e-8) */
    const double step = 0.05 * ff_cbrt(quick_tol);
    m->fine_walk = (ff_walked){.gait = gait, .sim = gait->sim};
    m->smooth_walk = (ff_walked){.gait = gait, .sim = gait->smooth ? gait->smooth : gait->sim};
    m->quick_walk = (ff_walked){.gait = gait, .sim = gait->quick};
    m->fine = (ff_fixed_point_map){ff_gait_map, &m->fine_walk, gait->n, step, 10 * tol};
    m->smooth = (ff_fixed_point_map){ff_gait_map, &m->smooth_walk, gait->n, step / 2, 10 * tol};
    m->quick = (ff_fixed_point_map){ff_gait_map, &m->quick_walk, gait->n, step, 10 * quick_tol};
}

/* x, two vectors and a matrix */
double *ff_gait_cycle_room(size_t n) { return ff_calloc(n * n + 3 * n + 1, sizeof(double)); }

/* Describes the cycle at x, a fixed point of the step map, which becomes the base: x is then 0. */
ff_status ff_gait_describe(ff_gait *gait, double *x, double *jacobian, double *work,
                           ff_gait_cycle *out) {
    const size_t n = gait->n;
    ff_gait_maps m;
    place(gait, x, &gait->here);
    settle(gait, &gait->here);
    if (gait->n != n) {
        return ff_model_fail(&gait->why, FF_BAD_VALUE,
                             "contacts with inner states touch only in part of the steps near the "
                             "gait: begin steps where no contact begins or ends");
    }
    ff_gait_make_maps(gait, &m);
    memset(x, 0, n * sizeof *x);
    ff_status status = ff_gait_map(&m.fine_walk, x, work);
    status = status < 0 ? status : judge(gait, &gait->why);
    out->period = m.fine_walk.period;
    out->length = m.fine_walk.length;
    out->speed = out->length / out->period;
    for (size_t i = 0; i < n && status >= 0; i++) {
        out->residual = fmax(out->residual, fabs(work[i]));
    }
    /* a symmetry may deviate by as much as derivatives at the tolerance of the run would be smeared */
    const double most =
        fmax(m.quick.step, 0.05 * ff_cbrt(quick_factor[0] * gait->sim->options.tol));
    status = status < 0 ? status : check_images(gait, out->period, most, work + n);
    return status < 0 ? status
                      : find_multipliers(gait, &m.quick, &m.smooth, x, work, jacobian, out);
}

static ff_status find(ff_gait *gait, double *x, double *jacobian, double *work,
                      ff_gait_cycle *out) {
    ff_gait_maps m;
    ff_found found;
    int images;
    ff_status status = count_images(gait, &images);
    if (status < 0) {
        return status;
    }
    ff_gait_make_maps(gait, &m);
    /* near it first, with the looser tolerance, whose derivative is then reused */
    status = ff_fixed_point_find(&m.quick, x, jacobian, false, &found);
    out->iterations = found.iterations;
    if (status == FF_OK) {
        status = ff_fixed_point_find(&m.fine, x, jacobian, found.derivatives > 0, &found);
        out->iterations += found.iterations;
    }
    return status < 0 ? status : ff_gait_describe(gait, x, jacobian, work, out);
}

ff_status ff_gait_find(ff_gait *gait, ff_gait_cycle *out, ff_error *error) {
    ff_gait_cycle cycle = {0};
    *gait->why.text = '\0';
    const long before = gait->steps;
    /* to the first section */
    if (!gait->begins) {
        ff_status stepped = ff_gait_step(gait, NULL, error);
        if (stepped < 0) {
            return stepped;
        }
    }
    settle(gait, &gait->here);
    double *x = ff_gait_cycle_room(gait->n), *work = x + gait->n, *jacobian = work + 2 * gait->n;
    if (!x) {
        return FF_NO_MEMORY;
    }
    ff_status status = find(gait, x, jacobian, work, &cycle);
    ff_free(x);
    cycle.steps = gait->steps - before;
    static const char hint[] = "if bodies are in places of others after a step, or have turned to "
                               "look the same, say so by swap or turn";
    if (status == FF_SINGULAR) {
        return ff_model_fail(error, status,
                             "steps leave something as it is: hold what may drift by a joint, or "
                             "make it the direction; %s",
                             hint);
    }
    if (status == FF_BAD_VALUE) {
        return ff_model_fail(error, status, "%s", gait->why.text);
    }
    if (status < 0) {
        bool fell = *gait->why.text != '\0';
        return ff_model_fail(
            error, status, "no gait that repeats itself was found near by%s%s",
            fell ? ": " : "; a step leads too far: ", fell ? gait->why.text : hint);
    }
    *out = cycle;
    return FF_OK;
}

/* ---- construction ---- */

static ff_status check_scene(const ff_scene *scene, const ff_run_options *o, ff_error *error) {
    if (!scene->walks) {
        return ff_model_fail(
            error, FF_MISSING,
            "the scene does not say what a step is: add gait: {section: {body: .., "
            "turning: [0, 1, 0]}, direction: [1, 0, 0]}");
    }
    if (!o->events) {
        return ff_model_fail(error, FF_BAD_VALUE, "a gait needs located events");
    }
    if (ff_method_fixed(o->method)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "a gait needs a method that keeps to a tolerance, and '%s' has "
                             "steps of one length",
                             ff_method_name(o->method));
    }
    for (size_t i = 0; i < scene->forces.count; i++) {
        const ff_force_def *f = &scene->forces.at[i];
        bool moves = f->kind == FF_FORCE_PD && (f->target[1] != 0 || f->target[2] != 0);
        if (f->kind == FF_FORCE_TABLE || f->from > 0 || !isinf(f->to) || moves) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "force '%s' depends on time, and a step must not", f->name);
        }
    }
    const ff_control *control = scene->control;
    bool moved = false;
    for (size_t i = 0; i < scene->joints.count; i++) {
        moved = moved || ff_joint_moves(&scene->joints.at[i]);
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        moved = moved || ff_plane_moves(&scene->planes.at[i]);
    }
    if (moved || scene->controllers.count > 0 ||
        (control && (control->timed || control->state_count + control->memory_count > 0))) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "controllers have states, samples or a time of their own, and a step "
                             "must depend on bodies alone");
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        const ff_plane_def *p = &scene->planes.at[i];
        if (ff_dot(p->velocity, p->normal) != 0) {
            return ff_model_fail(error, FF_BAD_VALUE,
                                 "plane '%s' rises or sinks, so that steps depend on time",
                                 p->name);
        }
    }
    return FF_OK;
}

static ff_status make_model(ff_gait *gait, const ff_scene *scene, const ff_run_options *o,
                            ff_error *error) {
    /* a copy of the scene with three more events */
    ff_scene watching = *scene;
    watching.events.at = ff_calloc(scene->events.count + WATCHES, sizeof *watching.events.at);
    if (!watching.events.at) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->events.count; i++) {
        watching.events.at[i] = scene->events.at[i];
    }
    for (int i = 0; i < WATCHES; i++) {
        gait->watches[i] = (watch){gait, (watched)i};
        watching.events.at[watching.events.count++] =
            (ff_event_def){.function = watch_value, .user = &gait->watches[i], .aside = true};
    }
    watching.run = *o;
    gait->first_watch = scene->events.count;
    ff_status status = ff_model_create(&watching, &gait->model, error);
    ff_free(watching.events.at);
    if (status < 0) {
        return status;
    }
    if (gait->model->crowd) {
        return ff_model_fail(error, FF_BAD_VALUE, "a scene of this many pairs has no gait");
    }
    const ff_joint_tree *tree = gait->model->tree;
    if (tree && tree->loop_count > 0) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "joint '%s' closes a loop, and gaits are found for trees of joints",
                             gait->model->joints[tree->loops[0]].name);
    }
    return FF_OK;
}

static ff_status make_sims(ff_gait *gait, const ff_run_options *o, ff_error *error) {
    ff_run_options smooth = *o, quick = *o;
    smooth.tol = fmin(o->tol, smooth_most);
    quick.tol = fmax(quick_factor[0] * smooth.tol, fmin(quick_factor[1] * smooth.tol, quick_least));
    ff_status status = ff_sim_create(gait->model, o, &gait->sim, error);
    if (status >= 0 && smooth.tol < o->tol) {
        status = ff_sim_create(gait->model, &smooth, &gait->smooth, error);
    }
    status = status < 0 ? status : ff_sim_create(gait->model, &quick, &gait->quick, error);
    return status;
}

static ff_status make_room(ff_gait *gait) {
    const size_t bodies = gait->model->body_count, count = gait->chart.count;
    for (size_t i = 0; i < gait->model->slot_count && !gait->model->open; i++) {
        gait->inner_count += (size_t)gait->model->slots[i].states;
    }
    const size_t inner = gait->inner_count;
    gait->here.bodies = ff_calloc(3 * bodies + 1, sizeof *gait->here.bodies);
    gait->next.bodies = gait->here.bodies + bodies;
    gait->image.bodies = gait->next.bodies + bodies;
    gait->here.inner = ff_calloc(4 * inner + 1, sizeof *gait->here.inner);
    gait->next.inner = gait->here.inner + inner;
    gait->image.inner = gait->next.inner + inner;
    gait->base_inner = gait->image.inner + inner;
    gait->springs = ff_calloc(inner + 1, sizeof *gait->springs);
    gait->source = ff_calloc(gait->model->slot_count + 1, sizeof *gait->source);
    gait->state = ff_calloc(count + inner + 1, sizeof *gait->state);
    gait->base = ff_calloc(2 * gait->chart.states + 4 * count + 1, sizeof *gait->base);
    gait->moved = gait->base + gait->chart.states;
    gait->along = gait->moved + gait->chart.states;
    gait->across = gait->along + count;
    gait->way = gait->across + count;
    gait->by = gait->way + count;
    gait->basis = ff_calloc(count * count + 1, sizeof *gait->basis);
    gait->memory = ff_calloc((count + 2) * (count + 2) + gait->chart.states, sizeof *gait->memory);
    gait->multipliers = ff_calloc(2 * (count + inner) + 1, sizeof *gait->multipliers);
    return gait->here.bodies && gait->here.inner && gait->springs && gait->source && gait->state &&
                   gait->base && gait->basis && gait->memory && gait->multipliers
               ? FF_OK
               : FF_NO_MEMORY;
}

static void unit_or_none(const double v[3], double out[3]) {
    memcpy(out, v, 3 * sizeof *out);
    if (ff_dot(v, v) > 0) {
        ff_normalise(v, out);
    }
}

static ff_status make(ff_gait *gait, const ff_scene *scene, const ff_run_options *o,
                      ff_error *error) {
    ff_status status = check_scene(scene, o, error);
    if (status < 0) {
        return status;
    }
    gait->def = scene->gait;
    unit_or_none(gait->def.axis, gait->axis);
    unit_or_none(gait->def.direction, gait->direction);
    unit_or_none(gait->def.reflect, gait->reflect);
    gait->partner = ff_calloc(scene->bodies.count + 1, sizeof *gait->partner);
    gait->turn = ff_calloc(scene->bodies.count + 1, sizeof *gait->turn);
    gait->planes = ff_calloc(scene->planes.count + 1, sizeof *gait->planes);
    if (!gait->partner || !gait->turn || !gait->planes) {
        return FF_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; i++) {
        gait->partner[i] = (int)i;
        gait->turn[i][0] = 1;
    }
    for (size_t i = 0; i < gait->def.swaps; i++) {
        const int *swap = gait->def.swap[i], first = gait->partner[swap[0]];
        gait->partner[swap[0]] = gait->partner[swap[1]];
        gait->partner[swap[1]] = first;
    }
    for (size_t i = 0; i < gait->def.turns; i++) {
        const ff_gait_turn *turn = &gait->def.turn[i];
        ff_quaternion_turn(gait->turn[turn->body],
                           (double[]){-turn->by[0], -turn->by[1], -turn->by[2]});
    }
    for (size_t i = 0; i < scene->planes.count; i++) {
        gait->planes[gait->plane_count++] = scene->planes.at[i];
    }
    status = make_model(gait, scene, o, error);
    status = status < 0 ? status : ff_chart_init(&gait->chart, gait->model);
    status = status < 0 ? status : make_room(gait);
    if (status < 0) {
        return status;
    }
    for (size_t i = 0; i < gait->model->body_count; i++) {
        gait->mass += gait->model->bodies[i].mass;
        gait->here.bodies[i] = ff_motion_at(gait->model->bodies[i].start, 0);
    }
    const ff_extent *size = &gait->model->extents[gait->def.body];
    gait->turning = gait->def.section == FF_SECTION_TURNING ? size->turning : size->speed;
    if (ff_dot(gait->direction, gait->direction) > 0 &&
        !ff_chart_along(&gait->chart, gait->direction, gait->along)) {
        return ff_model_fail(error, FF_BAD_VALUE,
                             "nothing can travel along the direction of the gait: joints and locks "
                             "hold it");
    }
    ff_gait_find_sources(gait);
    ff_gait_stand(gait, gait->here.bodies);
    return make_sims(gait, o, error);
}

ff_status ff_gait_create(const ff_scene *scene, const ff_run_options *options, ff_gait **out,
                         ff_error *error) {
    ff_run_options o = ff_run_options_default();
    if (!FF_DEF_TAKE(&o, options ? options : &scene->run)) {
        return ff_def_refuse(error);
    }
    ff_gait *gait = ff_calloc(1, sizeof *gait);
    if (!gait) {
        return FF_NO_MEMORY;
    }
    ff_status status = make(gait, scene, &o, error);
    if (status < 0) {
        ff_gait_free(gait);
        return status;
    }
    *out = gait;
    return FF_OK;
}

void ff_gait_free(ff_gait *gait) {
    if (gait) {
        ff_sim_free(gait->sim);
        ff_sim_free(gait->smooth);
        ff_sim_free(gait->quick);
        ff_chart_clear(&gait->chart);
        ff_model_free(gait->model);
        ff_free(gait->partner);
        ff_free(gait->turn);
        ff_free(gait->planes);
        ff_free(gait->here.bodies);
        ff_free(gait->here.inner);
        ff_free(gait->springs);
        ff_free(gait->source);
        ff_free(gait->state);
        ff_free(gait->base);
        ff_free(gait->basis);
        ff_free(gait->memory);
        ff_free(gait->multipliers);
        ff_free(gait);
    }
}
