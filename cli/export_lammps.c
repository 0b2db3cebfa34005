/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#define _POSIX_C_SOURCE 200809L
#include "export.h"
#include "scene.h"
#include <footfall/source.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* LAMMPS' granular package (its manual, pair_style granular and fix wall/gran/region), of two spheres with 1/R = 1/r1 + 1/r2,
 * 1/m = 1/m1 + 1/m2 and a = sqrt(R z), or of a sphere on a wall with R = r and its own mass:
 *
 *     hertz kn eta, damping viscoelastic:   F = kn sqrt(R) z^(3/2) + eta a m z'   = k z^(3/2) + lambda z^(1/2) z'
 *     hertz kn eta, damping velocity:       F = kn sqrt(R) z^(3/2) + eta z'       = k z^(3/2) + lambda z'
 *     hooke kn eta, damping velocity:       F = kn z + eta z'                     = k z + lambda z'
 *     limit_damping:                        F = max(0, F)                           detach: clamp
 *     tangential mindlin kt x mu:           T = -(kt a u + x (F's damper) v), |T| <= mu F
 *     tangential linear_history kt x mu:    T = -(kt u + x (F's damper) v), |T| <= mu F
 *
 * so that kn = k/sqrt(R), eta = lambda/(sqrt(R) m), kt = k_t/sqrt(R), x = damping/lambda: R and m are those of a pair of types,
 * and a type has one radius and one mass. While a contact sticks, clutch is the same. Where it slips, the force is the same
 * function of u and v, but LAMMPS sets u at once so that the force is at its limit, while clutch lets it come there in the
 * time damping/k_t. */

enum { TYPES_MOST = 100 };

/* Spheres of one group or body, which the same laws apply to. */
typedef struct owner {
    const char *name;
    size_t first, count;
} owner;

typedef struct type {
    size_t owner;
    double radius, mass;
} type;

typedef struct job {
    const args *a;
    const char *path;
    ff_scene *scene,
        *few; /* as it is, and with two spheres of each group: who touches by which laws */
    ff_model *model, *small;
    ff_sim *sim;
    owner *owners;
    size_t owner_count;
    type types[TYPES_MOST];
    size_t type_count;
    size_t *of_body; /* the type of each body */
    double *radius;
    ff_motion *motion;
    double dt, until, every, gravity[3];
    char slow[400]; /* a warning: clutch lags behind */
    bool unequal;
} job;

static int out_of_memory(const job *j) {
    args_error(j->a, "out of memory");
    return 1;
}

/* ---- what there is ---- */

/* Keys at the top of a scene that spheres in LAMMPS have nothing for. */
static int refuse_keys(const job *j, const char *text) {
    static const char *const keys[] = {"joints", "forces", "controllers", "robots"};
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const size_t length = strlen(keys[i]);
            if (strncmp(line, keys[i], length) == 0 && line[length] == ':') {
                return args_error(j->a,
                                  "%s: has %s, which are not exported: spheres and planes are",
                                  j->path, keys[i]);
            }
        }
        if (!strchr(line, '\n')) {
            break;
        }
    }
    for (const char *at = text; (at = strstr(at, "motion:")); at++) {
        const char *value = at + 7 + strspn(at + 7, " \n");
        if (*value == '[' || *value == '-') {
            return args_error(j->a, "%s: a plane moves by a law of time, which is not exported",
                              j->path);
        }
    }
    return 0;
}

static int check_scene(const job *j, const char *text) {
    ff_run_options o = *ff_scene_run(j->scene);
    char *printed = scene_print(j->a, j->scene, text, &o);
    int status = printed ? refuse_keys(j, printed) : out_of_memory(j);
    ff_free(printed);
    if (!status && ff_scene_start(j->scene) == FF_START_REST) {
        status = args_error(j->a,
                            "%s: start: rest is not exported: LAMMPS starts with springs of "
                            "friction that are not stretched",
                            j->path);
    }
    return status;
}

/* Bodies are solid spheres, one shape each. */
static int read_bodies(job *j) {
    const size_t count = ff_model_body_count(j->model), shapes = ff_model_shape_count(j->model);
    j->of_body = calloc(count + 1, sizeof *j->of_body);
    j->radius = calloc(count + 1, sizeof *j->radius);
    j->motion = calloc(count + 1, sizeof *j->motion);
    if (!j->of_body || !j->radius || !j->motion) {
        return out_of_memory(j);
    }
    ff_sim_bodies(j->sim, j->motion, count);
    for (size_t i = 0; i < shapes; i++) {
        const ff_shape_facts s = ff_model_shape(j->model, i);
        const char *name = ff_model_body_name(j->model, (size_t)s.body);
        if (j->radius[s.body] > 0 || s.center[0] != 0 || s.center[1] != 0 || s.center[2] != 0) {
            return args_error(j->a, "%s: body '%s' is not one sphere about its centre of mass",
                              j->path, name);
        }
        j->radius[s.body] = s.radius;
    }
    for (size_t i = 0; i < count; i++) {
        const ff_body_facts f = ff_model_body_facts(j->model, i);
        const double r = j->radius[i], solid = 0.4 * f.mass * r * r;
        const char *name = ff_model_body_name(j->model, i);
        if (!(r > 0)) {
            return args_error(j->a, "%s: body '%s' has no sphere", j->path, name);
        }
        for (int c = 0; c < 3; c++) {
            /* rounding of the inertia, and of its rotation to principal axes */
            if (fabs(f.inertia[c] - solid) > 1e-9 * solid || fabs(f.products[c]) > 1e-9 * solid) {
                return args_error(
                    j->a,
                    "%s: body '%s' does not have the inertia of a solid sphere, which "
                    "LAMMPS gives to all",
                    j->path, name);
            }
        }
    }
    return 0;
}

/* The first number of a field of a model, 0 where it has none of that path; all of them in `values`, which may be NULL. */
static double value_of(const ff_model *model, ff_sim *sim, const char *path, double *values) {
    size_t field;
    double room[9] = {0};
    if (ff_model_field_find(model, path, &field, NULL, NULL) < 0 ||
        ff_sim_get(sim, field, values ? values : room) < 0) {
        return 0;
    }
    return values ? values[0] : room[0];
}

/* Bodies that are held along some axes, and planes that move. */
static int check_small(const job *j, ff_sim *sim) {
    char path[FF_FIELD_PATH];
    for (size_t i = 0; i < ff_model_body_count(j->small); i++) {
        const char *name = ff_model_body_name(j->small, i);
        snprintf(path, sizeof path, "bodies.%s.lock", name);
        if (value_of(j->small, sim, path, NULL) != 0) {
            return args_error(j->a, "%s: body '%s' has a lock, which is not exported", j->path,
                              name);
        }
    }
    for (size_t i = 0; i < ff_model_plane_count(j->model); i++) {
        const ff_plane_def p = ff_model_plane(j->model, i);
        for (int c = 0; c < 3; c++) {
            if (p.velocity[c] != 0 || p.surface_velocity[c] != 0) {
                return args_error(j->a, "%s: plane '%s' moves, which is not exported", j->path,
                                  p.name);
            }
        }
    }
    for (size_t i = 0, field; i < SIZE_MAX; i++) {
        snprintf(path, sizeof path, "pairs[%zu].lever", i);
        if (ff_model_field_find(j->small, path, &field, NULL, NULL) < 0) {
            break;
        }
        if (value_of(j->small, sim, path, NULL) != 0) {
            return args_error(j->a,
                              "%s: pairs[%zu]: `lever: deformed` is not exported: walls of LAMMPS "
                              "act at the radius",
                              j->path, i);
        }
        snprintf(path, sizeof path, "pairs[%zu].ground", i);
        if (value_of(j->small, sim, path, NULL) != 0) {
            return args_error(j->a, "%s: pairs[%zu]: `ground: stateful` is not exported", j->path,
                              i);
        }
    }
    return 0;
}

/* Groups, and bodies of their own; the scene with two spheres of each group. */
static int find_owners(job *j) {
    const size_t bodies = ff_model_body_count(j->model), groups = ff_scene_group_count(j->scene);
    const char **settings = calloc(groups + 1, sizeof *settings);
    char(*texts)[300] = calloc(groups + 1, sizeof *texts);
    size_t setting_count = 0;
    ff_messages messages = {0};
    ff_error error = {""};
    ff_sim *sim = NULL;
    j->owners = calloc(bodies + 1, sizeof *j->owners);
    int status = settings && texts && j->owners ? 0 : out_of_memory(j);
    for (size_t body = 0; body < bodies && !status;) {
        owner o = {ff_model_body_name(j->model, body), body, 1};
        for (size_t g = 0; g < groups; g++) {
            const ff_group group = ff_scene_group(j->scene, g);
            if ((size_t)group.first == body) {
                o = (owner){group.name, body, group.count};
                if (group.count > 2) {
                    snprintf(texts[setting_count], sizeof *texts, "bodies.%s.count=2", group.name);
                    settings[setting_count] = texts[setting_count];
                    setting_count++;
                }
            }
        }
        j->owners[j->owner_count++] = o;
        body += o.count;
    }
    if (!status && j->owner_count > TYPES_MOST) {
        status = args_error(j->a,
                            "%s: %zu bodies given one by one: at most %d are exported, and groups "
                            "of any size",
                            j->path, j->owner_count, TYPES_MOST);
    }
    if (!status) {
        const ff_status made = ff_scene_with(j->scene, settings, setting_count, &j->few, &messages);
        status = scene_tell(j->a, j->path, made, &messages);
    }
    if (!status) {
        ff_run_options o = *ff_scene_run(j->few);
        o.method = FF_VERLET;
        o.events = false;
        o.dt = j->dt;
        ff_scene_set_run(j->few, &o);
        ff_status made = ff_model_create(j->few, &j->small, &error);
        made = made < 0 ? made : ff_sim_create(j->small, NULL, &sim, &error);
        status = args_status(j->a, made, &error);
    }
    if (!status && ff_model_class_count(j->small) > 0) {
        status = args_error(j->a, "%s: has too many bodies of their own", j->path);
    }
    status = status ? status : check_small(j, sim);
    if (!status) {
        value_of(j->small, sim, "gravity", j->gravity);
    }
    ff_sim_free(sim);
    free(settings);
    free(texts);
    return status;
}

static int find_types(job *j) {
    for (size_t i = 0; i < j->owner_count; i++) {
        const owner *o = &j->owners[i];
        for (size_t body = o->first; body < o->first + o->count; body++) {
            const type t = {i, j->radius[body], ff_model_body_facts(j->model, body).mass};
            size_t k = j->type_count;
            while (k > 0 && (j->types[k - 1].owner != i || j->types[k - 1].radius != t.radius ||
                             j->types[k - 1].mass != t.mass)) {
                k--;
            }
            if (k == 0 && j->type_count == TYPES_MOST) {
                return args_error(
                    j->a,
                    "%s: more than %d different spheres: LAMMPS makes k and lambda of "
                    "the radii and masses of each pair, footfall takes those of the "
                    "scene for all; give a group one radius",
                    j->path, TYPES_MOST);
            }
            if (k == 0) {
                j->types[j->type_count++] = t;
                k = j->type_count;
            }
            j->of_body[body] = k - 1;
        }
    }
    return 0;
}

/* ---- laws ---- */

/* The name that contacts give to sphere i of an owner. */
static void sphere_name(const job *j, size_t i, size_t which, char out[FF_FIELD_PATH]) {
    size_t body = 0;
    for (size_t k = 0; k < i; k++) {
        body += j->owners[k].count < 2 ? j->owners[k].count : 2;
    }
    body += which;
    const char *name = ff_model_body_name(j->small, body), *shape = NULL;
    for (size_t s = 0; s < ff_model_shape_count(j->small); s++) {
        const ff_shape_facts f = ff_model_shape(j->small, s);
        shape = f.body == (int)body ? f.name : shape;
    }
    snprintf(out, FF_FIELD_PATH, "%.120s%s%.120s", name, shape ? "." : "", shape ? shape : "");
}

/* The contact of two things; false: they do not touch. */
static bool find_contact(const job *j, const char *first, const char *second,
                         ff_contact_facts *out) {
    const size_t one = strlen(first), two = strlen(second);
    for (size_t i = 0; i < ff_model_contact_count(j->small); i++) {
        const char *name = ff_model_contact_name(j->small, i);
        const bool ahead = strncmp(name, first, one) == 0 && name[one] == '/' &&
                           strcmp(name + one + 1, second) == 0;
        const bool behind = strncmp(name, second, two) == 0 && name[two] == '/' &&
                            strcmp(name + two + 1, first) == 0;
        if (ahead || behind) {
            *out = ff_model_contact_facts(j->small, i);
            return true;
        }
    }
    return false;
}

/* Says where clutch relaxes in a time that shows. */
static void warn_slip(job *j, const char *pair, const ff_contact_facts *f, double time) {
    /* a twentieth of an impact: positions of a ball on a plate differ by 1e-6 of its way there, and by no more than
     * steps do at a hundredth */
    static const double shows = 0.05;
    ff_impact impact;
    if (*j->slow || !(f->speed > 0) ||
        ff_impact_solve(f->normal, f->mass, f->speed, &impact) != FF_OK ||
        time < shows * impact.contact_time) {
        return;
    }
    snprintf(j->slow, sizeof j->slow,
             "%.100s: the spring of clutch follows slip in damping/k = %.3g s, LAMMPS sets it at "
             "once; an impact at %.3g m/s takes %.3g s: expect differences where slip turns into "
             "stick",
             pair, time, f->speed, impact.contact_time);
}

/* Writes the coefficients of a contact with this reduced radius and mass; 0, or 2 where LAMMPS has no such law. */
static int put_law(job *j, FILE *out, const char *first, const char *second, double radius,
                   double mass) {
    ff_contact_facts f;
    ff_power p;
    char pair[2 * FF_FIELD_PATH];
    if (!find_contact(j, first, second, &f)) {
        fputs("hooke 0 0 tangential linear_nohistory 0 0 damping velocity\n", out);
        return 0;
    }
    snprintf(pair, sizeof pair, "%s/%s", first, second);
    if (f.rolling || f.twist) {
        return args_error(j->a, "%s: %s: resistance to %s is not exported", j->path, pair,
                          f.rolling ? "rolling" : "twist");
    }
    const char *name = f.normal->law->name, *rub = f.friction->law->name;
    const bool slides = !f.friction->law->nothing;
    /* at any speed: laws whose lambda depends on it are none of LAMMPS' */
    ff_power fast = {0};
    const bool power = ff_normal_power(f.normal, 1, &p) && ff_normal_power(f.normal, 2, &fast) &&
                       p.lambda == fast.lambda && p.lambda_out == p.lambda && !p.local;
    const bool hooke = power && p.n == 1 && (p.p == 0 || p.lambda == 0);
    const bool hertz = power && p.n == 1.5 && (p.p == 0.5 || p.p == 0 || p.lambda == 0);
    if (!hooke && !hertz) {
        return args_error(
            j->a,
            "%s: %s: LAMMPS has no %s with these values: linear, hertz and "
            "azad-featherstone are exported, and `general` with n 1 and p 0, or n 1.5 "
            "and p 0 or 0.5",
            j->path, pair, name);
    }
    if (!p.clamps && slides) {
        return args_error(j->a,
                          "%s: %s: with `detach: tension` LAMMPS' friction acts while the contact "
                          "pulls; footfall's does not",
                          j->path, pair);
    }
    const bool viscoelastic = hertz && p.p == 0.5 && p.lambda > 0;
    const double root = hertz ? sqrt(radius) : 1;
    fprintf(out, "%s %.17g %.17g", hertz ? "hertz" : "hooke", p.k / root,
            viscoelastic ? p.lambda / (root * mass) : p.lambda);
    if (!slides) {
        fputs(" tangential linear_nohistory 0 0", out);
    } else if (strcmp(rub, "clutch") != 0 || ff_friction_value(f.friction, "viscous") > 0 ||
               f.friction->lifts || f.friction->keeps) {
        return args_error(j->a,
                          "%s: %s: LAMMPS has no %s with these values: clutch without viscous, "
                          "passive and `between: hold` is exported, and no friction",
                          j->path, pair, rub);
    } else {
        const double k = ff_friction_value(f.friction, "k"),
                     damping = ff_friction_value(f.friction, "damping");
        /* dampers of both must grow in the same way with depth */
        if (!(p.lambda > 0) || p.p != p.n - 1) {
            return args_error(j->a,
                              "%s: %s: LAMMPS' damper of friction is a multiple of that of the "
                              "normal force: it must have one, with p = n - 1",
                              j->path, pair);
        }
        warn_slip(j, pair, &f, damping / k);
        fprintf(out, " tangential %s %.17g %.17g %.17g", hertz ? "mindlin" : "linear_history",
                k / root, damping / p.lambda, ff_friction_value(f.friction, "mu"));
    }
    fprintf(out, " damping %s%s", viscoelastic ? "viscoelastic" : "velocity",
            p.clamps ? " limit_damping" : "");
    return 0;
}

/* ---- files ---- */

static void put_data(const job *j, FILE *out) {
    const size_t count = ff_model_body_count(j->model);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            /* LAMMPS wants boxes much larger than a sphere */
            low[c] = fmin(low[c], j->motion[i].position[c] - 4 * j->radius[i]);
            high[c] = fmax(high[c], j->motion[i].position[c] + 4 * j->radius[i]);
        }
    }
    fprintf(out, "%s, by footfall %s\n\n%zu atoms\n%zu atom types\n\n", j->path, ff_version(),
            count, j->type_count);
    for (int c = 0; c < 3; c++) {
        fprintf(out, "%.17g %.17g %clo %chi\n", low[c], high[c], 'x' + c, 'x' + c);
    }
    fputs("\nAtoms # sphere\n\n", out);
    for (size_t i = 0; i < count; i++) {
        const double r = j->radius[i], *x = j->motion[i].position,
                     volume = 4.0 / 3 * 3.14159265358979323846 * r * r * r;
        fprintf(out, "%zu %zu %.17g %.17g %.17g %.17g %.17g\n", i + 1, j->of_body[i] + 1, 2 * r,
                j->types[j->of_body[i]].mass / volume, x[0], x[1], x[2]);
    }
    fputs("\nVelocities\n\n", out);
    for (size_t i = 0; i < count; i++) {
        const double *v = j->motion[i].velocity, *w = j->motion[i].omega;
        fprintf(out, "%zu %.17g %.17g %.17g %.17g %.17g %.17g\n", i + 1, v[0], v[1], v[2], w[0],
                w[1], w[2]);
    }
}

