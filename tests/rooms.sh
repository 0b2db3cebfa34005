#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
# A room of src/ includes headers of rooms before it and of its own, never of one after it; the first argument is the
# root of the repository.
cd "${1:-.}/src" || exit 2
rooms="num expr law ode flow impact body shape model contact dynamics ledger sim inclusion crowd gait ensemble study trace report io"
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
[ $status -eq 0 ] && echo "no include of a later room"
exit $status
