#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# The library exports what its public headers declare, fewer than 250 functions, and nothing else. The library and the
# command call no function of the C library whose bits depend on the CPU or on its version: those are in
# src/num/elementary.h. Only src/num/memory.c asks the C library for memory. LIBRARY, its objects in ARCHIVE, and FOOTFALL are
# the files to look at.
set -euo pipefail

functions='exp|exp2|exp10|expm1|log|log1p|log2|log10|pow|cbrt|hypot|sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh'
functions+='|asinh|acosh|atanh|erf|erfc|tgamma|lgamma|fma|j0|j1|jn|y0|y1|yn'
complex='cabs|carg|cexp|clog|cpow|csqrt|csin|ccos|ctan|casin|cacos|catan|csinh|ccosh|ctanh'
status=0
for file in "$LIBRARY" "$FOOTFALL"; do
    # also of other precisions, of vectors, and what compilers make of calls
    found=$(nm -D --undefined-only "$file" | awk '{print $2}' | sed 's/@.*//' |
        grep -E "^(__)?($functions|$complex)[fl]?(_finite)?\$|^_ZGV" || true)
    if [ -n "$found" ]; then
        echo "$file calls" $found "of the C library; use those of src/num/elementary.h" >&2
        status=1
    fi
done
# with what macros of the headers declare
include=$(dirname "$0")/../include
declared=$("${CC:-cc}" -E -P -I "$include" -x c - <<<'#include <footfall/footfall.h>')
# the address sanitizer has a symbol of its own for each variable
exported=$(nm -D --defined-only "$LIBRARY" | awk '$2 ~ /[TDRB]/ && $3 !~ /^__odr_asan\./ {print $3}')
for name in $exported; do
    if ! grep -qw "$name" <<<"$declared"; then
        echo "$LIBRARY exports $name, which no public header has" >&2
        status=1
    fi
done
count=$(nm -D --defined-only "$LIBRARY" | awk '$2 == "T"' | wc -l)
echo "$count functions are exported"
[ "$count" -lt 250 ] || { echo "$LIBRARY exports $count functions: fewer than 250 are allowed" >&2; status=1; }
# streams into memory are the C library's; ff_streamed() takes over what they wrote
taken=$(nm -A --undefined-only "$ARCHIVE" | sed 's/@.*//' |
    awk '$NF ~ /^(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|strndup|asprintf|vasprintf|getline)$/' |
    grep -v ':memory\.c\.o:' || true)
if [ -n "$taken" ]; then
    echo "these go past ff_malloc() and its kin of src/num/memory.h:" >&2
    echo "$taken" >&2
    status=1
fi
exit $status
