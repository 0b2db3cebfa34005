/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "body/vector.h"
#include "num/def.h"
#include "num/elementary.h"
#include "num/memory.h"
#include <footfall/tool.h>
#include <footfall/trust.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A run is compared with two others that share its model and start and nothing else: neither tolerance nor steps nor, in the
 * second, the method. The error of the run is then at most the sum of the difference and the error of the repetition, which
 * is smaller by the ratio of their tolerances as long as errors are proportional to tolerances. */

/* numbers kept of the run itself: 64 MB */
static const size_t numbers_most = 8000000;
/* fewest times at which runs are compared, also where that needs more memory */
static const size_t samples_least = 32;
/* times are k + phase spacings: a phase that is not a ratio of small numbers keeps them away from samples of controllers and
 * from ends of tables, which both runs have at the same instant but for rounding */
static const double phase = 0.6180339887498949;
/* An account is compared with this part of the ledger's scale at least: accounts are integrated with absolute tolerances,
 * and 3 digits of it are then 1e-6 of scale, the limit of the verdict. */
static const double account_least = 1e-3;
/* The largest step of the last repetition is a random part of the median step of the run, so that most of its steps are shorter
 * than theirs and end elsewhere. */
static const double part_least = 0.25, part_most = 0.75;
/* The median counts as at least this part of the mean step, so that there are at most 16 times the steps: long steps of free
 * flight beside many short ones of impacts have a median that would need hundreds of times as many. */
static const double mean_part = 0.25;
/* tolerances below are those of rounding */
static const double tol_least = 1e-15;
static const double digits_most = 15.954589770191003; /* 53 log10(2) */

typedef enum kind { PLAIN, DISTANCE, ANGLE, ROTATION, ORIENTATION, ACCOUNT } kind;

/* A field that is compared, and the comparison with the repetition that is being made. */
typedef struct entry {
    size_t field, at, width; /* its numbers are `at` to at + width - 1 of a row */
    kind kind;
    double floor;        /* least scale */
    double scale;        /* so far */
    double before, most; /* difference at the last time, and largest difference so far */
    double few_from, none_from;
    bool finite;
} entry;

/* Steps by their length: eighths of octaves from 2^-100 s; the median is known to 5 %, which is enough for a random part of
 * it. */
enum { BINS = 8 * 130, BINS_BEFORE = 8 * 100 };

typedef struct work {
    const ff_model *model;
    const ff_trust_options *o;
    size_t count, width; /* entries, and numbers of a row */
    entry *entries;
    size_t *fields;
    double *rows, *row; /* the run's own, sample after sample, and one of a repetition */
    double *times;      /* of samples, s; those of a crowd are ends of its steps */
    size_t samples;
    size_t energy; /* the ledger's scale in a row; SIZE_MAX: none */
    long steps[BINS];
    size_t run;   /* which is being made */
    size_t taken; /* samples of it */
    bool stopped;
    ff_sim *sim;
} work;

static ff_status fail(ff_error *error, ff_status status, const char *why) {
    if (error) {
        snprintf(error->text, sizeof error->text, "%s", why);
    }
    return status;
}

/* ---- which fields ---- */

static bool is_word(const char *word, const char *const *words) {
    while (*words && strcmp(word, *words) != 0) {
        words++;
    }
    return *words;
}

/* Whether a field is compared without being asked for. */
static bool is_wanted(const ff_field *f) {
    static const char *const folders[] = {"bodies", "joints",  "ledger", "controllers",
                                          "states", "outputs", NULL};
    static const char *const coordinates[] = {"position", "angle", "velocity", "rate", NULL};
    static const char *const motions[] = {"position", "orientation", "velocity", "omega", NULL};
    static const char *const not_accounts[] = {"initial", "scale", "residual", NULL};
    char folder[16] = "";
    const char *dot = strchr(f->path, '.'), *last = strrchr(f->path, '.');
    if (!dot || (size_t)(dot - f->path) >= sizeof folder || f->width == 0 ||
        (f->kind != FF_FIELD_STATE && f->kind != FF_FIELD_OUTPUT)) {
        return false;
    }
    memcpy(folder, f->path, (size_t)(dot - f->path));
    /* accounts of the run; those of contacts have an owner */
    return is_word(folder, folders) &&
           (strcmp(folder, "ledger") != 0 || (dot == last && !is_word(last + 1, not_accounts))) &&
           (strcmp(folder, "joints") != 0 || is_word(last + 1, coordinates)) &&
           (strcmp(folder, "bodies") != 0 || is_word(last + 1, motions));
}

