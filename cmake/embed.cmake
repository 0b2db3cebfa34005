# SPDX-License-Identifier: Apache-2.0
# Copyright the footfall authors

# Writes a C table of the papers' files, so that the command needs none of them where it runs:
#   cmake -DOUT=papers_files.c -DFOLDER=papers -P embed.cmake

file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*/*.yaml ${FOLDER}/*/*.csv)
list(SORT files)
set(rows "")
set(arrays "")
set(number 0)
foreach(name ${files})
    file(READ ${FOLDER}/${name} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text${number}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", (const char *)text${number}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT}.new "#include \"papers.h\"\n\n${arrays}
const paper_file paper_files[] = {\n${rows}    {NULL, NULL},\n};\n")
file(RENAME ${OUT}.new ${OUT})
