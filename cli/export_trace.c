/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "export.h"
#include "scene.h"
#include <errno.h>
#include <footfall/source.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is written of a sphere. */
typedef struct sphere {
    double at[3], velocity[3], omega[3], radius, mass, normal_force;
} sphere;

/* Where a body has its values in a row; SIZE_MAX: it has none. */
typedef struct columns {
    size_t position, orientation, velocity, omega, normal_force;
} columns;

typedef struct spheres {
    const args *a;
    const char *path;
    ff_trace *trace;
    ff_scene *scene;
    ff_model *model;
    columns *of_body;
    size_t *shapes, count; /* those of bodies that the trace has */
    size_t rows, width;
    double *values;
    sphere *at; /* in one row */
    bool forces;
} spheres;

static int out_of_memory(const args *a) {
    args_error(a, "out of memory");
    return 1;
}

/* ---- reading ---- */

/* The scene that the trace was made with. */
static int read_scene(spheres *s) {
    ff_trace_facts facts = ff_trace_about(s->trace);
    ff_messages messages = {0};
    ff_error error = {""};
    if (!facts.scene || ff_source_is_inclusion(facts.scene)) {
        return args_error(s->a, "%s: %s", s->path,
                          facts.scene ? "is of an inclusion, which has no spheres"
                                      : "does not have the scene it was made with");
    }
    const ff_status status =
        ff_scene_parse(facts.name ? facts.name : s->path, facts.scene, strlen(facts.scene), NULL, 0,
                       INFINITY, &s->scene, &messages);
    const int told = scene_tell(s->a, s->path, status, &messages);
    return told ? told : args_status(s->a, ff_model_create(s->scene, &s->model, &error), &error);
}

/* Where each body has its columns: bodies stand in the order of the model, and some may be left out. */
static int find_columns(spheres *s) {
    const size_t bodies = ff_model_body_count(s->model);
    static const char *const names[] = {"position", "orientation", "velocity", "omega",
                                        "normal_force"};
    size_t body = 0;
    s->width = ff_trace_column_count(s->trace);
    s->of_body = malloc((bodies + 1) * sizeof *s->of_body);
    if (!s->of_body) {
        return out_of_memory(s->a);
    }
    memset(s->of_body, 0xff, (bodies + 1) * sizeof *s->of_body);
    for (size_t i = 0; i < s->width; i++) {
        ff_column c;
        ff_trace_column(s->trace, i, &c);
        char *field = strrchr(c.path, '.');
        if (c.part > 0 || strncmp(c.path, "bodies.", 7) != 0 || field < c.path + 7) {
            continue;
        }
        *field++ = '\0';
        /* columns follow bodies: the search goes on where it was */
        for (size_t k = 0;
             k < bodies && strcmp(ff_model_body_name(s->model, body), c.path + 7) != 0; k++) {
            body = body + 1 < bodies ? body + 1 : 0;
        }
        columns *of = &s->of_body[body];
        size_t *const places[] = {&of->position, &of->orientation, &of->velocity, &of->omega,
                                  &of->normal_force};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            if (strcmp(field, names[k]) == 0) {
                *places[k] = i;
                s->forces = s->forces || k == 4;
            }
        }
    }
    const size_t shapes = ff_model_shape_count(s->model);
    s->shapes = calloc(shapes + 1, sizeof *s->shapes);
    s->at = calloc(shapes + 1, sizeof *s->at);
    for (size_t i = 0; s->shapes && i < shapes; i++) {
        const columns *of = &s->of_body[ff_model_shape(s->model, i).body];
        if (of->position != SIZE_MAX && of->orientation != SIZE_MAX && of->velocity != SIZE_MAX &&
            of->omega != SIZE_MAX) {
            s->shapes[s->count++] = i;
        }
    }
    return !s->shapes || !s->at ? out_of_memory(s->a)
           : s->count == 0      ? args_error(s->a, "%s: has no spheres", s->path)
                                : 0;
}

static int read_values(spheres *s) {
    ff_error error = {""};
    s->rows = ff_trace_row_count(s->trace);
    if (s->width && s->rows > SIZE_MAX / sizeof(double) / s->width - 1) {
        return out_of_memory(s->a);
    }
    s->values = malloc((s->rows + 1) * s->width * sizeof *s->values);
    return s->values ? args_status(s->a, ff_trace_values(s->trace, FF_TRACE_ALL, s->values, &error),
                                   &error)
                     : out_of_memory(s->a);
}

