// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/flags.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

// Exit codes.
inline constexpr int kExitSame = 0;       // done; for a comparison: no difference
inline constexpr int kExitDifferent = 1;  // a comparison found a difference
inline constexpr int kExitTrouble = 2;    // usage or environment
inline constexpr int kExitInternal = 3;   // our bug
// `record` must not be mistaken for the program it runs: its own trouble has the codes of env(1).
inline constexpr int kExitRecordTrouble = 125;
inline constexpr int kExitCannotExecute = 126;
inline constexpr int kExitNotFound = 127;

using Words = std::vector<std::string>;

/// Runs a verb after its flags were parsed and returns the exit code. `program` are the words from
/// the first non-flag on, for verbs whose operand is kProgram, and empty for all others.
using Action = std::function<Result<int>(const Words& program)>;

/// What the words after the flags are; shell completion goes by it.
enum class Operand { kNone, kRecording, kProgram, kVerb, kShell, kFile };

/// What verbs are for; help lists them by it.
enum class VerbGroup { kRecord, kCompare, kOneRun, kBinaries, kHousekeeping };

/// One verb of the command line. `setup` declares its flags on `app` and returns what runs it;
/// help, completion and typo hints call it too, so it must have no other effect.
struct Command {
  std::string_view name;
  std::string_view summary;   // one line, lower case, no full stop
  std::string_view operands;  // for the usage line: "[--] PROGRAM [ARG...]"
  Operand operand;
  VerbGroup group;
  Action (*setup)(FlagSet& app);
  /// Of a verb with verbs of its own, those. Their names are in full, "profile convert", and their
  /// flags are their own; the verb itself has none but --help.
  std::span<const Command> (*parts)() = nullptr;

  /// What the user types last: "convert".
  [[nodiscard]] std::string_view word() const { return name.substr(name.rfind(' ') + 1); }
};

/// All verbs, group by group, in the order in which help lists them.
std::span<const Command> commands();

/// Null when there is no such verb.
const Command* find_command(std::string_view name);

std::vector<std::string> command_names();

/// The parts of a verb; none for most.
std::span<const Command> parts_of(const Command& command);
/// The one that `word` names, or an error with a hint at the nearest.
Result<const Command*> find_part(const Command& command, std::string_view word);
/// "convert", "merge".
std::vector<std::string> part_words(const Command& command);

std::span<const Command> profile_parts();

Action setup_align(FlagSet& app);
Action setup_bt(FlagSet& app);
Action setup_calls(FlagSet& app);
Action setup_cfg(FlagSet& app);
Action setup_completion(FlagSet& app);
Action setup_diff(FlagSet& app);
Action setup_doctor(FlagSet& app);
Action setup_dump(FlagSet& app);
Action setup_export(FlagSet& app);
Action setup_help(FlagSet& app);
Action setup_index(FlagSet& app);
Action setup_info(FlagSet& app);
Action setup_ls(FlagSet& app);
Action setup_match(FlagSet& app);
Action setup_mem(FlagSet& app);
Action setup_pack(FlagSet& app);
Action setup_paths(FlagSet& app);
Action setup_profile(FlagSet& app);
Action setup_profile_convert(FlagSet& app);
Action setup_profile_merge(FlagSet& app);
Action setup_profile_migrate(FlagSet& app);
Action setup_profile_score(FlagSet& app);
Action setup_record(FlagSet& app);
Action setup_report(FlagSet& app);
Action setup_rm(FlagSet& app);
Action setup_show(FlagSet& app);
Action setup_slice(FlagSet& app);
Action setup_verify(FlagSet& app);
Action setup_who(FlagSet& app);
Action setup_why(FlagSet& app);

}  // namespace twinrun
