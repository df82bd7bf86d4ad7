// SPDX-License-Identifier: MIT
// CLI11 parses the values; this file adds what it lacks: hints for mistyped flags, errors in our
// own words, and a clean cut between our flags and a program's words. The program's words never
// pass through CLI11, which takes "[a,b]" for a list and splits it.
#include "cli/parse.h"

#include "base/suggest.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>

namespace twinrun {
namespace {

std::vector<std::string> visible_flags(const FlagSet& flags) {
  std::vector<std::string> names;
  for (const CLI::Option* option : flags.app().get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::unexpected<Error> usage_error(const Command& command, std::string_view code,
                                   std::string message, std::string help = "") {
  if (help.empty()) help = fmt::format("twinrun help {} explains the flags", command.name);
  return std::unexpected(Error{std::string(code), std::move(message), std::move(help), {}});
}

struct FlagWord {
  const CLI::Option* flag = nullptr;
  bool value_inside = false;  // "--output=x", "-ox"
};

/// A word that starts with a dash. In "-qo" the last letter decides whether a value follows.
FlagWord look_up(const FlagSet& flags, const std::string& word) {
  if (word.starts_with("--")) {
    const size_t equals = word.find('=');
    return {find_flag(flags, word.substr(0, equals)), equals != std::string::npos};
  }
  for (size_t i = 1; i < word.size(); ++i) {
    const CLI::Option* flag = find_flag(flags, std::string("-") + word[i]);
    if (flag == nullptr || takes_value(*flag)) return {flag, i + 1 < word.size()};
    if (i + 1 == word.size()) return {flag, false};
  }
  return {};
}

/// "--wait: 'x' is no number" instead of CLI11's wording, where it has one of its own.
std::string plain_words(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with(' ') || text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

Action declare_flags(const Command& command, FlagSet& flags) {
  flags.app().set_help_flag("-h,--help", "show this help");
  return command.setup(flags);
}

const CLI::Option* find_flag(const FlagSet& flags, std::string_view word) {
  for (const CLI::Option* option : flags.app().get_options()) {
    const auto& names = word.starts_with("--") ? option->get_lnames() : option->get_snames();
    const std::string_view bare = word.substr(word.starts_with("--") ? 2 : 1);
    if (std::find(names.begin(), names.end(), bare) != names.end()) return option;
  }
  return nullptr;
}

bool takes_value(const CLI::Option& flag) { return flag.get_items_expected_min() > 0; }

Result<Parsed> parse_arguments(FlagSet& flags, const Command& command, const Words& words) {
  Parsed parsed;
  Words ours;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_flag = word.size() > 1 && word[0] == '-';
    if (command.operand == Operand::kProgram && (word == "--" || !is_flag)) {
      parsed.program.assign(words.begin() + static_cast<ptrdiff_t>(i) + (word == "--" ? 1 : 0),
                            words.end());
      break;
    }
    if (word == "--") {
      ours.insert(ours.end(), words.begin() + static_cast<ptrdiff_t>(i), words.end());
      break;
    }
    ours.push_back(word);
    if (!is_flag) continue;
    if (word == "--help" || word == "-h") {
      parsed.wants_help = true;
      return parsed;
    }
    const FlagWord known = look_up(flags, word);
    if (known.flag == nullptr) {
      const std::string name = word.substr(0, word.find('='));
      return usage_error(command, "C002", fmt::format("{} has no flag '{}'", command.name, name),
                         did_you_mean(name, visible_flags(flags)));
    }
    if (takes_value(*known.flag) && !known.value_inside) {
      if (++i == words.size()) {
        return usage_error(command, "C004", fmt::format("flag '{}' needs a value", word));
      }
      ours.push_back(words[i]);
    }
  }
  std::reverse(ours.begin(), ours.end());
  try {
    flags.app().parse(std::move(ours));
  } catch (const CLI::ExtrasError&) {
    return usage_error(
        command, "C005",
        fmt::format("{}: unexpected argument '{}'", command.name,
                    flags.app().remaining().empty() ? "" : flags.app().remaining().front()));
  } catch (const CLI::RequiredError& error) {
    // "a is required", "--at is required": operands are in capitals in the usage line.
    std::string name = error.what();
    name = name.substr(0, name.find(' '));
    const bool is_flag = name.starts_with("-");
    if (!is_flag)
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    return usage_error(command, "C003",
                       fmt::format("{} needs {}{}", command.name, is_flag ? "the flag " : "", name),
                       fmt::format("twinrun {} [FLAG...] {}", command.name, command.operands));
  } catch (const CLI::ParseError& error) {
    return usage_error(command, "C003", plain_words(error.what()));
  }
  return parsed;
}

}  // namespace twinrun