/* v + 2 w q x v + 2 q x (q x v): the vector turned by an orientation w, q */
static void turn(const double o[4], const double v[3], double out[3]) {
    const double *q = o + 1;
    const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                         2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + o[0] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + o[0] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + o[0] * t[2] + q[0] * t[1] - q[1] * t[0];
}

/* All spheres in a row; the velocity is that of a sphere's centre. */
static void find_spheres(const spheres *s, size_t row) {
    const double *values = s->values + row * s->width;
    for (size_t i = 0; i < s->count; i++) {
        const ff_shape_facts f = ff_model_shape(s->model, s->shapes[i]);
        const columns *of = &s->of_body[f.body];
        const double *x = values + of->position, *v = values + of->velocity,
                     *w = values + of->omega;
        double arm[3];
        sphere *to = &s->at[i];
        turn(values + of->orientation, f.center, arm);
        for (int c = 0; c < 3; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            to->at[c] = x[c] + arm[c];
            to->velocity[c] = v[c] + w[d] * arm[e] - w[e] * arm[d];
            to->omega[c] = w[c];
        }
        to->radius = f.radius;
        to->mass = ff_model_body_facts(s->model, (size_t)f.body).mass;
        to->normal_force = of->normal_force == SIZE_MAX ? (double)NAN : values[of->normal_force];
    }
}

/* ---- writing ---- */

/* One array of points in the appended part: its size in bytes, then its numbers. */
static void put_array(FILE *out, const sphere *at, size_t count, size_t place, size_t width) {
    const uint64_t size = count * width * sizeof(double);
    fwrite(&size, sizeof size, 1, out);
    for (size_t i = 0; i < count; i++) {
        fwrite((const char *)&at[i] + place, sizeof(double), width, out);
    }
}

/* An array that counts up from `from`, in the appended part. */
static void put_count(FILE *out, size_t count, int64_t from) {
    const uint64_t size = count * sizeof(int64_t);
    fwrite(&size, sizeof size, 1, out);
    for (size_t i = 0; i < count; i++) {
        const int64_t value = from + (int64_t)i;
        fwrite(&value, sizeof value, 1, out);
    }
}

/* Points with radii and motions, each a vertex, as XML PolyData of VTK with raw appended data. */
static void put_vtp(const spheres *s, FILE *out) {
    static const struct {
        const char *name;
        size_t place, width;
    } arrays[] = {
        {"Points", offsetof(sphere, at), 3},   {"radius", offsetof(sphere, radius), 1},
        {"mass", offsetof(sphere, mass), 1},   {"velocity", offsetof(sphere, velocity), 3},
        {"omega", offsetof(sphere, omega), 3}, {"normal_force", offsetof(sphere, normal_force), 1}};
    const size_t arrays_here = sizeof arrays / sizeof *arrays - !s->forces;
    const uint16_t probe = 1;
    size_t offset = 0;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"%s\" header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%zu\" "
            "NumberOfVerts=\"%zu\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"0\">\n<Points>\n",
            *(const uint8_t *)&probe ? "LittleEndian" : "BigEndian", s->count, s->count);
    for (size_t i = 0; i < arrays_here; i++) {
        fprintf(out,
                "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%zu\" "
                "format=\"appended\" offset=\"%zu\"/>\n%s",
                arrays[i].name, arrays[i].width, offset,
                i == 0 ? "</Points>\n<PointData Scalars=\"radius\" Vectors=\"velocity\">\n" : "");
        offset += sizeof(uint64_t) + s->count * arrays[i].width * sizeof(double);
    }
    fprintf(out,
            "</PointData>\n<Verts>\n<DataArray type=\"Int64\" Name=\"connectivity\" "
            "format=\"appended\" offset=\"%zu\"/>\n<DataArray type=\"Int64\" Name=\"offsets\" "
            "format=\"appended\" offset=\"%zu\"/>\n</Verts>\n</Piece>\n</PolyData>\n"
            "<AppendedData encoding=\"raw\">\n_",
            offset, offset + sizeof(uint64_t) + s->count * sizeof(int64_t));
    for (size_t i = 0; i < arrays_here; i++) {
        put_array(out, s->at, s->count, arrays[i].place, arrays[i].width);
    }
    put_count(out, s->count, 0);
    put_count(out, s->count, 1);
    fputs("\n</AppendedData>\n</VTKFile>\n", out);
}

