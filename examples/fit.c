/* SPDX-License-Identifier: Apache-2.0
 * Copyright the footfall authors */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

/* Which of three laws describes a measured restitution curve best, and with which damping. The data are those of a
 * steel ball of 154 g: the loss grows with v^(1/5), as in the law of Azad and Featherstone, with a scatter of
 * 0.002. */
int main(void) {
    const double speed[] = {0.2, 0.5, 1, 2, 3, 4, 5};
    const double e[] = {0.912, 0.895, 0.881, 0.861, 0.853, 0.841, 0.837};
    const char *const laws[] = {"azad-featherstone", "lee-wang", "hunt-crossley"};
    const ff_fit_data data = {
        .kind = FF_FIT_RESTITUTION, .count = 7, .speed = speed, .restitution = e};
    ff_fit_options options = ff_fit_options_default();
    options.mass = 0.154;
    const char *best = "";
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        ff_normal law;
        ff_fit_result fit;
        ff_error error = {""};
        ff_normal_init(&law, ff_normal_law_find(laws[i]), NULL);
        ff_normal_set(&law, "k", 8.5e6, NULL);
        ff_normal_set(&law, "lambda", 1e3, NULL); /* start of the search */
        ff_status status = ff_fit(&law, &data, &options, &fit, NULL, &error);
        if (status == FF_NOT_BUILT) {
            printf("%s\n", error.text);
            return 0;
        }
        if (status < 0) {
            fprintf(stderr, "%s: %s\n", laws[i], error.text);
            return 1;
        }
        const ff_fit_param *lambda = &fit.params[0];
        printf(
            "%-18s lambda = %.4g (95 %%: %.4g to %.4g), rms %.4f, AICc %.1f; e = %.4f at 10 m/s\n",
            laws[i], lambda->value, lambda->low, lambda->high, fit.rms, fit.aicc,
            ff_impact_restitution(&law, 0.154, 10));
        printf("%s", fit.words); /* parameters that the data do not determine */
        best = fit.aicc < least ? laws[i] : best;
        least = fmin(least, fit.aicc);
    }
    printf("best: %s\n", best);
    return best == laws[0] ? 0 : 1;
}
