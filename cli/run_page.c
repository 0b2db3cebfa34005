/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "run_page.h"
#include "model/model.h"
#include "model/scene.h"
#include "pack.h"
#include "page.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits that keep a page small and quick; it says which of them it has met. */
enum {
    values_most = 8000000, /* that a trace keeps: 64 MB */
    bodies_most = 4000,    /* that are drawn of a crowd */
    bodies_turning = 200,  /* of more bodies orientations are left out */
    bodies_moving = 50,    /* and of more than these velocities */
    events_most = 5000,
    data_most = 2400 * 1000 /* bytes, which are a third more as text */
};

trace_choice run_page_choice(const ff_run_options *o, double memory) {
    /* every step: a contact is short; and enough in between for smooth curves */
    return (trace_choice){.fill = o->until / 400,
                          .values_most =
                              (size_t)fmin(values_most, memory / (4 * sizeof(double)) + 1),
                          .bodies_most = bodies_most};
}

/* ---- the columns of a page ---- */

typedef struct {
    size_t set;
    size_t at;   /* its column in the trace */
    bool length; /* that of a vector */
} column;

/* what of a trace is on a page, in the order of the trace */
static const struct {
    const char *folder, *field;
    size_t most; /* bodies that a scene may have for it; 0: any number */
    bool length; /* of the vector is enough */
} wanted[] = {
    {"bodies", "position", 0, false},
    {"bodies", "orientation", bodies_turning, false},
    {"bodies", "velocity", bodies_moving, false},
    {"bodies", "omega", bodies_moving, true},
    {"contacts", "touching", 0, false},
    {"contacts", "depth", 0, false},
    {"contacts", "force", 0, false},
    {"contacts", "slip", 0, true},
    {"contacts", "slips", 0, false},
    {"joints", "position", 0, false},
    {"joints", "angle", 0, false},
    {"joints", "force", 0, true},
};

/* of an inclusion: all numbers of a field; a name NULL is every one of its folder */
static const struct {
    const char *folder, *field;
} quantities[] = {{"states", NULL},      {"contacts", "gap"},    {"contacts", "force"},
                  {"frictions", "slip"}, {"frictions", "force"}, {"outputs", NULL}};

static bool is_quantity(const trace_words *w) {
    bool is = false;
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        const char *field = quantities[i].field;
        is = is || (strcmp(w->folder, quantities[i].folder) == 0 &&
                    (!field || strcmp(w->name, field) == 0));
    }
    return is;
}

/* Returns how many columns there are of a set, 0 if it is not wanted. */
static size_t columns_of(const trace *t, size_t set, bool *length) {
    const ff_field f = trace_field(t, set);
    trace_words w;
    trace_split(&f, &w);
    *length = false;
    if (strcmp(w.folder, "ledger") == 0) {
        return 1;
    }
    if (ff_model_inclusion(t->model)) {
        return is_quantity(&w) ? f.width : 0;
    }
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (strcmp(w.folder, wanted[i].folder) == 0 && strcmp(w.name, wanted[i].field) == 0) {
            *length = wanted[i].length;
            return wanted[i].most > 0 && t->bodies > wanted[i].most ? 0 : *length ? 1 : f.width;
        }
    }
    return 0;
}

static column *choose_columns(const trace *t, size_t *count) {
    column *columns = calloc(t->columns, sizeof *columns);
    *count = 0;
    for (size_t i = 0; columns && i < t->set_count; i++) {
        bool length;
        size_t width = columns_of(t, i, &length);
        for (size_t k = 0; k < width; k++) {
            columns[(*count)++] = (column){i, t->sets[i].at + k, length};
        }
    }
    return columns;
}

/* the row of the trace that is the i-th on the page: one in `thin`, and the last */
static size_t row_at(const trace *t, size_t i, size_t thin) {
    return i * thin < t->rows ? i * thin : t->rows - 1;
}

static size_t rows_of(const trace *t, size_t thin) { return (t->rows - 1 + thin - 1) / thin + 1; }

