// SPDX-License-Identifier: MIT
#include "explain/answer/answer.h"

#include "base/text.h"
#include "explain/answer/source_text.h"
#include "explain/answer/statements.h"
#include "run/code_places.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace twinrun {
namespace {

using Node = WhyReport::Node;
using Edge = WhyReport::Edge;
using Kind = CausalGraph::Node::Kind;

constexpr size_t kLinesMost = 16;
constexpr size_t kChainMost = 5;  // of the way to the input, when there is more to tell
constexpr size_t kLinesTogether = 6;
constexpr size_t kTextMost = 48;

std::string place_text(const NamedInstruction& at) {
  if (at.line != 0) return fmt::format("{}:{}", base_name(at.file), at.line);
  if (!at.function.empty()) return fmt::format("{}+{:#x}", source_name(at.function), at.offset);
  return fmt::format("{}+{:#x}", at.module, at.offset);
}

std::string cut(std::string text) {
  if (text.size() > kTextMost) {
    text.resize(kTextMost - 3);
    text += "...";
  }
  return text;
}

class Composer {
 public:
  explicit Composer(WhyReport& report) : report_(report), out_(report.nodes.size()) {
    for (uint32_t i = 0; i < report.edges.size(); ++i) out_[report.edges[i].from].push_back(i);
  }

  void run() {
    if (report_.nodes.empty()) return;
    find_chain();
    tell_target();
    for (size_t i = 0; i < chain_.size();) i = tell(i);
    if (wrong_state_ < report_.answer.size())
      report_.answer[wrong_state_].text += "        <-- first wrong state";
    shorten();
    tell_others();
    make_verdict();
  }

 private:
  /// The cheapest way to an input: each line of the user's code costs, copies and what a library
  /// does inside cost little.
  void find_chain() {
    constexpr double kFar = std::numeric_limits<double>::max();
    std::vector<double> cost(report_.nodes.size(), kFar);
    std::vector<uint32_t> by(report_.nodes.size(), ~0u);
    using Item = std::pair<double, uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    cost[0] = 0;
    queue.emplace(0, 0);
    while (!queue.empty()) {
      const auto [so_far, node] = queue.top();
      queue.pop();
      if (so_far > cost[node]) continue;
      for (const uint32_t e : out_[node]) {
        const uint32_t to = report_.edges[e].to;
        if (report_.nodes[to].is_enhanced) continue;
        const double next = so_far + step_cost(report_.nodes[node], report_.nodes[to]);
        if (next >= cost[to]) continue;
        cost[to] = next;
        by[to] = e;
        queue.emplace(next, to);
      }
    }
    // An input; else where the trail ends.
    uint32_t best = ~0u;
    double least = kFar;
    for (uint32_t i = 0; i < report_.nodes.size(); ++i) {
      if (cost[i] == kFar) continue;
      const bool is_input = report_.nodes[i].kind == Kind::kInput;
      if (!is_input && has_causes(i)) continue;
      const double total = cost[i] + (is_input ? 0 : 1000);
      if (total >= least) continue;
      least = total;
      best = i;
    }
    for (uint32_t at = best; at != ~0u;) {
      chain_.push_back({at, by[at]});
      at = by[at] == ~0u ? ~0u : report_.edges[by[at]].from;
    }
    std::ranges::reverse(chain_);
    for (const Link& link : chain_) told_.push_back(link.node);
  }

  bool has_causes(uint32_t node) const {
    return std::ranges::any_of(out_[node], [&](uint32_t edge) {
      return !report_.nodes[report_.edges[edge].to].is_enhanced;
    });
  }

  static double step_cost(const Node& from, const Node& to) {
    const NamedInstruction* x = site_of(from);
    const NamedInstruction* y = site_of(to);
    if (x != nullptr && y != nullptr && same_site(*x, *y)) return 0.05;
    const bool in_library = y != nullptr && y->line == 0;
    return in_library ? 0.3 : 1;
  }

  void add(uint32_t finding, std::string text, std::vector<uint32_t> nodes) {
    if (const size_t copies = std::exchange(copies_, 0))
      text += fmt::format("  ({} cop{} skipped)", copies, copies == 1 ? "y" : "ies");
    report_.answer.push_back({finding, 0, std::move(text), std::move(nodes), false});
  }

