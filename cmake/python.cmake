# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# The Python package, complete in build/python: sources, the binding generated from the public headers, the library.
# It needs a python3 that has cffi; without one the package is left out.

set(found "")
# a python3 of the user's own often lacks the packages of the system's
foreach(candidate ${FF_PYTHON} python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import cffi, numpy, sys; print(sys.executable)"
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE missing)
    if(missing EQUAL 0)
        break()
    endif()
    set(found "")
endforeach()
if(NOT found)
    message(STATUS "no python3 with cffi and numpy: the Python package is left out (make setup GROUPS=python)")
    return()
endif()

set(package ${CMAKE_BINARY_DIR}/python/footfall)
file(GLOB python_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/footfall/*)
file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/footfall/*.h)
add_custom_command(OUTPUT ${package}/_native.py
    COMMAND ${CMAKE_COMMAND} -E make_directory ${package}
    COMMAND ${found} ${CMAKE_SOURCE_DIR}/python/bindings.py ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR}/include
        ${package}/_native.py
    DEPENDS ${headers} ${CMAKE_SOURCE_DIR}/python/bindings.py
    COMMENT "Generating the Python binding from the headers" VERBATIM)
# a source that is gone must not be imported from the stage
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/python/sources.stamp
    COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_SOURCE_DIR}/python/footfall -DTO=${package}
        -P ${CMAKE_SOURCE_DIR}/cmake/stage.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/python/sources.stamp
    DEPENDS ${python_sources} ${CMAKE_SOURCE_DIR}/cmake/stage.cmake
    COMMENT "Staging the Python package" VERBATIM)
add_custom_command(OUTPUT ${package}/libfootfall.so
    COMMAND ${CMAKE_COMMAND} -E make_directory ${package}
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:footfall> ${package}/libfootfall.so
    DEPENDS footfall COMMENT "Copying the library into the Python package" VERBATIM)
add_custom_target(python_package ALL
    DEPENDS ${package}/_native.py ${package}/libfootfall.so ${CMAKE_BINARY_DIR}/python/sources.stamp)

set(python_tests ${CMAKE_SOURCE_DIR}/python/tests)
set(python_environment "PYTHONPATH=${CMAKE_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
    "FF_BUILD=${CMAKE_BINARY_DIR}" "FOOTFALL=$<TARGET_FILE:footfall_cli>")
if(FF_SANITIZE)
    # The runtime of an instrumented library is loaded before Python, whose own leaks are none of ours; what runs the
    # library is tested, not how fast it is or how it is installed.
    set(python_tests "")
    foreach(name impact run control trace study)
        list(APPEND python_tests ${CMAKE_SOURCE_DIR}/python/tests/test_${name}.py)
    endforeach()
    set(runtime "")
    foreach(name asan ubsan)
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${name}.so
            OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(APPEND runtime "${file}:")
    endforeach()
    list(APPEND python_environment "LD_PRELOAD=${runtime}" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc)
endif()
add_test(NAME python COMMAND ${found} -m pytest -q -p no:cacheprovider ${python_tests})
set_tests_properties(python PROPERTIES TIMEOUT 600 ENVIRONMENT "${python_environment}")

# notebooks run from top to bottom, assert what they claim, and print what they show
if(NOT FF_SANITIZE)
    file(GLOB notebooks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/notebooks/*.ipynb)
    add_test(NAME notebooks COMMAND ${found} ${CMAKE_SOURCE_DIR}/notebooks/run.py ${notebooks})
    set_tests_properties(notebooks PROPERTIES TIMEOUT 600 ENVIRONMENT "${python_environment}")
endif()
