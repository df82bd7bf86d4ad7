# SPDX-License-Identifier: MIT
# cmake -DINPUT=page.html -DOUTPUT=page.cc -P embed.cmake: a text file as a C++ constant.
file(READ ${INPUT} text)
set(mark "twinrun_page")
string(FIND "${text}" ")${mark}\"" found)
if(NOT found EQUAL -1 OR text STREQUAL "")
  message(FATAL_ERROR "${INPUT} cannot be embedded")
endif()
file(WRITE ${OUTPUT} "// Made from ${INPUT}.\n#include \"report/page.h\"\n\nnamespace twinrun {\n"
     "constinit const std::string_view kPageTemplate = R\"${mark}(${text})${mark}\";\n}  // namespace twinrun\n")
