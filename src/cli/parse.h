// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/commands.h"
#include "cli/flags.h"

#include <string_view>

namespace twinrun {

/// Declares the verb's flags and --help in `flags`; returns what runs the verb.
Action declare_flags(const Command& command, FlagSet& flags);

struct Parsed {
  Words program;            // only for verbs whose operand is kProgram
  bool wants_help = false;  // --help was given: nothing else was checked
};

/// Parses the words after the verb into the flags declared in `flags`. Unknown flags come back as
/// an error with a hint at the nearest known one.
Result<Parsed> parse_arguments(FlagSet& flags, const Command& command, const Words& words);

/// The flag of `flags` that `word` ("--output", "-o") names, or null.
const CLI::Option* find_flag(const FlagSet& flags, std::string_view word);

/// True when the flag must be followed by a value.
bool takes_value(const CLI::Option& flag);

}  // namespace twinrun
