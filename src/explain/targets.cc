// SPDX-License-Identifier: MIT
#include "explain/targets.h"

#include "base/escape.h"
#include "run/outputs.h"
#include "run/past_state.h"
#include "run/syscalls.h"

#include <algorithm>
#include <csignal>

namespace twinrun {
namespace {

constexpr uint32_t kFirstArgument = 7;  // rdi, among the general registers
constexpr size_t kStretchesMost = 64;
constexpr uint32_t kBytesMost = 8;

struct LastBlock {
  ProcessView* view = nullptr;
  BlockAt block;
  Position position;  // of its last instruction that was completed, or the one behind that
  bool is_partial = false;
  uint32_t completed = 0;
};

/// The block that the process executed last.
Result<std::optional<LastBlock>> last_block(RunView& run, uint32_t process) {
  TRY(ProcessView* const view, run.process(process));
  for (uint32_t number = view->values->segments(); number-- > 0;) {
    TRY(const SegmentValues* segment, view->values->segment(number));
    if (segment->block_count() == 0) continue;
    LastBlock out{.view = view, .block = {number, segment->block_count() - 1}};
    const auto partial =
        std::ranges::find(segment->runs.partial, out.block.ordinal, &PartialBlock::ordinal);
    out.is_partial = partial != segment->runs.partial.end();
    const uint32_t count = segment->counts[out.block.ordinal];
    out.completed = out.is_partial ? partial->completed : count;
    out.position = {{process},
                    {segment->thread_of(out.block.ordinal)},
                    {segment->steps[out.block.ordinal] +
                     (out.is_partial || count == 0 ? out.completed : count - 1)}};
    return out;
  }
  return std::nullopt;
}

std::string end_text(const Process& process) {
  if (!process.end) return "the recording ends";
  switch (process.end->how) {
    case EndKind::kExited: return fmt::format("{}", process.end->status);
    case EndKind::kKilled: return "killed by " + signal_name(process.end->status);
    case EndKind::kExec: return "became another program";
    case EndKind::kCut: return "stopped";
  }
  return "";
}

class TargetFinder {
 public:
  explicit TargetFinder(AlignedRuns& runs) : runs_(runs) {}

  /// How the processes ended.
  Result<void> add_end(uint32_t number_a, uint32_t number_b) {
    const Process* a = runs_.run(RunSide::kA).reader().process(number_a);
    const Process* b = runs_.run(RunSide::kB).reader().process(number_b);
    const EndKind how_a = a->end ? a->end->how : EndKind::kCut;
    const EndKind how_b = b->end ? b->end->how : EndKind::kCut;
    const bool same = how_a == how_b && (how_a == EndKind::kExec || how_a == EndKind::kCut ||
                                         a->end->status == b->end->status);
    if (same) return {};
    TRY(const auto last_a, last_block(runs_.run(RunSide::kA), number_a));
    TRY(const auto last_b, last_block(runs_.run(RunSide::kB), number_b));
    if (!last_a || !last_b) return {};
    Target out{.value_a = end_text(*a), .value_b = end_text(*b)};
    if (how_a == EndKind::kExited && how_b == EndKind::kExited) {
      out.kind = Target::Kind::kExit;
      out.what = "exit status";
      out.difference = {.a = last_a->position, .b = last_b->position};
      const uint64_t where = general_register(kFirstArgument);
      out.difference.place = ValuePairs::Place{false, where, where, 1};
      targets.push_back(std::move(out));
      return {};
    }
    const bool has_killed = how_a == EndKind::kKilled || how_b == EndKind::kKilled;
    out.kind = has_killed ? Target::Kind::kCrash : Target::Kind::kHang;
    out.what = has_killed ? "end of the program" : "end of the recording";
    if (how_a == EndKind::kExited) out.value_a = "exit status " + out.value_a;
    if (how_b == EndKind::kExited) out.value_b = "exit status " + out.value_b;
    // Of the run that ended early.
    const bool is_b = how_b != EndKind::kExited;
    TRY(out.difference, end_of(is_b ? RunSide::kB : RunSide::kA, is_b ? *last_b : *last_a));
    // Signals that others send to a process that does not end.
    const auto is_stopped = [](EndKind how, int status) {
      return how == EndKind::kCut ||
             (how == EndKind::kKilled &&
              (status == SIGINT || status == SIGTERM || status == SIGKILL || status == SIGALRM));
    };
    out.difference.has_stopped = is_stopped(
        is_b ? how_b : how_a, is_b ? b->end ? b->end->status : 0 : (a->end ? a->end->status : 0));
    targets.push_back(std::move(out));
    return {};
  }

