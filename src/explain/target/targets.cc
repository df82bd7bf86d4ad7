// SPDX-License-Identifier: MIT
#include "explain/target/targets.h"

#include "base/text.h"
#include "explain/inputs/read_files.h"
#include "explain/target/output_bytes.h"
#include "explain/target/output_stretches.h"
#include "explain/target/stopped_threads.h"
#include "kernel/how_ended.h"
#include "kernel/syscalls.h"
#include "trace/event.h"
#include "values/past_state.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <set>
#include <string_view>

namespace twinrun {
namespace {

constexpr size_t kStretchesMost = 64;
constexpr uint32_t kBytesMost = 8;
constexpr std::string_view kNowhere = "/dev/null";
constexpr size_t kThreadsMost = 3;  // of a run that was stopped, beside the first

struct LastBlock {
  ProcessView* view = nullptr;
  BlockAt block;
  Position position;  // of its last instruction that was completed, or the one behind that
  bool is_partial = false;
  uint32_t completed = 0;
};

/// The last block of the process in front of this one.
Result<std::optional<LastBlock>> last_block_before(Run& run, uint32_t process, BlockAt end) {
  TRY(ProcessView* const view, view_of(run, process));
  for (uint32_t number = end.segment + 1; number-- > 0;) {
    TRY(const SegmentSteps* segment, view->values->steps(number));
    const uint32_t blocks = number == end.segment ? std::min(end.ordinal, segment->block_count())
                                                  : segment->block_count();
    if (blocks == 0) continue;
    LastBlock out{.view = view, .block = {number, blocks - 1}};
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

/// The block that the process executed last.
Result<std::optional<LastBlock>> last_block(Run& run, uint32_t process) {
  TRY(ProcessView* const view, view_of(run, process));
  if (view->values->segments() == 0) return std::nullopt;
  return last_block_before(run, process, {view->values->segments() - 1, ~0u});
}

/// An instruction that could not be executed, though a handler of the program took it from there.
struct CaughtFault {
  uint32_t signal = 0;
  BlockAt end;  // the block behind the instruction's
};

/// The first one of a process.
Result<std::optional<CaughtFault>> caught_fault(const Reader& reader, const Process& process) {
  for (uint32_t number = 0; number < process.segments.size(); ++number) {
    TRY(const SegmentData data,
        reader.load(process.segments[number], stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    for (Event event; events.next(event);) {
      const auto signal = SignalEvent::parse(event);
      // One that was sent finds all instructions executed that were begun.
      constexpr uint32_t kFault = TW_SIGNAL_HANDLED | TW_SIGNAL_PARTIAL;
      if (!signal || (signal->flags & kFault) != kFault) continue;
      switch (signal->signal) {
        case SIGSEGV:
        case SIGBUS:
        case SIGFPE:
        case SIGILL: return CaughtFault{signal->signal, {number, static_cast<uint32_t>(event.at)}};
        default: break;
      }
    }
  }
  return std::nullopt;
}

class TargetFinder {
 public:
  explicit TargetFinder(RunPair& runs) : runs_(runs) {}

  /// How the processes ended.
  Result<void> add_end(uint32_t number_a, uint32_t number_b) {
    const Process* a = runs_.run(RunSide::kA).reader().process(number_a);
    const Process* b = runs_.run(RunSide::kB).reader().process(number_b);
    TRY(const HowEnded how_a, how_ended(runs_.run(RunSide::kA).reader(), *a));
    TRY(const HowEnded how_b, how_ended(runs_.run(RunSide::kB).reader(), *b));
    using How = HowEnded::Kind;
    // Of two runs that were stopped nobody knows how they would have ended.
    if (how_a.kind == how_b.kind && (how_a.kind == How::kStopped || how_a.status == how_b.status))
      return {};
    TRY(const auto last_a, last_block(runs_.run(RunSide::kA), number_a));
    TRY(const auto last_b, last_block(runs_.run(RunSide::kB), number_b));
    if (!last_a || !last_b) return {};
    using Subject = TargetSubject::Kind;
    Target out{.value_a = {TargetValue::Kind::kEnd, how_a, {}},
               .value_b = {TargetValue::Kind::kEnd, how_b, {}}};
    const auto either = [&](How kind) { return how_a.kind == kind || how_b.kind == kind; };
    if (how_a.kind == How::kExited && how_b.kind == How::kExited) {
      out.kind = Target::Kind::kExit;
      out.what.kind = Subject::kExitStatus;
      out.difference = {.a = last_a->position, .b = last_b->position};
      const uint64_t where = reg::kRdi;  // the first argument
      out.difference.place = ValuePairs::Place{false, where, where, 1};
      targets.push_back(std::move(out));
      return {};
    }
    const How worst = either(How::kCrashed)        ? How::kCrashed
                      : either(How::kStopped)      ? How::kStopped
                      : how_b.kind != How::kExited ? how_b.kind
                                                   : how_a.kind;
    out.kind = worst == How::kCrashed   ? Target::Kind::kCrash
               : worst == How::kStopped ? Target::Kind::kHang
                                        : Target::Kind::kExit;
    const bool is_b = how_b.kind == worst;
    out.what.kind =
        (is_b ? how_b : how_a).is_cut ? Subject::kEndOfRecording : Subject::kEndOfProgram;
    const RunSide side = is_b ? RunSide::kB : RunSide::kA;
    const LastBlock& last = is_b ? *last_b : *last_a;
    std::vector<TargetDifference> stopped;
    if (worst == How::kStopped) {
      TRY(stopped, stopped_threads(runs_, side, is_b ? number_b : number_a));
    }
    if (stopped.empty()) {
      TRY(out.difference, end_of(side, last));
      out.difference.has_stopped = worst == How::kStopped;
    } else {
      out.difference = std::move(stopped.front());
      stopped.erase(stopped.begin());
      stopped.resize(std::min(stopped.size(), kThreadsMost));
      out.also = std::move(stopped);
    }
    targets.push_back(std::move(out));
    return {};
  }

  /// What they wrote.
  Result<void> add_output(uint32_t number_a, uint32_t number_b) {
    Run& run_a = runs_.run(RunSide::kA);
    Run& run_b = runs_.run(RunSide::kB);
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
      const Output all_a = joined_output(outputs_a, descriptor);
      const Output all_b = joined_output(outputs_b, descriptor);
      TRY_VOID(compare(number_a, all_a, number_b, all_b, found));
    }
    std::ranges::stable_sort(found, {}, [](const auto& pair) { return pair.first; });
    for (auto& [time, target] : found) {
      if (targets.size() < kStretchesMost) targets.push_back(std::move(target));
    }
    return {};
  }

  /// A fault of one run only that its own handler caught, and did not get over: what follows, the
  /// report of the fault and another exit status, follows from it.
  Result<void> add_caught(uint32_t number_a, uint32_t number_b) {
    const Reader& of_a = runs_.run(RunSide::kA).reader();
    const Reader& of_b = runs_.run(RunSide::kB).reader();
    TRY(const auto a, caught_fault(of_a, *of_a.process(number_a)));
    TRY(const auto b, caught_fault(of_b, *of_b.process(number_b)));
    if (a.has_value() == b.has_value()) return {};
    const RunSide side = b ? RunSide::kB : RunSide::kA;
    const uint32_t number = b ? number_b : number_a;
    const CaughtFault& fault = b ? *b : *a;
    TRY(const auto last, last_block_before(runs_.run(side), number, fault.end));
    if (!last) return {};
    TRY(const HowEnded how_a, how_ended(of_a, *of_a.process(number_a)));
    TRY(const HowEnded how_b, how_ended(of_b, *of_b.process(number_b)));
    const HowEnded caught{HowEnded::Kind::kCrashed, fault.signal, false,
                          "interrupted by " + signal_name(fault.signal)};
    Target out{.kind = Target::Kind::kCrash,
               .value_a = {TargetValue::Kind::kEnd, a ? caught : how_a, {}},
               .value_b = {TargetValue::Kind::kEnd, b ? caught : how_b, {}}};
    out.what.kind = TargetSubject::Kind::kEndOfProgram;
    TRY(out.difference, end_of(side, *last));
    targets.insert(targets.begin(), std::move(out));
    return {};
  }

  void add_divergence() {
    for (const ThreadAlignment& thread : runs_.report().threads) {
      for (uint32_t i = 0; i < thread.regions.size(); ++i) {
        const AlignedRegion& region = thread.regions[i];
        if (region.is_aligned || region.a.from == 0 || region.b.from == 0) continue;
        Target out{.kind = Target::Kind::kDivergence};
        out.difference = {.a = thread.a, .b = thread.b, .decides = true};
        out.difference.a->step = {region.a.from - 1};
        out.difference.b->step = {region.b.from - 1};
        targets.push_back(std::move(out));
        return;
      }
    }
  }

  /// Which files the runs read themselves: what is written to those, nobody has seen yet.
  Result<void> find_passed_on() {
    for (const RunSide side : {RunSide::kA, RunSide::kB}) {
      const Reader& reader = runs_.run(side).reader();
      for (const auto& [number, process] : reader.processes()) {
        TRY(const auto files, read_files(reader, process));
        for (const ReadFile& file : files) {
          if (!file.contents.empty())
            passed_on_[static_cast<size_t>(side)].emplace(base_name(file.path));
        }
      }
    }
    return {};
  }

  std::vector<Target> targets;

 private:
  /// The end of a run that was killed, or that did not end.
  Result<TargetDifference> end_of(RunSide side, const LastBlock& last) {
    TargetDifference out;
    (side == RunSide::kA ? out.a : out.b) = last.position;
    if (!last.is_partial) {
      // It went where there is nothing to execute: what told it where.
      TRY(const bool is_told, goes_where_told(last));
      if (const auto there = is_told ? runs_.counterpart(side, last.position) : std::nullopt) {
        (side == RunSide::kA ? out.b : out.a) = *there;
        out.decides = true;
      }
      return out;
    }
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
    Run& run = runs_.run(other(side));
    TRY(ProcessView* const view, view_of(run, there.process.value));
    const auto found = view->values->find(there.thread, there.step);
    if (!found) return out;
    TRY(const uint64_t pc, pc_of(*last.view, at));
    TRY(const uint64_t pc_there, pc_of(*view, {found->block, found->instruction}));
    if (pc == pc_there) (side == RunSide::kA ? out.b : out.a) = there;
    return out;
  }

  /// The block ends with a jump, call or return whose target is a value.
  static Result<bool> goes_where_told(const LastBlock& last) {
    TRY(const BlockFlow* flow, last.view->slicer.flow_at(last.block));
    return flow->ir.next.kind == IrOperand::Kind::kTemp;
  }

  static Result<uint64_t> pc_of(ProcessView& view, const InstructionAt& at) {
    TRY(const SegmentSteps* segment, view.values->steps(at.block.segment));
    const BlockDef* def = view.values->dictionary().find(segment->value(at.block.ordinal));
    if (def == nullptr) return fail("T022", "a block is not defined");
    return address_of(*def, at.instruction);
  }

  Result<void> compare(uint32_t number_a, const Output& a, uint32_t number_b, const Output& b,
                       std::vector<std::pair<uint64_t, Target>>& found) {
    const std::string where = output_name(a, b);
    if (where == kNowhere) return {};
    const bool is_passed_on =
        passed_on_[0].contains(base_name(a.name)) || passed_on_[1].contains(base_name(b.name));
    for (const OutputStretch& stretch : differing_stretches(a, b, kStretchesMost)) {
      const OutputByte of_a = output_byte(a, stretch.at_a);
      const OutputByte of_b = output_byte(b, stretch.at_b);
      Target target{.kind = Target::Kind::kOutput,
                    .is_passed_on = is_passed_on,
                    .what = {TargetSubject::Kind::kOutputByte,
                             where,
                             of_b.piece != nullptr ? stretch.at_b : stretch.at_a,
                             {}},
                    .value_a = of_a.told(),
                    .value_b = of_b.told()};
      if (of_a.piece != nullptr) {
        TRY(target.difference.a, end_of_block(runs_.run(RunSide::kA), number_a, of_a.piece->block));
      }
      if (of_b.piece != nullptr) {
        TRY(target.difference.b, end_of_block(runs_.run(RunSide::kB), number_b, of_b.piece->block));
      }
      const uint64_t time = order_of(of_b.piece != nullptr ? *of_b.piece : *of_a.piece);
      if (of_a.piece == nullptr || of_b.piece == nullptr) {
        // One has written more.
        const bool is_more_a = of_b.piece == nullptr;
        TRY_VOID(find_missing(is_more_a ? RunSide::kA : RunSide::kB, is_more_a ? of_a : of_b,
                              is_more_a ? b : a, target.difference));
      } else {
        target.difference.place =
            ValuePairs::Place{true, of_a.piece->address + of_a.skip,
                              of_b.piece->address + of_b.skip, differing_bytes(of_a, of_b)};
      }
      found.emplace_back(time, std::move(target));
    }
    return {};
  }

  /// From these on, which differ.
  static uint32_t differing_bytes(const OutputByte& a, const OutputByte& b) {
    const uint64_t both = std::min(
        {a.piece->bytes.size() - a.skip, b.piece->bytes.size() - b.skip, uint64_t{kBytesMost}});
    uint32_t length = 1;
    while (length < both && a.piece->bytes[a.skip + length] != b.piece->bytes[b.skip + length])
      ++length;
    return length;
  }

  /// What one run has written and the other has not. When both gave the kernel a buffer at the same
  /// place of the program, what matters is who filled it, or how much of it was given.
  Result<void> find_missing(RunSide side, const OutputByte& more, const Output& less,
                            TargetDifference& out) {
    const Position call = *(side == RunSide::kA ? out.a : out.b);
    const auto there = runs_.counterpart(side, call);
    if (!there) return {};
    TRY(ProcessView* const view, view_of(runs_.run(side), call.process.value));
    TRY(const auto writers, ValuePairs::writers_at_end({view, more.piece->block},
                                                       {true, more.piece->address + more.skip, 1}));
    if (!writers.empty() && writers[0].writer.kind == LastWriter::Kind::kStatement) {
      const LastWriter& writer = writers[0].writer;
      TRY(const SegmentSteps* segment, view->values->steps(writer.block.segment));
      TRY(const BlockFlow* flow, view->slicer.flow_at(writer.block));
      const Position filled{
          call.process,
          {segment->thread_of(writer.block.ordinal)},
          {segment->steps[writer.block.ordinal] + flow->instruction_of[writer.statement]}};
      const auto where = runs_.where(side, filled);
      if (where && !where->is_aligned) {
        (side == RunSide::kA ? out.a : out.b) = filled;
        return {};
      }
    }
    for (const OutputPiece& piece : less.pieces) {
      TRY(const Position at,
          end_of_block(runs_.run(other(side)), there->process.value, piece.block));
      if (at != *there || piece.bytes.size() == more.piece->bytes.size()) continue;
      (side == RunSide::kA ? out.b : out.a) = *there;
      out.place = ValuePairs::Place{false, reg::kRdx, reg::kRdx, 8};
      return {};
    }
    return {};
  }

  static uint64_t order_of(const OutputPiece& piece) {
    return uint64_t{piece.block.segment} << 32 | piece.block.ordinal;
  }

  RunPair& runs_;
  std::array<std::set<std::string, std::less<>>, 2> passed_on_;  // by side: base names
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> process_pairs(const RunPair& runs) {
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (const ThreadAlignment& thread : runs.report().threads) {
    const std::pair pair{thread.a.process.value, thread.b.process.value};
    if (pair.first != 0 && pair.second != 0 && std::ranges::find(out, pair) == out.end())
      out.push_back(pair);
  }
  return out;
}

Result<std::optional<Target>> end_target(RunPair& runs, uint32_t process_a, uint32_t process_b) {
  TargetFinder finder(runs);
  TRY_VOID(finder.add_end(process_a, process_b));
  if (finder.targets.empty()) return std::nullopt;
  return std::move(finder.targets[0]);
}

Result<std::vector<Target>> find_targets(RunPair& runs) {
  TargetFinder finder(runs);
  const auto processes = process_pairs(runs);
  for (const auto& [a, b] : processes) TRY_VOID(finder.add_end(a, b));
  TRY_VOID(finder.find_passed_on());
  for (const auto& [a, b] : processes) TRY_VOID(finder.add_output(a, b));
  // A program that lives with its faults is not told that they are one.
  if (!finder.targets.empty())
    for (const auto& [a, b] : processes) TRY_VOID(finder.add_caught(a, b));
  if (finder.targets.empty()) finder.add_divergence();
  // A crash explains more than the exit status of whoever started the process, and what stays more
  // than what the runs wrote for themselves.
  std::ranges::stable_sort(finder.targets, {}, [](const Target& target) {
    return std::pair(target.kind, target.is_passed_on);
  });
  return std::move(finder.targets);
}

}  // namespace twinrun
