/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "trace.h"
#include "joints.h"
#include "plot.h"
#include "trace_file.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what is in a row ---- */

static const trace_field time_field = {"time", "s", 1, {"s"}};

static const trace_field body_fields[] = {
    {"position", "m", 3, {"x", "y", "z"}},
    {"orientation", "1", 4, {"qw", "qx", "qy", "qz"}},
    {"velocity", "m/s", 3, {"vx", "vy", "vz"}},
    {"omega", "rad/s", 3, {"wx", "wy", "wz"}},
};

static const trace_field contact_fields[] = {
    {"touching", "1", 1, {"touching"}},
    {"depth", "m", 1, {"depth"}},
    {"rate", "m/s", 1, {"rate"}},
    {"point", "m", 3, {"point_x", "point_y", "point_z"}},
    {"elastic_force", "N", 1, {"elastic_force"}},
    {"viscous_force", "N", 1, {"viscous_force"}},
    {"force", "N", 3, {"fx", "fy", "fz"}},
    {"slip", "m/s", 3, {"slip_x", "slip_y", "slip_z"}},
    {"u", "m", 3, {"u_x", "u_y", "u_z"}},
    {"slips", "1", 1, {"slips"}},
};

/* What is recorded of a joint: coordinates and rates, by kinds, and what it exerts on its second body at the anchor. */
static const trace_field revolute_fields[] = {
    {"position", "rad", 1, {"angle"}},
    {"rate", "rad/s", 1, {"rate"}},
    {"effort", "N m", 1, {"effort"}},
};
static const trace_field prismatic_fields[] = {
    {"position", "m", 1, {"distance"}},
    {"rate", "m/s", 1, {"speed"}},
    {"effort", "N", 1, {"effort"}},
};
static const trace_field universal_fields[] = {
    {"position", "rad", 2, {"angle1", "angle2"}},
    {"rate", "rad/s", 2, {"rate1", "rate2"}},
};
static const trace_field planar_fields[] = {
    {"position", "m", 2, {"way1", "way2"}},
    {"angle", "rad", 1, {"angle"}},
    {"velocity", "m/s", 2, {"speed1", "speed2"}},
    {"rate", "rad/s", 1, {"rate"}},
};
static const trace_field reaction_fields[] = {
    {"force", "N", 3, {"fx", "fy", "fz"}},
    {"moment", "N m", 3, {"mx", "my", "mz"}},
};

#define KIND(fields)                                                                               \
    { fields, sizeof fields / sizeof *fields }

static const struct {
    const trace_field *fields;
    size_t count;
} joint_kinds[FF_JOINT_KINDS] = {
    [FF_JOINT_REVOLUTE] = KIND(revolute_fields),
    [FF_JOINT_PRISMATIC] = KIND(prismatic_fields),
    [FF_JOINT_UNIVERSAL] = KIND(universal_fields),
    [FF_JOINT_PLANAR] = KIND(planar_fields),
};

/* how far constraints are violated, the worst of them */
static const trace_field violation_fields[] = {
    {"position", "m", 1, {"position"}},
    {"velocity", "m/s", 1, {"velocity"}},
};

static const trace_field ledger_fields[] = {
#define FIELD(name) {#name, "J", 1, {#name}},
    FF_LEDGER_LIST(FIELD)
#undef FIELD
        {"residual", "J", 1, {"residual"}}};

enum {
    BODY = sizeof body_fields / sizeof *body_fields,
    CONTACT = sizeof contact_fields / sizeof *contact_fields,
    LEDGER = sizeof ledger_fields / sizeof *ledger_fields,
    JOINT = 6, /* at the most */
    REACTION = 2,
    VIOLATION = 2
};

/* Changes are measured against how far a field has gone, but at least against this: rounding errors of what
 * stays where it is are no change. The scales are guesses of the largest values; a thousandth of them is far
 * above what tolerances leave. */
static double field_scale(const trace_field *f, double length, double speed, double force) {
    const char *unit = f->units;
    return 1e-3 * (strcmp(unit, "m") == 0       ? length
                   : strcmp(unit, "m/s") == 0   ? speed
                   : strcmp(unit, "rad/s") == 0 ? speed / length
                   : strcmp(unit, "N") == 0     ? force
                   : strcmp(unit, "N m") == 0   ? force * length
                                                : 1);
}