/* Coefficients of all pairs of types. */
static int put_pairs(job *j, FILE *out) {
    int status = 0;
    fputs("pair_style granular\n", out);
    for (size_t a = 0; a < j->type_count && !status; a++) {
        for (size_t b = a; b < j->type_count && !status; b++) {
            const type *s = &j->types[a], *t = &j->types[b];
            char first[FF_FIELD_PATH], second[FF_FIELD_PATH];
            const bool same = s->owner == t->owner;
            sphere_name(j, s->owner, 0, first);
            sphere_name(j, t->owner, same && j->owners[t->owner].count > 1, second);
            fprintf(out, "pair_coeff %zu %zu ", a + 1, b + 1);
            status = put_law(j, out, first, second, s->radius * t->radius / (s->radius + t->radius),
                             s->mass * t->mass / (s->mass + t->mass));
            fputc('\n', out);
            j->unequal = j->unequal || s->radius != t->radius;
        }
    }
    return status;
}

/* Each plane is a region whose inside is the side of the spheres, a wall for each type. */
static int put_walls(job *j, FILE *out) {
    int status = 0;
    for (size_t t = 0; t < j->type_count; t++) {
        fprintf(out, "group type%zu type %zu\n", t + 1, t + 1);
    }
    for (size_t i = 0; i < ff_model_plane_count(j->model) && !status; i++) {
        const ff_plane_def p = ff_model_plane(j->model, i);
        bool touched = false;
        for (size_t t = 0; t < j->type_count && !status; t++) {
            char sphere[FF_FIELD_PATH];
            ff_contact_facts f;
            sphere_name(j, j->types[t].owner, 0, sphere);
            if (!find_contact(j, sphere, p.name, &f)) {
                continue;
            }
            if (!touched) {
                fprintf(out,
                        "# %s\nregion plane%zu plane %.17g %.17g %.17g %.17g %.17g %.17g side in "
                        "units box\n",
                        p.name, i + 1, p.point[0], p.point[1], p.point[2], p.normal[0], p.normal[1],
                        p.normal[2]);
            }
            touched = true;
            fprintf(out, "fix wall%zu_%zu type%zu wall/gran/region granular ", i + 1, t + 1, t + 1);
            status = put_law(j, out, sphere, p.name, j->types[t].radius, j->types[t].mass);
            fprintf(out, " region plane%zu\n", i + 1);
        }
    }
    return status;
}

