// SPDX-License-Identifier: MIT
#pragma once

#include "base/work.h"
#include "explain/graph/causal_graph.h"
#include "explain/inputs/input_differences.h"
#include "explain/inputs/text_place.h"
#include "explain/misuse/misuse.h"
#include "explain/target/chosen_target.h"
#include "explain/target/target_facts.h"
#include "explain/target/targets.h"
#include "values/named_instruction.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// What `twinrun why` found: the causal difference graph in source terms, and the way through it
/// that is told. All of it is data; report/why_words.h has the sentences.
struct WhyReport {
  enum class Outcome : uint8_t {
    kSame,   // nothing that a user sees differs, nor does control flow
    kNoise,  // what differs depends on time, process numbers, random bytes or addresses only
    kDifferent,
  };
  struct Side {
    std::string path;
    std::string command;          // as a shell takes it
    std::optional<HowEnded> end;  // nothing: it has no process
    uint64_t instructions = 0;
    std::string prefix_note;
    std::string from;  // the function that the recording begins at; empty: the start
    std::string says;  // see last_words()
  };
  struct Node {
    CausalGraph::Node::Kind kind = CausalGraph::Node::Kind::kAligned;
    DivergenceType type = DivergenceType::kNone;
    bool is_decision = false;
    bool is_target = false;
    bool has_no_cause = false;
    bool is_enhanced = false;
    bool is_common = false;
    bool is_beside = false;
    std::optional<NamedInstruction> a;
    std::optional<NamedInstruction> b;
    // Of a library's instruction: the call that the program made.
    std::optional<NamedInstruction> caller_a;
    std::optional<NamedInstruction> caller_b;
    std::vector<std::pair<RunSide, NamedInstruction>> more;
    std::optional<OutsideSource> source_a;
    std::optional<OutsideSource> source_b;
    bool is_after = false;  // the second run had failed by then: see find_aftermath()
    bool is_name = false;   // kInput: only how files are called that the runs have opened
    uint64_t only_a = 0;    // instructions of the region
    uint64_t only_b = 0;
    double weight = 0;  // see weigh_nodes()
  };
  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
    bool is_control = false;
    bool for_address = false;
    bool in_memory = false;
    std::string name;   // of the operand: "h->ncols", "eax"
    std::string place;  // "eax", "0x4a5e4a0:4"
    std::string value_a;
    std::string value_b;
    bool is_reused = false;           // it may be a pointer to a block that was freed
    std::optional<RunSide> freed_by;  // `to` freed what `from` used, in this run
    uint64_t rounds = 0;              // of the same code that lie between
    bool is_new = false;              // see mark_new_values()
  };
  /// A line of the source, with all nodes that belong to it: a node of the graph of lines.
  struct Statement {
    NamedInstruction at;  // without a line: what a library did by itself
    bool in_a = false;
    bool in_b = false;
    bool is_basic = false;      // of the Basic graph
    bool is_different = false;  // of the Basic graph, or executed in one run only
    bool is_decision = false;
    bool is_beside = false;  // it wrote beside what is used and was not written there
    bool is_apart = false;   // executed inside of what only the second run did
    bool is_after = false;   // only when the second run had failed
    double weight = 0;       // how much of the target leads here, of its nodes
    std::vector<uint32_t> nodes;
    // See add_executions() and rank_statements().
    uint64_t times_a = 0;
    uint64_t times_b = 0;
    bool is_branch = false;
    bool has_new_way = false;
    double suspicion = 0;
  };
  struct StatementEdge {
    uint32_t from = 0;
    uint32_t to = 0;
    bool is_control = false;  // and nothing else

    auto operator<=>(const StatementEdge&) const = default;
  };
  /// A line of the answer.
  struct Line {
    enum class Kind : uint8_t {
      kTarget,
      kPlace,  // a line of the source, on the way from the target to the input
      kState,  // what stays in memory and was not written by the same code
      kSite,   // where one of the runs did what the other did not
      kInput,
      kAside,  // lines that are not on the way, but suspicious
    };
    Kind kind = Kind::kPlace;
    uint32_t finding = 0;         // 1 for D1; 0: none
    std::optional<RunSide> run;   // kSite: whose
    std::vector<uint32_t> nodes;  // of the graph that it tells of
    /// kPlace: the edge whose values differ, if one is told; kState: the one that uses it.
    std::optional<uint32_t> edge;
    std::vector<uint32_t> statements = {};  // kAside: of one function, the most suspicious first
    bool decides = false;                   // kPlace: the runs part behind it
    bool is_first_wrong = false;            // kState: the earliest with evidence
    uint64_t copies = 0;                    // lines before it that only passed on a value
    uint64_t between = 0;                   // lines before it that were left out
    std::optional<RunSide> frees;  // kPlace, kState: this run, what the way leads to it for
    uint64_t rounds = 0;           // kPlace: so often it passed on what differs
  };
  /// What the answer comes to.
  struct Headline {
    enum class Kind : uint8_t {
      kNone,     // there is nothing to tell
      kSame,     // see `same`
      kInput,    // the node is an input
      kCut,      // the search came to its limit at the node
      kNoInput,  // the trail ends at the node
    };
    Kind kind = Kind::kNone;
    uint32_t node = 0;
    // kInput: of the bytes of files that are text.
    std::optional<TextPlace> text_a;
    std::optional<TextPlace> text_b;
  };

  Side a;
  Side b;
  Outcome outcome = Outcome::kDifferent;
  Target::Kind target_kind = Target::Kind::kDivergence;
  TargetSubject target;
  TargetValue target_a;
  TargetValue target_b;
  Headline headline;
  std::optional<NamedInstruction>
      gave_up;                          // the second run's call that does not return, see Aftermath
  Sameness same;                        // of kSame
  std::vector<InputDifference> inputs;  // that differ, whether they matter or not
  std::vector<WhyNote> notes;
  /// What the second run did to memory that no program may do, the most telling first; what the
  /// first run does, too, last.
  std::vector<Misuse> misuses;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  bool cut = false;
  std::vector<Statement> statements;  // the most suspicious first
  std::vector<StatementEdge> statement_edges;
  size_t basic_statements = 0;
  size_t statements_left_out = 0;
  std::vector<Line> answer;
  /// What a way that is too long leaves out: in front of each line of the answer its copies and
  /// what else is between, in their order.
  std::vector<Line> left_out;
  size_t hidden = 0;  // lines of the graph that the answer does not tell
  /// Base names of the files that the processes of the graph execute; the earliest process first.
  std::vector<std::string> programs;
  uint64_t aligned = 0;
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  uint64_t divergences = 0;

  /// Lines beside those of the Basic graph: what differs was computed with their help.
  [[nodiscard]] size_t helping_statements() const {
    return statements.size() + statements_left_out - basic_statements;
  }
  /// Code of the module is the program's own.
  [[nodiscard]] bool is_own(const std::string& module) const {
    return std::ranges::find(programs, module) != programs.end();
  }
};

// What why() tells of itself behind the alignment (base/work.h).
inline constexpr std::string_view kFindingTarget = "finding what went wrong";
inline constexpr std::string_view kFollowing = "following differences";
inline constexpr std::string_view kNaming = "naming values";
inline constexpr std::string_view kCheckingMemory = "checking memory";
inline constexpr std::string_view kCountingLines = "counting lines";

struct WhyOptions {
  uint32_t limit = 20'000;  // nodes
  double budget = 20;       // seconds for the Basic graph; 0: as long as it takes
  std::string anchor;       // where both runs begin, as in AlignOptions
  PairLoops loops = PairLoops::kContent;
  bool normalizes = true;      // addresses
  bool enhances = true;        // else the Basic graph alone
  std::set<uint32_t> regions;  // nodes whose regions are looked into; none: the first ones
  std::vector<AllocatorRule> allocators;
  TargetChoice target;
  WorkSink work;  // stages of align(), then these
};

/// Errors as of align() and choose_targets().
Result<WhyReport> why(RunPair& runs, const WhyOptions& options);

}  // namespace twinrun
