// SPDX-License-Identifier: MIT
// Which lines of the graph are most likely the cause.
//
// The graph of a real bug has hundreds of lines, all of which truly lead to the target. A reader
// looks at five. So the lines are ordered by the logarithm of the odds that they are the cause, a
// sum of what several kinds of evidence say:
//
//   from the graph     the place of the line by weight (weigh_nodes()), whether the second run
//                      executed it, and whether inside of what only that run did
//   from whole runs    how often each run executed the line, and where its branches went
//
// A branch that goes a way in the second run that it never goes in the first says most, with code
// that only the second run executes; what is executed often, or equally often, says little.
//
// The numbers are a logistic model's, fitted to the 46 bugs of test/truth/why and rounded
// (docs/decisions/0039-suspicion.md has how it was judged). They are no proof: the order changes
// what is told first, never what is in the graph. The sum has no meaning as a number but to compare
// lines of one answer. Costs a look-up for each line; counting executions is the caller's.
//
// The paper ranks nothing: its graphs are read by an analyst from the target on. This is our
// addition, of the family of statistical fault localisation, with two runs for a sample.
// Example: a line that only B executes, once, third by weight, apart:
// -0.4 ln 3 + 1.7 + 1.1 + 0.45 - 0.3 ln 2 + 0.45 ln 2 = 2.9; the same line ten times in both:
// -0.05.
#include "explain/answer/suspicion.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace twinrun {
namespace {

using Statement = WhyReport::Statement;

// How much each kind of evidence says, as logarithms of odds; learned from known bugs.
constexpr double kPlace = -0.4;      // times the logarithm of the place by weight
constexpr double kInSecond = 1.7;    // the second run executed it
constexpr double kOnlySecond = 1.1;  // and the first did not
constexpr double kApart = 0.45;      // an instance of it, inside of what only the second run did
constexpr double kBranch = 1.5;      // a branch there goes different ways
constexpr double kNewWay = 1.4;      // one of them in the second run only
constexpr double kBeside = 3;        // it wrote beside a pointer that was forgotten
constexpr double kRare = -0.3;       // times the logarithm of its executions
constexpr double kUneven = 0.45;     // times the logarithm of their ratio
constexpr double kEqual = -0.4;      // both executed it equally often

const ExecutedLine* find_line(const ExecutedLines& lines, const NamedInstruction& at) {
  const auto file = lines.find(at.file);
  if (file == lines.end()) return nullptr;
  const auto line = file->second.find(at.line);
  return line == file->second.end() ? nullptr : &line->second;
}

double suspicion_of(const Statement& one, size_t place) {
  const auto a = static_cast<double>(one.times_a);
  const auto b = static_cast<double>(one.times_b);
  double out = kPlace * std::log(static_cast<double>(place));
  if (one.in_b) out += kInSecond;
  if (one.times_a == 0 && one.times_b != 0) out += kOnlySecond;
  if (one.is_apart) out += kApart;
  if (one.is_beside) out += kBeside;
  if (one.is_branch) out += kBranch;
  if (one.has_new_way) out += kNewWay;
  out += kRare * std::log(1 + a + b) + kUneven * std::abs(std::log((1 + a) / (1 + b)));
  if (one.times_a == one.times_b) out += kEqual;
  return out;
}

}  // namespace

void add_executions(std::vector<Statement>& statements, const ExecutedLines& a,
                    const ExecutedLines& b) {
  for (Statement& one : statements) {
    const ExecutedLine* in_a = find_line(a, one.at);
    const ExecutedLine* in_b = find_line(b, one.at);
    if (in_a != nullptr) one.times_a = in_a->times;
    if (in_b != nullptr) one.times_b = in_b->times;
    for (const ExecutedLine* line : {in_a, in_b}) {
      if (line == nullptr) continue;
      for (const auto& [branch, ways] : line->ways) one.is_branch |= ways.size() > 1;
    }
    if (in_a == nullptr || in_b == nullptr) continue;
    for (const auto& [branch, ways] : in_b->ways) {
      const auto known = in_a->ways.find(branch);
      if (known == in_a->ways.end()) continue;
      const bool is_new = !std::ranges::includes(known->second, ways);
      one.has_new_way |= is_new;
      one.is_branch |= is_new;
    }
    for (const auto& [branch, ways] : in_a->ways) {
      const auto known = in_b->ways.find(branch);
      if (known != in_b->ways.end()) one.is_branch |= known->second != ways;
    }
  }
}

void rank_statements(std::vector<Statement>& statements) {
  std::ranges::stable_sort(statements, std::greater(), &Statement::weight);
  size_t place = 0;
  for (Statement& one : statements) one.suspicion = suspicion_of(one, ++place);
  // What the second run did when it had failed comes behind all that led to that.
  std::ranges::stable_sort(statements, std::greater(), [](const Statement& one) {
    return std::pair(!one.is_after, one.suspicion);
  });
}

}  // namespace twinrun
