#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
# A room of src/ includes headers of rooms before it and of its own, never of one after it; the command includes public
# headers and its own, and links the shared library. The first argument is the root of the repository, the second the command
# (may be left out).
cd "${1:-.}/src" || exit 2
rooms="num expr law ode flow impact body shape control model contact dynamics ledger sim inclusion crowd gait ensemble study trace report io"
status=0
seen=""
for room in $rooms; do
    seen="$seen $room"
    [ -d "$room" ] || continue
    for file in "$room"/*.[ch] "$room"/*.inc "$room"/*/*.inc; do
        [ -f "$file" ] || continue
        for other in $(sed -n 's/^#include "\([a-z_0-9]*\)\/.*/\1/p' "$file" | sort -u); do
            case " $seen " in
            *" $other "*) ;;
            *)
                [ -d "$other" ] || continue
                echo "src/$file includes $other/, a later room"
                status=1
                ;;
            esac
        done
    done
done
for room in */; do
    case " $rooms " in
    *" ${room%/} "*) ;;
    *)
        echo "src/$room is no room that DESIGN knows"
        status=1
        ;;
    esac
done
cd ../cli || exit 2
for file in *.[ch]; do
    for header in $(sed -n 's/^#include "\(.*\)"/\1/p' "$file"); do
        if [ ! -f "$header" ]; then
            echo "cli/$file includes $header, which is neither public nor of the command"
            status=1
        fi
    done
done
if [ -n "$2" ] && ! readelf -d "$2" | grep -q 'NEEDED.*libfootfall\.so'; then
    echo "$2 does not link the shared library"
    status=1
fi
[ $status -eq 0 ] && echo "no include of a later room"
exit $status
