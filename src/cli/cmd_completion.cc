// SPDX-License-Identifier: MIT
// The scripts list verbs and flags as text, made from the same declarations that parse them, and
// ask `twinrun ls --names` for recordings.
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/terminal.h"

#include <fmt/ranges.h>

#include <memory>

namespace twinrun {
namespace {

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const VerbFlag& flag : describe_verb(command).flags) {
    names.insert(names.end(), flag.names.begin(), flag.names.end());
  }
  return names;
}

/// Text inside single quotes of any of the three shells; our own words hold no backslash.
std::string quoted(std::string_view text, std::string_view quote_inside) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += quote_inside;
    } else {
      out += c;
    }
  }
  return "'" + out + "'";
}

std::string bash_operands(Operand operand) {
  switch (operand) {
    case Operand::kRecording:
      return "COMPREPLY=($(compgen -W \"$(twinrun ls --names 2>/dev/null) @\" -- \"$cur\") "
             "$(compgen -f -X '!*.twin' -- \"$cur\"))";
    case Operand::kProgram: return "_twinrun_program";
    case Operand::kVerb:
      return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))",
                         fmt::join(command_names(), " "));
    case Operand::kShell: return "COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\"))";
    case Operand::kFile: return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Operand::kNone: break;
  }
  return ":";
}

// What completes the words of one verb, or of one part of a verb.
std::string bash_case(const Command& command, size_t depth) {
  const std::string indent(4 * depth, ' ');
  std::string out = fmt::format("{}{})\n", indent, command.word());
  std::string operands = bash_operands(command.operand);
  if (command.parts != nullptr) {
    out += fmt::format("{}  if ((COMP_CWORD > 2)); then\n{}    case ${{COMP_WORDS[2]}} in\n",
                       indent, indent);
    for (const Command& part : parts_of(command)) out += bash_case(part, depth + 1);
    out += fmt::format("{}    esac\n{}    return\n{}  fi\n", indent, indent, indent);
    operands = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))",
                           fmt::join(part_words(command), " "));
  }
  return out + fmt::format(
                   "{0}  if [[ $cur == -* ]]; then\n"
                   "{0}    COMPREPLY=($(compgen -W '{1}' -- \"$cur\"))\n"
                   "{0}  else\n"
                   "{0}    {2}\n"
                   "{0}  fi\n"
                   "{0}  ;;\n",
                   indent, fmt::join(flag_names(command), " "), operands);
}

std::string bash_script() {
  std::string out =
      "# bash completion for twinrun\n"
      "_twinrun_program() {\n"
      "  if declare -F _command_offset >/dev/null; then\n"
      "    local i\n"
      "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
      "      [[ ${COMP_WORDS[i]} == -- ]] && { _command_offset $((i + 1)); return; }\n"
      "    done\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -c -f -- \"$cur\"))\n"
      "}\n"
      "_twinrun() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]}\n"
      "  if ((COMP_CWORD == 1)); then\n";
  out += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$cur\"))\n",
                     fmt::join(command_names(), " "));
  out +=
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands()) out += bash_case(command, 1);
  return out + "  esac\n}\ncomplete -o default -F _twinrun twinrun\n";
}

std::string zsh_operands(Operand operand) {
  switch (operand) {
    case Operand::kRecording: return "'*:recording:_twinrun_recordings'";
    case Operand::kProgram: return "'(-):program:_command_names -e' '*::argument:_normal'";
    case Operand::kVerb: return fmt::format("':verb:({})'", fmt::join(command_names(), " "));
    case Operand::kShell: return "':shell:(bash zsh fish)'";
    case Operand::kFile: return "'*:file:_files'";
    case Operand::kNone: break;
  }
  return "";
}

/// One _arguments specification per name: '(-o --output)'{-o,--output}'[text]:NAME:'
std::string zsh_flag(const VerbFlag& flag) {
  std::string text;
  for (const char c : flag.description) {
    if (c == '[' || c == ']' || c == ':') text += '\\';
    text += c;
  }
  const std::string names =
      flag.names.size() == 1
          ? flag.names[0]
          : fmt::format("'({})'{{{}}}", fmt::join(flag.names, " "), fmt::join(flag.names, ","));
  const std::string value = flag.value.empty() ? "" : fmt::format(":{}:_files", flag.value);
  return names + quoted(fmt::format("[{}]{}", text, value), "'\\''");
}

