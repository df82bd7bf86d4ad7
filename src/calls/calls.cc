// SPDX-License-Identifier: MIT
#include "calls/calls.h"

#include "kernel/syscalls.h"
#include "run/executable_files.h"
#include "run/function_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace twinrun {
namespace {

// What a frame's tag says: the nearest row around it, or itself, plus one; and
constexpr uint64_t kRowMask = (uint64_t{1} << 32) - 1;
constexpr uint64_t kOwn = uint64_t{1} << 32;         // the row is that of this very frame
constexpr uint64_t kSuppressed = uint64_t{1} << 33;  // nothing below it is shown
constexpr uint64_t kDecided = uint64_t{1} << 34;
constexpr size_t kStackMost = 64;

class TreeBuilder : public CallListener {
 public:
  TreeBuilder(CallWalk& walk, const CallOptions& options, const MappedFile* program,
              CallReport& out)
      : walk_(walk),
        symbolizer_(walk.process().symbolizer()),
        values_(walk.process().binaries()),
        options_(options),
        program_(program),
        out_(out) {}

  void called(ThreadNo thread, CallFrame& frame) override {
    frame.tag &= ~(kOwn | kDecided);
    if (!options_.values) return;
    // Until it is known what is called: a stub can make the loader call much before it gets there.
    std::vector<Arrival>& waiting = arrivals_[thread.value];
    if (waiting.size() >= kStackMost) waiting.erase(waiting.begin());
    waiting.push_back({frame.sp, walk_.now()});
  }

  void entered(ThreadNo thread, CallFrame& frame) override {
    ++out_.calls;
    if (frame.kind == CallFrame::Kind::kStart) frame.tag = 0;
    if (frame.kind == CallFrame::Kind::kStack) frame.tag &= ~(kOwn | kDecided);
    if (walk_.places().function(frame.function).is_stub)
      stubs_[thread.value] = {frame.sp, frame.function};
    decide(thread, frame);
  }

  void jumped(ThreadNo thread, CallFrame& frame, uint32_t /*from*/) override {
    if ((frame.tag & kDecided) == 0) return decide(thread, frame);
    // A tail call of the function in question, out of one that is not shown.
    if ((frame.tag & (kOwn | kSuppressed)) == 0 && !options_.function.empty() &&
        walk_.places().function(frame.function).has_name(options_.function))
      return decide(thread, frame);
    if ((frame.tag & kOwn) == 0 || is_passed(frame.function)) return;
    CallNode& node = out_.rows[(frame.tag & kRowMask) - 1];
    if (node.folded == 0 && node.jumps.size() < kStackMost)
      node.jumps.push_back(label(frame.function, frame.entry, frame.block));
  }

  void left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) override {
    if ((frame.tag & kOwn) == 0) return;
    CallNode& node = out_.rows[(frame.tag & kRowMask) - 1];
    node.instructions += step.value - std::min(step.value, frame.step.value);
    --open_;
    if (node.folded == 0) {
      node.left = step;
      node.ends = how == FrameEnd::kReturn    ? "return"
                  : how == FrameEnd::kUnwound ? "unwound"
                                              : "open";
      if (how == FrameEnd::kReturn && options_.values && frame.kind == CallFrame::Kind::kCall)
        node.result = values_.result(walk_.places().function(frame.function), walk_.now());
    }
    stop_if_done(thread, step);
  }

 private:
  [[nodiscard]] bool is_passed(uint32_t function) const {
    return is_on_the_way(walk_.places().function(function));
  }

  /// As the program called it: a stub has the name that was asked for, the function behind it may
  /// be one of several variants.
  std::string called_label(ThreadNo thread, const CallFrame& frame) {
    constexpr std::string_view kSuffix = "@plt";
    const auto stub = stubs_.find(thread.value);
    if (stub != stubs_.end() && stub->second.first == frame.sp) {
      PlacedFunction named = walk_.places().function(stub->second.second);
      stubs_.erase(stub);
      if (named.name.ends_with(kSuffix)) {
        named.name.resize(named.name.size() - kSuffix.size());
        return source_name(named);
      }
    }
    return label(frame.function, frame.entry, frame.block);
  }

  std::string label(uint32_t function, uint64_t address, uint64_t blocks) {
    const PlacedFunction& there = walk_.places().function(function);
    if (function != CodePlaces::kUnknown) {
      if (std::string name = source_name(there); !name.empty()) return name;
      address = there.in_memory().value;
    }
    const ResolvedAddress place = symbolizer_.resolve({address}, blocks);
    if (!place.module.empty())
      return fmt::format("{}+{:#x}", place.module_name(), place.module_offset);
    return fmt::format("{:#x}", address);
  }

  struct Arrival {
    uint64_t sp = 0;
    CallMoment moment;
  };
  CallMoment take_arrival(ThreadNo thread, const CallFrame& frame) {
    std::vector<Arrival>& waiting = arrivals_[thread.value];
    const auto found = std::ranges::find(waiting, frame.sp, &Arrival::sp);
    if (found == waiting.end()) return {};
    const CallMoment out = found->moment;
    waiting.erase(found, waiting.end());
    return out;
  }