static void add_set(trace *t, const char *folder, const char *owner, const trace_field *field,
                    double scale) {
    t->sets[t->set_count++] = (trace_set){folder, owner, field, t->columns, scale, 0};
    t->columns += field->width;
}

static void add_joint(trace *t, size_t joint) {
    const char *name = ff_model_joint_name(t->model, joint);
    ff_joint_facts f = ff_model_joint_facts(t->model, joint);
    ff_body_facts b = ff_model_body_facts(t->model, (size_t)f.second);
    double length = b.length_scale, speed = b.speed_scale, force = b.mass * speed * speed / length;
    for (size_t i = 0; i < joint_kinds[f.kind].count; i++) {
        const trace_field *field = &joint_kinds[f.kind].fields[i];
        add_set(t, "joints", name, field, field_scale(field, length, speed, force));
    }
    for (size_t i = 0; i < REACTION && f.kind != FF_JOINT_FREE; i++) {
        add_set(t, "joints", name, &reaction_fields[i],
                field_scale(&reaction_fields[i], length, speed, force));
    }
}

size_t trace_body(const trace *t, size_t i) {
    size_t all = ff_model_body_count(t->model);
    return all == t->bodies ? i : (size_t)((double)i * (double)all / (double)t->bodies);
}

bool trace_init(trace *t, const ff_model *model, const trace_choice *choice) {
    size_t bodies = ff_model_body_count(model), contacts = ff_model_contact_count(model);
    bool fewer = choice->bodies_most > 0 && choice->bodies_most < bodies;
    bodies = fewer && ff_model_class_count(model) > 0 ? choice->bodies_most : bodies;
    *t = (trace){.model = model, .choice = *choice, .bodies = bodies, .stride = 1};
    t->sets = calloc(1 + bodies * BODY + contacts * CONTACT + ff_model_joint_count(model) * JOINT +
                         VIOLATION + LEDGER,
                     sizeof *t->sets);
    if (!t->sets) {
        return false;
    }
    double longest = 0, fastest = 0;
    add_set(t, NULL, "t", &time_field, INFINITY);
    for (size_t i = 0; i < bodies; i++) {
        size_t body = trace_body(t, i);
        ff_body_facts b = ff_model_body_facts(model, body);
        longest = fmax(longest, b.length_scale);
        fastest = fmax(fastest, b.speed_scale);
        for (size_t j = 0; j < BODY; j++) {
            add_set(t, "bodies", ff_model_body_name(model, body), &body_fields[j],
                    field_scale(&body_fields[j], b.length_scale, b.speed_scale, 0));
        }
    }
    for (size_t i = 0; i < contacts; i++) {
        ff_contact_facts c = ff_model_contact_facts(model, i);
        double force = c.mass * c.speed * c.speed / longest;
        for (size_t j = 0; j < CONTACT; j++) {
            add_set(t, "contacts", ff_model_contact_name(model, i), &contact_fields[j],
                    field_scale(&contact_fields[j], longest, c.speed, force));
        }
    }
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        add_joint(t, i);
    }
    t->constrained = joints_constrained(model);
    for (size_t j = 0; j < VIOLATION && t->constrained; j++) {
        add_set(t, "constraints", NULL, &violation_fields[j],
                field_scale(&violation_fields[j], longest, fastest, 0));
    }
    /* energies are measured against all of them together */
    for (size_t j = 0; j < LEDGER; j++) {
        add_set(t, "ledger", NULL, &ledger_fields[j], 0);
    }
    t->row = calloc(3 * t->columns, sizeof *t->row);
    t->first = t->row ? t->row + t->columns : NULL;
    t->last = t->row ? t->first + t->columns : NULL;
    return t->row != NULL;
}

void trace_clear(trace *t) {
    free(t->sets);
    free(t->row);
    free(t->values);
}

/* ---- rows ---- */

