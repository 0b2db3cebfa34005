# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# Copies the sources of the Python package, FROM, to where it is put together, TO, and removes sources that are gone.

file(GLOB old RELATIVE ${TO} ${TO}/*.py ${TO}/py.typed)
foreach(name ${old})
    if(NOT name STREQUAL "_native.py" AND NOT EXISTS ${FROM}/${name})
        file(REMOVE ${TO}/${name})
    endif()
endforeach()
file(GLOB sources ${FROM}/*.py ${FROM}/py.typed)
file(COPY ${sources} DESTINATION ${TO})