  std::string source(const NamedInstruction& at) {
    std::string text = source_.line(at.file, at.line);
    if (text.empty() && at.line == 0) text = at.text;
    return cut(std::move(text));
  }

  void tell_target() {
    std::string text = report_.target;
    if (!report_.target_a.empty() || !report_.target_b.empty())
      text += fmt::format("  A: {}  B: {}", report_.target_a, report_.target_b);
    add(++findings_, std::move(text), {0});
  }

  struct Values {
    std::string name;
    std::string a;
    std::string b;

    [[nodiscard]] bool same_values(const Values& other) const {
      return !a.empty() && a == other.a && b == other.b;
    }
    [[nodiscard]] std::string text() const {
      return name.empty() ? "" : fmt::format("  {}  A: {}  B: {}", name, cut(a), cut(b));
    }
  };
  /// What differs, of the edge that leads on from a node of the chain.
  [[nodiscard]] Values values(size_t first, size_t end) const {
    for (size_t i = first; i < end; ++i) {
      if (i + 1 >= chain_.size()) break;
      const Edge& edge = report_.edges[chain_[i + 1].edge];
      if (edge.is_control || edge.name.empty()) continue;
      if (edge.value_a.empty() && edge.value_b.empty()) continue;
      return {edge.name, edge.value_a, edge.value_b};
    }
    return {};
  }

  /// Two sides of a node in the same line of the user's code: what a library did inside.
  bool is_inside(const Node& node) const {
    const NamedInstruction* a = site_of(node, RunSide::kA);
    const NamedInstruction* b = site_of(node, RunSide::kB);
    if (node.kind == Kind::kAligned) return true;
    return node.kind == Kind::kUnaligned && a != nullptr && b != nullptr && same_site(*a, *b);
  }

  /// Tells the nodes of the chain from `first` on that belong to one line; returns the next one.
  size_t tell(size_t first) {
    const Node& node = report_.nodes[chain_[first].node];
    if (node.kind == Kind::kInput) {
      add(++findings_, input_text(chain_[first].node), {chain_[first].node});
      return first + 1;
    }
    if (!is_inside(node)) {
      tell_unaligned(first);
      return first + 1;
    }
    size_t end = first + 1;
    while (end < chain_.size() && is_inside(report_.nodes[chain_[end].node]) &&
           same_site(*site_of(node), *site_of(report_.nodes[chain_[end].node])))
      ++end;
    const NamedInstruction& at = *site_of(node);
    std::vector<uint32_t> nodes;
    bool decides = false;
    for (size_t i = first; i < end; ++i) {
      nodes.push_back(chain_[i].node);
      decides |= report_.nodes[chain_[i].node].is_decision;
    }
    // The way into and out of the program is no news.
    const bool is_news = is_program(at) && (at.line != 0 || decides);
    if (!is_news && end != chain_.size()) return end;
    const Values differs = values(first, end);
    if (!decides && differs.same_values(last_)) {
      ++copies_;
      return end;
    }
    last_ = differs;
    const std::string_view parts = decides && differs.name.empty() ? "  (the runs part here)" : "";
    add(0, fmt::format("{}  {}{}{}", place_text(at), source(at), differs.text(), parts),
        std::move(nodes));
    report_.answer.back().has_values = !differs.name.empty();
    return end;
  }

  bool is_program(const NamedInstruction& at) const { return at.module == report_.program; }

  std::string site_text(const Node& node, RunSide side) {
    const NamedInstruction* at = site_of(node, side);
    return at == nullptr ? "" : fmt::format("{}  {}", place_text(*at), source(*at));
  }

  void tell_unaligned(size_t first) {
    const uint32_t number = chain_[first].node;
    const Node& node = report_.nodes[number];
    const Edge* edge = chain_[first].edge == ~0u ? nullptr : &report_.edges[chain_[first].edge];
    const std::string a = site_text(node, RunSide::kA);
    const std::string b = site_text(node, RunSide::kB);
    // A result, or a decision: which of two ways it was computed. State is what stays in memory.
    const bool is_state = edge != nullptr && edge->in_memory && !edge->name.empty();
    if (is_state) {
      const std::string_view how = node.type == DivergenceType::kExtraExecution
                                       ? "was written by what only B executed"
                                   : node.type == DivergenceType::kExecutionOmission
                                       ? "was written by what only A executed"
                                       : "was last written at different places";
      wrong_state_ = report_.answer.size();
      add(++findings_, fmt::format("{} {}", edge->name, how), {number});
    }
    if (!a.empty()) {
      add(0, "A  " + a, {number});
      report_.answer.back().run = 'A';
    }
    if (!b.empty()) {
      add(0, "B  " + b, {number});
      report_.answer.back().run = 'B';
    }
  }

