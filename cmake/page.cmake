# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors
#
# cmake -DWEB=FOLDER -DPAGE=FILE -DNPM=PROGRAM -P page.cmake: makes the one file of web/ that the command holds.
# Packages are fetched where they are not there as web/package-lock.json says. A page that cannot be built is
# empty, with the reason in FILE.error: the command is built all the same, and says what it lacks.

# builds of several compilers share the packages
file(LOCK ${WEB}/.lock GUARD PROCESS TIMEOUT 600)

function(step what)
    execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WEB} RESULT_VARIABLE result
        OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT result EQUAL 0)
        message(WARNING "the page of reports is left out, ${what}:\n${said}")
        file(WRITE ${PAGE} "")
        file(WRITE ${PAGE}.error "the page of reports could not be built, ${what}:\n${said}")
        # the lock ends with the process
        set(failed TRUE PARENT_SCOPE)
    endif()
endfunction()

set(failed FALSE)
set(there ${WEB}/node_modules/.package-lock.json)
if(NOT EXISTS ${there} OR ${WEB}/package-lock.json IS_NEWER_THAN ${there})
    # no package needs a script of its own to be installed
    step("its packages could not be fetched" ${NPM} ci --ignore-scripts --prefer-offline --loglevel=error)
    if(NOT failed)
        file(TOUCH ${there})
    endif()
endif()
if(NOT failed)
    get_filename_component(folder ${PAGE} DIRECTORY)
    step("it could not be built" ${NPM} run build -- --outDir ${folder} --emptyOutDir)
endif()
