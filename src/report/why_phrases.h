// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "kernel/how_ended.h"

#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

/// At most so many characters, a text with its closing quote.
std::string cut_value(std::string value, size_t most);

// Phrases that the sentences and the lines of `why` are made of. Not escaped.

/// "csvsum.c:33", "sum_row+0x1c", "csvsum+0x1234".
std::string phrase_of_place(const NamedInstruction& at);

/// "exit 0", "killed by SIGSEGV".
std::string phrase_of_end(const std::optional<HowEnded>& end);

/// A value as people write it: a string instead of where it is, NULL, a character without its
/// number; "?" when it is not known.
std::string phrase_of_value(const std::string& value);

/// What an input brought, in one run: "bad.csv, byte 53".
std::string phrase_of_source(const std::optional<OutsideSource>& source);

/// What a system call that failed answered, "fails with ENOENT"; empty for all else.
std::string phrase_of_failure(const std::optional<OutsideSource>& source);

struct PairOfPhrases {
  std::string a;
  std::string b;
};

/// The way into main() and out of it, which is the C library's.
bool is_start(const NamedInstruction& at);

/// What the name of an edge means at a line of the program: a library's own names, of what it uses
/// inside, mean nothing there.
bool is_inside_library(const WhyReport& report, const WhyReport::Edge& edge);

/// What stays in memory, as it is told: "h->ncols", "what ini.c:10 uses".
std::string name_of_state(const WhyReport& report, const WhyReport::Edge& edge);

/// What phrase_of_source() says of arguments and variables without saying which.
inline constexpr std::string_view kStartedWith = "the program's arguments and environment";

/// Which of WhyReport::inputs the input is: an argument or a variable of the first processes, that
/// are not the same. What is no text of one of them is how many there are, or where they begin.
std::optional<size_t> started_with(const WhyReport& report, const WhyReport::Node& input);
/// "argv[1]", "environment variable MODE", and its values: a text in quotes, or "not given".
std::string phrase_of_started(const InputDifference& of);
PairOfPhrases phrases_of_started(const InputDifference& of);

/// The source is how much a read brought.
bool reads_count(const std::optional<OutsideSource>& source);

/// What the node, an input, brought, as the first that used it saw it; empty: not known.
PairOfPhrases input_values(const WhyReport& report, uint32_t node);

/// "B writes beyond the end of h->title (32 bytes), at csvsum.c:13 in strcpy".
std::string phrase_of_misuse(const Misuse& of);

}  // namespace twinrun