/* Adds the numbers of a joint in the order of its fields. */
static double *fill_joint(double *row, ff_joint_facts f, const ff_joint_record *r) {
    size_t size = (size_t)f.coordinates;
    memcpy(row, r->position, size * sizeof *row);
    memcpy(row + size, r->rate, size * sizeof *row);
    row += 2 * size;
    if (f.kind == FF_JOINT_REVOLUTE || f.kind == FF_JOINT_PRISMATIC) {
        *row++ = r->effort;
    }
    if (f.kind != FF_JOINT_FREE) {
        memcpy(row, r->force, sizeof r->force);
        memcpy(row + 3, r->moment, sizeof r->moment);
        row += 6;
    }
    return row;
}

static void fill_row(trace *t, ff_sim *sim, double time) {
    double *row = t->row;
    *row++ = time;
    for (size_t i = 0; i < t->bodies; i++) {
        ff_motion m = ff_sim_body(sim, trace_body(t, i));
        memcpy(row, m.position, sizeof m.position);
        memcpy(row + 3, m.orientation, sizeof m.orientation);
        memcpy(row + 7, m.velocity, sizeof m.velocity);
        memcpy(row + 10, m.omega, sizeof m.omega);
        row += 13;
    }
    for (size_t i = 0; i < ff_model_contact_count(t->model); i++) {
        ff_contact_record c = ff_sim_contact(sim, i);
        double head[] = {c.touching, c.depth,    c.rate,    c.point[0],
                         c.point[1], c.point[2], c.elastic, c.viscous};
        memcpy(row, head, sizeof head);
        memcpy(row + 8, c.force, sizeof c.force);
        memcpy(row + 11, c.slip, sizeof c.slip);
        memcpy(row + 14, c.u, sizeof c.u);
        row[17] = c.slips;
        row += 18;
    }
    for (size_t i = 0; i < ff_model_joint_count(t->model); i++) {
        ff_joint_record r = ff_sim_joint(sim, i);
        row = fill_joint(row, ff_model_joint_facts(t->model, i), &r);
    }
    if (t->constrained) {
        ff_violation v = ff_sim_violation(sim);
        *row++ = v.position;
        *row++ = v.velocity;
    }
    ff_ledger l = ff_sim_ledger(sim);
#define VALUE(name) *row++ = l.name;
    FF_LEDGER_LIST(VALUE)
#undef VALUE
    *row = l.residual;
    t->energy = l.scale;
}

/* whether the row differs from the last one that was taken */
static bool has_changed(trace *t) {
    bool changed = false;
    for (size_t i = 1; i < t->set_count; i++) {
        trace_set *s = &t->sets[i];
        double by = 0;
        for (size_t c = s->at; c < s->at + s->field->width; c++) {
            by = fmax(by, fabs(t->row[c] - t->last[c]));
            s->reach = fmax(s->reach, fabs(t->row[c] - t->first[c]));
        }
        double scale = *s->field->units == 'J' ? t->energy : fmax(s->scale, s->reach);
        changed = changed || by > t->choice.change * scale;
    }
    return changed;
}

/* every second of the rows that are kept goes, but for the first */
static void halve(trace *t) {
    size_t size = t->columns * sizeof *t->row;
    for (size_t i = 2; i < t->rows; i += 2) {
        memcpy(t->values + i / 2 * t->columns, t->values + i * t->columns, size);
    }
    t->rows = (t->rows + 1) / 2;
    t->stride *= 2;
}

static bool take_row(trace *t) {
    if (t->rows == 0) {
        memcpy(t->first, t->row, t->columns * sizeof *t->row);
    }
    memcpy(t->last, t->row, t->columns * sizeof *t->row);
    t->rows++;
    if (t->file) {
        return trace_file_row(t->file, t->row);
    }
    if (t->rows > t->room) {
        t->room = t->room ? 2 * t->room : 64;
        double *more = realloc(t->values, t->room * t->columns * sizeof *more);
        if (!more) {
            return false;
        }
        t->values = more;
    }
    memcpy(t->values + (t->rows - 1) * t->columns, t->row, t->columns * sizeof *t->row);
    return true;
}

static bool add_row(trace *t, ff_sim *sim, double time) {
    size_t most = t->choice.values_most / t->columns;
    if (!t->file && t->choice.values_most > 0 && t->rows >= (most > 2 ? most : 2)) {
        halve(t);
    }
    /* the first row is the start, and the others are counted from there */
    if (t->offered++ % t->stride != 0) {
        t->last[0] = time;
        return true;
    }
    fill_row(t, sim, time);
    return take_row(t);
}

