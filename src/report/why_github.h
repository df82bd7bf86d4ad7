// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/source_root.h"
#include "report/source_text.h"
#include "report/why_places.h"

#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

/// The answer as commands for a runner of GitHub Actions, which shows them beside the source: one
/// for what it comes to, an error (of mere noise, a warning), and a notice for each other line of
/// the source that it tells of. Files outside of the root are named in messages only.
std::string why_github(const WhyReport& report, SourceText& sources, const SourceRoot& root);

/// One command and the end of its line. Nothing in the title, the message or the names of files
/// can end it: a runner reads commands at the beginning of a line, and their properties up to "::".
std::string workflow_command(std::string_view command, const std::optional<RootPlace>& at,
                             std::string_view title, std::string_view message);

}  // namespace twinrun
