// SPDX-License-Identifier: MIT
#include "report/why_markdown.h"

#include "base/escape.h"
#include "base/text.h"
#include "base/version.h"
#include "report/why_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <tuple>
#include <vector>

namespace twinrun {
namespace {

constexpr size_t kQuotedMost = 160;  // characters of a line of the source
constexpr size_t kCellMost = 60;
constexpr size_t kInputsTold = 6;

bool is_plain(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

/// A word of a sentence, between what surrounds it in a sentence.
struct Word {
  std::string_view before;  // "("
  std::string_view core;
  std::string_view after;  // ").", ","

  [[nodiscard]] bool is_code() const {
    return !is_between() && !std::ranges::all_of(core, is_plain);
  }
  /// What stands between the sides, A's first.
  [[nodiscard]] bool is_between() const { return core == "|"; }
};

Word word_of(std::string_view text) {
  const size_t begin = text.size() > 1 && text.front() == '(' ? 1 : 0;
  size_t end = text.size();
  while (end > begin && std::string_view(",.;:").find(text[end - 1]) != std::string_view::npos)
    --end;
  // The bracket is the sentence's when it was opened there: not that of "f()".
  const std::string_view inside = text.substr(begin, end - begin);
  if (inside.ends_with(')') && std::ranges::count(inside, '(') < std::ranges::count(inside, ')'))
    --end;
  return {text.substr(0, begin), text.substr(begin, end - begin), text.substr(end)};
}

/// What ends at the next blank; what is quoted, behind its quotation mark.
size_t word_end(std::string_view text, size_t begin) {
  const char first = text[begin];
  if (first != '"' && first != '\'') return std::min(text.find(' ', begin), text.size());
  const size_t close = text.find(first, begin + 1);
  return std::min(text.find(' ', close == std::string_view::npos ? begin : close), text.size());
}

/// Tables are divided before code is looked for.
std::string row(std::initializer_list<std::string> cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    out += ' ';
    for (const char c : cell) out += c == '|' ? std::string("\\|") : std::string(1, c);
    out += " |";
  }
  return out + "\n";
}

std::string code_of(const std::string& text, size_t most) {
  return text.empty() ? "" : markdown_code(cut_text(escape_for_terminal(text), most));
}

class MarkdownPage {
 public:
  MarkdownPage(const WhyReport& report, SourceText& sources)
      : report_(report), words_(why_words(report, sources)) {}

  std::string text() {
    headline();
    runs();
    inputs();
    table("Look first at", suspects());
    table("From the difference back to the input", lines(false));
    table("Also suspicious", lines(true));
    if (!words_.notes.empty()) out_ += "\n";
    for (const std::string& note : words_.notes) out_ += "- note: " + markdown_prose(note) + "\n";
    return out_ + fmt::format("\ntwinrun {}\n", kVersion);
  }

 private:
  struct Row {
    const WhyLine* line;
    uint32_t finding = 0;
  };

  void headline() {
    const std::vector<std::string>& sentences = words_.sentences;
    out_ += "### " + (sentences.empty() ? "twinrun why" : markdown_prose(sentences[0])) + "\n\n";
    for (size_t i = 1; i < sentences.size(); ++i) out_ += markdown_prose(sentences[i]) + "\n\n";
    for (const WhyLine& line : words_.details)
      out_ += fmt::format("- {} {} {}\n", markdown_prose(line.run),
                          code_of(line.place, kQuotedMost), code_of(line.text, kQuotedMost));
    if (!words_.details.empty()) out_ += "\n";
  }

  void runs() {
    out_ += "| | command | end | instructions |\n|---|---|---|---|\n";
    for (const auto& [letter, side, end] :
         {std::tuple('A', &report_.a, &words_.end_a), {'B', &report_.b, &words_.end_b}})
      out_ += row({std::string(1, letter), code_of(side->command, kQuotedMost),
                   markdown_prose(*end), format_count(side->instructions)});
  }

  void inputs() {
    size_t told = 0;
    size_t left = 0;
    for (size_t i = 0; i < words_.inputs.size(); ++i) {
      if (words_.told_input == i) continue;
      if (told == kInputsTold) {
        ++left;
        continue;
      }
      if (told++ == 0) out_ += "\n";
      out_ += "- input that differs: " + markdown_prose(words_.inputs[i]) + "\n";
    }
    if (left != 0) out_ += fmt::format("- {} more inputs that differ\n", left);
  }

