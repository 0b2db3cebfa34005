#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# run.sh TEST.js...: tests of the page with Node, and with a browser those that need one. FOOTFALL is the path of the
# command. What is missing is told, and the test skipped (77), or failed where FF_WEB_TESTS is `required`.
set -u
cd "$(dirname "$0")" || exit 1

lacks() {
    echo "skipped: $1"
    [ "${FF_WEB_TESTS:-}" = required ] && exit 1
    exit 77
}

command -v node >/dev/null || lacks "there is no Node (make setup GROUPS=web)"
[ -d ../../web/node_modules/playwright-core ] || lacks "the packages of web/ are not there: the page was not built"
case $("$FOOTFALL" run ../../scenes/bounce.yaml --until 1ms --report x.html/x.html 2>&1 >/dev/null) in
*"built without"*) lacks "the command was built without the page of reports" ;;
esac
for test in "$@"; do
    if grep -q findBrowser "$test" && [ -z "${CHROMIUM:-}" ]; then
        command -v chromium chromium-browser google-chrome >/dev/null || lacks "there is no Chromium (make setup GROUPS=browser)"
    fi
done
exec node --test --test-reporter=spec "$@"
