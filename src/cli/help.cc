// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include "base/version.h"
#include "cli/parse.h"
#include "report/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <optional>

namespace twinrun {

std::string_view group_title(VerbGroup group) {
  switch (group) {
    case VerbGroup::kRecord: return "Record";
    case VerbGroup::kCompare: return "Compare two runs";
    case VerbGroup::kOneRun: return "Ask one run";
    case VerbGroup::kBinaries: return "Binaries and profiles";
    case VerbGroup::kHousekeeping: return "Recordings and this machine";
  }
  return "";
}

std::string overview_text() {
  std::string out = fmt::format(
      "twinrun {}: record executions of programs and compare them\n\n"
      "usage: twinrun VERB [FLAG...] [ARG...]\n\n",
      kVersion);
  TextTable verbs({{""}, {""}});
  for (const Command& command : commands())
    verbs.add_row({"  " + std::string(command.name), std::string(command.summary)});
  // One table, so that the summaries of all groups begin in one column.
  const std::string rows = verbs.render();
  size_t begin = 0;
  std::optional<VerbGroup> group;
  for (const Command& command : commands()) {
    if (group != command.group)
      out += fmt::format("{}{}\n", group ? "\n" : "", group_title(command.group));
    group = command.group;
    const size_t end = rows.find('\n', begin) + 1;
    out += rows.substr(begin, end - begin);
    begin = end;
  }
  return out + "\ntwinrun help VERB explains a verb; twinrun --version prints the version\n";
}

Verb describe_verb(const Command& command) {
  FlagSet flags;
  declare_flags(command, flags);
  Verb verb{std::string(command.name),
            std::string(command.summary),
            std::string(command.operands),
            {},
            {}};
  for (const CLI::Option* option : flags.app().get_options()) {
    if (option->get_group().empty() || !option->nonpositional()) continue;
    VerbFlag info;
    for (const std::string& name : option->get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) info.names.push_back("--" + name);
    if (takes_value(*option)) info.value = option->get_type_name();
    info.description = option->get_description();
    info.repeats = takes_value(*option) && option->get_expected_max() > 1;
    for (const Flag& flag : flags.flags()) {
      if (flag.option() != option) continue;
      info.words = flag.known_words();
      if (!flag.shown_type().empty()) info.value = flag.shown_type();
    }
    verb.flags.push_back(std::move(info));
  }
  for (const Command& part : parts_of(command)) verb.parts.push_back(describe_verb(part));
  return verb;
}

namespace {

// Usage line, summary and flags.
std::string flags_text(const Command& command) {
  std::string out =
      fmt::format("usage: twinrun {} [FLAG...]{}{}\n\n{}\n\n", command.name,
                  command.operands.empty() ? "" : " ", command.operands, command.summary);
  TextTable table({{""}, {""}});
  for (const VerbFlag& flag : describe_verb(command).flags) {
    const bool only_long = flag.names.front().starts_with("--");
    table.add_row({fmt::format("  {}{}{}{}", only_long ? "    " : "", fmt::join(flag.names, ", "),
                               flag.value.empty() ? "" : " ", flag.value),
                   flag.description});
  }
  return out + table.render() + "\n";
}

}  // namespace

std::string command_help(const Command& command) {
  std::string out = flags_text(command);
  for (const Command& part : parts_of(command)) out += flags_text(part);
  return out +
         fmt::format("man twinrun-{} tells more\n", command.name.substr(0, command.name.find(' ')));
}

}  // namespace twinrun
