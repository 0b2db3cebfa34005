/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include "scene_text.h"
#include <footfall/warning.h>

/* Warnings by the calls of the library; each kind of them is in tests/cli/warnings.sh. */

static const char ball[] = "bodies:\n"
                           "  ball: {mass: 154 kg, shape: {sphere: {radius: 1.65 cm}}, position: "
                           "[0, 0, 10 cm]}\n"
                           "ground: {floor: {plane: {normal: [0, 0, 1]}}}\n"
                           "pairs: [{between: [ball, floor], normal: {law: hertz, k: 8.5e9}}]\n";

static void test_model(void **state) {
    (void)state;
    ff_model *model = model_of_text(ball);
    ff_warning w = ff_model_warning(model, 0);
    assert_int_equal(w.kind, FF_WARN_DENSITY);
    assert_close(w.value, 154 / (4 * 3.14159265358979 / 3 * 0.0165 * 0.0165 * 0.0165), 1e-12);
    assert_true(w.limit < w.value && w.limit > 22590);
    assert_non_null(strstr(w.text, "body ball has 154 kg"));
    w = ff_model_warning(model, 1);
    assert_true(w.text[0] == '\0' && isnan(w.value));
    ff_model_free(model);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(ff_warning_name(FF_WARN_UNPAIRED), "unpaired");
    assert_string_equal(ff_warning_name(FF_WARN_PARAMETER), "parameter");
    assert_null(ff_warning_name(FF_WARNING_KINDS));
}

/* The options of a run that are not those of the scene. */
static void test_run(void **state) {
    (void)state;
    ff_model *model = model_of_text(ball);
    ff_run_options o = *ff_model_run(model);
    ff_sim *sim;
    o.method = FF_RK4;
    o.dt = 1e-2;
    assert_int_equal(ff_sim_create(model, &o, &sim, NULL), FF_OK);
    assert_int_equal(ff_sim_warning(sim, 0).kind, FF_WARN_STEP);
    assert_true(ff_sim_warning(sim, 1).text[0] == '\0');
    ff_sim_free(sim);
    assert_int_equal(ff_sim_create(model, NULL, &sim, NULL), FF_OK);
    assert_true(ff_sim_warning(sim, 0).text[0] == '\0');
    ff_sim_free(sim);
    ff_model_free(model);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_model),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_run),
};

CHECK_MAIN(tests)