  /// What they wrote.
  Result<void> add_output(uint32_t number_a, uint32_t number_b) {
    RunView& run_a = runs_.run(RunSide::kA);
    RunView& run_b = runs_.run(RunSide::kB);
    TRY(const auto outputs_a, outputs_of(run_a.reader(), *run_a.reader().process(number_a)));
    TRY(const auto outputs_b, outputs_of(run_b.reader(), *run_b.reader().process(number_b)));
    std::vector<std::pair<uint64_t, Target>> found;  // by time
    std::vector<int64_t> descriptors;
    for (const auto* outputs : {&outputs_a, &outputs_b}) {
      for (const Output& output : *outputs) {
        if (std::ranges::find(descriptors, output.descriptor) == descriptors.end())
          descriptors.push_back(output.descriptor);
      }
    }
    for (const int64_t descriptor : descriptors) {
      const Output all_a = joined(outputs_a, descriptor);
      const Output all_b = joined(outputs_b, descriptor);
      TRY_VOID(compare(number_a, all_a, number_b, all_b, found));
    }
    std::ranges::stable_sort(found, {}, [](const auto& pair) { return pair.first; });
    for (auto& [time, target] : found) {
      if (targets.size() < kStretchesMost) targets.push_back(std::move(target));
    }
    return {};
  }

  void add_divergence() {
    for (const ThreadAlignment& thread : runs_.report().threads) {
      for (uint32_t i = 0; i < thread.regions.size(); ++i) {
        const AlignedRegion& region = thread.regions[i];
        if (region.is_aligned || region.a.from == 0 || region.b.from == 0) continue;
        Target out{.kind = Target::Kind::kDivergence, .what = "first divergence"};
        out.difference = {.a = thread.a, .b = thread.b, .decides = true};
        out.difference.a->step = {region.a.from - 1};
        out.difference.b->step = {region.b.from - 1};
        targets.push_back(std::move(out));
        return;
      }
    }
  }

  /// A byte of what B wrote.
  Result<std::optional<Target>> wrong(uint32_t number, const WrongOutput& wrong) {
    RunView& run = runs_.run(RunSide::kB);
    TRY(const auto outputs, outputs_of(run.reader(), *run.reader().process(number)));
    for (const Output& output : outputs) {
      const bool is_meant = std::to_string(output.descriptor) == wrong.to ||
                            output.name == wrong.to || output.name.ends_with("/" + wrong.to);
      if (!is_meant) continue;
      const bool is_number = std::to_string(output.descriptor) == wrong.to;
      const Output all = is_number ? joined(outputs, output.descriptor) : output;
      const At at = find(all, wrong.offset);
      if (at.piece == nullptr) continue;
      Target out{.kind = Target::Kind::kOutput,
                 .what = fmt::format("{}, byte {}", output.name, wrong.offset),
                 .value_b = line_text(*at.piece, at.skip)};
      TRY(out.difference.b, position_of(run, number, at.piece->block));
      out.difference.wrong = BytesOf{true, at.piece->address + at.skip, 1};
      return out;
    }
    return std::nullopt;
  }

  std::vector<Target> targets;