  /// Lines of the program that are not told yet, the most suspicious first.
  std::vector<const WhyReport::Statement*> untold() const {
    std::vector<std::string> known;
    for (const WhyReport::Line& line : report_.answer)
      for (const uint32_t node : line.nodes)
        for (const RunSide side : {RunSide::kA, RunSide::kB})
          if (const NamedInstruction* at = site_of(report_.nodes[node], side))
            known.push_back(place_text(*at));
    std::vector<const WhyReport::Statement*> out;
    for (const WhyReport::Statement& statement : report_.statements) {
      if (!is_program(statement.at) || statement.at.line == 0) continue;
      if (std::ranges::find(known, place_text(statement.at)) == known.end())
        out.push_back(&statement);
    }
    return out;
  }

  /// What the executions of a line say against it.
  static std::string_view suspicion_text(const WhyReport::Statement& one) {
    if (one.is_beside) return "  (writes beside a value that B uses, and not that one)";
    if (one.has_new_way) return "  (B goes a way here that A never does)";
    if (one.times_a == 0 && one.times_b != 0) return "  (only B executes it)";
    return "";
  }

  /// What else leads to the target, the most suspicious first, the lines of a function together.
  void tell_others() {
    std::vector<const WhyReport::Statement*> left = untold();
    while (!left.empty() && report_.answer.size() < kLinesMost) {
      const WhyReport::Statement& first = *left.front();
      std::string text = fmt::format("also  {}  {}{}", place_text(first.at), source(first.at),
                                     suspicion_text(first));
      std::vector<uint32_t> nodes;
      std::string further;
      size_t count = 0;
      std::erase_if(left, [&](const WhyReport::Statement* one) {
        const bool belongs = one->at.function == first.at.function && one->at.file == first.at.file;
        if (!belongs || count == kLinesTogether) return false;
        if (count++ != 0) further += fmt::format("{}{}", further.empty() ? "" : ", ", one->at.line);
        nodes.push_back(one->nodes.front());
        return true;
      });
      if (!further.empty())
        text += fmt::format("  and {} ({})", further, cut(source_name(first.at.function)));
      add(0, std::move(text), std::move(nodes));
    }
    report_.hidden = left.size() + report_.statements_left_out;
  }

  /// What is told or left out together: a line, or a state with where each run wrote it.
  struct Unit {
    std::vector<WhyReport::Line> lines;
    bool is_kept = false;
    int kind = 0;        // states are kept longest, then what tells values
    double weight = 0;   // and what has more of it
    size_t skipped = 0;  // lines before it
  };
  std::vector<Unit> units_of(std::vector<WhyReport::Line> lines) const {
    std::vector<Unit> out;
    for (size_t i = 0; i < lines.size(); ++i) {
      WhyReport::Line& line = lines[i];
      const bool belongs = line.run != 0 && !out.empty() && out.back().lines.front().finding > 1 &&
                           out.back().lines.front().nodes == line.nodes;
      if (!belongs) out.emplace_back();
      Unit& unit = out.back();
      unit.is_kept |= i < 1 || i + 2 >= lines.size() || i == wrong_state_;
      unit.kind = std::max(unit.kind, line.finding != 0 ? 3 : line.has_values ? 2 : line.run != 0);
      for (const uint32_t node : line.nodes)
        unit.weight = std::max(unit.weight, report_.nodes[node].weight);
      unit.lines.push_back(std::move(line));
    }
    return out;
  }

