// SPDX-License-Identifier: MIT
// fish holds every line of the script against the command line: a line is for one verb, which is
// the first word.
#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/help.h"

#include <fmt/ranges.h>

namespace twinrun {
namespace {

constexpr std::string_view kFishQuote = "\\'";

constexpr std::string_view kFishBegin = R"(# fish completion for twinrun
# __twinrun_verb VERB [PART]: the words before the one that is typed begin so; of a VERB alone that has parts, none follows.
function __twinrun_verb
    set -l words (commandline -opc)
    test "$words[2]" = "$argv[1]"; or return
    test (count $argv) = 1; or test "$words[3]" = "$argv[2]"
end
function __twinrun_words
    test (count (commandline -opc)) = $argv[1]
end
# Where the program of record begins among the words before the one that is typed; fails before it.
function __twinrun_program
    set -l words (commandline -opc)
    set -l value no
    for i in (seq 3 (count $words))
        if test $value = yes
            set value no
        else if test "$words[$i]" = --
            echo (math $i + 1)
            return
        else if contains -- $words[$i] $__twinrun_record_valued
            set value yes
        else if not string match -q -- '-*' $words[$i]
            echo $i
            return
        end
    end
    return 1
end
function __twinrun_complete_program
    if set -l first (__twinrun_program)
        set -l words (commandline -opc)
        set -l before
        test $first -le (count $words); and set before (string escape -- $words[$first..-1])
        complete --do-complete="$before "(commandline -ct)
    else
        complete --do-complete=(commandline -ct)
    end
end
# Files only where no recording goes on from what is typed.
function __twinrun_recordings
    set -l typed (commandline -ct)
    set -l found (twinrun ls --complete $typed 2>/dev/null | string match -e -r -- '^'(string escape --style=regex -- $typed))
    and printf '%s\n' $found
    or __fish_complete_path $typed
end
complete -c twinrun -f
complete -c twinrun -n '__twinrun_words 1' -s h -l help -d 'show the verbs'
complete -c twinrun -n '__twinrun_words 1' -s V -l version -d 'print the version'
)";

constexpr std::string_view kRecordings = "(__twinrun_recordings)";

/// " -r -f -a 'dot json'": a value is required, and these are offered.
std::string value_part(const VerbFlag& flag) {
  const OfferedValues offered = offered_values(flag);
  std::string out = offered.files ? " -r -F" : " -r -f";
  std::string words = fmt::format("{}", fmt::join(offered.words, " "));
  if (offered.recordings) words += (words.empty() ? "" : " ") + std::string(kRecordings);
  if (!words.empty()) out += fmt::format(" -a '{}'", words);
  return out;
}

std::string operands_part(const Command& command) {
  switch (command.operand) {
    case Operand::kRecording: return fmt::format(" -k -a '{}'", kRecordings);
    case Operand::kProgram: return " -a '(__twinrun_complete_program)' -F";
    case Operand::kShell: return " -a 'bash zsh fish'";
    case Operand::kFile: return " -F";
    case Operand::kVerb:  // depends on the place: below
    case Operand::kNone: break;
  }
  return "";
}

// The flags and operands of a verb, where `condition` holds.
std::string verb_lines(const Command& command, const std::string& condition) {
  std::string out;
  const bool runs = command.operand == Operand::kProgram;
  const std::string when = fmt::format("complete -c twinrun -n '{}{}'", condition,
                                       runs ? "; and not __twinrun_program >/dev/null" : "");
  for (const VerbFlag& flag : describe_verb(command).flags) {
    out += when;
    for (const std::string& name : flag.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!flag.value.empty()) out += value_part(flag);
    out += " -d " + in_quotes(flag.description, kFishQuote) + "\n";
  }
  if (command.operand == Operand::kVerb) {
    out += fmt::format("complete -c twinrun -n '{}; and __twinrun_words 2' -k -a '{}'\n", condition,
                       fmt::join(command_names(), " "));
    for (const Command& each : commands())
      if (each.parts != nullptr)
        out += fmt::format(
            "complete -c twinrun -n '__twinrun_verb help {}; and __twinrun_words 3' -k -a '{}'\n",
            each.name, fmt::join(part_words(each), " "));
  } else if (const std::string operands = operands_part(command); !operands.empty()) {
    out += fmt::format("complete -c twinrun -n '{}'{}\n", condition, operands);
  }
  return out;
}

}  // namespace

std::string fish_completion() {
  std::string out(kFishBegin);
  // One list, so that its order is kept.
  out += "function __twinrun_verbs\n";
  for (const Command& command : commands())
    out += fmt::format("    printf '%s\\t%s\\n' {} {}\n", command.name,
                       in_quotes(command.summary, kFishQuote));
  out +=
      "end\n"
      "complete -c twinrun -n '__twinrun_words 1' -k -a '(__twinrun_verbs)'\n";
  std::vector<std::string> valued;
  for (const Command& command : commands()) {
    if (command.operand != Operand::kProgram) continue;
    for (const VerbFlag& flag : describe_verb(command).flags)
      if (!flag.value.empty()) valued.insert(valued.end(), flag.names.begin(), flag.names.end());
  }
  out += fmt::format("set -g __twinrun_record_valued {}\n", fmt::join(valued, " "));
  for (const Command& command : commands()) {
    std::string when = fmt::format("__twinrun_verb {}", command.name);
    for (const Command& part : parts_of(command))
      out += verb_lines(part, fmt::format("{} {}", when, part.word()));
    if (command.parts != nullptr) {
      when += "; and __twinrun_words 2";
      out += fmt::format("complete -c twinrun -n '{}' -k -a '{}'\n", when,
                         fmt::join(part_words(command), " "));
    }
    out += verb_lines(command, when);
  }
  return out;
}

}  // namespace twinrun