 private:
  /// The end of a run that was killed, or that did not end.
  Result<TargetDifference> end_of(RunSide side, const LastBlock& last) {
    TargetDifference out;
    (side == RunSide::kA ? out.a : out.b) = last.position;
    if (!last.is_partial) return out;
    // The instruction at which it stopped; the other run's next one, if the runs went together.
    const InstructionAt at{last.block, last.completed};
    out.fault = {side, at};
    const auto where = runs_.where(side, last.position);
    if (!where) return out;
    const AlignedRegion& region = runs_.region(*where);
    const StepRange& own = side == RunSide::kA ? region.a : region.b;
    const StepRange& others = side == RunSide::kA ? region.b : region.a;
    // It has executed nothing by itself.
    if (!region.is_aligned && own.size() != 0) return out;
    const ThreadAlignment& thread = runs_.report().threads[where->thread];
    Position there = side == RunSide::kA ? thread.b : thread.a;
    there.step = {region.is_aligned ? others.to : others.from};
    RunView& run = runs_.run(other(side));
    TRY(ProcessView* const view, run.process(there.process.value));
    const auto found = view->values->find(there.thread, there.step);
    if (!found) return out;
    TRY(const uint64_t pc, pc_of(*last.view, at));
    TRY(const uint64_t pc_there, pc_of(*view, {found->block, found->instruction}));
    if (pc == pc_there) (side == RunSide::kA ? out.b : out.a) = there;
    return out;
  }

  static Result<uint64_t> pc_of(ProcessView& view, const InstructionAt& at) {
    TRY(const SegmentValues* segment, view.values->segment(at.block.segment));
    const BlockDef* def = view.values->dictionary().find(segment->value(at.block.ordinal));
    if (def == nullptr) return fail("T022", "a block is not defined");
    return address_of(*def, at.instruction);
  }

  /// All that went to a descriptor, whatever it meant.
  static Output joined(const std::vector<Output>& outputs, int64_t descriptor) {
    Output out{descriptor, "", {}, 0};
    for (const Output& output : outputs) {
      if (output.descriptor != descriptor) continue;
      if (out.name.empty()) out.name = output.name;
      for (const OutputPiece& piece : output.pieces) {
        out.pieces.push_back(piece);
        out.pieces.back().offset = out.size;
        out.size += piece.bytes.size();
      }
    }
    return out;
  }

  static Result<Position> position_of(RunView& run, uint32_t process, BlockAt block) {
    TRY(ProcessView* const view, run.process(process));
    TRY(const SegmentValues* segment, view->values->segment(block.segment));
    if (block.ordinal >= segment->block_count())
      return fail("T008", "segment {} has no block {}", block.segment, block.ordinal);
    const uint32_t count = segment->counts[block.ordinal];
    return Position{{process},
                    {segment->thread_of(block.ordinal)},
                    {segment->steps[block.ordinal] + (count == 0 ? 0 : count - 1)}};
  }

  /// The piece that holds a byte, and where in it; null: there is no such byte.
  struct At {
    const OutputPiece* piece = nullptr;
    uint64_t skip = 0;

    [[nodiscard]] uint8_t byte() const { return piece->bytes[skip]; }
  };
  static At find(const Output& output, uint64_t at) {
    const auto behind = std::ranges::upper_bound(output.pieces, at, {}, &OutputPiece::offset);
    if (behind == output.pieces.begin() || at >= output.size) return {};
    const OutputPiece& piece = *std::prev(behind);
    return {&piece, at - piece.offset};
  }

