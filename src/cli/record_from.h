// SPDX-License-Identifier: MIT
#pragma once

#include "record/record.h"

#include <string>
#include <vector>

namespace twinrun {

/// The functions of this name in the file of a program, and if it has none in the libraries that it
/// starts with. `name` as users write it: FUNCTION, MODULE!FUNCTION (the base name of one of them,
/// or the path of any file), or 0xADDRESS, as in the program's file, of the function that holds it.
/// P011 with a suggestion when there is none.
Result<std::vector<FunctionPlace>> find_function_places(const std::string& program,
                                                        const std::string& name);

}  // namespace twinrun