  [[nodiscard]] std::vector<Row> suspects() const {
    std::vector<Row> rows;
    rows.reserve(words_.suspects.size());
    for (const WhyLine& line : words_.suspects) rows.push_back({&line});
    return rows;
  }

  [[nodiscard]] std::vector<Row> lines(bool beside) const {
    std::vector<Row> rows;
    for (size_t i = 0; i < report_.answer.size(); ++i) {
      const WhyReport::Line& line = report_.answer[i];
      const bool is_beside = line.kind == WhyReport::Line::Kind::kAside;
      if (is_beside == beside && words_.lines[i].is_telling)
        rows.push_back({&words_.lines[i], line.finding});
    }
    return rows;
  }

  void table(std::string_view title, const std::vector<Row>& rows) {
    if (rows.empty()) return;
    out_ += fmt::format("\n**{}**\n\n", title);
    out_ += "| | run | place | what | differs | A | B |\n|---|---|---|---|---|---|---|\n";
    for (const auto& [line, finding] : rows) {
      // Without a place it is a sentence.
      std::string what =
          line->place.empty() ? markdown_prose(line->text) : code_of(line->text, kQuotedMost);
      if (line->has_remark()) what += " (" + markdown_prose(line->remarks()) + ")";
      if (line->is_first_wrong) what += " **first wrong state**";
      out_ += row({finding == 0 ? "" : fmt::format("D{}", finding), line->run,
                   code_of(line->place, kQuotedMost), what, code_of(line->name, kQuotedMost),
                   code_of(line->value_a, kCellMost), code_of(line->value_b, kCellMost)});
    }
  }

  const WhyReport& report_;
  const WhyWords words_;
  std::string out_;
};

}  // namespace

std::string markdown_code(std::string_view text) {
  const std::string safe = escape_for_terminal(text);
  if (safe.empty()) return "";
  // A fence of more backquotes than any inside. One at an end would belong to the fence, and a
  // blank at both ends is taken away.
  size_t longest = 0;
  size_t run = 0;
  for (const char c : safe) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool needs_blank =
      safe.front() == '`' || safe.back() == '`' || (safe.front() == ' ' && safe.back() == ' ');
  std::string out = fence + (needs_blank ? " " : "");
  return out + safe + (needs_blank ? " " : "") + fence;
}

std::string markdown_prose(std::string_view text) {
  const std::string safe = escape_for_terminal(text);
  std::string out;
  for (size_t begin = 0; begin < safe.size();) {
    // A quoted line of the source stands behind two blanks: all of it is code.
    if (safe[begin] == ' ' && !out.empty() && begin + 1 < safe.size() && safe[begin + 1] != '(') {
      const size_t from = std::min(safe.find_first_not_of(' ', begin), safe.size());
      const size_t end = std::min(safe.find("  ", from), safe.size());
      if (from != end) out += "  " + markdown_code(std::string_view(safe).substr(from, end - from));
      begin = end + 1;
      continue;
    }
    size_t end = word_end(safe, begin);
    const Word first = word_of(std::string_view(safe).substr(begin, end - begin));
    Word last = first;
    // Words of code beside each other are one piece of it: "h->ncols = 4".
    while (first.is_code() && last.after.empty() && end + 1 < safe.size()) {
      const size_t next = word_end(safe, end + 1);
      const Word word = word_of(std::string_view(safe).substr(end + 1, next - end - 1));
      if (!word.is_code() || !word.before.empty()) break;
      end = next;
      last = word;
    }
    const std::string_view all = std::string_view(safe).substr(begin, end - begin);
    const std::string_view core =
        all.substr(first.before.size(), all.size() - first.before.size() - last.after.size());
    out += out.empty() ? "" : " ";
    out += first.before;
    out += first.is_code() ? markdown_code(core) : std::string(core);
    out += last.after;
    begin = end + 1;
  }
  return out;
}

std::string why_markdown(const WhyReport& report, SourceText& sources) {
  return MarkdownPage(report, sources).text();
}

}  // namespace twinrun
