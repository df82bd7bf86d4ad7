// SPDX-License-Identifier: MIT
#pragma once

#include "cli/commands.h"
#include "report/verbs.h"

#include <string>
#include <string_view>

namespace twinrun {

/// "Compare two runs"
std::string_view group_title(VerbGroup group);

/// `twinrun --help`: every verb with its summary.
std::string overview_text();

/// `twinrun VERB --help`: usage line, summary and flags.
std::string command_help(const Command& command);

/// A verb with its flags as its setup declares them, without hidden ones.
Verb describe_verb(const Command& command);

}  // namespace twinrun