static double largest(const trace *t, const trace_set *s) {
    double most = 0;
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = s->at; c < s->at + s->width; c++) {
            most = fmax(most, fabs(t->values[r * t->columns + c]));
        }
    }
    return most;
}

/* Packs all columns; false where memory ends. The floor of a vector's components is a millionth of the largest of
 * them: what should be 0 and is not by rounding is 0. */
static bool pack_all(const trace *t, const column *columns, size_t count, size_t thin, int bits,
                     pack *p, pack_scale *scales) {
    size_t rows = rows_of(t, thin);
    double *values = malloc(rows * sizeof *values), most = 0;
    int32_t *work = malloc(rows * sizeof *work);
    *p = (pack){0};
    for (size_t c = 0; values && work && c < count; c++) {
        const column *k = &columns[c];
        for (size_t i = 0; i < rows; i++) {
            const double *v = t->values + row_at(t, i, thin) * t->columns + k->at;
            values[i] = k->length ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : *v;
        }
        most = c > 0 && columns[c - 1].set == k->set ? most : largest(t, &t->sets[k->set]);
        scales[c] = pack_scale_of(values, rows, 1e-6 * most, bits);
        pack_column(p, values, rows, scales[c], work);
    }
    pack_end(p);
    bool done = values && work && !p->failed;
    free(values);
    free(work);
    return done;
}

/* ---- the document ---- */

/* name and unit of a column */
static void put_column(json *j, const trace *t, const ff_field *f, const column *c,
                       const char *length) {
    json_string(j, NULL, c->length ? length : f->parts[c->at - t->sets[c->set].at]);
    json_string(j, NULL, f->unit);
}

/* columns [name, unit] of the first thing of a folder: all others have the same */
static void put_layout(json *j, const trace *t, const column *columns, size_t count,
                       const char *folder) {
    char owner[FF_FIELD_PATH] = "";
    bool first = true;
    json_array(j, folder);
    for (size_t c = 0; c < count; c++) {
        const ff_field f = trace_field(t, columns[c].set);
        trace_words w;
        trace_split(&f, &w);
        if (strcmp(w.folder, folder) == 0 && (first || strcmp(w.owner, owner) == 0)) {
            memcpy(owner, w.owner, strlen(w.owner) + 1);
            first = false;
            json_array(j, NULL);
            put_column(j, t, &f, &columns[c], w.name);
            json_end(j);
        }
    }
    json_end(j);
}

/* columns [joint, name, unit]: joints of different kinds have different ones */
static void put_joint_layout(json *j, const trace *t, const column *columns, size_t count) {
    size_t joint = 0;
    json_array(j, "joints");
    for (size_t c = 0; c < count; c++) {
        const ff_field f = trace_field(t, columns[c].set);
        trace_words w;
        trace_split(&f, &w);
        if (strcmp(w.folder, "joints") == 0) {
            while (strcmp(ff_model_joint_name(t->model, joint), w.owner) != 0) {
                joint++;
            }
            json_array(j, NULL);
            json_integer(j, NULL, (long long)joint);
            put_column(j, t, &f, &columns[c], "reaction");
            json_end(j);
        }
    }
    json_end(j);
}

/* columns [folder, owner, name, unit] of an inclusion */
static void put_quantity_layout(json *j, const trace *t, const column *columns, size_t count) {
    json_array(j, "quantities");
    for (size_t c = 0; c < count && ff_model_inclusion(t->model); c++) {
        const ff_field f = trace_field(t, columns[c].set);
        trace_words w;
        trace_split(&f, &w);
        if (is_quantity(&w)) {
            char name[FF_FIELD_PATH + 24];
            const size_t part = columns[c].at - t->sets[columns[c].set].at;
            snprintf(name, sizeof name, f.width > 1 ? "%s[%zu]" : "%s", w.name, part);
            json_array(j, NULL);
            json_string(j, NULL, w.folder);
            json_string(j, NULL, w.owner);
            json_string(j, NULL, name);
            json_string(j, NULL, f.unit);
            json_end(j);
        }
    }
    json_end(j);
}