static int put_input(job *j, FILE *out, const char *name) {
    const double *g = j->gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    double largest = 0;
    for (size_t t = 0; t < j->type_count; t++) {
        largest = fmax(largest, j->types[t].radius);
    }
    fprintf(out,
            "# %s, by footfall %s: mpirun -n 4 lmp -in %s.in\n"
            "# footfall import lammps %s.dump --scene %s -o %s.h5 --dt %.15g reads what it writes\n"
            "units si\natom_style sphere\nboundary m m m\nnewton off\ncomm_modify mode single vel "
            "yes\nread_data %s.data\nneighbor %.17g bin\nneigh_modify delay 0 every 1 check yes\n",
            j->path, ff_version(), base, base, j->path, base, j->dt, base, 0.4 * largest);
    int status = put_pairs(j, out);
    status = status ? status : put_walls(j, out);
    if (size > 0) {
        fprintf(out, "fix gravity all gravity %.17g vector %.17g %.17g %.17g\n", size, g[0], g[1],
                g[2]);
    }
    const double steps = round(j->until / j->dt), between = fmax(1, round(j->every / j->dt));
    fprintf(out,
            "fix motion all nve/sphere\ntimestep %.17g\n"
            "dump frames all custom %.0f %s.dump id type radius mass x y z vx vy vz omegax omegay "
            "omegaz\ndump_modify frames sort id format float %%.17g\n"
            "thermo_style custom step atoms ke\nthermo %.0f\nthermo_modify lost error\nrun %.0f\n",
            j->dt, between, base, fmax(1, floor(steps / 10)), steps);
    return status;
}

