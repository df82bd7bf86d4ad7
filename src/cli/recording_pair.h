// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "base/result.h"
#include "cli/flags.h"
#include "report/source_text.h"
#include "trace/position.h"

#include <memory>
#include <string>
#include <vector>

namespace twinrun {

/// The two recordings of a command that compares, by their names, as in resolve_recording().
Result<std::unique_ptr<RunPair>> open_recordings(
    const std::string& a, const std::string& b,
    const DebugDirectories& debug_directories = system_debug_directories());

/// --pair-loops, for verbs that can show what either way gives.
void add_loops_flag(FlagSet& app, std::string& flag);
PairLoops loops_of(const std::string& flag);

/// In which positions of both are unambiguous.
PositionForm position_form(const RunPair& runs);
/// What is to be said behind the output: warnings, and that a recording lacks its end.
void print_notes(const RunPair& runs);
/// With warnings that are known already.
void print_notes(const RunPair& runs, const std::vector<std::string>& warnings);
/// With which of the files quoted may have other lines by now.
void print_notes(const RunPair& runs, std::vector<std::string> warnings, const SourceText& quoted);

/// The sources of both runs.
SourceText sources_of(const RunPair& runs, SourceDirectories directories);

}  // namespace twinrun
