// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/why_lines.h"

#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// The sentences of a report on two runs, the same in every form in which it is printed. Not
/// escaped.
struct WhyWords {
  std::string end_a;  // "exit 0", "killed by SIGSEGV"
  std::string end_b;
  std::vector<std::string> sentences;  // what the answer comes to; see why_sentences()
  std::string verdict;                 // all of these
  std::vector<std::string> misuses;    // all of them, as WhyReport has them
  std::string target;                  // "exit status", "standard output, byte 12"
  std::string target_a;
  std::string target_b;
  std::vector<std::string> inputs;   // that differ
  std::optional<size_t> told_input;  // which of these the sentences tell
  std::vector<std::string> notes;
  std::vector<WhyLine> details;   // of the misuse: lines that its pointer came by, callers
  std::vector<WhyLine> suspects;  // the most suspicious lines
  std::vector<WhyLine> lines;     // of the answer, without the numbers of findings
  std::vector<WhyLine> left_out;  // as WhyReport has them
};

WhyWords why_words(const WhyReport& report, SourceText& sources);

/// The lines of the graph: "csvsum.c:33  for (int i = 0; i < h->ncols; i++) {".
std::vector<WhyLine> statement_words(const WhyReport& report, SourceText& sources);

/// The verdict alone.
std::string verdict_text(const WhyReport& report, SourceText& sources);

}  // namespace twinrun