  [[nodiscard]] bool is_wanted(ThreadNo thread, const CallFrame& frame,
                               std::span<const CallFrame> around) const {
    if (options_.thread && *options_.thread != thread) return false;
    if (options_.range &&
        (thread != options_.range->from.thread || frame.step < options_.range->from.step ||
         frame.step >= options_.range->to.step))
      return false;
    const PlacedFunction& there = walk_.places().function(frame.function);
    if (!options_.function.empty()) {
      if (there.has_name(options_.function)) return true;
      if ((frame.tag & kRowMask) == 0) return false;
    }
    if (options_.all_modules || program_ == nullptr) return true;
    const auto is_own = [&](const PlacedFunction& f) {
      return f.file != nullptr && f.file->path == program_->path;
    };
    // What the start code does before main is the library's affair.
    if (frame.kind == CallFrame::Kind::kStart) return false;
    if (is_own(there)) return true;
    if (frame.kind == CallFrame::Kind::kSignal) return true;
    return around.size() > 1 && around[around.size() - 2].kind != CallFrame::Kind::kStart &&
           is_own(walk_.places().function(around[around.size() - 2].function));
  }

  void decide(ThreadNo thread, CallFrame& frame) {
    if (is_passed(frame.function)) return;
    frame.tag |= kDecided;
    const CallMoment moment = take_arrival(thread, frame);
    if ((frame.tag & kSuppressed) != 0) return;
    const std::span<const CallFrame> around = walk_.tracker().frames(thread);
    if (!is_wanted(thread, frame, around)) return;
    const auto parent = static_cast<uint32_t>((frame.tag & kRowMask) - 1);  // kNone for none
    const uint32_t depth = parent == CallNode::kNone ? 0 : out_.rows[parent].depth + 1;
    const auto suppress = [&](uint64_t& count) {
      ++count;
      frame.tag |= kSuppressed;
    };
    if (options_.depth && depth >= *options_.depth) return suppress(out_.too_deep);
    if (options_.fold != 0 && parent != CallNode::kNone) {
      // One call can be the end of several blocks.
      const BlockDef* block = frame.caller == 0 ? nullptr : walk_.dictionary().find(frame.caller);
      const uint64_t site = block == nullptr ? 0 : block->last_instruction().value;
      Repeated& repeated = repeated_[{parent, frame.function, site}];
      if (++repeated.count > options_.fold) return fold(thread, frame, repeated, parent, depth);
    }
    if (out_.rows.size() >= options_.limit) {
      walk_.ignore_memory();  // no more arguments: results have few strings
      return suppress(out_.hidden);
    }
    add(thread, frame, parent, depth, around, moment);
  }

  struct Repeated {
    uint64_t count = 0;
    uint32_t row = CallNode::kNone;
  };

  void fold(ThreadNo thread, CallFrame& frame, Repeated& repeated, uint32_t parent,
            uint32_t depth) {
    if (repeated.row == CallNode::kNone) {
      if (out_.rows.size() >= options_.limit) {
        ++out_.hidden;
        frame.tag |= kSuppressed;
        return;
      }
      repeated.row = static_cast<uint32_t>(out_.rows.size());
      CallNode& node = out_.rows.emplace_back();
      node.parent = parent;
      node.depth = depth;
      node.kind = "call";
      node.position = {{walk_.process().number()}, thread, frame.step};
      node.function = called_label(thread, frame);
      place(frame, node);
      call_site(frame, node);
    }
    ++out_.rows[repeated.row].folded;
    ++open_;
    frame.tag = kDecided | kOwn | kSuppressed | (uint64_t{repeated.row} + 1);
  }

  void place(const CallFrame& frame, CallNode& node) {
    const PlacedFunction& there = walk_.places().function(frame.function);
    node.address = there.file == nullptr ? frame.entry : there.in_memory().value;
    node.module = symbolizer_.resolve({node.address}, frame.block).module_name();
  }

  void call_site(const CallFrame& frame, CallNode& node) {
    const BlockDef* block = frame.caller == 0 ? nullptr : walk_.dictionary().find(frame.caller);
    if (block == nullptr) return;
    const ResolvedAddress place = symbolizer_.resolve_line(block->last_instruction(), frame.block);
    node.file = place.file;
    node.line = place.line;
    node.caller = place.function;
  }

