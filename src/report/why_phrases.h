// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "kernel/how_ended.h"

#include <optional>
#include <string>

namespace twinrun {

// Phrases that the sentences and the lines of `why` are made of. Not escaped.

/// "csvsum.c:33", "sum_row+0x1c", "csvsum+0x1234".
std::string phrase_of_place(const NamedInstruction& at);

/// "exit 0", "killed by SIGSEGV".
std::string phrase_of_end(const std::optional<HowEnded>& end);

/// A value as people write it: a string instead of where it is, NULL, a character without its
/// number; "?" when it is not known.
std::string phrase_of_value(const std::string& value);

/// What an input brought, in one run: "bad.csv, byte 53".
std::string phrase_of_source(const std::optional<OutsideSource>& source);

/// What a system call that failed answered, "fails with ENOENT"; empty for all else.
std::string phrase_of_failure(const std::optional<OutsideSource>& source);

struct PairOfPhrases {
  std::string a;
  std::string b;
};
/// What the node, an input, brought, as the first that used it saw it; empty: not known.
PairOfPhrases input_values(const WhyReport& report, uint32_t node);

/// "B writes beyond the end of h->title (32 bytes), at csvsum.c:13 in strcpy".
std::string phrase_of_misuse(const Misuse& of);

}  // namespace twinrun