/* Both files, the input once all of it is known to be possible. */
static int write_files(job *j, const char *name) {
    const size_t room = strlen(name) + sizeof ".data";
    char *path = malloc(room), *text = NULL;
    size_t size = 0;
    FILE *memory = path ? open_memstream(&text, &size) : NULL;
    int status = memory ? put_input(j, memory, name) : out_of_memory(j);
    if (memory && fclose(memory) != 0 && !status) {
        status = out_of_memory(j);
    }
    for (int data = 0; data < 2 && !status; data++) {
        snprintf(path, room, "%s.%s", name, data ? "data" : "in");
        FILE *file = export_open(j->a, path);
        status = file ? 0 : 1;
        if (file && data) {
            put_data(j, file);
        } else if (file) {
            fwrite(text, 1, size, file);
        }
        status = file ? export_close(j->a, file, path, true) : status;
    }
    if (!status && *j->slow) {
        fprintf(stderr, "footfall export: warning: %s\n", j->slow);
    }
    if (!status && j->unequal) {
        fprintf(stderr, "footfall export: warning: spheres of different radii: LAMMPS' friction "
                        "acts at half the depth of both, footfall's nearer to the smaller one; "
                        "moments differ by a part of depth by radius\n");
    }
    free(text);
    free(path);
    return status;
}

