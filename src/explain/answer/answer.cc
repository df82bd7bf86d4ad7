// SPDX-License-Identifier: MIT
// Which lines of the causal difference graph are told, and in which order.
//
// The graph has too many nodes to read. The answer is one way through it, from the target, where
// people saw that something went wrong, to an input or to where the runs first part; findings (D1,
// D2, ...) stand where state was written in one run only or in another way, and between them the
// lines that carry the difference on. Behind the way come the most suspicious lines that it does
// not touch, some of a function together. Everything here is a choice of nodes, edges and kinds:
// sentences are made in report.
//
// Costs a search over nodes and edges. What is left out is counted (WhyReport::hidden), never
// dropped silently.
#include "explain/answer/answer.h"

#include "base/text.h"
#include "explain/answer/statements.h"
#include "explain/inputs/noise.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace twinrun {
namespace {

using Node = WhyReport::Node;
using Edge = WhyReport::Edge;
using Kind = CausalGraph::Node::Kind;
using Line = WhyReport::Line;

constexpr size_t kChainMost = 30;  // lines of the way to the input
constexpr size_t kAsideMost = 5;   // functions that are not on it
constexpr size_t kLinesTogether = 6;
constexpr size_t kInsideMost = 3;  // lines of what only the second run did, for each region
// Lines that a way may be longer to end at something better.
constexpr double kNotGiven = 200;  // than time, numbers of processes, addresses, names of files
constexpr double kNoInput = 1e6;   // than nothing
constexpr double kRoundsMost = 100;
constexpr double kInLine = 0.05;   // what a step inside of a line costs
constexpr double kForAddress = 2;  // lines that a way by values may be longer than one by addresses
constexpr double kMisled = 8;      // than one to who freed the memory that the value was read from

class Composer {
 public:
  explicit Composer(WhyReport& report) : report_(report), out_(report.nodes.size()) {
    for (uint32_t i = 0; i < report.edges.size(); ++i) out_[report.edges[i].from].push_back(i);
    find_misled();
    statement_of_.assign(report.nodes.size(), kNone);
    for (uint32_t i = 0; i < report.statements.size(); ++i)
      for (const uint32_t node : report.statements[i].nodes)
        if (statement_of_[node] == kNone) statement_of_[node] = i;
    // Those are told anyway.
    for (const uint32_t one : suspects_of(report)) inside_.insert(one);
  }

  void run() {
    if (report_.nodes.empty()) return;
    find_chain(false);
    // Where comparing comes to nothing, what one run did by itself may lead on.
    if (!ends_well()) {
      std::vector<Link> basic = std::exchange(chain_, {});
      find_chain(true);
      if (!ends_well()) chain_ = std::move(basic);
    }
    tell_target();
    for (size_t i = 0; i < chain_.size();) i = tell(i);
    if (wrong_state_ < report_.answer.size()) report_.answer[wrong_state_].is_first_wrong = true;
    shorten();
    tell_others();
    find_headline();
  }