  /// Line by line: behind a difference the next lines are compared.
  Result<void> compare(uint32_t number_a, const Output& a, uint32_t number_b, const Output& b,
                       std::vector<std::pair<uint64_t, Target>>& found) {
    const std::string name = b.name.empty() ? a.name : b.name;
    const std::string where = name.empty() ? fmt::format("descriptor {}", a.descriptor) : name;
    const auto next_line = [](const Output& output, uint64_t at) {
      for (At here = find(output, at); here.piece != nullptr; here = find(output, ++at)) {
        if (here.byte() == '\n') return at + 1;
      }
      return output.size;
    };
    uint64_t at_a = 0;
    uint64_t at_b = 0;
    while (found.size() < kStretchesMost) {
      At of_a = find(a, at_a);
      At of_b = find(b, at_b);
      while (of_a.piece != nullptr && of_b.piece != nullptr && of_a.byte() == of_b.byte()) {
        of_a = find(a, ++at_a);
        of_b = find(b, ++at_b);
      }
      if (of_a.piece == nullptr && of_b.piece == nullptr) return {};
      Target target{.kind = Target::Kind::kOutput,
                    .what = fmt::format("{}, byte {}", where, of_b.piece != nullptr ? at_b : at_a),
                    .value_a = "nothing",
                    .value_b = "nothing"};
      if (of_a.piece != nullptr) {
        target.value_a = line_text(*of_a.piece, of_a.skip);
        TRY(target.difference.a, position_of(runs_.run(RunSide::kA), number_a, of_a.piece->block));
      }
      if (of_b.piece != nullptr) {
        target.value_b = line_text(*of_b.piece, of_b.skip);
        TRY(target.difference.b, position_of(runs_.run(RunSide::kB), number_b, of_b.piece->block));
      }
      const uint64_t time = order_of(of_b.piece != nullptr ? *of_b.piece : *of_a.piece);
      if (of_a.piece == nullptr || of_b.piece == nullptr) {
        // One has written more.
        found.emplace_back(time, std::move(target));
        return {};
      }
      const uint64_t both = std::min({of_a.piece->bytes.size() - of_a.skip,
                                      of_b.piece->bytes.size() - of_b.skip, uint64_t{kBytesMost}});
      uint32_t length = 1;
      while (length < both &&
             of_a.piece->bytes[of_a.skip + length] != of_b.piece->bytes[of_b.skip + length])
        ++length;
      target.difference.place = ValuePairs::Place{true, of_a.piece->address + of_a.skip,
                                                  of_b.piece->address + of_b.skip, length};
      found.emplace_back(time, std::move(target));
      at_a = next_line(a, at_a);
      at_b = next_line(b, at_b);
    }
    return {};
  }

  /// The line around a byte.
  static std::string line_text(const OutputPiece& piece, uint64_t at) {
    constexpr size_t kMost = 40;
    uint64_t from = at;
    while (from > 0 && at - from < kMost / 2 && piece.bytes[from - 1] != '\n') --from;
    uint64_t to = at;
    while (to < piece.bytes.size() && to - from < kMost && piece.bytes[to] != '\n') ++to;
    return '"' +
           escape_for_terminal(std::string(piece.bytes.begin() + static_cast<ptrdiff_t>(from),
                                           piece.bytes.begin() + static_cast<ptrdiff_t>(to))) +
           '"';
  }

  static uint64_t order_of(const OutputPiece& piece) {
    return uint64_t{piece.block.segment} << 32 | piece.block.ordinal;
  }

  AlignedRuns& runs_;
};

}  // namespace

Result<Target> wrong_output(AlignedRuns& runs, const WrongOutput& wrong) {
  TargetFinder finder(runs);
  for (const auto& [number, process] : runs.run(RunSide::kB).reader().processes()) {
    TRY(auto found, finder.wrong(number, wrong));
    if (found) return std::move(*found);
  }
  return fail("X001", "the second run wrote no byte {} to {}", wrong.offset, wrong.to);
}

Result<std::vector<Target>> find_targets(AlignedRuns& runs) {
  TargetFinder finder(runs);
  std::vector<std::pair<uint32_t, uint32_t>> processes;
  for (const ThreadAlignment& thread : runs.report().threads) {
    const std::pair pair{thread.a.process.value, thread.b.process.value};
    if (pair.first != 0 && pair.second != 0 &&
        std::ranges::find(processes, pair) == processes.end())
      processes.push_back(pair);
  }
  for (const auto& [a, b] : processes) TRY_VOID(finder.add_end(a, b));
  for (const auto& [a, b] : processes) TRY_VOID(finder.add_output(a, b));
  if (finder.targets.empty()) finder.add_divergence();
  // A crash explains more than the exit status of whoever started the process.
  std::ranges::stable_sort(finder.targets, {}, &Target::kind);
  return std::move(finder.targets);
}

}  // namespace twinrun