static int read_times(job *j) {
    const ff_run_options *o = ff_scene_run(j->scene);
    args_want want = args_want_any(NULL);
    want.least = FF_POSITIVE;
    want.fallback = o->until;
    int status = args_number(j->a, "until", &want, &j->until);
    want.fallback = o->every > 0 ? o->every : j->until / 100;
    status = status ? status : args_number(j->a, "every", &want, &j->every);
    const bool fixed = o->method == FF_VERLET || o->method == FF_EULER ||
                       o->method == FF_SEMI_IMPLICIT || o->method == FF_HEUN || o->method == FF_RK4;
    if (!status && !fixed && !args_given(j->a, "dt")) {
        return args_error(j->a, "%s: has no fixed step: give one with --dt", j->path);
    }
    want.fallback = fixed ? o->dt : (double)NAN;
    return status ? status : args_number(j->a, "dt", &want, &j->dt);
}

int export_lammps(const args *a, const char *path) {
    job j = {.a = a, .path = path};
    char *text = NULL, *name = export_name(a, path, "");
    ff_error error = {""};
    int status = name ? scene_read(a, path, INFINITY, &j.scene, &text) : 1;
    status = status ? status : read_times(&j);
    status = status ? status : check_scene(&j, text);
    if (!status) {
        ff_run_options o = *ff_scene_run(j.scene);
        o.method = FF_VERLET;
        o.events = false;
        o.dt = j.dt;
        ff_scene_set_run(j.scene, &o);
        ff_status made = ff_model_create(j.scene, &j.model, &error);
        made = made < 0 ? made : ff_sim_create(j.model, NULL, &j.sim, &error);
        status = args_status(a, made, &error);
    }
    status = status ? status : read_bodies(&j);
    status = status ? status : find_owners(&j);
    status = status ? status : find_types(&j);
    status = status ? status : write_files(&j, name);
    ff_sim_free(j.sim);
    ff_model_free(j.model);
    ff_model_free(j.small);
    ff_scene_free(j.scene);
    ff_scene_free(j.few);
    free(j.owners);
    free(j.of_body);
    free(j.radius);
    free(j.motion);
    ff_free(text);
    free(name);
    return status;
}