 private:
  /// The cheapest way to an input: each line of the user's code costs, copies and what a library
  /// does inside cost little.
  void find_chain(bool through_regions) {
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
        if (!may_pass(to, through_regions)) continue;
        const double next =
            so_far + detour(report_.edges[e]) + step_cost(report_.nodes[node], report_.nodes[to]);
        if (next >= cost[to]) continue;
        cost[to] = next;
        by[to] = e;
        queue.emplace(next, to);
      }
    }
    // An input; else where the trail ends, as far back as it goes.
    uint32_t best = ~0u;
    double least = kFar;
    for (uint32_t i = 0; i < report_.nodes.size(); ++i) {
      if (cost[i] == kFar) continue;
      const bool is_input = report_.nodes[i].kind == Kind::kInput;
      if (!is_input && has_causes(i, through_regions)) continue;
      const double total = !is_input        ? kNoInput - cost[i]
                           : is_given_in(i) ? cost[i]
                                            : cost[i] + kNotGiven;
      if (total >= least) continue;
      least = total;
      best = i;
    }
    for (uint32_t at = best; at != ~0u;) {
      chain_.push_back({at, by[at]});
      at = by[at] == ~0u ? ~0u : report_.edges[by[at]].from;
    }
    std::ranges::reverse(chain_);
  }

  bool is_given_in(uint32_t input) const {
    const auto given = [](const std::optional<OutsideSource>& source) {
      return source && is_given(*source);
    };
    const Node& node = report_.nodes[input];
    return !node.is_name && given(node.source_a) && given(node.source_b) && is_different(node);
  }

  /// What both runs were given alike is no reason, even where they look at different places of it.
  /// Of what has no name nothing is known.
  bool is_different(const Node& input) const {
    const std::string& a = input.source_a->input;
    const std::string& b = input.source_b->input;
    if (a.empty() || b.empty() || report_.inputs.empty()) return true;
    return std::ranges::any_of(report_.inputs, [&](const InputDifference& one) {
      return (!one.name_a.empty() && a.ends_with(one.name_a)) ||
             (!one.name_b.empty() && b.ends_with(one.name_b));
    });
  }

  /// At something that somebody gave the program.
  bool ends_well() const {
    return !chain_.empty() && report_.nodes[chain_.back().node].kind == Kind::kInput &&
           is_given_in(chain_.back().node);
  }

  bool may_pass(uint32_t node, bool through_regions) const {
    const Node& to = report_.nodes[node];
    return !to.is_enhanced || (through_regions && !to.is_common && !to.is_beside);
  }

  bool has_causes(uint32_t node, bool through_regions) const {
    return std::ranges::any_of(out_[node], [&](uint32_t edge) {
      return may_pass(report_.edges[edge].to, through_regions);
    });
  }

  /// What leads to a free by pointers that stayed what they were.
  void find_misled() {
    is_misled_.assign(report_.nodes.size(), false);
    for (const Edge& edge : report_.edges)
      if (edge.freed_by) is_misled_[edge.from] = true;
    const auto spread = [&] {
      bool has_spread = false;
      for (const Edge& edge : report_.edges) {
        if (!edge.is_reused || !is_misled_[edge.to] || is_misled_[edge.from]) continue;
        is_misled_[edge.from] = has_spread = true;
      }
      return has_spread;
    };
    while (spread()) continue;
  }

  /// Rounds that were passed over cost what they would have cost one by one, up to a limit.
  [[nodiscard]] double detour(const Edge& edge) const {
    if (edge.freed_by || (edge.is_reused && is_misled_[edge.to])) return 0;
    const double rounds = std::min(kInLine * static_cast<double>(edge.rounds), kRoundsMost);
    // What is in memory that was given away says less than who did that.
    const bool is_stale = !edge.is_control && is_misled_[edge.from];
    return rounds + (edge.for_address ? kForAddress : 0) + (is_stale ? kMisled : 0);
  }

  static double step_cost(const Node& from, const Node& to) {
    const NamedInstruction* x = site_of(from);
    const NamedInstruction* y = site_of(to);
    if (x != nullptr && y != nullptr && same_site(*x, *y)) return kInLine;
    const bool in_library = y != nullptr && y->line == 0;
    return in_library ? 0.3 : 1;
  }

  void add(Line line) { report_.answer.push_back(std::move(line)); }

  void tell_target() { add({.kind = Line::Kind::kTarget, .finding = ++findings_, .nodes = {0}}); }

  /// What differs: the edge that leads on from a node of the chain, if its values are known.
  [[nodiscard]] std::optional<uint32_t> differing(size_t first, size_t end) const {
    for (size_t i = first; i < end; ++i) {
      if (i + 1 >= chain_.size()) break;
      const Edge& edge = report_.edges[chain_[i + 1].edge];
      if (edge.is_control || edge.name.empty()) continue;
      if (edge.value_a.empty() && edge.value_b.empty()) continue;
      return chain_[i + 1].edge;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool same_values(std::optional<uint32_t> x, std::optional<uint32_t> y) const {
    if (!x || !y) return false;
    const Edge& one = report_.edges[*x];
    const Edge& other = report_.edges[*y];
    return !one.value_a.empty() && one.value_a == other.value_a && one.value_b == other.value_b;
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
      add({.kind = Line::Kind::kInput, .finding = ++findings_, .nodes = {chain_[first].node}});
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
    const std::optional<uint32_t> differs = differing(first, end);
    if (!decides && same_values(differs, last_))
      copies_.insert(report_.answer.size());
    else
      last_ = differs;
    uint64_t rounds = 0;
    std::optional<RunSide> frees;
    for (size_t i = first; i < end; ++i) {
      if (chain_[i].edge == ~0u) continue;
      const Edge& by = report_.edges[chain_[i].edge];
      if (by.freed_by) frees = by.freed_by;
      if (i != first) rounds += by.rounds;
    }
    add({.nodes = std::move(nodes),
         .edge = differs,
         .decides = decides,
         .frees = frees,
         .rounds = rounds});
    return end;
  }

  /// The way from the kernel into main() is the C library's, wherever it is linked.
  bool is_program(const NamedInstruction& at) const {
    return report_.is_own(at.module) && (at.line != 0 || at.function != "_start");
  }

  void tell_unaligned(size_t first) {
    const uint32_t number = chain_[first].node;
    const Node& node = report_.nodes[number];
    const uint32_t by = chain_[first].edge;
    // A result, or a decision: which of two ways it was computed. State is what stays in memory.
    if (by != ~0u && report_.edges[by].freed_by) {
      // Where that is told as misuse, it is no news.
      if (report_.misuses.empty()) wrong_state_ = report_.answer.size();
      add({.kind = Line::Kind::kState,
           .finding = ++findings_,
           .nodes = {number},
           .edge = by,
           .frees = report_.edges[by].freed_by});
    } else if (by != ~0u && report_.edges[by].in_memory && !report_.edges[by].name.empty()) {
      if (is_wrong(number, report_.edges[by])) wrong_state_ = report_.answer.size();
      add({.kind = Line::Kind::kState, .finding = ++findings_, .nodes = {number}, .edge = by});
    }
    for (const RunSide side : {RunSide::kA, RunSide::kB}) {
      if (site_of(node, side) != nullptr)
        add({.kind = Line::Kind::kSite, .run = side, .nodes = {number}});
    }
    tell_inside(number);
  }

  /// Evidence that the state is not only different: a value that the first run never has there, a
  /// write that the second run lacks, a misuse of memory.
  bool is_wrong(uint32_t node, const Edge& edge) const {
    if (report_.nodes[node].is_after) return false;
    return edge.is_new || report_.nodes[node].type == DivergenceType::kExecutionOmission ||
           std::ranges::any_of(report_.misuses, [&](const Misuse& misuse) {
             return misuse.node == node && !misuse.is_in_both;
           });
  }

  /// Of what only the second run did and what led to this: the most suspicious lines, the latest
  /// first. The way goes on in front of the region, but the mistake can be inside.
  void tell_inside(uint32_t region) {
    std::set<uint32_t> seen{region};
    std::vector<uint32_t> open{region};
    std::map<uint32_t, uint32_t> first;  // statement -> its latest node
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      for (const uint32_t e : out_[at]) {
        const uint32_t to = report_.edges[e].to;
        const Node& node = report_.nodes[to];
        const bool is_apart = node.kind == Kind::kSingle && node.b && !node.is_common;
        if (!is_apart || !seen.insert(to).second) continue;
        open.push_back(to);
        if (statement_of_[to] != kNone) {
          const auto [known, is_new] = first.try_emplace(statement_of_[to], to);
          known->second = std::min(known->second, to);
        }
      }
    }
    std::erase_if(first, [&](const auto& one) {
      const NamedInstruction& at = report_.statements[one.first].at;
      const NamedInstruction* own = site_of(report_.nodes[region], RunSide::kB);
      return !is_program(at) || at.line == 0 || (own != nullptr && same_site(at, *own)) ||
             inside_.contains(one.first);
    });
    std::vector<uint32_t> nodes;
    for (const auto& [statement, node] : first) {
      if (nodes.size() == kInsideMost) break;  // statements are in the order of suspicion
      inside_.insert(statement);
      nodes.push_back(node);
    }
    std::ranges::sort(nodes);
    for (const uint32_t node : nodes)
      add({.kind = Line::Kind::kSite, .run = RunSide::kB, .nodes = {node}});
  }

  /// Lines of the program that are not told yet, the most suspicious first.
  std::vector<uint32_t> untold() const {
    // By what is told of a place, which is its file's base name.
    std::set<std::pair<std::string_view, uint32_t>> known;
    for (const Line& line : report_.answer)
      for (const uint32_t node : line.nodes)
        for (const RunSide side : {RunSide::kA, RunSide::kB})
          if (const NamedInstruction* at = site_of(report_.nodes[node], side))
            known.emplace(base_name(at->file), at->line);
    for (const uint32_t one : suspects_of(report_))
      known.emplace(base_name(report_.statements[one].at.file), report_.statements[one].at.line);
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < report_.statements.size(); ++i) {
      const NamedInstruction& at = report_.statements[i].at;
      if (!is_program(at) || at.line == 0) continue;
      if (!known.contains({base_name(at.file), at.line})) out.push_back(i);
    }
    return out;
  }

  /// What else leads to the target, the most suspicious first, the lines of a function together.
  void tell_others() {
    std::vector<uint32_t> left = untold();
    for (size_t told = 0; !left.empty() && told < kAsideMost; ++told) {
      const NamedInstruction& first = report_.statements[left.front()].at;
      Line line{.kind = Line::Kind::kAside};
      std::erase_if(left, [&](uint32_t one) {
        const WhyReport::Statement& statement = report_.statements[one];
        const bool belongs =
            statement.at.function == first.function && statement.at.file == first.file;
        if (!belongs || line.statements.size() == kLinesTogether) return false;
        line.statements.push_back(one);
        line.nodes.push_back(statement.nodes.front());
        return true;
      });
      add(std::move(line));
    }
    report_.hidden = left.size() + report_.statements_left_out;
  }

  /// What is told or left out together: a line, or a state with where each run wrote it.
  struct Unit {
    std::vector<Line> lines;
    bool is_kept = false;
    int kind = 0;        // states are kept longest, then what tells values; copies go first
    double weight = 0;   // and what has more of it
    size_t skipped = 0;  // lines before it
    size_t copies = 0;   // that, too, but they only passed on a value
    std::vector<Line> left_out = {};  // all of these
  };
  static constexpr int kCopy = -1;
  static int kind_of(const Line& line) {
    if (line.finding != 0) return 3;
    if (line.edge) return 2;
    return line.run ? 1 : 0;
  }
  std::vector<Unit> units_of(std::vector<Line> lines) const {
    std::vector<Unit> out;
    for (size_t i = 0; i < lines.size(); ++i) {
      Line& line = lines[i];
      const bool belongs = line.run && !out.empty() && out.back().lines.front().finding > 1 &&
                           out.back().lines.front().nodes == line.nodes;
      if (!belongs) out.emplace_back();
      Unit& unit = out.back();
      unit.is_kept |= i < 1 || i + 2 >= lines.size() || i == wrong_state_;
      unit.kind = copies_.contains(i) ? kCopy : std::max(unit.kind, kind_of(line));
      for (const uint32_t node : line.nodes)
        unit.weight = std::max(unit.weight, report_.nodes[node].weight);
      unit.lines.push_back(std::move(line));
    }
    return out;
  }

  /// Leaves out what only passes on what differs, on a way that is too long to read.
  void shorten() {
    size_t count = report_.answer.size();
    std::vector<Unit> units = units_of(std::move(report_.answer));
    while (count > kChainMost) {
      auto least = units.end();
      for (auto unit = units.begin(); unit != units.end(); ++unit) {
        if (unit->is_kept) continue;
        if (least == units.end() ||
            std::pair(unit->kind, unit->weight) < std::pair(least->kind, least->weight))
          least = unit;
      }
      if (least == units.end()) break;
      count -= least->lines.size();
      Unit& next = *std::next(least);
      const bool is_copy = least->kind == kCopy;
      next.skipped += least->skipped + (is_copy ? 0 : least->lines.size());
      next.copies += least->copies + (is_copy ? least->lines.size() : 0);
      std::ranges::move(least->lines, std::back_inserter(least->left_out));
      std::ranges::move(next.left_out, std::back_inserter(least->left_out));
      next.left_out = std::move(least->left_out);
      units.erase(least);
    }
    report_.answer.clear();
    findings_ = 0;
    for (Unit& unit : units) {
      unit.lines.front().between = unit.skipped;
      unit.lines.front().copies = unit.copies;
      for (Line& line : unit.left_out) {
        line.finding = 0;
        report_.left_out.push_back(std::move(line));
      }
      for (Line& line : unit.lines) {
        if (line.finding != 0) line.finding = ++findings_;
        report_.answer.push_back(std::move(line));
      }
    }
  }

  void find_headline() {
    if (chain_.empty()) return;
    using Headline = WhyReport::Headline::Kind;
    const uint32_t number = chain_.back().node;
    const Node& last = report_.nodes[number];
    if (last.kind == Kind::kInput)
      report_.headline = {Headline::kInput, number};
    else if (site_of(last) != nullptr)
      report_.headline = {report_.cut ? Headline::kCut : Headline::kNoInput, number};
  }

  struct Link {
    uint32_t node = 0;
    uint32_t edge = ~0u;  // that leads to it
  };

  WhyReport& report_;
  std::vector<std::vector<uint32_t>> out_;  // edges of each node
  static constexpr uint32_t kNone = ~0u;
  std::vector<bool> is_misled_;         // nodes that used what one of the runs has freed
  std::vector<uint32_t> statement_of_;  // by node
  std::set<uint32_t> inside_;           // statements that are told in regions or as suspects
  std::vector<Link> chain_;
  uint32_t findings_ = 0;
  std::set<size_t> copies_;          // lines that only pass on what differs
  std::optional<uint32_t> last_;     // edge whose values were told
  size_t wrong_state_ = ~size_t{0};  // the line of the earliest one
};

}  // namespace

void compose_answer(WhyReport& report) { Composer(report).run(); }

}  // namespace twinrun
