// SPDX-License-Identifier: MIT
#pragma once

#include "report/verbs.h"

#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

// Scripts that complete command lines: verbs and flags are in them as text, made from the
// declarations that parse them; for recordings they ask `twinrun ls --complete`.
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// What there is to offer for the value of a flag. It follows from what help calls the value: files
/// for "FILE", "PATH" and "BINARY", recordings for "RECORDING", and words that stand there in lower
/// case, as in "SECONDS|all".
struct OfferedValues {
  bool files = false;
  bool recordings = false;
  std::vector<std::string> words;
};
OfferedValues offered_values(const VerbFlag& flag);

/// Text in single quotes; a quote inside of it is written as `quote_inside`. Our own words hold no
/// backslash.
std::string in_quotes(std::string_view text, std::string_view quote_inside);

}  // namespace twinrun
