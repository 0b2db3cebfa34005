#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# pictures: correct type, complete, several at once; stdout is unchanged; failures leave no files behind
. "$(dirname "$0")/lib.bash"

one=(restitution --normal azad-featherstone --k 8.5e6 --lambda 3.1e3 --mass 154g --speed 1e-3:10:30log)
printf 'speed,restitution\n0.5,0.66\n1,0.62\n2,0.58\n4,0.55\n' >drop.csv

# whole FILE: a non-empty picture of the type given by its name
whole() {
    python3 - "$1" <<'PYTHON'
import re, sys, xml.dom.minidom
data = open(sys.argv[1], 'rb').read()
kind = sys.argv[1][-3:]
if kind == 'svg':
    root = xml.dom.minidom.parseString(data).documentElement
    paths = [p.getAttribute('d') for p in root.getElementsByTagName('path')]
    ok = root.tagName == 'svg' and any(len(re.findall('[ML]', d)) > 1 or len(d) > 100 for d in paths)
elif kind == 'png':
    ok = data.startswith(b'\x89PNG\r\n\x1a\n') and data[-8:-4] == b'IEND' and int.from_bytes(data[16:20], 'big') >= 600
else:
    ok = data.startswith(b'%PDF-') and b'%%EOF' in data[-32:]
sys.exit(not ok or len(data) < 2000)
PYTHON
}

# draws NAME ARGS...: a picture, and on stdout the same JSON object as without it
draws() {
    local name=$1
    shift
    call "$@" --json
    mv out plain
    call "$@" --json --plot "$name.svg"
    [ $status -eq 0 ] && [ -s out ] && cmp -s out plain && whole "$name.svg"
    judge $? "$name.svg is a whole picture, stdout pure JSON: $(told "$@")"
}
# several at once, of every type; the table on stdout is unchanged
call "${one[@]}"
mv out plain
call "${one[@]}" --plot three.svg --plot three.png --plot=three.pdf
[ $status -eq 0 ] && [ -s out ] && cmp -s out plain && [ "$(wc -l <err)" -eq 3 ]
judge $? "three pictures at once: $(told)"
for kind in svg png pdf; do
    [ -s three.$kind ] && whole three.$kind
    judge $? "three.$kind is a whole picture"
done
draws curve "${one[@]}"
draws sweep restitution --normal lee-wang --k 1e6,1e7 --lambda 1e3:9e3:5 --mass 1 --speed 0.1:5:20
draws compared restitution --compare all --restitution 0.8 --max-depth 0.7mm --at 1 --mass 154g --speed 0.01:10:7log
draws plane phase --normal marhefka-orin --k 50e3 --alpha 0.4 --mass 50 --speed 0.5,1,2 --branch 2,3
draws loop phase --normal azad-featherstone --k 8.5e6 --lambda 3.1e3 --mass 154g --speed 1,2 --loop
draws fitted fit drop.csv --normal azad-featherstone --mass 154g --k 8.5e6
draws ranked fit drop.csv --normal azad-featherstone --mass 154g --k 8.5e6 --compare
draws single restitution --normal hertz --k 1 --mass 1 --speed 1
# states of a controller have no component names, and are in none of these pictures
call run "$root/scenes/hopper.yaml" --until 0.1 --plot hopper
[ $status -eq 0 ] && whole hopper/height.svg && whole hopper/force.svg && ! grep -q hops hopper/height.svg
judge $? "pictures of a scene with a controller: $(told run hopper.yaml)"
! cmp -s plane.svg loop.svg
judge $? "--loop is another picture"
# curves are named
grep -q 'coefficient of restitution' curve.svg && grep -q 'm/s' curve.svg && grep -q azad-featherstone compared.svg && grep -q tsuji compared.svg
judge $? "axes and curves have names"
grep -q 'k = 1e+07' sweep.svg && grep -q 'lambda = 9000' sweep.svg
judge $? "curves of a sweep are told apart"

# names with characters special to a shell or gnuplot
for name in "two 'words'.svg" 'dollar$HOME`x`.svg' 'größe %d "x".svg' './-dash.svg'; do
    call "${one[@]}" --plot "$name"
    [ $status -eq 0 ] && whole "$name"
    judge $? "--plot $name: $(told)"
done
call "${one[@]}" --plot curve.svg
[ $status -eq 0 ] && whole curve.svg
judge $? "an old picture is replaced"
(umask 027 && call "${one[@]}" --plot mode.svg)
[ "$(stat -c %a mode.svg)" = 640 ]
judge $? "the umask holds: $(stat -c %a mode.svg)"

# ---- failures ----
for name in x.gif x x.SVG x.svg.gz .svg '' svg; do
    refuses "\.svg, \.png or \.pdf" "${one[@]}" --plot "$name"
done
refuses "y.gif" "${one[@]}" --plot x.svg --plot y.gif
[ ! -e x.svg ]
judge $? "nothing is drawn before every name is known to be good"
# the result is printed nevertheless; one line says what is missing
lacks() {
    local pattern=$1
    shift
    call "${one[@]}" "$@"
    [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -qE -e "$pattern" err && grep -q 'max depth' out
    judge $? "$(told "$@"), wanted exit 1 and /$pattern/"
}
lacks "no/such/x.svg.*No such file" --plot no/such/x.svg
mkdir folder.svg
lacks "folder.svg" --plot folder.svg
lacks "drop.csv/x.svg" --plot drop.csv/x.svg
saved=$PATH
PATH=$work/nothing
timeout=$(PATH=$saved command -v timeout)
"$timeout" 20 "$FOOTFALL" "${one[@]}" --plot none.svg >out 2>err
status=$?
PATH=$saved
[ $status -eq 1 ] && grep -q gnuplot-nox err && [ "$(wc -l <err)" -eq 1 ] && [ ! -e none.svg ]
judge $? "without gnuplot: $(told)"
# a failing gnuplot is reported, and does not affect an old picture
mkdir bin
printf '#!/bin/sh\ncat >/dev/null\necho "line 0: it hurts" >&2\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
cp curve.svg before.svg
PATH=$work/bin:$saved
lacks "it hurts" --plot curve.svg
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
lacks "gnuplot" --plot curve.svg
PATH=$saved
cmp -s curve.svg before.svg
judge $? "a failure leaves the old picture"
[ -z "$(find . -name '*.svg.*' -o -name '*.png.*' -o -name '*.pdf.*')" ]
judge $? "no temporary files are left: $(find . -name '*.???.*')"
# a daemon has no standard input
timeout 20 "$FOOTFALL" "${one[@]}" --plot closed.svg <&- >out 2>err
status=$?
[ $status -eq 0 ] && whole closed.svg
judge $? "stdin closed: $(told)"

finish
