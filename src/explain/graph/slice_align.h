// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/own_files.h"
#include "explain/graph/causal_graph.h"
#include "explain/graph/handed_over.h"
#include "explain/graph/same_pointer.h"
#include "explain/graph/value_pairs.h"
#include "values/control_finder.h"
#include "values/working_directory.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace twinrun {

struct SliceAlignOptions {
  uint32_t visits = 100'000;    // blocks that are looked into for each region
  uint32_t loop_blocks = 3000;  // of a run that did not end, to find its loop
  uint32_t loop_branches = 40;
  uint32_t limit = 20'000;  // nodes
  double budget = 0;        // seconds; 0: as long as it takes
  // Segments of the runs that are computed before the search ends: of the Basic graph once it has
  // come to an input, and of the Enhanced one. Counted instead of seconds, so that answers repeat.
  uint32_t patience = 100;
  uint32_t regions = 24;           // so many disaligned regions are looked into, the target's first
  std::set<uint32_t> chosen = {};  // none: all of these; else those of these nodes
  uint32_t in_region = 12000;      // instructions of each
  uint32_t instances = 4;          // of each instruction of the code
  uint32_t pairs = 1500;           // instructions of both runs that regions lead to
  uint32_t old_segments = 200;     // are searched for what was forgotten
  uint32_t old_words = 512;        // whose neighbours in memory are looked at
  std::function<void(double)> progress = {};  // how much is done, from 0 to 1
};

/// What differs, from which the search goes back.
struct TargetDifference {
  // The instructions; nothing: the run does not come to it.
  std::optional<Position> a;
  std::optional<Position> b;
  /// Of the run that did not come to the instruction's end; the other one is its counterpart.
  std::optional<std::pair<RunSide, InstructionAt>> fault;
  /// Bytes that both have when their blocks have ended: what a system call is given.
  std::optional<ValuePairs::Place> place;
  /// What the instructions see that is not the same, when that is known already.
  std::vector<DifferentOperand> operands;
  /// Bytes that are wrong in the second run, with nothing to compare them to: `a` is not given.
  std::optional<BytesOf> wrong;
  bool decides = false;      // the runs part behind these instructions
  bool uses = false;         // all that the instructions use is in question
  bool has_stopped = false;  // one of the runs did not end by itself
};

/// Slice-Align of differential slicing: goes back from the target in both runs at once. At
/// instructions that correspond it follows the operands that differ; where the writers do not
/// correspond, it goes on at the divergence that led to that.
class SliceAlign {
 public:
  SliceAlign(RunPair& runs, PointerMatcher& pointers, SliceAlignOptions options)
      : runs_(runs),
        pairs_(pointers),
        own_files_(runs),
        hand_overs_(runs),
        options_(std::move(options)) {}

  /// The graph of all targets together.
  Result<CausalGraph> run(std::span<const TargetDifference> targets);

 private:
  /// What the search has cost so far.
  [[nodiscard]] uint64_t work() const;
  /// This share of the budget is spent.
  [[nodiscard]] bool is_late(double share) const;
  [[nodiscard]] double done_share(uint64_t time, uint64_t first) const;
  Result<void> add_target(const TargetDifference& target);
  Result<void> add_wrong(const TargetDifference& target);
  using Where = RunPair::Where;
  /// What wrote bytes, in one run.
  struct End {
    RunSide side = RunSide::kA;
    ProcessView* view = nullptr;
    LastWriter writer;
    BytesOf bytes;
    ByteMask value_bytes = kAllBytes;
    uint32_t differs = 0;                      // the first byte that does,
    std::optional<uint8_t> byte;               // and that byte
    std::optional<InstructionOf> instruction;  // that wrote, or made the system call
    std::optional<OutsideSource> source;       // unless an instruction wrote
    std::optional<Where> where;
  };
  struct Task {
    uint64_t time = 0;  // latest first, so that the segments of the runs are computed once
    uint32_t node = 0;
    bool operator<(const Task& other) const {
      return time != other.time ? time < other.time : node > other.node;
    }
  };
  /// An instruction of the code of both runs.
  using CodeOf = std::tuple<uint32_t, uint32_t, uint32_t>;
  static Result<CodeOf> code_of(const InstructionOf& a, const InstructionOf& b);
  /// What is to be explained of a node.
  struct Open {
    ValuePairs::Wanted statements;  // not explained yet
    ValuePairs::Wanted done;
    bool decides = false;
    bool has_decided = false;
    bool is_queued = false;
    // A block that pointers meant which were read later, if they are the same here.
    std::optional<PointerMatcher::Ended> meant;
    // The way by which it was found, and how often that came by the same code.
    static constexpr uint32_t kNone = ~0u;
    uint32_t found_by = kNone;
    uint32_t round = 0;
    uint32_t earlier = kNone;  // the node of the same code that it was found through
  };