static kind kind_of(const work *w, const ff_field *f) {
    const char *last = strrchr(f->path, '.');
    const bool body = strncmp(f->path, "bodies.", 7) == 0,
               joint = strncmp(f->path, "joints.", 7) == 0;
    const bool place = last && (strcmp(last, ".position") == 0 || strcmp(last, ".angle") == 0);
    if (body && strcmp(last, ".orientation") == 0) {
        return ORIENTATION;
    }
    if (joint && place && strcmp(f->unit, "rad") == 0) {
        return f->width == 3                                       ? ROTATION
               : ff_model_run(w->model)->formulation == FF_MAXIMAL ? ANGLE
                                                                   : DISTANCE;
    }
    return strncmp(f->path, "ledger.", 7) == 0 ? ACCOUNT
           : (body || joint) && place          ? DISTANCE
                                               : PLAIN;
}

/* Lists the fields; counts them only while there is no room. */
static ff_status list(work *w, ff_error *error) {
    const size_t all = ff_model_field_count(w->model);
    ff_field f;
    for (size_t i = 0; i < w->o->field_count; i++) {
        if (w->o->fields[i] >= all) {
            return fail(error, FF_BAD_VALUE, "a field of the options does not exist");
        }
    }
    w->count = w->width = 0;
    w->energy = SIZE_MAX;
    for (size_t i = 0; i < all; i++) {
        bool asked = false;
        for (size_t k = 0; k < w->o->field_count; k++) {
            asked = asked || w->o->fields[k] == i;
        }
        ff_model_field(w->model, i, &f);
        const bool energy = strcmp(f.path, "ledger.scale") == 0;
        if (!asked && !energy && !is_wanted(&f)) {
            continue;
        }
        w->energy = energy ? w->width : w->energy;
        if (w->entries) {
            const double floor = f.scale > 0 ? f.scale : 0;
            const kind k = kind_of(w, &f);
            w->entries[w->count] = (entry){.field = i,
                                           .at = w->width,
                                           .width = f.width,
                                           .kind = k,
                                           .floor = k == ORIENTATION ? 1 : floor};
            w->fields[w->count] = i;
        }
        w->count++;
        w->width += f.width;
    }
    return FF_OK;
}

/* ---- comparison ---- */

/* Angle of the rotation between two rotation vectors, or between two orientations. */
static double turned(const double a[3], const double b[3]) {
    double p[4] = {1, 0, 0, 0}, q[4] = {1, 0, 0, 0}, between[4], turn[3];
    ff_quaternion_turn(p, a);
    ff_quaternion_turn(q, b);
    const double back[4] = {p[0], -p[1], -p[2], -p[3]};
    ff_quaternion_times(back, q, between);
    ff_rotation_vector(between, turn);
    return sqrt(ff_dot(turn, turn));
}

/* Largest difference of the numbers of a field. */
static double difference(const entry *e, const double *a, const double *b) {
    double most = 0, negative = 0;
    if (e->kind == ROTATION) {
        return turned(a, b);
    }
    for (size_t i = 0; i < e->width; i++) {
        const double d = a[i] - b[i];
        most = fmax(most, fabs(e->kind == ANGLE ? remainder(d, 2 * FF_PI) : d));
        negative = fmax(negative, fabs(a[i] + b[i]));
    }
    return e->kind == ORIENTATION ? fmin(most, negative) : most;
}

