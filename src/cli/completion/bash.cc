// SPDX-License-Identifier: MIT
// Bash hands over words that it has split at '=', ':' and '@' as well as at blanks, and replaces
// only what follows the last of those. The script joins them again, finds out what is being typed,
// collects whole words and cuts from them what stands there already.
#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/help.h"

#include <fmt/ranges.h>

namespace twinrun {
namespace {

constexpr std::string_view kBashBegin = R"(# bash completion for twinrun

# Offers those of the words that go on from what is typed.
_twinrun_offer() {
  local word
  for word; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$before$word")
  done
}

_twinrun_recordings() {
  local word rest
  while IFS=$'\t' read -r word rest; do
    printf -v word %q "$word"
    _twinrun_offer "$word"
  done < <(twinrun ls --complete "$cur" 2>/dev/null)
  ((${#COMPREPLY[@]})) || compopt -o default
}

# The command line of a program, which begins at word $1.
_twinrun_program() {
  if declare -F _command_offset >/dev/null; then
    _command_offset "${starts[$1]}"
    return
  fi
  compopt -o default
  (($1 < cword)) || mapfile -t COMPREPLY < <(compgen -c -- "$cur")
}

_twinrun() {
  local line=${COMP_LINE:0:COMP_POINT} part i
  local -a words=() starts=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if ((i == 0)) || [[ $line == [[:blank:]]* ]]; then
      words+=('')
      starts+=("$i")
    fi
    line=${line#"${line%%[![:blank:]]*}"}
    [[ $line == "$part"* ]] || part=$line
    words[-1]+=$part
    line=${line#"$part"}
  done
  local cword=$((${#words[@]} - 1)) cur=${words[-1]} before=''
  local kept=${cur%"$2"}
  COMPREPLY=()
  _twinrun_words
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

_twinrun_words() {
  local verb=${words[1]} first=2 flags='' valued='' operands='' flag='' i
)";

// After the tables of verbs.
constexpr std::string_view kBashFind =
    R"(  # The flag whose value is typed, and where the program's words begin.
  for ((i = first; i < cword; i++)); do
    if [[ $flag ]]; then
      flag=''
    elif [[ ${words[i]} == -- ]]; then
      [[ $operands == program ]] && ((i++))
      break
    elif [[ ${words[i]} == -* ]]; then
      [[ " $valued " == *" ${words[i]} "* ]] && flag=${words[i]}
    elif [[ $operands == program ]]; then
      break
    fi
  done
  if [[ $operands == program && ! $flag ]] && { ((i < cword)) || [[ $cur != -* || ${words[i-1]} == -- ]]; }; then
    _twinrun_program "$i"
    return
  fi
  if [[ ! $flag && $cur == --*=* ]]; then
    flag=${cur%%=*} before=${cur%%=*}= cur=${cur#*=}
  elif [[ ! $flag && $cur == -* ]]; then
    # shellcheck disable=SC2086
    _twinrun_offer $flags
    return
  fi
  case $verb:$flag in
)";

std::string offer(const std::vector<std::string>& words) {
  return fmt::format("_twinrun_offer {}", fmt::join(words, " "));
}

std::string operands_word(const Command& command) {
  switch (command.operand) {
    case Operand::kRecording: return "recordings";
    case Operand::kProgram: return "program";
    case Operand::kVerb: return "verbs";
    case Operand::kShell: return "shells";
    case Operand::kFile: return "files";
    case Operand::kNone: break;
  }
  return "none";
}

/// A row of the table of verbs: 'profile convert') flags='--help' valued='' operands=files ;;
std::string verb_row(const Command& command) {
  std::vector<std::string> flags;
  std::vector<std::string> valued;
  for (const VerbFlag& flag : describe_verb(command).flags) {
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
    if (!flag.value.empty()) valued.insert(valued.end(), flag.names.begin(), flag.names.end());
  }
  std::string out =
      fmt::format("    '{}') flags='{}' valued='{}' operands={} ;;\n", command.name,
                  fmt::join(flags, " "), fmt::join(valued, " "), operands_word(command));
  for (const Command& part : parts_of(command)) out += verb_row(part);
  return out;
}

/// What is offered for values of flags: 'export:--format') _twinrun_offer dot json ;;
std::string value_rows(const Command& command) {
  std::string out;
  for (const VerbFlag& flag : describe_verb(command).flags) {
    const OfferedValues offered = offered_values(flag);
    std::vector<std::string> actions;
    if (!offered.words.empty()) actions.push_back(offer(offered.words));
    if (offered.recordings) actions.emplace_back("_twinrun_recordings");
    if (offered.files) actions.emplace_back("compopt -o default");
    if (actions.empty()) continue;
    std::vector<std::string> patterns;
    patterns.reserve(flag.names.size());
    for (const std::string& name : flag.names)
      patterns.push_back(fmt::format("'{}:{}'", command.name, name));
    out += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), fmt::join(actions, "; "));
  }
  for (const Command& part : parts_of(command)) out += value_rows(part);
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string out(kBashBegin);
  std::vector<std::string> first = command_names();
  first.insert(first.end(), {"--help", "--version"});
  out += fmt::format("  if ((cword == 1)); then\n    {}\n    return\n  fi\n", offer(first));
  for (const Command& command : commands()) {
    if (command.parts == nullptr) continue;
    std::vector<std::string> parts = part_words(command);
    parts.emplace_back("--help");
    out += fmt::format(
        "  if [[ $verb == {} ]] && ((cword == 2)); then\n    {}\n    return\n"
        "  elif [[ $verb == {} ]]; then\n    verb+=\" ${{words[2]}}\" first=3\n  fi\n",
        command.name, offer(parts), command.name);
  }
  out += "  case $verb in\n";
  for (const Command& command : commands()) out += verb_row(command);
  out += "    *) return ;;\n  esac\n";
  out += kBashFind;
  for (const Command& command : commands()) out += value_rows(command);
  out += "    help:)\n      case ${words[2]}:$cword in\n        *:2) ";
  out += offer(command_names()) + " ;;\n";
  for (const Command& command : commands())
    if (command.parts != nullptr)
      out += fmt::format("        {}:3) {} ;;\n", command.name, offer(part_words(command)));
  out += "      esac ;;\n";
  return out + R"(    *:?*) ;;
    *)
      case $operands in
        recordings) _twinrun_recordings ;;
        shells) _twinrun_offer bash zsh fish ;;
        files) compopt -o default ;;
      esac ;;
  esac
}
complete -o nosort -F _twinrun twinrun
)";
}

}  // namespace twinrun