  Result<InstructionOf> instruction_at(RunSide side, const Position& position);
  Result<InstructionOf> last_instruction(ProcessView& view, BlockAt block);
  Result<InstructionOf> instruction_of(ProcessView& view, const InstructionAt& at);
  Result<uint32_t> aligned_node(const InstructionOf& a, const InstructionOf& b);
  void queue(uint32_t node);
  Result<void> explain(uint32_t node);
  /// How often the way to this node has come by the same code before it.
  Result<uint32_t> round_of(uint32_t node);
  /// Of a value that has come through many rounds of the same code: leads on to the first round
  /// that differs. False when that is not to be had.
  Result<bool> skip_rounds(uint32_t node, const ValuePairs::Wanted& wanted);
  /// The instruction behind this one, when the run could not execute it.
  Result<std::optional<InstructionOf>> fault_behind(const InstructionOf& at);
  /// What such an instruction was about to use, when only one of the runs failed there.
  Result<std::vector<DifferentOperand>> fault_operands(const InstructionOf& a,
                                                       const InstructionOf& b);
  Result<void> follow(uint32_t node, const DifferentOperand& operand);
  /// From an access through a pointer that means the same, but for a block that a run has freed.
  Result<void> follow_freed(uint32_t node, const PointerMatcher::Ended& ended);
  Result<void> follow_pair(uint32_t node, const DifferentOperand& operand, uint32_t first,
                           uint32_t count, const LastWriter& a, const LastWriter& b);
  /// `value`: what the bytes were when they were read.
  Result<End> end_of_read(RunSide side, ProcessView& view, const LastWriter& writer,
                          const BytesOf& bytes, std::span<const uint8_t> value);
  /// `passed`: so many processes only passed the bytes on.
  Result<End> end_of(RunSide side, ProcessView& view, const LastWriter& writer,
                     const BytesOf& bytes, uint32_t passed = 0);
  /// Of what another process, or an earlier call, gave.
  Result<std::optional<End>> end_of_handed(RunSide side, const HandedOver& given, uint32_t passed);
  /// Of bytes that a process had when the block ended; nothing when nobody has written them.
  Result<std::optional<End>> end_of_given(RunSide side, ProcessView& view, BlockAt block,
                                          const BytesOf& bytes, uint32_t passed);
  /// Of a process that ended at an instruction that it could not execute.
  Result<End> fault_end(RunSide side, const HandedOver& given);
  Result<std::optional<uint32_t>> join(const End& a, const End& b);
  /// Of bytes at places that do not correspond: whether their writers tell more than that.
  [[nodiscard]] bool tells_more(const End& a, const End& b) const;
  /// A system call that both made, and was not given the same: what differs of its arguments. What
  /// it answered is no input then.
  Result<std::optional<uint32_t>> call_node(const End& a, const End& b);
  /// The same of a call that both gave a relative path: who said what that means.
  Result<std::optional<uint32_t>> directory_node(const End& a, const End& b);
  static Result<std::optional<GivenPath>> directory_change(const End& end);
  /// The end, and where a byte of it that differs was copied from, and where that was, and so on.
  Result<std::vector<End>> copied_ends(const End& end);
  /// Of an unaligned node: when both runs only copied what they wrote, each by other instructions,
  /// leads on to where their copies come from one place. Whether it does.
  Result<bool> follow_copies(uint32_t node, const End& a, const End& b);
  Result<uint32_t> unaligned_node(const End* a, const End* b, DivergenceType type);
  Result<void> to_divergence(uint32_t node, const Where& where);
  Result<uint32_t> input_node(const End& a, const End& b);
  /// What both runs read from files that they themselves have written.
  Result<std::optional<uint32_t>> own_file_node(const End& a, const End& b);
  Result<void> wild_write(uint32_t node, const End& end);
  /// The Enhanced graph: what the instructions of a node depend on in their own run, as far as
  /// only that run has executed it; from there on what differs, again.
  Result<void> enhance(uint32_t node, RunSide side, const InstructionOf& from,
                       const std::optional<BytesOf>& bytes = std::nullopt);
  Result<void> add_slice(uint32_t node, RunSide side, const InstructionOf& from,
                         const Slice& slice);
  /// What the results of a region depend on in the runs that executed it.
  Result<void> enhance_region(uint32_t node);
  Result<void> add_enhanced();
  Result<void> enhance_files(RunSide side, const Slice& slice, const std::vector<uint32_t>& number,
                             const InstructionOf& from);
  Result<void> enhance_loop(uint32_t target, RunSide side, const InstructionOf& end);
  Result<void> add_guards();
  /// Words that the second run used, for add_neighbours().
  void note_old_words(const Slice& slice, const std::vector<uint32_t>& number,
                      const InstructionOf& from);
  /// What was written beside NULL pointers among them later.
  Result<void> add_neighbours();
  Result<std::vector<InstructionOf>> forgetful_writers(const InstructionOf& reader,
                                                       const std::optional<LastWriter>& before,
                                                       const std::optional<LastWriter>& behind);
  /// The node of an instruction of a slice, with what is wanted of it where both runs have it.
  Result<uint32_t> single_node(RunSide side, const InstructionOf& at, const Slice::Stop* stop);
  Result<Slice> slice_from(RunSide side, const InstructionOf& from,
                           const std::optional<BytesOf>& bytes);
  Result<ByteMask> result_bytes(const End& end);
  void add_edge(CausalGraph::Edge edge);