static bool put_base64(json *j, const char *key, const void *bytes, size_t size) {
    char *text = pack_base64(bytes, size);
    if (text) {
        json_string(j, key, text);
    }
    free(text);
    return text;
}

/* times, as doubles of the least byte first */
static bool put_times(json *j, const trace *t, size_t thin) {
    size_t rows = rows_of(t, thin);
    unsigned char *bytes = malloc(8 * rows);
    for (size_t i = 0; bytes && i < rows; i++) {
        uint64_t bits;
        memcpy(&bits, t->values + row_at(t, i, thin) * t->columns, sizeof bits);
        for (int k = 0; k < 8; k++) {
            bytes[8 * i + (size_t)k] = (unsigned char)(bits >> 8 * k);
        }
    }
    bool done = bytes && put_base64(j, "time", bytes, 8 * rows);
    free(bytes);
    return done;
}

/* Samples that fit: first with less precision, then fewer of them. */
static bool put_samples(json *j, const trace *t) {
    static const int precisions[] = {20, 17, 14};
    size_t count, thin = 1, room = data_most;
    int bits = 0;
    pack p = {0};
    column *columns = choose_columns(t, &count);
    pack_scale *scales = columns ? calloc(count + 1, sizeof *scales) : NULL;
    bool done = scales, fits = false;
    for (; done && !fits; thin *= 2) {
        for (size_t i = 0; done && !fits && i < sizeof precisions / sizeof *precisions; i++) {
            bits = precisions[i];
            free(p.bytes);
            done = pack_all(t, columns, count, thin, bits, &p, scales);
            fits = p.size + 8 * rows_of(t, thin) <= room || rows_of(t, thin) <= 2;
        }
        if (fits) {
            break;
        }
    }
    if (done) {
        json_object(j, "samples");
        json_integer(j, "offered", (long long)t->offered);
        json_integer(j, "rows", (long long)rows_of(t, thin));
        json_integer(j, "bits", bits);
        json_object(j, "layout");
        const bool scene = !ff_model_inclusion(t->model);
        put_layout(j, t, columns, scene ? count : 0, "bodies");
        put_layout(j, t, columns, scene ? count : 0, "contacts");
        put_quantity_layout(j, t, columns, count);
        put_joint_layout(j, t, columns, count);
        put_layout(j, t, columns, count, "ledger");
        json_end(j);
        double *numbers = calloc(count + 1, sizeof *numbers);
        for (int part = 0; numbers && part < 2; part++) {
            for (size_t c = 0; c < count; c++) {
                numbers[c] = part == 0 ? scales[c].least : scales[c].step;
            }
            json_numbers(j, part == 0 ? "least" : "step", numbers, count);
        }
        done = numbers && put_times(j, t, thin) && put_base64(j, "data", p.bytes, p.size);
        free(numbers);
        json_end(j);
    }
    free(p.bytes);
    free(scales);
    free(columns);
    return done;
}

/* An event is [time, kind, owner], -1 where it is of nothing that has a name. */
static void put_events(json *j, const ff_model *model, const event_list *events) {
    const ff_inclusion_def *def = ff_model_inclusion(model);
    const size_t contacts = def ? def->dio_count : ff_model_contacts_listed(model),
                 frictions = def ? def->sgn_count : 0;
    json_array(j, "event_owners");
    for (size_t i = 0; i < contacts; i++) {
        json_string(j, NULL, def ? def->dios[i].name : ff_model_contact_name(model, i));
    }
    for (size_t i = 0; i < frictions; i++) {
        json_string(j, NULL, def->sgns[i].name);
    }
    json_end(j);
    json_array(j, "event_kinds");
    for (int k = 0; k <= FF_USER; k++) {
        json_string(j, NULL, ff_event_name((ff_event_kind)k));
    }
    json_end(j);
    json_integer(j, "event_count", (long long)events->count);
    json_array(j, "events");
    for (size_t i = 0; i < events->count && i < events_most; i++) {
        const ff_event *e = &events->at[i];
        const bool slides = def && (e->kind == FF_STICK || e->kind == FF_SLIP);
        const double owner = !ff_model_event_owner(model, e) || (!def && contacts == 0)
                                 ? -1
                                 : e->contact + (slides ? (double)contacts : 0);
        json_numbers(j, NULL, (double[]){e->time, e->kind, owner}, 3);
    }
    json_end(j);
}

