// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/why_lines.h"

#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A sentence of the answer, not escaped, and the lines that it is about, the best first. Empty
/// where there is nothing to say.
struct WhySentence {
  std::string text;
  std::vector<const NamedInstruction*> at;

  [[nodiscard]] bool empty() const { return text.empty(); }
};

/// The misuse itself, then who called.
std::vector<const NamedInstruction*> sites_of(const Misuse& misuse);

/// How B ended when it did not end by itself, or where it gave up: "SIGSEGV: strlen(c->port) reads
/// address 0 (NULL) at ini.c:10", "B does not come out of the loop at a.c:5", "B waits at a.c:7".
/// Empty when it exited.
WhySentence end_sentence(const WhyReport& report, WhyLines& lines);

/// The call of a function in a line of the source: "strlen(c->port)" of "n += strlen(c->port);".
/// Of several the one that has `name` in it; "strlen()" when that is none, or not one alone.
std::string call_in_line(std::string_view line, std::string_view function, std::string_view name);

}  // namespace twinrun
