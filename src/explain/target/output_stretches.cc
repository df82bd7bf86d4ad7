// SPDX-License-Identifier: MIT
// Where two texts differ, as somebody would mark it who compares them by eye.
//
// The first difference of two outputs is often one that tells nothing: the name of the input file,
// the time. What is wrong comes behind it, in the same line or some lines further, where one of
// the texts may have lines that the other has not. So lines are paired, and words inside of lines
// that are paired:
//
//     A: good.lua:5: index a nil value (field 'x')      words that differ: good, x
//     B: bad.lua:5: index a nil value (global 'y')                         bad, y
//
// Behind lines that differ the texts are together again at the nearest lines that are equal, of
// those within kLinesAhead; when there are none, the next lines of both are compared. Words are
// paired by a longest common subsequence; differences with no equal word between them are one.
// Example: "a b c" and "a x y c" differ at one stretch, which begins at "b" and "x".
//
// Costs a pass over both texts, and for each place where they part a comparison of kLinesAhead
// lines with as many, and of the words of two lines: kWordsMost^2 steps.
#include "explain/target/output_stretches.h"

#include "explain/target/output_bytes.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace twinrun {
namespace {

constexpr size_t kLinesAhead = 40;
constexpr size_t kLineMost = 1000;  // bytes of a line that are compared by words
constexpr size_t kWordsMost = 200;
constexpr size_t kInLineMost = 3;  // stretches; a line that differs everywhere is one difference

/// A word is letters, digits and what is not of ASCII; other characters stand for themselves.
bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || byte == '_' || (byte >= '0' && byte <= '9') ||
         ((byte | 0x20u) >= 'a' && (byte | 0x20u) <= 'z');
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size() && out.size() < kWordsMost;) {
    size_t end = at + 1;
    while (is_of_word(text[at]) && end < text.size() && is_of_word(text[end])) ++end;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// The line that begins there, with its end; at most kLineMost bytes.
std::string line_at(const Output& output, uint64_t at) {
  std::string out;
  for (OutputByte byte = output_byte(output, at); byte.piece != nullptr && out.size() < kLineMost;
       byte = output_byte(output, ++at)) {
    out.push_back(static_cast<char>(byte.byte()));
    if (out.back() == '\n') break;
  }
  return out;
}

std::vector<std::string> lines_at(const Output& output, uint64_t at) {
  std::vector<std::string> out;
  while (out.size() < kLinesAhead && at < output.size) {
    out.push_back(line_at(output, at));
    at += out.back().size();
  }
  return out;
}

/// Nothing can be told from an empty line, or from a bracket.
bool is_landmark(std::string_view line) { return std::ranges::count_if(line, is_of_word) > 1; }

class Stretches {
 public:
  Stretches(const Output& a, const Output& b, size_t most) : a_(a), b_(b), most_(most) {}

  std::vector<OutputStretch> find() {
    uint64_t a = 0;
    uint64_t b = 0;
    while (out_.size() < most_) {
      const uint64_t same = common(a, b);
      const uint64_t begin = line_begin(a, same);
      a += same;
      b += same;
      if (a >= a_.size && b >= b_.size) break;
      if (a >= a_.size || b >= b_.size) {
        out_.push_back({a, b});
        break;
      }
      // Lines are compared from where they begin.
      const uint64_t back = a - begin;
      a -= back;
      b -= back;
      pass_lines(a, b);
    }
    return std::move(out_);
  }

 private:
  /// So many bytes from there on are the same.
  [[nodiscard]] uint64_t common(uint64_t a, uint64_t b) const {
    uint64_t count = 0;
    OutputByte of_a = output_byte(a_, a);
    OutputByte of_b = output_byte(b_, b);
    while (of_a.piece != nullptr && of_b.piece != nullptr && of_a.byte() == of_b.byte()) {
      ++count;
      of_a = output_byte(a_, a + count);
      of_b = output_byte(b_, b + count);
    }
    return count;
  }

  /// Of the line that holds `from + same`, but not before `from`.
  [[nodiscard]] uint64_t line_begin(uint64_t from, uint64_t same) const {
    uint64_t at = from + same;
    while (at > from && from + same - at < kLineMost / 2 && output_byte(a_, at - 1).byte() != '\n')
      --at;
    return at;
  }

  /// Both are at the beginning of lines that differ; goes to where they are together again.
  void pass_lines(uint64_t& a, uint64_t& b) {
    const std::vector<std::string> lines_a = lines_at(a_, a);
    const std::vector<std::string> lines_b = lines_at(b_, b);
    const auto [end_a, end_b] = together_again(lines_a, lines_b);
    size_t i = 0;
    for (; i < std::min(end_a, end_b); ++i) {
      compare_words(a, lines_a[i], b, lines_b[i]);
      a += lines_a[i].size();
      b += lines_b[i].size();
    }
    if (end_a == end_b) return;
    // Lines that only one of them has.
    add(a, b);
    for (size_t k = i; k < end_a; ++k) a += lines_a[k].size();
    for (size_t k = i; k < end_b; ++k) b += lines_b[k].size();
  }

  /// The numbers of the nearest lines that are equal. When there are none, the next ones; when one
  /// of the texts has no more, what comes is compared from its end.
  static std::pair<size_t, size_t> together_again(const std::vector<std::string>& a,
                                                  const std::vector<std::string>& b) {
    for (size_t sum = 1; sum < a.size() + b.size(); ++sum) {
      for (size_t i = sum < b.size() ? 0 : sum - b.size() + 1; i <= sum && i < a.size(); ++i) {
        if (a[i] == b[sum - i] && is_landmark(a[i])) return {i, sum - i};
      }
    }
    return {1, 1};
  }

  void compare_words(uint64_t a, std::string_view line_a, uint64_t b, std::string_view line_b) {
    if (line_a == line_b) return;
    const std::vector<std::string_view> words_a = words_of(line_a);
    const std::vector<std::string_view> words_b = words_of(line_b);
    const size_t width = words_b.size() + 1;
    // How much is common from there on: a word counts more than a character that is none.
    std::vector<uint32_t> common((words_a.size() + 1) * width, 0);
    for (size_t i = words_a.size(); i-- > 0;) {
      for (size_t j = words_b.size(); j-- > 0;) {
        const uint32_t worth = is_of_word(words_a[i][0]) ? 4 : 1;
        common[i * width + j] =
            std::max({words_a[i] == words_b[j] ? common[(i + 1) * width + j + 1] + worth : 0u,
                      common[(i + 1) * width + j], common[i * width + j + 1]});
      }
    }
    bool is_inside = false;
    size_t told = 0;
    for (size_t i = 0, j = 0; i < words_a.size() || j < words_b.size();) {
      const bool is_same = i < words_a.size() && j < words_b.size() && words_a[i] == words_b[j];
      if (is_same) {
        if (is_of_word(words_a[i][0])) is_inside = false;
        ++i;
        ++j;
        continue;
      }
      if (!is_inside && told++ < kInLineMost)
        add(a + offset(words_a, i, line_a), b + offset(words_b, j, line_b));
      is_inside = true;
      const bool skips_a =
          j == words_b.size() ||
          (i < words_a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1]);
      ++(skips_a ? i : j);
    }
    // Equal as far as there are words.
    if (told == 0) add(a, b);
  }

  static uint64_t offset(const std::vector<std::string_view>& words, size_t i,
                         std::string_view line) {
    if (i < words.size()) return static_cast<uint64_t>(words[i].data() - line.data());
    return words.empty() ? 0 : offset(words, i - 1, line) + words.back().size();
  }

  /// What is equal from there on belongs to what is before it.
  void add(uint64_t a, uint64_t b) {
    const uint64_t same = common(a, b);
    const OutputStretch stretch{a + same, b + same};
    if (stretch.at_a >= a_.size && stretch.at_b >= b_.size) return;
    if (out_.size() < most_ && (out_.empty() || out_.back() < stretch)) out_.push_back(stretch);
  }

  const Output& a_;
  const Output& b_;
  size_t most_;
  std::vector<OutputStretch> out_;
};

}  // namespace

std::vector<OutputStretch> differing_stretches(const Output& a, const Output& b, size_t most) {
  return Stretches(a, b, most).find();
}

}  // namespace twinrun