/* Names, and shapes as [body, x, y, z, radius] and [body, edges], bodies by their place in a row. */
static void put_bodies(json *j, const run_page *p) {
    static const ff_scene none;
    const ff_scene *scene = p->scene ? p->scene : &none;
    size_t count = p->t->bodies, *place = calloc(scene->bodies.count + 1, sizeof *place);
    json_integer(j, "body_count", (long long)ff_model_body_count(p->model));
    json_array(j, "bodies");
    for (size_t i = 0; i < count; i++) {
        json_string(j, NULL, ff_model_body_name(p->model, trace_body(p->t, i)));
        if (place) {
            place[trace_body(p->t, i)] = i + 1;
        }
    }
    json_end(j);
    for (int boxes = 0; boxes < 2; boxes++) {
        json_array(j, boxes ? "boxes" : "spheres");
        for (size_t i = 0; place && i < scene->shapes.count; i++) {
            const ff_shape_def *s = &scene->shapes.at[i];
            size_t body = place[s->body];
            ff_body_facts f = ff_model_body_facts(p->model, (size_t)s->body);
            const double *b = s->box;
            if (body > 0 && boxes && b[0] > 0) {
                /* of eight corners the first is enough */
                bool corner = i > 0 && s[-1].body == s->body && s[-1].box[0] > 0;
                if (!corner) {
                    json_numbers(j, NULL, (double[]){(double)body - 1, b[0], b[1], b[2]}, 4);
                }
            } else if (body > 0 && !boxes && !(b[0] > 0)) {
                json_numbers(j, NULL,
                             (double[]){(double)body - 1, s->center[0] - f.center[0],
                                        s->center[1] - f.center[1], s->center[2] - f.center[2],
                                        s->radius},
                             5);
            }
        }
        json_end(j);
    }
    free(place);
}

static void put_planes(json *j, const ff_scene *scene) {
    json_array(j, "planes");
    for (size_t i = 0; scene && i < scene->planes.count; i++) {
        const ff_plane_def *plane = &scene->planes.at[i];
        json_object(j, NULL);
        json_string(j, "name", plane->name);
        json_numbers(j, "point", plane->point, 3);
        json_numbers(j, "normal", plane->normal, 3);
        json_numbers(j, "velocity", plane->velocity, 3);
        json_numbers(j, "surface_velocity", plane->surface_velocity, 3);
        json_end(j);
    }
    json_end(j);
}

/* Two spheres, or a sphere and a plane, whose normal it has then. */
static void put_contacts(json *j, const ff_model *model) {
    json_array(j, "contacts");
    for (size_t i = 0; i < ff_model_contacts_listed(model); i++) {
        ff_slot slot;
        const ff_slot *s = &slot;
        ff_model_slot(model, i, &slot);
        json_object(j, NULL);
        json_string(j, "name", s->name);
        json_string(j, "normal_law", s->law.law->name);
        json_string(j, "friction_law", s->friction.law->name);
        json_number(j, "mu",
                    s->slides && s->friction.law->cone ? s->friction.law->cone(&s->friction) : 0);
        json_integer(j, "body", s->body);
        json_numbers(j, "center", s->center, 3);
        json_number(j, "radius", s->radius);
        json_integer(j, "other", s->other);
        if (s->other >= 0) {
            json_numbers(j, "other_center", s->other_center, 3);
        } else {
            json_numbers(j, "normal", s->normal, 3);
        }
        json_end(j);
    }
    json_end(j);
}