/* A frame of a dump as LAMMPS' `dump custom` writes it. */
static void put_frame(const spheres *s, FILE *out, size_t frame, double time) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < s->count; i++) {
        for (int c = 0; c < 3; c++) {
            low[c] = fmin(low[c], s->at[i].at[c] - s->at[i].radius);
            high[c] = fmax(high[c], s->at[i].at[c] + s->at[i].radius);
        }
    }
    fprintf(out,
            "ITEM: UNITS\nsi\nITEM: TIME\n%.17g\nITEM: TIMESTEP\n%zu\nITEM: NUMBER OF ATOMS\n%zu\n",
            time, frame, s->count);
    fprintf(out, "ITEM: BOX BOUNDS ss ss ss\n");
    for (int c = 0; c < 3; c++) {
        fprintf(out, "%.17g %.17g\n", low[c], high[c]);
    }
    fprintf(out, "ITEM: ATOMS id type radius mass x y z vx vy vz omegax omegay omegaz\n");
    for (size_t i = 0; i < s->count; i++) {
        const sphere *p = &s->at[i];
        fprintf(out, "%zu 1 %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
                i + 1, p->radius, p->mass, p->at[0], p->at[1], p->at[2], p->velocity[0],
                p->velocity[1], p->velocity[2], p->omega[0], p->omega[1], p->omega[2]);
    }
}

/* The last part of a path. */
static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int write_frames(spheres *s, const char *name, bool vtk) {
    args_want want = args_want_any(NULL);
    double every = 0, last = -INFINITY;
    want.least = FF_POSITIVE;
    want.fallback = 0;
    int status = args_number(s->a, "every", &want, &every);
    if (!status && vtk && mkdir(name, 0777) != 0 && errno != EEXIST) {
        args_error(s->a, "%s: %s", name, strerror(errno));
        return 1;
    }
    const size_t room = 2 * strlen(name) + 40;
    char *path = malloc(room);
    if (!path) {
        return out_of_memory(s->a);
    }
    snprintf(path, room, vtk ? "%s/%s.pvd" : "%s", name, base_of(name));
    FILE *out = status ? NULL : export_open(s->a, path);
    status = status || out ? status : 1;
    if (out && vtk) {
        fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
              "version=\"1.0\">\n<Collection>\n",
              out);
    }
    size_t frames = 0;
    for (size_t row = 0; row < s->rows && !status; row++) {
        const double time = s->values[row * s->width];
        /* the last digits of a time are rounding; rows at one instant, before and after an event, are both there */
        if (every > 0 && time < last + every * (1 - 1e-9)) {
            continue;
        }
        last = time;
        find_spheres(s, row);
        if (vtk) {
            snprintf(path, room, "%s/%s_%06zu.vtp", name, base_of(name), frames);
            fprintf(out, "<DataSet timestep=\"%.17g\" file=\"%s_%06zu.vtp\"/>\n", time,
                    base_of(name), frames);
            FILE *file = export_open(s->a, path);
            status = file ? 0 : 1;
            if (file) {
                put_vtp(s, file);
                status = export_close(s->a, file, path, false);
            }
        } else {
            put_frame(s, out, frames, time);
        }
        frames++;
    }
    if (out && vtk) {
        fputs("</Collection>\n</VTKFile>\n", out);
    }
    snprintf(path, room, vtk ? "%s/%s.pvd" : "%s", name, base_of(name));
    if (out) {
        const int closed = export_close(s->a, out, path, false);
        status = status ? status : closed;
    }
    if (!status) {
        fprintf(stderr, "wrote %s: %zu frames of %zu spheres\n", path, frames, s->count);
    }
    free(path);
    return status;
}

int export_trace(const args *a, const char *path, bool vtk) {
    spheres s = {.a = a, .path = path};
    ff_error error = {""};
    char *name = export_name(a, path, vtk ? "" : ".dump");
    int status = name ? args_status(a, ff_trace_open(path, &s.trace, &error), &error) : 1;
    status = status ? status : read_scene(&s);
    status = status ? status : find_columns(&s);
    status = status ? status : read_values(&s);
    status = status ? status : write_frames(&s, name, vtk);
    ff_trace_free(s.trace);
    ff_model_free(s.model);
    ff_scene_free(s.scene);
    free(s.of_body);
    free(s.shapes);
    free(s.at);
    free(s.values);
    free(name);
    return status;
}