  /// Leaves out what only passes on what differs, on a long way.
  void shorten() {
    // Where else to look needs its room.
    std::map<std::pair<std::string, std::string>, size_t> by_function;
    for (const WhyReport::Statement* one : untold())
      ++by_function[{one->at.file, one->at.function}];
    size_t others = 0;
    for (const auto& [function, lines] : by_function)
      others += (lines + kLinesTogether - 1) / kLinesTogether;
    const size_t most = std::max(kChainMost, kLinesMost - std::min(kLinesMost, others));
    size_t count = report_.answer.size();
    std::vector<Unit> units = units_of(std::move(report_.answer));
    while (count > most) {
      auto least = units.end();
      for (auto unit = units.begin(); unit != units.end(); ++unit) {
        if (unit->is_kept) continue;
        if (least == units.end() ||
            std::pair(unit->kind, unit->weight) < std::pair(least->kind, least->weight))
          least = unit;
      }
      if (least == units.end()) break;
      count -= least->lines.size();
      std::next(least)->skipped += least->skipped + least->lines.size();
      units.erase(least);
    }
    report_.answer.clear();
    findings_ = 0;
    for (Unit& unit : units) {
      if (unit.skipped != 0)
        unit.lines.front().text +=
            fmt::format("  ({} line{} between: --all)", unit.skipped, unit.skipped == 1 ? "" : "s");
      for (WhyReport::Line& line : unit.lines) {
        if (line.finding != 0) line.finding = ++findings_;
        report_.answer.push_back(std::move(line));
      }
    }
  }

  /// What an input brought, in one run: "bad.csv, byte 53".
  static std::string source_text(const std::optional<OutsideSource>& source) {
    if (!source) return "nothing";
    using SourceKind = OutsideSource::Kind;
    switch (source->kind) {
      case SourceKind::kZero: return "fresh memory";
      case SourceKind::kStart:
      case SourceKind::kParent: return "what was there before";
      case SourceKind::kUnseen: return "what the kernel changed unseen";
      case SourceKind::kSignal: return "a signal";
      default: break;
    }
    std::string text = source->input.empty() ? source->call + "()" : source->input;
    if (source->offset) text += fmt::format(", byte {}", *source->offset);
    return text;
  }

  struct InputValues {
    std::string a;
    std::string b;
  };
  [[nodiscard]] InputValues input_values(uint32_t number) const {
    for (const Edge& edge : report_.edges) {
      if (edge.to == number && (!edge.value_a.empty() || !edge.value_b.empty()))
        return {cut(edge.value_a), cut(edge.value_b)};
    }
    return {};
  }

  std::string input_text(uint32_t number) const {
    const Node& node = report_.nodes[number];
    const std::string a = source_text(node.source_a);
    const std::string b = source_text(node.source_b);
    const InputValues values = input_values(number);
    const auto with = [](const std::string& text, const std::string& value) {
      return value.empty() ? text : fmt::format("{}: {}", text, value);
    };
    const std::string call = node.source_b ? node.source_b->call : "";
    return fmt::format("input{}  A  {}   B  {}", call.empty() ? "" : fmt::format(" by {}()", call),
                       with(a, values.a), with(b, values.b));
  }

  void make_verdict() {
    if (chain_.empty()) return;
    const uint32_t number = chain_.back().node;
    const Node& last = report_.nodes[number];
    if (last.kind != Kind::kInput) {
      if (const NamedInstruction* at = site_of(last))
        report_.verdict =
            report_.cut
                ? fmt::format(
                      "The search ended at its limit of nodes (--limit), at {}; the input "
                      "behind it was not reached",
                      place_text(*at))
                : fmt::format("They part at {}; no input was found behind it", place_text(*at));
      return;
    }
    const std::string a = source_text(last.source_a);
    const std::string b = source_text(last.source_b);
    const InputValues values = input_values(number);
    if (values.a.empty() || values.b.empty())
      report_.verdict = fmt::format("They differ because of {} (A: {})", b, a);
    else if (a == b)
      report_.verdict =
          fmt::format("They differ because {} is {} in A, {} in B", b, values.a, values.b);
    else
      report_.verdict =
          fmt::format("They differ because {} is {} in B; in A {} is {}", b, values.b, a, values.a);
  }

  struct Link {
    uint32_t node = 0;
    uint32_t edge = ~0u;  // that leads to it
  };

  WhyReport& report_;
  std::vector<std::vector<uint32_t>> out_;  // edges of each node
  std::vector<Link> chain_;
  std::vector<uint32_t> told_;
  SourceText source_;
  uint32_t findings_ = 0;
  size_t copies_ = 0;  // lines that only passed on what differs
  Values last_;
  size_t wrong_state_ = ~size_t{0};  // the line of the earliest one
};

}  // namespace

void compose_answer(WhyReport& report) { Composer(report).run(); }

}  // namespace twinrun
