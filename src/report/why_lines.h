// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/source_text.h"

#include <optional>
#include <string>

namespace twinrun {

/// A line of the answer, in its parts. Not escaped, not cut.
struct WhyLine {
  std::string run;    // "A" or "B", of what only one of the runs did
  std::string place;  // "csvsum.c:33"; empty: `text` is a sentence
  std::string text;   // of the source
  // What differs.
  std::string name;  // "h->ncols"
  std::string value_a;
  std::string value_b;
  std::string remark;    // behind it
  std::string left_out;  // how much was, in front of it
  std::string file;      // in full; empty: none is known
  uint32_t line = 0;
  bool is_first_wrong = false;
  /// It says something to people: no brace by itself, which text leaves out.
  bool is_telling = true;

  [[nodiscard]] bool has_remark() const { return !remark.empty() || !left_out.empty(); }
  /// Both of these.
  [[nodiscard]] std::string remarks() const;
  [[nodiscard]] bool has_values() const { return !value_a.empty() || !value_b.empty(); }
  /// "h->ncols = 4 | 67", without a name "4 | 67".
  [[nodiscard]] std::string values() const;
  /// "csvsum.c:33  for (int i = 0; i < h->ncols; i++) {", without what differs.
  [[nodiscard]] std::string what() const;
  /// In one piece.
  [[nodiscard]] std::string whole() const;
};

/// Makes the lines of an answer, with the text of the sources that they are of.
class WhyLines {
 public:
  WhyLines(const WhyReport& report, SourceText& sources) : report_(report), sources_(sources) {}

  WhyLine line(const WhyReport::Line& of);
  /// A place alone.
  WhyLine site(const NamedInstruction& at);
  /// Of the graph of lines, with what its executions say against it.
  WhyLine statement(const WhyReport::Statement& of);
  /// False of a brace by itself, the head of a function and a declaration that computes nothing.
  bool is_telling(const NamedInstruction& at);

 private:
  WhyLine aside(const WhyReport::Line& of);
  WhyLine state(const WhyReport::Line& of) const;
  WhyLine input(uint32_t node) const;
  void tell_values(const WhyReport::Edge& edge, WhyLine& out) const;

  const WhyReport& report_;
  SourceText& sources_;
};

/// What the line of the answer is about in the run that it tells of, the second one for both; null:
/// no line of the source.
const NamedInstruction* place_of(const WhyReport& report, const WhyReport::Line& line);

/// "the end of the program", with what each run has there.
WhyLine target_line(const WhyReport& report);
std::string phrase_of_subject(const TargetSubject& of);
std::string phrase_of_target_value(const TargetSubject& of, const TargetValue& value);

/// False of a line of C or C++ that does nothing by itself, see WhyLines::is_telling().
bool does_something(std::string_view line);

}  // namespace twinrun