  void add(ThreadNo thread, CallFrame& frame, uint32_t parent, uint32_t depth,
           std::span<const CallFrame> around, const CallMoment& moment) {
    frame.tag = kDecided | kOwn | (out_.rows.size() + 1);
    ++open_;
    CallNode& node = out_.rows.emplace_back();
    node.parent = parent;
    node.depth = depth;
    node.position = {{walk_.process().number()}, thread, frame.step};
    switch (frame.kind) {
      case CallFrame::Kind::kStart: node.kind = "start"; break;
      case CallFrame::Kind::kCall: node.kind = "call"; break;
      case CallFrame::Kind::kSignal: node.kind = "signal"; break;
      case CallFrame::Kind::kStack: node.kind = "stack"; break;
    }
    if (frame.kind == CallFrame::Kind::kSignal) node.signal = signal_name(frame.signal);
    node.function = called_label(thread, frame);
    place(frame, node);
    node.ends = "open";
    call_site(frame, node);
    const PlacedFunction& function = walk_.places().function(frame.function);
    if (frame.kind == CallFrame::Kind::kCall) {
      if (auto arguments = values_.arguments(function, moment)) {
        node.has_arguments = true;
        node.arguments = std::move(*arguments);
      } else if (options_.registers && moment.is_known) {
        node.has_arguments = true;
        static constexpr std::pair<const char*, unsigned> kRegisters[] = {
            {"rdi", 5}, {"rsi", 4}, {"rdx", 1}, {"rcx", 2}, {"r8", 8}, {"r9", 9}};
        for (const auto& [name, number] : kRegisters)
          node.arguments.push_back({name, fmt::format("{:#x}", moment.reg(number).value_or(0))});
      }
    }
    if (options_.stack && around.size() > 1) {
      for (size_t i = around.size() - 1; i-- > 0 && node.stack.size() < kStackMost;)
        node.stack.push_back(label(around[i].function, around[i].entry, around[i].block));
    }
  }

  /// Behind the range, or with all rows filled, only the ends of what is shown are of interest.
  void stop_if_done(ThreadNo thread, Step step) {
    const bool past =
        options_.range && thread == options_.range->from.thread && step >= options_.range->to.step;
    if (past && open_ == 0) walk_.stop();
  }

  CallWalk& walk_;
  Symbolizer& symbolizer_;
  CallValues values_;
  const CallOptions& options_;
  const MappedFile* program_;
  CallReport& out_;
  std::map<uint32_t, std::vector<Arrival>> arrivals_;  // of calls whose callee is not known yet
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Repeated> repeated_;
  /// The stub that a thread's last call of one went through: stack pointer and function.
  std::map<uint32_t, std::pair<uint64_t, uint32_t>> stubs_;
  uint64_t open_ = 0;
};

/// Threads run by turns; the report has them one after another.
void sort_by_thread(std::vector<CallNode>& rows) {
  std::vector<uint32_t> order(rows.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  // Children directly behind their parents, in the order of their calls: a walk over the tree.
  std::vector<std::vector<uint32_t>> children(rows.size() + 1);
  for (uint32_t i = 0; i < rows.size(); ++i)
    children[rows[i].parent == CallNode::kNone ? rows.size() : rows[i].parent].push_back(i);
  std::ranges::stable_sort(children.back(), {}, [&](uint32_t row) {
    return std::pair(rows[row].position.process, rows[row].position.thread);
  });
  order.clear();
  std::vector<uint32_t> todo(children.back().rbegin(), children.back().rend());
  while (!todo.empty()) {
    const uint32_t row = todo.back();
    todo.pop_back();
    order.push_back(row);
    todo.insert(todo.end(), children[row].rbegin(), children[row].rend());
  }
  std::vector<uint32_t> place(rows.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<CallNode> sorted;
  sorted.reserve(rows.size());
  for (const uint32_t row : order) sorted.push_back(std::move(rows[row]));
  for (CallNode& node : sorted)
    if (node.parent != CallNode::kNone) node.parent = place[node.parent];
  rows = std::move(sorted);
}

}  // namespace

Result<CallReport> calls(Run& run, const CallOptions& options) {
  const Reader& reader = run.reader();
  CallReport out;
  CallOptions settled = options;
  out.has_values = reader.has_values();
  settled.values = options.values && out.has_values;
  if (settled.range) {
    settled.process = settled.range->from.process;
    settled.thread = settled.range->from.thread;
  }
  uint64_t before = 0;
  for (const auto& [number, process] : reader.processes()) {
    if (settled.process && settled.process->value != number) continue;
    TRY(const auto files, executable_files(reader, {number}));
    const MappedFile* program = files.empty() ? nullptr : &files[0];
    CallWalk::Options walking{.values = settled.values, .memory = settled.values, .progress = {}};
    if (options.progress)
      walking.progress = [&](uint64_t done) { options.progress(before + done); };
    TRY(const auto borrowed, run.borrow(number));
    TRY(const auto walk, CallWalk::open(*borrowed, walking));
    TreeBuilder builder(*walk, settled, program, out);
    TRY_VOID(walk->run(builder));
    before += process.instructions;
  }
  if (settled.process && reader.process(settled.process->value) == nullptr)
    return fail("T008", "there is no process {}", settled.process->value);
  sort_by_thread(out.rows);
  if (out.rows.empty() && !options.function.empty())
    return fail("P011", "there was no call of {}", options.function);
  return out;
}

}  // namespace twinrun
