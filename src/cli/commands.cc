// SPDX-License-Identifier: MIT
#include "cli/commands.h"

#include "base/suggest.h"

#include <algorithm>

namespace twinrun {
namespace {

using enum VerbGroup;

constexpr Command kCommands[] = {
    {"record", "run a program and record its execution", "[--] PROGRAM [ARG...]", Operand::kProgram,
     kRecord, setup_record},
    {"why", "explain why one run differs from another", "A B", Operand::kRecording, kCompare,
     setup_why},
    {"show", "tell all about a line of the answer of why, or a node of its graph", "ID A B",
     Operand::kRecording, kCompare, setup_show},
    {"report", "make a page of one file that shows why two runs differ", "A B -o FILE",
     Operand::kRecording, kCompare, setup_report},
    {"diff", "compare two runs of a program function by function", "--stat A B",
     Operand::kRecording, kCompare, setup_diff},
    {"align", "find where two runs of a program part and meet again", "A B", Operand::kRecording,
     kCompare, setup_align},
    {"mem", "compare the memory of two runs at one moment", "--at STEP A B", Operand::kRecording,
     kCompare, setup_mem},
    {"export", "write calls or differences in other tools' formats", "A [B] --format FORMAT",
     Operand::kRecording, kCompare, setup_export},
    {"calls", "show the calls with their arguments and results", "[NAME]", Operand::kRecording,
     kOneRun, setup_calls},
    {"bt", "show the calls under way at a moment, with their arguments", "[--at STEP] [NAME]",
     Operand::kRecording, kOneRun, setup_bt},
    {"who", "tell who wrote a register, memory or a variable", "--at STEP --what WHAT [NAME]",
     Operand::kRecording, kOneRun, setup_who},
    {"slice", "tell what an instruction's result was computed from", "--at STEP [NAME]",
     Operand::kRecording, kOneRun, setup_slice},
    {"paths", "find, count and compare the paths that functions executed",
     "[NAME...] [--in FUNCTION PATH]", Operand::kRecording, kOneRun, setup_paths},
    {"index", "tell the structural index of an instruction", "--at STEP [NAME]",
     Operand::kRecording, kOneRun, setup_index},
    {"dump", "print what a recording holds", "[NAME]", Operand::kRecording, kOneRun, setup_dump},
    {"match", "tell which function, block and data of a binary is which of another build",
     "OLD NEW", Operand::kFile, kBinaries, setup_match},
    {"profile", "carry over, convert, merge and score execution profiles", "PART ...",
     Operand::kNone, kBinaries, setup_profile, profile_parts},
    {"cfg", "show the control flow of a function", "FUNCTION", Operand::kNone, kBinaries,
     setup_cfg},
    {"ls", "list the recordings", "", Operand::kNone, kHousekeeping, setup_ls},
    {"info", "describe a recording", "[NAME]", Operand::kRecording, kHousekeeping, setup_info},
    {"rm", "remove recordings", "[NAME...]", Operand::kRecording, kHousekeeping, setup_rm},
    {"pack", "put the executed binaries and their sources into a recording", "[NAME]",
     Operand::kRecording, kHousekeeping, setup_pack},
    {"verify", "check a recording", "[NAME]", Operand::kRecording, kHousekeeping, setup_verify},
    {"doctor", "check whether this machine can record", "", Operand::kNone, kHousekeeping,
     setup_doctor},
    {"completion", "print a completion script for a shell", "bash|zsh|fish", Operand::kShell,
     kHousekeeping, setup_completion},
    {"help", "explain a verb", "[VERB]", Operand::kVerb, kHousekeeping, setup_help},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == std::end(kCommands) ? nullptr : found;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  return names;
}

std::span<const Command> parts_of(const Command& command) {
  return command.parts == nullptr ? std::span<const Command>() : command.parts();
}

std::vector<std::string> part_words(const Command& command) {
  std::vector<std::string> words;
  for (const Command& part : parts_of(command)) words.emplace_back(part.word());
  return words;
}

Result<const Command*> find_part(const Command& command, std::string_view word) {
  for (const Command& part : parts_of(command))
    if (part.word() == word) return &part;
  std::string help = did_you_mean(word, part_words(command));
  if (help.empty()) help = fmt::format("twinrun help {} lists what there is", command.name);
  return std::unexpected(
      Error{"C001", fmt::format("{} has no '{}'", command.name, word), std::move(help), {}});
}

}  // namespace twinrun
