// SPDX-License-Identifier: MIT
#include "report/input_words.h"

#include "base/escape.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

std::string in_quotes(const std::string& text) { return '"' + escape_for_terminal(text) + '"'; }

std::string value_text_or(const std::optional<std::string>& value, const char* nothing) {
  return value ? in_quotes(*value) : nothing;
}

/// `"8080"`, `the end of the line`, `the end of the file`.
std::string rest_of_line(const InputDifference& of, const std::optional<std::string>& rest) {
  if (!rest) return of.has_ended ? "the end of the file" : "nothing more that was read";
  return rest->empty() ? "the end of the line" : in_quotes(*rest);
}

/// `standard input is empty in B; in A it begins with "x"`, `b.txt is empty; a.txt begins with
/// "x"`.
std::string empty_file_text(const InputDifference& of) {
  const bool in_b = !of.value_b;
  const std::string begin = rest_of_line(of, in_b ? of.value_a : of.value_b);
  if (of.name_a == of.name_b)
    return fmt::format("{} is empty in {}; in {} it begins with {}", of.name_b, in_b ? 'B' : 'A',
                       in_b ? 'A' : 'B', begin);
  return fmt::format("{} is empty; {} begins with {}", in_b ? of.name_b : of.name_a,
                     in_b ? of.name_a : of.name_b, begin);
}

std::string file_difference_text(const InputDifference& of) {
  const bool is_empty = of.offset == 0 && of.has_ended && (!of.value_a || !of.value_b);
  if (is_empty) return empty_file_text(of);
  return fmt::format("{}, line {}, column {}: {} where {} has {}", of.name_b, of.line, of.column,
                     rest_of_line(of, of.value_b), of.name_a == of.name_b ? "A" : of.name_a,
                     rest_of_line(of, of.value_a));
}

}  // namespace

std::string input_difference_text(const InputDifference& of) {
  using enum InputDifference::Kind;
  switch (of.kind) {
    case kArgument:
      return fmt::format("{}  A: {}  B: {}", of.name_b, value_text_or(of.value_a, "none"),
                         value_text_or(of.value_b, "none"));
    case kVariable:
      return fmt::format("environment variable {}  A: {}  B: {}", of.name_b,
                         value_text_or(of.value_a, "not set"),
                         value_text_or(of.value_b, "not set"));
    case kDirectory:
      return fmt::format("working directory  A: {}  B: {}", value_text_or(of.value_a, "not known"),
                         value_text_or(of.value_b, "not known"));
    case kFile: return file_difference_text(of);
    case kOpened:
      return of.name_a.empty() ? fmt::format("{}  only B opens it", of.name_b)
                               : fmt::format("{}  only A opens it", of.name_a);
    case kFailed:
      return of.name_a.empty() ? fmt::format("{}  B cannot open it: {}", of.name_b, of.error)
                               : fmt::format("{}  A cannot open it: {}", of.name_a, of.error);
  }
  return "";
}

}  // namespace twinrun