std::string zsh_case(const Command& command) {
  std::string out = fmt::format("    {})\n", command.word());
  if (command.parts != nullptr) {
    out +=
        "      if ((CURRENT > 2)); then\n"
        "      local part=$words[2]\n"
        "      shift words\n"
        "      ((CURRENT--))\n"
        "      case $part in\n";
    for (const Command& part : parts_of(command)) out += zsh_case(part);
    out += "      esac\n      return\n      fi\n";
  }
  out += "      _arguments";
  for (const VerbFlag& flag : describe_verb(command).flags) out += " \\\n        " + zsh_flag(flag);
  if (const std::string operands = zsh_operands(command.operand); !operands.empty())
    out += " \\\n        " + operands;
  if (command.parts != nullptr)
    out += fmt::format(" \\\n        ':part:({})'", fmt::join(part_words(command), " "));
  return out + "\n      ;;\n";
}

std::string zsh_script() {
  std::string out =
      "#compdef twinrun\n"
      "_twinrun_recordings() {\n"
      "  local -a names\n"
      "  names=(${(f)\"$(twinrun ls --names 2>/dev/null)\"} @)\n"
      "  _describe recording names\n"
      "  _files -g '*.twin'\n"
      "}\n"
      "_twinrun() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const Command& command : commands()) {
    out += "    " + quoted(fmt::format("{}:{}", command.name, command.summary), "'\\''") + "\n";
  }
  out +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $verb in\n";
  for (const Command& command : commands()) out += zsh_case(command);
  return out + "  esac\n}\n_twinrun \"$@\"\n";
}

// The flags and operands of a verb, where `condition` holds.
std::string fish_words(const Command& command, const std::string& condition) {
  std::string out;
  const std::string when = fmt::format("complete -c twinrun -n '{}'", condition);
  for (const VerbFlag& flag : describe_verb(command).flags) {
    out += when;
    for (const std::string& name : flag.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!flag.value.empty()) out += " -r -F";
    out += " -d " + quoted(flag.description, "\\'") + "\n";
  }
  switch (command.operand) {
    case Operand::kRecording: out += when + " -a '(twinrun ls --names 2>/dev/null) @' -F\n"; break;
    case Operand::kProgram: out += when + " -a '(__fish_complete_subcommand)' -F\n"; break;
    case Operand::kVerb:
      out += when + fmt::format(" -a '{}'\n", fmt::join(command_names(), " "));
      break;
    case Operand::kShell: out += when + " -a 'bash zsh fish'\n"; break;
    case Operand::kFile: out += when + " -F\n"; break;
    case Operand::kNone: break;
  }
  return out;
}

std::string fish_script() {
  std::string out =
      "# fish completion for twinrun\n"
      "complete -c twinrun -f\n";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c twinrun -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       quoted(command.summary, "\\'"));
  }
  for (const Command& command : commands()) {
    std::string when = fmt::format("__fish_seen_subcommand_from {}", command.name);
    for (const Command& part : parts_of(command))
      out += fish_words(part,
                        fmt::format("{}; and __fish_seen_subcommand_from {}", when, part.word()));
    if (command.parts != nullptr) {
      const std::string words = fmt::format("{}", fmt::join(part_words(command), " "));
      when += fmt::format("; and not __fish_seen_subcommand_from {}", words);
      out += fmt::format("complete -c twinrun -n '{}' -a '{}'\n", when, words);
    }
    out += fish_words(command, when);
  }
  return out;
}

Result<int> run_completion(const std::string& shell) {
  if (shell == "bash") {
    print_out(bash_script());
  } else if (shell == "zsh") {
    print_out(zsh_script());
  } else if (shell == "fish") {
    print_out(fish_script());
  } else {
    return std::unexpected(Error{"C003",
                                 shell.empty() ? std::string("completion needs the name of a shell")
                                               : fmt::format("no completion for '{}'", shell),
                                 "there is bash, zsh and fish",
                                 {}});
  }
  return kExitSame;
}

}  // namespace

Action setup_completion(FlagSet& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish");
  return [shell](const Words&) { return run_completion(*shell); };
}

}  // namespace twinrun
