// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/reader.h"

#include <string>

namespace twinrun {

struct LastWords {
  std::string a;  // empty: nothing that the other run did not say, too
  std::string b;
};

/// The last line that each run wrote as an error and the other did not: mostly what it has to say
/// about its failure. Lines that are indented belong to the one in front of them. Not escaped.
Result<LastWords> last_words(const Reader& a, const Reader& b);

/// Of what was written by one of them.
std::string last_line_alone(const std::string& said, const std::string& other);

}  // namespace twinrun