static bool is_finite(const double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

/* Extends the scale of a field by a row of the run. */
static void widen(const work *w, entry *e, const double *row) {
    double size = 0;
    for (size_t i = e->at; i < e->at + e->width; i++) {
        size = fmax(size, fabs(row[i] - (e->kind == DISTANCE ? w->rows[i] : 0)));
    }
    if (e->kind == ACCOUNT && w->energy != SIZE_MAX && row[w->energy] > 0) {
        size = fmax(size, account_least * row[w->energy]);
    }
    e->scale = fmax(e->scale, e->kind == ROTATION || e->kind == ORIENTATION ? 0 : size);
}

static double digits(double difference, double scale) {
    return difference == 0 ? digits_most
           : !(scale > 0)  ? 0
                           : fmax(0, fmin(digits_most, ff_log10(scale / difference)));
}

/* Compares a row of a repetition with that of the run. */
static void compare(work *w, size_t sample, bool last) {
    const double *own = w->rows + sample * w->width, time = w->times[sample];
    for (size_t i = 0; i < w->count; i++) {
        entry *e = &w->entries[i];
        const bool finite = is_finite(own + e->at, e->width);
        if (!finite) {
            e->finite = false;
            continue;
        }
        widen(w, e, own);
        const double d = is_finite(w->row + e->at, e->width)
                             ? difference(e, own + e->at, w->row + e->at)
                             : (double)INFINITY;
        /* the end counts alone */
        e->most = fmax(e->most, last ? d : sample > 0 ? fmin(d, e->before) : 0);
        e->before = d;
        const double now = digits(e->most, e->scale);
        e->few_from = now >= FF_TRUST_FEW ? (double)NAN : isnan(e->few_from) ? time : e->few_from;
        e->none_from = now >= 1 ? (double)NAN : isnan(e->none_from) ? time : e->none_from;
    }
}

/* ---- runs ---- */

static void count_step(work *w, double length) {
    const double bin = floor(8 * ff_log2(length)) + BINS_BEFORE;
    w->steps[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (size_t)bin]++;
}

static double median_step(const work *w) {
    long all = 0, seen = 0;
    for (size_t i = 0; i < BINS; i++) {
        all += w->steps[i];
    }
    size_t at = 0;
    while (at < BINS - 1 && 2 * (seen += w->steps[at]) < all) {
        at++;
    }
    return ff_exp(((double)at + 0.5 - BINS_BEFORE) / 8 * 0.69314718055994531); /* ln 2 */
}

/* Takes the sample at the observed time. */
static ff_status take(work *w) {
    double *row = w->run == 0 ? w->rows + w->taken * w->width : w->row;
    const ff_status status = ff_sim_get_all(w->sim, w->fields, w->count, row);
    if (status >= 0 && w->run > 0) {
        compare(w, w->taken, w->taken + 1 == w->samples);
    }
    w->taken++;
    return status;
}

/* Takes the samples of the last step. Crowds can be asked at the ends of their steps only: the run chooses these times, and steps
 * of the repetitions, whole fractions of its own, end there but for rounding. */
static ff_status take_due(work *w, double until, double step) {
    const double now = ff_sim_time(w->sim);
    const bool crowd = ff_model_class_count(w->model) > 0;
    ff_status status = FF_OK;
    while (status >= 0 && w->taken < w->samples) {
        double *time = &w->times[w->taken];
        const bool last = w->taken + 1 == w->samples;
        if (last ? now < until : crowd ? now + step / 2 < *time : now < *time) {
            break;
        }
        if (crowd && w->run == 0) {
            *time = now;
        }
        ff_sim_observe(w->sim, last ? now : *time);
        status = take(w);
    }
    ff_sim_observe(w->sim, now);
    return status;
}

static bool stops(void *user) {
    work *w = user;
    w->stopped = w->stopped || (w->o->stop && w->o->stop(w->o->user, w->run, ff_sim_time(w->sim)));
    return w->stopped;
}

/* Makes a run to its end. */
static ff_status follow(work *w, double until) {
    const ff_trust_options *o = w->o;
    double before = 0;
    ff_status status = o->begin ? o->begin(o->user, w->sim, w->run) : FF_OK;
    ff_sim_watch(w->sim, o->stop ? stops : NULL, w);
    w->taken = 0;
    before = ff_sim_time(w->sim);
    /* the start, from which distances are measured */
    status = status < 0 ? status : take(w);
    while (status >= 0 && ff_sim_time(w->sim) < until) {
        status = ff_sim_step(w->sim, until);
        if (status < 0 || status == FF_STOPPED || (o->stop && stops(w))) {
            break;
        }
        const double now = ff_sim_time(w->sim), length = now - before;
        before = now;
        if (w->run == 0 && length > 0) {
            count_step(w, length);
        }
        const ff_status taken = take_due(w, until, length);
        const ff_status acted = taken >= 0 && o->act ? o->act(o->user, w->sim, status) : taken;
        status = acted < 0 ? acted : FF_OK;
    }
    return w->stopped ? FF_STOPPED : status < 0 ? status : FF_OK;
}

/* 64 bits of a seed: splitmix64 (Steele, Lea and Flood 2014, in the form of Vigna 2015). */
static uint64_t mixed(uint64_t seed) {
    uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool has_implicit(const ff_statistics *s) {
    return s->method_steps[FF_RODAS] + s->method_steps[FF_ROSENBROCK] +
               s->method_steps[FF_TRAPEZOID] >
           0;
}

/* The options of a repetition. The last one is by the explicit method that made fewer steps of the run; by dop853 if some steps
 * were implicit, because at tight tolerances high order counts more than stability (it needs a fortieth of the steps of rodas on
 * the rolling ball). Its number of steps is limited then, because the run may be stiffer than that. */
static ff_run_options options_of(const work *w, const ff_trust *t, size_t run) {
    ff_run_options o = t->runs[0].options;
    const ff_statistics *s = &t->runs[0].statistics;
    const uint64_t random = mixed(w->o->seed);
    const double part = (double)(random >> 11) * 0x1p-53;
    /* the limit of the run is too low for its repetitions, which need more steps */
    o.max_steps *= 100;
    if (ff_method_fixed(o.method)) {
        o.dt /= run == 1 ? 2 : (double)(3 + random % 3);
        return o;
    }
    o.tol = fmax(tol_least, o.tol / (run == 1 ? 10 : 100));
    if (run == 2) {
        const double mean = s->steps > 0 ? t->runs[0].time / (double)s->steps : o.until;
        const bool other = s->method_steps[FF_DOP853] > s->method_steps[FF_DOPRI5];
        o.method = other && !has_implicit(s) ? FF_DOPRI5 : FF_DOP853;
        o.max_step = fmin(o.max_step, (part_least + (part_most - part_least) * part) *
                                          fmax(median_step(w), mean_part * mean));
    }
    if (run == 2 && has_implicit(s)) {
        /* steps as long as allowed, and four times those of the run for its short ones */
        o.max_steps = ceil(1000 + o.until / o.max_step + 4 * (double)s->steps);
    }
    return o;
}

/* Makes run `w->run` and fills its record; `error` is that of a run that could not begin or that failed. */
static ff_status make(work *w, ff_trust_repeat *r, ff_error *error) {
    error->text[0] = '\0';
    ff_status status = ff_sim_create(w->model, &r->options, &w->sim, error);
    if (status >= 0) {
        status = follow(w, r->options.until);
        r->statistics = ff_sim_statistics(w->sim);
        r->time = ff_sim_time(w->sim);
        if (status < 0) {
            const char *why = ff_sim_error(w->sim);
            fail(error, status, *why ? why : ff_status_text(status));
        }
    }
    r->status = status;
    ff_sim_free(w->sim);
    w->sim = NULL;
    return status;
}

/* ---- result ---- */

/* What both comparisons say of a field. */
typedef struct finding {
    double digits, difference, scale, few_from, none_from;
} finding;

static void clear(work *w) {
    for (size_t i = 0; i < w->count; i++) {
        entry *e = &w->entries[i];
        e->scale = e->floor;
        e->before = e->most = 0;
        e->few_from = e->none_from = NAN;
        e->finite = true;
    }
}

/* Adds the comparison with one repetition: the larger difference counts, and the earlier time. */
static void conclude(const work *w, finding *found) {
    for (size_t i = 0; i < w->count; i++) {
        const entry *e = &w->entries[i];
        finding *f = &found[i];
        f->difference = fmax(f->difference, e->most);
        f->scale = fmax(f->scale, e->scale);
        f->few_from = fmin(f->few_from, e->few_from);
        f->none_from = fmin(f->none_from, e->none_from);
        f->digits = e->finite ? fmin(f->digits, digits(e->most, e->scale)) : (double)NAN;
    }
}

/* Copies the result into one block. */
static ff_trust *pack(const work *w, const ff_trust *t, const finding *found, const ff_error *why) {
    size_t size = sizeof *t + w->count * sizeof *t->fields;
    ff_field f;
    for (size_t i = 0; i < w->count; i++) {
        ff_model_field(w->model, w->entries[i].field, &f);
        size += strlen(f.path) + strlen(f.unit) + 2;
    }
    for (size_t r = 0; r < FF_TRUST_RUNS; r++) {
        size += strlen(why[r].text) + 1;
    }
    ff_trust *out = ff_malloc(size);
    if (!out) {
        return NULL;
    }
    *out = *t;
    ff_trust_field *fields = (ff_trust_field *)(out + 1);
    char *text = (char *)(fields + w->count);
    out->fields = fields;
    out->least = SIZE_MAX;
    for (size_t i = 0; i < w->count; i++) {
        const entry *e = &w->entries[i];
        ff_model_field(w->model, e->field, &f);
        if (e->at == w->energy) {
            continue;
        }
        const size_t at = out->count++;
        fields[at] = (ff_trust_field){.field = e->field,
                                      .path = strcpy(text, f.path),
                                      .digits = found[i].digits,
                                      .difference = found[i].difference,
                                      .scale = found[i].scale,
                                      .few_from = found[i].few_from,
                                      .none_from = found[i].none_from};
        text += strlen(f.path) + 1;
        fields[at].unit = strcpy(text, f.unit);
        text += strlen(f.unit) + 1;
        if (out->least == SIZE_MAX ? !isnan(found[i].digits)
                                   : found[i].digits < fields[out->least].digits) {
            out->least = at;
        }
    }
    for (size_t r = 0; r < FF_TRUST_RUNS; r++) {
        out->runs[r].error = strcpy(text, why[r].text);
        text += strlen(text) + 1;
    }
    return out;
}

/* Memory and times of the samples: the start, then even times, then the end. */
static bool prepare(work *w, const ff_run_options *run, finding **found) {
    const size_t room = numbers_most / (w->width ? w->width : 1);
    w->samples = 2 + (w->o->samples < room   ? w->o->samples
                      : room < samples_least ? samples_least
                                             : room);
    w->rows = ff_calloc(w->samples * w->width + 1, sizeof *w->rows);
    w->row = ff_calloc(w->width + 1, sizeof *w->row);
    w->times = ff_calloc(w->samples, sizeof *w->times);
    *found = ff_calloc(w->count + 1, sizeof **found);
    if (!w->rows || !w->row || !w->times || !*found) {
        return false;
    }
    for (size_t i = 1; i + 1 < w->samples; i++) {
        w->times[i] = ((double)(i - 1) + phase) / (double)(w->samples - 2) * run->until;
    }
    w->times[w->samples - 1] = run->until;
    for (size_t i = 0; i < w->count; i++) {
        (*found)[i] = (finding){.digits = digits_most, .few_from = NAN, .none_from = NAN};
    }
    return true;
}

static ff_status trust(work *w, const ff_run_options *run, ff_trust **out, ff_error *error) {
    ff_trust t = {.seed = w->o->seed};
    ff_error why[FF_TRUST_RUNS] = {{""}};
    finding *found = NULL;
    ff_status status = list(w, error);
    if (status >= 0) {
        w->entries = ff_calloc(w->count + 1, sizeof *w->entries);
        w->fields = ff_calloc(w->count + 1, sizeof *w->fields);
        const bool there =
            w->entries && w->fields && list(w, error) >= 0 && prepare(w, run, &found);
        status = there ? FF_OK : fail(error, FF_NO_MEMORY, ff_status_text(FF_NO_MEMORY));
        t.samples = w->samples - 1;
    }
    for (w->run = 0; status >= 0 && status != FF_STOPPED && w->run < FF_TRUST_RUNS; w->run++) {
        t.runs[w->run].options = w->run == 0 ? *run : options_of(w, &t, w->run);
        clear(w);
        status = make(w, &t.runs[w->run], &why[w->run]);
        if (w->run == 2 && status == FF_TOO_STIFF && has_implicit(&t.runs[0].statistics)) {
            /* an explicit method does not get through: rodas, or auto for a run by rodas */
            t.runs[2].options.method = run->method == FF_RODAS ? FF_AUTO : FF_RODAS;
            t.runs[2].options.max_steps = t.runs[1].options.max_steps;
            clear(w);
            status = make(w, &t.runs[2], &why[2]);
        }
        if (w->run > 0) {
            conclude(w, found);
            /* it is compared as far as it came */
            status = status < 0 && status != FF_NO_MEMORY ? FF_OK : status;
        }
        if (status < 0) {
            fail(error, status, why[w->run].text);
        }
    }
    if (status == FF_OK) {
        *out = pack(w, &t, found, why);
        status = *out ? FF_OK : fail(error, FF_NO_MEMORY, ff_status_text(FF_NO_MEMORY));
    }
    ff_free(found);
    return status;
}

ff_status ff_trust_run(const ff_model *model, const ff_run_options *run,
                       const ff_trust_options *options, ff_trust **out, ff_error *error) {
    ff_trust_options taken = ff_trust_options_default(), *o = &taken;
    ff_run_options asked = ff_run_options_default(), *r = &asked;
    if ((options && !FF_DEF_TAKE(o, options)) || !FF_DEF_TAKE(r, run ? run : ff_model_run(model))) {
        return ff_def_refuse(error);
    }
    if (!(asked.until > 0) || taken.samples == 0) {
        return fail(error, FF_BAD_VALUE,
                    taken.samples == 0 ? "samples must be 1 or more"
                                       : "a run without duration cannot be compared");
    }
    work w = {.model = model, .o = &taken};
    const ff_status status = trust(&w, &asked, out, error);
    ff_free(w.entries);
    ff_free(w.fields);
    ff_free(w.rows);
    ff_free(w.row);
    ff_free(w.times);
    return status;
}