bool trace_start(trace *t, ff_sim *sim) {
    double now = ff_sim_time(sim);
    t->ticks = t->choice.every > 0 ? floor(now / t->choice.every) + 1 : 0;
    return t->choice.only_events || add_row(t, sim, now);
}

static bool step(trace *t, ff_sim *sim, const ff_event *event) {
    double now = ff_sim_time(sim);
    bool good = true;
    if (t->choice.only_events) {
        return !event || add_row(t, sim, now);
    }
    if (t->choice.change > 0) {
        fill_row(t, sim, now);
        return (!has_changed(t) && !event) || take_row(t);
    }
    if (!(t->choice.every > 0)) {
        double last = t->last[0], fill = t->choice.fill;
        int parts = fill > 0 && now > last ? (int)fmin(ceil((now - last) / fill), 1000) : 1;
        for (int i = 1; i < parts && good; i++) {
            double time = last + (now - last) * i / parts;
            ff_sim_observe(sim, time);
            good = add_row(t, sim, time);
        }
        ff_sim_observe(sim, NAN);
        return good && add_row(t, sim, now);
    }
    for (double next; good && (next = t->choice.every * t->ticks) <= now; t->ticks++) {
        ff_sim_observe(sim, next);
        good = add_row(t, sim, next);
    }
    ff_sim_observe(sim, NAN);
    return good;
}

bool trace_step(trace *t, ff_sim *sim, const ff_event *event) {
    if (t->file && event) {
        t->events++;
        if (!trace_file_event(t->file, event)) {
            return false;
        }
    }
    return step(t, sim, event) && (!t->file || trace_file_tick(t->file));
}

bool trace_end(trace *t, ff_sim *sim) {
    /* the last state is worth a row, changed or passed over or not */
    double time = ff_sim_time(sim);
    bool passed = t->values && t->rows && t->values[(t->rows - 1) * t->columns] < time;
    bool missing = t->choice.change > 0 && t->rows && t->last[0] < time;
    if (passed || missing) {
        fill_row(t, sim, time);
        return take_row(t);
    }
    return true;
}

/* ---- going on ---- */

typedef struct {
    double every, change, only_events, ticks;
    uint64_t rows, events, columns, sets;
    int64_t place;
} state_head;

size_t trace_state_size(const trace *t) {
    return sizeof(state_head) + (2 * t->columns + t->set_count) * sizeof(double);
}

void trace_save(const trace *t, void *state) {
    const state_head head = {t->choice.every, t->choice.change, t->choice.only_events,
                             t->ticks,        t->rows,          t->events,
                             t->columns,      t->set_count,     trace_file_place(t->file)};
    char *at = state;
    size_t row = t->columns * sizeof *t->row;
    memcpy(at, &head, sizeof head);
    memcpy(at + sizeof head, t->first, row);
    memcpy(at + sizeof head + row, t->last, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(at + sizeof head + 2 * row + i * sizeof(double), &t->sets[i].reach, sizeof(double));
    }
}

bool trace_restore(trace *t, const void *state, size_t size) {
    state_head head;
    const char *at = state;
    size_t row = t->columns * sizeof *t->row;
    if (size != trace_state_size(t)) {
        return false;
    }
    memcpy(&head, at, sizeof head);
    if (head.every != t->choice.every || head.change != t->choice.change ||
        head.only_events != t->choice.only_events || head.columns != t->columns ||
        head.sets != t->set_count) {
        return false;
    }
    t->ticks = head.ticks;
    t->rows = head.rows;
    t->events = head.events;
    t->place = head.place;
    memcpy(t->first, at + sizeof head, row);
    memcpy(t->last, at + sizeof head + row, row);
    for (size_t i = 0; i < t->set_count; i++) {
        memcpy(&t->sets[i].reach, at + sizeof head + 2 * row + i * sizeof(double), sizeof(double));
    }
    return true;
}

void trace_column_name(const trace *t, size_t column, char *buf, size_t size) {
    const trace_set *s = t->sets;
    while (column >= s->at + s->field->width) {
        s++;
    }
    snprintf(buf, size, "%s:%s", s->owner ? s->owner : s->folder, s->field->parts[column - s->at]);
}

