// SPDX-License-Identifier: MIT
// zsh's _arguments does the parsing, one specification per flag. Verbs come in the groups of help.
#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/help.h"

#include <fmt/ranges.h>

#include <optional>

namespace twinrun {
namespace {

constexpr std::string_view kZshQuote = "'\\''";

constexpr std::string_view kZshBegin = R"(#compdef twinrun
_twinrun_recordings() {
  local -a names
  names=("${(@f)$(twinrun ls --complete "${(Q)PREFIX}" 2>/dev/null)}")
  # "NAME<tab>DESCRIPTION" as _describe wants it; an empty list is one empty line.
  names=("${(@)${(@)names:#}//:/\\:}")
  names=("${(@)names/$'\t'/:}")
  _describe -V -t recordings recording names && return
  _files "$@"
}
_twinrun() {
)";

// Sourced, it says for what it is; loaded by compinit, it is called at once.
constexpr std::string_view kZshEnd = R"(  esac
}
if [[ $funcstack[1] == _twinrun ]]; then
  _twinrun "$@"
else
  compdef _twinrun twinrun
fi
)";

std::string operands_spec(const Command& command) {
  switch (command.operand) {
    case Operand::kRecording: return "'*:recording:_twinrun_recordings'";
    case Operand::kProgram: return "'(-):program:_command_names -e'";
    case Operand::kVerb: {
      std::string part = "':part:'";
      for (const Command& each : commands())
        if (each.parts != nullptr)
          part = fmt::format("':part:{{[[ $words[2] == {} ]] && compadd {}}}'", each.name,
                             fmt::join(part_words(each), " "));
      return fmt::format("':verb:({})' {}", fmt::join(command_names(), " "), part);
    }
    case Operand::kShell: return "':shell:(bash zsh fish)'";
    case Operand::kFile: return "'*:file:_files'";
    case Operand::kNone: break;
  }
  return "";
}

std::string value_action(const VerbFlag& flag) {
  const OfferedValues offered = offered_values(flag);
  if (offered.recordings) return "_twinrun_recordings";
  if (offered.files) return "_files";
  if (!offered.words.empty()) return fmt::format("({})", fmt::join(offered.words, " "));
  return " ";
}

// "text in which [, ] and : mean themselves"
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

/// '(-o --output)'{-o,--output}'[text]:FILE:_files', and '*--allocator[text]:NAME: ' for what may
/// be repeated.
std::string flag_spec(const VerbFlag& flag) {
  std::string names = flag.names[0];
  if (flag.repeats) {
    names = flag.names.size() == 1 ? fmt::format("'*'{}", flag.names[0])
                                   : fmt::format("'*'{{{}}}", fmt::join(flag.names, ","));
  } else if (flag.names.size() > 1) {
    names = fmt::format("'({})'{{{}}}", fmt::join(flag.names, " "), fmt::join(flag.names, ","));
  }
  // "--flag=": its value may stand behind a '=' too.
  std::string value;
  if (!flag.value.empty()) value = fmt::format(":{}:{}", escaped(flag.value), value_action(flag));
  if (!flag.value.empty() && flag.names.size() == 1 && flag.names[0].starts_with("--"))
    names += '=';
  return names + in_quotes(fmt::format("[{}]{}", escaped(flag.description), value), kZshQuote);
}

// What follows the program is its own command line, which _arguments does not find behind "--".
std::string program_case(const Command& command) {
  std::vector<std::string> valued;
  for (const VerbFlag& flag : describe_verb(command).flags)
    if (!flag.value.empty()) valued.insert(valued.end(), flag.names.begin(), flag.names.end());
  return fmt::format(R"(      local -a valued=({})
      local -i i=2
      while ((i < CURRENT)); do
        if [[ $words[i] == -- ]]; then
          ((i++))
          break
        fi
        [[ $words[i] == -* ]] || break
        (($valued[(Ie)$words[i]])) && ((i++))
        ((i++))
      done
      if ((i < CURRENT)); then
        shift $((i - 1)) words
        ((CURRENT -= i - 1))
        _normal
        return
      elif [[ $words[CURRENT-1] == -- ]]; then
        _command_names -e
        return
      fi
)",
                     fmt::join(valued, " "));
}

std::string verb_case(const Command& command) {
  std::string out = fmt::format("    {})\n", command.word());
  if (command.operand == Operand::kProgram) out += program_case(command);
  if (command.parts != nullptr) {
    out +=
        "      if ((CURRENT > 2)); then\n"
        "        local part=$words[2]\n"
        "        shift words\n"
        "        ((CURRENT--))\n"
        "        case $part in\n";
    for (const Command& part : parts_of(command)) out += verb_case(part);
    out += "        esac\n        return\n      fi\n";
  }
  out += "      _arguments -s";
  for (const VerbFlag& flag : describe_verb(command).flags)
    out += " \\\n        " + flag_spec(flag);
  if (const std::string operands = operands_spec(command); !operands.empty())
    out += " \\\n        " + operands;
  if (command.parts != nullptr)
    out += fmt::format(" \\\n        ':part:({})'", fmt::join(part_words(command), " "));
  return out + "\n      ;;\n";
}

/// One list per group of verbs, under its title.
std::string verb_groups() {
  std::string out;
  std::optional<VerbGroup> group;
  for (const Command& command : commands()) {
    if (group != command.group) {
      if (group) out += "    )\n    _describe -V -t verbs \"$title\" verbs && found=0\n";
      out += fmt::format("    title={}\n    verbs=(\n",
                         in_quotes(group_title(command.group), kZshQuote));
    }
    group = command.group;
    out += "      " +
           in_quotes(fmt::format("{}:{}", command.name, escaped(command.summary)), kZshQuote) +
           "\n";
  }
  return out + "    )\n    _describe -V -t verbs \"$title\" verbs && found=0\n";
}

}  // namespace

std::string zsh_completion() {
  std::string out(kZshBegin);
  out +=
      "  if ((CURRENT == 2)); then\n"
      "    local -a verbs\n"
      "    local title found=1\n"
      "    [[ $PREFIX == -* ]] && compadd -- --help --version && return\n";
  out += verb_groups();
  out +=
      "    return found\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $verb in\n";
  for (const Command& command : commands()) out += verb_case(command);
  return out + std::string(kZshEnd);
}

}  // namespace twinrun