  /// Slices one run alone, with what decided.
  struct OwnSlicer {
    explicit OwnSlicer(ProcessView& view)
        : control(view.of, *view.values), slicer(*view.values, view.flows, &control) {}
    ControlFinder control;
    Slicer slicer;
  };

  OwnSlicer& slicer_of(ProcessView& view);
  static BlockOf block_of(const InstructionOf& instruction) {
    return {instruction.view, instruction.at.block};
  }

  /// What was written to a file and is read from it later.
  struct FileBytes {
    uint32_t node = 0;
    RunSide side = RunSide::kA;
    InstructionOf at;
    BytesOf bytes;
  };

  struct OldWord {
    uint32_t node = 0;
    InstructionOf reader;
    uint64_t word = 0;
    BlockAt written;  // the first block when nothing has written it
  };

  RunPair& runs_;
  ValuePairs pairs_;
  OwnFiles own_files_;
  HandOvers hand_overs_;
  SliceAlignOptions options_;
  CausalGraph out_;
  std::vector<Open> open_;
  std::priority_queue<Task> tasks_;
  std::map<ProcessView*, std::unique_ptr<OwnSlicer>> slicers_;
  std::optional<std::pair<RunSide, InstructionAt>> fault_;
  std::map<uint32_t, BytesOf> target_bytes_;  // of the second run, by node
  std::map<std::pair<Position, Position>, uint32_t> aligned_;
  std::map<std::pair<RunSide, Position>, uint32_t> single_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::map<CodeOf, uint32_t> next_skip_;  // the round at which one is tried
  bool is_enhancing_ = false;
  bool has_input_ = false;        // that somebody gave the program
  std::set<ProcessView*> views_;  // that questions were asked of
  bool stops_ = true;             // slices of one run: at what both have executed
  bool has_stopped_ = false;      // the target is that a run did not end
  std::vector<FileBytes> files_;
  std::vector<OldWord> old_words_;
  std::set<uint64_t> known_words_;
  using RegionKey = std::pair<uint32_t, uint32_t>;
  std::map<std::tuple<DivergenceType, RegionKey, RegionKey, Position, Position>, uint32_t>
      unaligned_;
  std::map<std::tuple<int, Position, Position, std::string, std::string>, uint32_t> inputs_;
  /// Their numbers, by where the bytes begin that they are about.
  std::map<std::tuple<uint32_t, uint32_t, CausalGraph::Edge::Kind, uint64_t, uint64_t>, size_t>
      edges_;
};

}  // namespace twinrun
