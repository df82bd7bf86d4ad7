// SPDX-License-Identifier: MIT
#pragma once

#include "cli/commands.h"
#include "report/verbs.h"

#include <string>

namespace twinrun {

/// `twinrun --help`: every verb with its summary.
std::string overview_text();

/// `twinrun VERB --help`: usage line, summary and flags.
std::string command_help(const Command& command);

/// A verb with its flags as its setup declares them, without hidden ones.
Verb describe_verb(const Command& command);

}  // namespace twinrun
