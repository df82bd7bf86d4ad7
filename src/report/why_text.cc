// SPDX-License-Identifier: MIT
// The answer of `why` as people read it: what it comes to, the two runs, the way, what else to look
// at. The values of the runs stand in a column of their own, A's first.
#include "base/escape.h"
#include "base/text.h"
#include "report/why.h"
#include "report/why_phrases.h"
#include "report/why_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace twinrun {
namespace {

constexpr size_t kInputsShown = 6;
constexpr size_t kAsidesShown = 5;
constexpr size_t kLeastWidth = 60;
constexpr size_t kValueMost = 40;    // characters of a value
constexpr size_t kCommandMost = 44;  // up to which what stands behind commands is in columns
constexpr size_t kMargin = 6;        // "  D1  "

/// Characters on the terminal, of text that has been escaped.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

std::string padded(std::string text, size_t width) {
  const size_t has = width_of(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

/// A line of the way, escaped, before it is set in columns.
struct Row {
  std::string id;
  std::string what;
  std::string name;
  std::string a;
  std::string b;
  std::string remark;
  bool has_values = false;

  [[nodiscard]] std::string values() const {
    return has_values ? fmt::format("{}{} | {}", name, a, b) : std::string();
  }
  [[nodiscard]] bool has_column() const { return has_values || !remark.empty(); }
  bool operator==(const Row&) const = default;
};

/// Lines that follow each other and are alike, as in a recursion, become one.
std::vector<Row> folded(const std::vector<Row>& rows) {
  std::vector<Row> out;
  for (size_t i = 0; i < rows.size();) {
    size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[i]) ++end;
    out.push_back(rows[i]);
    if (end - i > 1)
      out.back().remark += fmt::format("{}({} times)", rows[i].remark.empty() ? "" : "  ", end - i);
    i = end;
  }
  return out;
}

Row row_of(const WhyLine& line, uint32_t finding) {
  const auto value = [](const std::string& text) {
    return escape_for_terminal(cut_value(text, kValueMost));
  };
  Row out{
      .id = finding == 0 ? " |" : fmt::format("D{}", finding),
      .what = escape_for_terminal(line.what()),
      .name = line.name.empty() ? "" : escape_for_terminal(line.name) + " = ",
      .a = value(line.value_a),
      .b = value(line.value_b),
      .remark = line.has_remark() ? fmt::format("({})", escape_for_terminal(line.remarks())) : "",
      .has_values = line.has_values()};
  if (line.is_first_wrong)
    out.remark += (out.remark.empty() ? "" : "  ") + std::string("<-- first wrong state");
  return out;
}

class Page {
 public:
  Page(const WhyReport& report, SourceText& sources, const WhyView& view)
      : report_(report),
        sources_(sources),
        view_(view),
        words_(why_words(report, sources)),
        width_(std::max(view.width, kLeastWidth)) {}

  std::string text() {
    sentences();
    runs();
    if (report_.outcome != WhyReport::Outcome::kSame) {
      first_look();
      way();
      asides();
      extent();
    }
    for (const std::string& note : words_.notes)
      out_ += "note: " + escape_for_terminal(note) + "\n";
    next();
    if (view_.all) all();
    return std::move(out_);
  }

 private:
  void sentences() {
    for (size_t i = 0; i < words_.sentences.size(); ++i) {
      const std::string text = escape_for_terminal(words_.sentences[i]);
      out_ += (i == 0 ? view_.style.bold(text) : text) + "\n";
    }
    for (const WhyLine& line : words_.details)
      out_ += "   " + cut(fmt::format("{:13}  {}  {}", line.run, line.place, line.text), 3) + "\n";
    if (!words_.sentences.empty()) out_ += "\n";
  }

  void runs() {
    const std::string a = escape_for_terminal(report_.a.command);
    const std::string b = escape_for_terminal(report_.b.command);
    const bool in_columns = std::max(width_of(a), width_of(b)) <= kCommandMost;
    const size_t width = in_columns ? std::max(width_of(a), width_of(b)) : 0;
    const size_t ends = std::max(width_of(words_.end_a), width_of(words_.end_b));
    const auto side = [&](const std::string& letter, const WhyReport::Side& from,
                          const std::string& command, const std::string& end) {
      const std::string begin =
          from.from.empty() ? "" : ", from " + escape_for_terminal(from.from) + " on";
      const std::string says =
          from.says.empty()
              ? ""
              : fmt::format("   says \"{}\"",
                            escape_for_terminal(cut_text(from.says, width_ - kMargin)));
      out_ += fmt::format("{}  {}   {}   {} instructions{}{}\n", letter, padded(command, width),
                          padded(end, ends), format_count(from.instructions), begin, says);
    };
    side(view_.style.green("A"), report_.a, a, words_.end_a);
    side(view_.style.red("B"), report_.b, b, words_.end_b);
    inputs();
  }

  /// What the runs were given that is not the same, but for what the sentences tell.
  void inputs() {
    size_t shown = 0;
    size_t left = 0;
    for (size_t i = 0; i < words_.inputs.size(); ++i) {
      if (words_.told_input == i) continue;
      if (shown == kInputsShown) {
        ++left;
        continue;
      }
      ++shown;
      out_ += fmt::format("   input  {}\n", escape_for_terminal(words_.inputs[i]));
    }
    if (left != 0) out_ += fmt::format("   input  {} more: --json\n", left);
  }

  void first_look() {
    if (words_.suspects.empty()) return;
    out_ += "\nLook first at\n";
    std::vector<Row> rows;
    rows.reserve(words_.suspects.size());
    for (const WhyLine& line : words_.suspects) rows.push_back(row_of(line, 0));
    for (Row& row : rows) row.id.clear();
    columns(rows);
  }

  void way() {
    std::vector<Row> rows;
    for (size_t i = 0; i < report_.answer.size(); ++i)
      if (!is_aside(i) && words_.lines[i].is_telling)
        rows.push_back(row_of(words_.lines[i], report_.answer[i].finding));
    out_ += "\n";
    columns(folded(rows));
  }

  [[nodiscard]] bool is_aside(size_t i) const {
    return report_.answer[i].kind == WhyReport::Line::Kind::kAside;
  }

  void asides() {
    std::vector<Row> rows;
    for (size_t i = 0; i < report_.answer.size(); ++i) {
      if (!is_aside(i) || !words_.lines[i].is_telling || rows.size() == kAsidesShown) continue;
      rows.push_back(row_of(words_.lines[i], 0));
      rows.back().id.clear();
    }
    if (rows.empty()) return;
    out_ += view_.style.dim("  ----") + "\n  Also suspicious\n";
    columns(rows);
  }

  /// Rows with what differs in a column of its own.
  void columns(const std::vector<Row>& rows) {
    size_t left = 0;
    size_t right = 0;
    for (const Row& row : rows) {
      if (!row.has_column()) continue;
      left = std::max(left, width_of(row.what));
      right = std::max(
          right, width_of(row.values()) + (row.remark.empty() ? 0 : width_of(row.remark) + 2));
    }
    const size_t room = width_ - kMargin - 2;
    left = std::min(left, room - std::min(right, room * 9 / 20));
    for (const Row& row : rows) {
      const bool has_column = row.has_column();
      const std::string what = cut_text(row.what, has_column ? left : room + 2);
      out_ += fmt::format("  {:4}{}", row.id, has_column ? padded(what, left) : what);
      if (row.has_values)
        out_ +=
            fmt::format("  {}{} | {}", row.name, view_.style.green(row.a), view_.style.red(row.b));
      if (!row.remark.empty()) out_ += "  " + view_.style.dim(row.remark);
      out_ += "\n";
    }
  }

  void extent() {
    const auto share = [&](uint64_t only) {
      const uint64_t all = report_.aligned + only;
      return all == 0 ? 100.0
                      : 100.0 * static_cast<double>(report_.aligned) / static_cast<double>(all);
    };
    const auto plural = [](uint64_t count, std::string_view noun) {
      return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
    };
    out_ += fmt::format(
        "\nAligned {:.1f}% of A, {:.1f}% of B; {}. The graph has {}{}{}.\n", share(report_.only_a),
        share(report_.only_b), plural(report_.divergences, "divergence"),
        report_.cut ? "more than " : "", plural(report_.basic_statements, "line"),
        report_.hidden == 0 ? ""
                            : fmt::format("; {} more helped to compute what differs (--all)",
                                          report_.helping_statements()));
  }

  void next() {
    if (report_.outcome == WhyReport::Outcome::kSame || view_.next_a.empty()) return;
    const bool has_second =
        std::ranges::find(report_.answer, 2u, &WhyReport::Line::finding) != report_.answer.end();
    out_ +=
        fmt::format("next:  twinrun report {0} {1} -o why.html    twinrun show D{2}{3} {0} {1}\n",
                    view_.next_a, view_.next_b, has_second ? 2 : 1, view_.next_flags);
  }

  /// Every line of the graph once, the most suspicious first, with what leads to it.
  void all() {
    const std::vector<WhyLine> places = statement_words(report_, sources_);
    out_ += "\n";
    for (size_t i = 0; i < report_.statements.size(); ++i) {
      const WhyReport::Statement& one = report_.statements[i];
      out_ += fmt::format("  S{:<4}{}", i, escape_for_terminal(places[i].what()));
      if (!one.in_a || !one.in_b) out_ += one.in_a ? "  (only in A)" : "  (only in B)";
      if (one.is_decision) out_ += "  (the runs part here)";
      std::string causes;
      for (const WhyReport::StatementEdge& edge : report_.statement_edges)
        if (edge.from == i)
          causes += fmt::format("{}S{}", causes.empty() ? "  <- " : ", ", edge.to);
      out_ += causes + "\n";
    }
    if (report_.statements_left_out != 0)
      out_ += fmt::format("  {} less suspicious lines are left out\n", report_.statements_left_out);
  }

  [[nodiscard]] std::string cut(const std::string& text, size_t margin) const {
    return cut_text(escape_for_terminal(text), width_ - margin);
  }

  const WhyReport& report_;
  SourceText& sources_;
  const WhyView& view_;
  const WhyWords words_;
  const size_t width_;
  std::string out_;
};

}  // namespace

std::string why_text(const WhyReport& report, SourceText& sources, const WhyView& view) {
  return Page(report, sources, view).text();
}

}  // namespace twinrun
