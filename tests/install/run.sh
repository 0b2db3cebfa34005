#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# installs the build in $BUILD as a packager does and uses it as users do; CTest sets CC, CMAKE, BUILD, VERSION
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

expect() { # expect WHAT COMMAND...: the command must print the version
    local what=$1 got
    shift
    got=$("$@")
    [ "$got" = "$VERSION" ] || { echo "$what: got '$got' instead of '$VERSION'"; exit 1; }
    echo "$what: $got"
}

DESTDIR="$tmp/stage" "$CMAKE" --install "$BUILD" --prefix /opt/footfall
prefix="$tmp/stage/opt/footfall"
# no path of the machine that built it may be left in what is installed for others to read
if grep -rnF -e "$BUILD" -e "$tmp" "$prefix" --include='*.pc' --include='*.cmake' --include='*.h'; then
    echo "installed files name a path of the build"
    exit 1
fi
expect "command" sh -c "'$prefix/bin/footfall' --version | grep -oF '$VERSION'"

pc=$(find "$prefix" -name footfall.pc -printf '%h')
lib=$(dirname "$pc")
export PKG_CONFIG_PATH=$pc LD_LIBRARY_PATH=$lib

cflags="-std=c17 -Wall -Wextra -Wstrict-prototypes -Werror $(pkg-config --cflags footfall)"
$CC $cflags "$here/consumer.c" -o "$tmp/shared" $(pkg-config --libs footfall)
expect "pkg-config, shared" "$tmp/shared"

# a program that records, in C and as C++
$CC $cflags "$here/record.c" -o "$tmp/record" $(pkg-config --libs footfall) -lm
case $CC in *clang*) CXX=$(command -v clang++ || command -v c++) ;; *) CXX=$(command -v g++ || command -v c++) ;; esac
$CXX -x c++ -std=c++17 -Wall -Wextra -Werror $(pkg-config --cflags footfall) "$here/record.c" -o "$tmp/record_cpp" \
    $(pkg-config --libs footfall) -lm
for program in record record_cpp; do
    mkdir "$tmp/of_$program"
    expect "$program" "$tmp/$program" "$tmp/of_$program"
    [ -s "$tmp/of_$program/trace.h5" ] || [ -s "$tmp/of_$program/trace.csv" ] || { echo "$program: no trace"; exit 1; }
    if [ -s "$tmp/of_$program/page.html" ]; then echo "$program: page"; else echo "$program: built without the page"; fi
done
# the installed command finds the installed library, and nothing of the build
if env -u LD_LIBRARY_PATH ldd "$prefix/bin/footfall" | grep libfootfall | grep -vF "$prefix"; then
    echo "the installed command takes another library"
    exit 1
fi

# the whole archive, so that a library missing from Libs.private shows
libs=$(pkg-config --libs --static footfall)
$CC $cflags "$here/consumer.c" -o "$tmp/static" \
    ${libs/-lfootfall/-Wl,--whole-archive -l:libfootfall.a -Wl,--no-whole-archive}
expect "pkg-config, static" env -u LD_LIBRARY_PATH "$tmp/static"

"$CMAKE" -S "$here" -B "$tmp/build" -G Ninja -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" >"$tmp/log" ||
    { cat "$tmp/log"; exit 1; }
"$CMAKE" --build "$tmp/build"
unset LD_LIBRARY_PATH # find_package gives a run path
expect "find_package, shared" "$tmp/build/with_footfall"
expect "find_package, static" "$tmp/build/with_footfall_static"