/* What holds two points together, of bodies or of the world (body -1): springs and joints. */
static void put_links(json *j, const ff_model *model) {
    json_array(j, "springs");
    for (size_t i = 0; i < model->force_count; i++) {
        const ff_force_def *f = &model->forces[i];
        if (f->kind == FF_FORCE_SPRING) {
            json_object(j, NULL);
            json_string(j, "name", f->name);
            json_integer(j, "body", f->body);
            json_numbers(j, "anchor", f->anchor, 3);
            json_integer(j, "other", f->other);
            json_numbers(j, "other_anchor", f->other_anchor, 3);
            json_end(j);
        }
    }
    json_end(j);
    json_array(j, "joints");
    for (size_t i = 0; i < ff_model_joint_count(model); i++) {
        ff_joint_facts f = ff_model_joint_facts(model, i);
        json_object(j, NULL);
        json_string(j, "name", ff_model_joint_name(model, i));
        json_string(j, "joint_kind", ff_joint_kind_name(f.kind));
        json_integer(j, "body", f.first);
        json_numbers(j, "anchor", f.anchor, 3);
        json_integer(j, "other", f.second);
        json_numbers(j, "other_anchor", f.second_anchor, 3);
        json_end(j);
    }
    json_end(j);
}

static void put_ledger(json *j, ff_sim *sim) {
    ff_ledger l = ff_sim_ledger(sim);
    json_object(j, "ledger");
    json_number(j, "initial", l.initial);
    json_number(j, "scale", l.scale);
    json_number(j, "residual", l.residual);
    json_end(j);
}

/* What the scene says of itself: the comment that it begins with. */
static void put_about(json *j, const char *source) {
    char *text = malloc(strlen(source) + 1), *to = text;
    while (text && *source == '#') {
        size_t line = strcspn(source, "\n");
        size_t skip = strspn(source, "# ") < line ? strspn(source, "# ") : line;
        memcpy(to, source + skip, line - skip);
        to += line - skip;
        *to++ = '\n';
        source += line + (source[line] == '\n');
    }
    if (text) {
        *to = '\0';
        json_string(j, "about", text);
    }
    free(text);
}

static bool put_document(FILE *out, const run_page *p, const args *a, const char *title) {
    ff_statistics s = ff_sim_statistics(p->sim);
    json j = {.out = out};
    char *line = args_line(a), version[80];
    snprintf(version, sizeof version, "footfall %s", ff_version());
    json_object(&j, NULL);
    json_string(&j, "kind", "run");
    json_string(&j, "title", title);
    json_string(&j, "generated_by", version);
    put_about(&j, p->source);
    json_string(&j, "command", line);
    json_string(&j, "scene", p->resolved);
    json_string(&j, "scene_path", p->scene_path);
    json_string(&j, "ended", p->ended);
    json_string(&j, "failed", p->failed);
    json_number(&j, "time", ff_sim_time(p->sim));
    json_string(&j, "method", ff_method_name(p->o->method));
    json_number(&j, "tol", p->o->tol);
    json_bool(&j, "events_located", p->o->events);
    json_integer(&j, "steps", s.steps);
    json_bool(&j, "crowd", ff_model_class_count(p->model) > 0);
    json_numbers(&j, "gravity", p->model->gravity, 3);
    put_bodies(&j, p);
    put_planes(&j, p->scene);
    put_contacts(&j, p->model);
    put_links(&j, p->model);
    put_events(&j, p->model, p->events);
    put_ledger(&j, p->sim);
    bool done = line && put_samples(&j, p->t);
    json_end(&j);
    free(line);
    return done;
}

int run_page_save(const run_page *p, const args *a, const char *path) {
    const char *slash = strrchr(p->scene_path, '/');
    const char *title = slash ? slash + 1 : p->scene_path;
    char *text = NULL;
    size_t size;
    int status = 1;
    FILE *out = open_memstream(&text, &size);
    bool done = out && put_document(out, p, a, title);
    if (out) {
        done = fclose(out) == 0 && done;
    }
    if (done) {
        status = page_save(a, path, title, text, size);
    } else {
        args_error(a, "out of memory");
    }
    free(text);
    return status;
}