/* ---- pictures ---- */

/* more lines than that cannot be told apart: three for each of twenty contacts */
enum { curves_most = 60 };

typedef struct {
    const trace *t;
    const args *a;
    const char *folder;
} album;

/* one picture of the columns in a folder whose names end in one of `suffixes`, or of all without */
static int draw(const album *book, const char *from, const char *name, const char *title,
                const char *label, const char *const *suffixes, size_t count) {
    const trace *t = book->t;
    plot_curve *curves = calloc(t->columns, sizeof *curves);
    double *columns = malloc((t->columns * t->rows + 1) * sizeof *columns);
    char(*names)[TRACE_NAME] = calloc(t->columns, sizeof *names);
    size_t used = 0, left_out = 0;
    int status = 1;
    if (curves && columns && names) {
        const trace_set *set = t->sets;
        for (size_t c = 0; c < t->columns; c++) {
            set += c == set->at + set->field->width;
            bool here = set->folder && strcmp(set->folder, from) == 0;
            trace_column_name(t, c, names[c], sizeof names[c]);
            for (size_t r = 0; r < t->rows; r++) {
                columns[c * t->rows + r] = t->values[r * t->columns + c];
            }
            const char *tail = strrchr(names[c], ':') + 1;
            /* without a list of suffixes, accounts that stay 0 are left out */
            bool wanted = here && !suffixes;
            for (size_t r = 1; wanted && r <= t->rows; r++) {
                if (r == t->rows || columns[c * t->rows + r] != columns[c * t->rows]) {
                    wanted = r < t->rows;
                    break;
                }
            }
            for (size_t s = 0; suffixes && s < count; s++) {
                wanted = wanted || (here && strcmp(tail, suffixes[s]) == 0);
            }
            left_out += wanted && used == curves_most;
            if (wanted && used < curves_most) {
                curves[used++] = (plot_curve){set->owner ? names[c] : tail,
                                              columns,
                                              columns + c * t->rows,
                                              t->rows,
                                              PLOT_LINES,
                                              0};
            }
        }
        char path[1024], why[400];
        snprintf(path, sizeof path, "%s/%s", book->folder, name);
        status = used == 0 ? 0
                           : plot_write(&(plot){.title = title,
                                                .x_label = "time (s)",
                                                .y_label = label,
                                                .curves = curves,
                                                .curve_count = used},
                                        path, why, sizeof why);
        if (status) {
            args_error(book->a, "%s", why);
        } else if (left_out) {
            fprintf(stderr, "wrote %s: the first %zu of %zu lines\n", path, used, used + left_out);
        } else if (used) {
            fprintf(stderr, "wrote %s\n", path);
        }
    }
    free(curves);
    free(columns);
    free(names);
    return status;
}

int trace_plot(const trace *t, const args *a, const char *folder) {
    static const char *const height[] = {"z"}, *const force[] = {"fx", "fy", "fz"},
                             *const slip[] = {"slip_x", "slip_y", "slip_z"},
                             *const state[] = {"touching", "slips"}, *const joints[] = {"angle",
                                                                                        "angle1",
                                                                                        "angle2",
                                                                                        "distance",
                                                                                        "way1",
                                                                                        "way2"};
    const album book = {t, a, folder};
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        args_error(a, "%s: %s", folder, strerror(errno));
        return 1;
    }
    int status = draw(&book, "bodies", "height.svg", "Height", "z (m)", height, 1);
    status = status ? status
                    : draw(&book, "contacts", "force.svg", "Contact force", "force (N)", force, 3);
    status = status
                 ? status
                 : draw(&book, "contacts", "slip.svg", "Slip velocity", "velocity (m/s)", slip, 3);
    status = status ? status
                    : draw(&book, "contacts", "state.svg", "Contact (1: force acts; 1: slips)", "",
                           state, 2);
    status = status ? status
                    : draw(&book, "joints", "joints.svg", "Joints", "angle (rad), distance (m)",
                           joints, 6);
    status = status ? status
                    : draw(&book, "ledger", "energy.svg", "Energy ledger", "energy (J)", NULL, 0);
    return status;
}
