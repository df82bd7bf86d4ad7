// SPDX-License-Identifier: MIT
// Which calls are under way, from the recorded control flow, not from the stack's contents: a stack
// that was overwritten still has its true callers.
//
// What a caller's variables are is asked of the moment at which it called, as far as they are in
// registers: the last writer of its return address is that call. What is in memory is read as it is
// at the moment of the question. Costs one chunk of control flow, and a question for each frame.
#include "values/backtrace.h"

#include "base/text.h"
#include "program/value_format.h"
#include "values/call_chains.h"
#include "values/past_state.h"
#include "values/subject.h"

#include <optional>
#include <utility>

namespace twinrun {
namespace {

constexpr FormatOptions kShort{.most_elements = 8, .most_characters = 40, .levels = 1};

class Frames {
 public:
  Frames(ProcessView& view, const InstructionAt& here, PastMemory& memory)
      : view_(view), here_(here), memory_(memory) {}

  /// Of one function, with what is inlined into it.
  Result<void> add(const ActiveCalls::Frame& frame, uint64_t pc,
                   const std::optional<InstructionAt>& at, Backtrace& out) {
    const uint64_t blocks = view_.number_of(here_.block);
    const DebugAt debug = debug_at(view_, {pc}, blocks);
    // Not the frame's: of a call through a stub or a tail call, that may be where it came in.
    CodePlaces& places = view_.of.places();
    const PlacedFunction& function =
        places.function(pc == 0 ? frame.function : places.function_at({pc}, blocks));
    BacktraceFrame row{
        .kind = frame.is_call ? BacktraceFrame::Kind::kCall : BacktraceFrame::Kind::kOther,
        .function = source_name(function),
        .module = function.file == nullptr ? "" : std::string(base_name(function.file->path)),
        .pc = pc};
    if (pc == 0) {  // a handler interrupted it
      out.frames.push_back(std::move(row));
      return {};
    }
    row.offset = row.function.empty() ? pc - function.bias : pc - function.in_memory().value;
    if (debug.info != nullptr) {
      std::vector<SourceFrame> chain = debug.info->frames_at(debug.pc.value);
      for (size_t i = 0; i + 1 < chain.size(); ++i) {
        BacktraceFrame inlined = row;
        inlined.kind = BacktraceFrame::Kind::kInlined;
        inlined.function = chain[i].function;
        inlined.file = chain[i].file;
        inlined.line = chain[i].line;
        out.frames.push_back(std::move(inlined));
      }
      if (!chain.empty()) {
        row.file = chain.back().file;
        row.line = chain.back().line;
        if (!chain.back().function.empty()) row.function = chain.back().function;
      }
      TRY_VOID(add_arguments(debug, at, row));
    }
    out.frames.push_back(std::move(row));
    return {};
  }

  /// The call that pushed the return address, if it was one.
  Result<std::optional<InstructionAt>> call_of(const ActiveCalls::Frame& frame) {
    if (frame.sp == 0 || frame.call == 0) return std::nullopt;
    TRY(const SubjectWriters writers, writers_of(view_, {true, frame.sp, 8, ""}, here_));
    if (writers.bytes.size() != 1) return std::nullopt;
    const LastWriter& writer = writers.bytes[0].writer;
    if (writer.kind != LastWriter::Kind::kStatement) return std::nullopt;
    TRY(const BlockFlow* flow, view_.slicer.flow_at(writer.block));
    const InstructionAt at{writer.block, flow->instruction_of[writer.statement]};
    TRY(const SegmentSteps* segment, view_.values->steps(at.block.segment));
    const BlockDef* def = view_.values->dictionary().find(segment->value(at.block.ordinal));
    // Overwritten since: nobody knows then.
    if (def == nullptr || address_of(*def, at.instruction) != frame.call) return std::nullopt;
    return at;
  }

 private:
  Result<void> add_arguments(const DebugAt& debug, const std::optional<InstructionAt>& at,
                             BacktraceFrame& row) {
    const auto signature = debug.info->signature_at(debug.pc.value);
    if (!signature) return {};
    row.has_arguments = true;
    std::optional<PastState> state;
    if (at) {
      TRY(Registers registers, registers_before(view_, *at));
      state.emplace(std::move(registers), memory_, debug.load_bias);
    }
    for (const FunctionSignature::Parameter& parameter : signature->parameters) {
      NamedValue& value = row.arguments.emplace_back();
      value.name = parameter.variable.name;
      if (!state) continue;
      const Location location = debug.info->locate(parameter.variable, debug.pc.value, *state);
      value.value = format_object(*parameter.variable.type, location, *state, kShort);
    }
    return {};
  }

  ProcessView& view_;
  const InstructionAt& here_;
  PastMemory& memory_;
};

}  // namespace

Result<Backtrace> backtrace(Run& run, const Position& at) {
  TRY(ProcessView* const view, view_of(run, at.process.value));
  TRY(const ProcessValues::Found found, view->values->find(at.thread, at.step));
  const InstructionAt here{found.block, found.instruction};
  TRY(const SegmentSteps* segment, view->values->steps(here.block.segment));
  const BlockDef* def = view->values->dictionary().find(segment->value(here.block.ordinal));
  if (def == nullptr) return fail("V004", "step {} is in no known code", at.step.value);
  TRY(const Moment moment, moment_before(*view, here));
  PastMemory memory(*view, moment);
  TRY(const std::vector<ActiveCalls> active, active_calls(*view, {&here.block, 1}));
  Backtrace out{.at = at, .is_lost = active[0].is_lost};
  Frames frames(*view, here, memory);
  uint64_t pc = address_of(*def, here.instruction);
  std::optional<InstructionAt> where = here;
  std::vector<ActiveCalls::Frame> under_way = active[0].frames;
  under_way.insert(under_way.end(), active[0].interrupted.begin(), active[0].interrupted.end());
  for (const ActiveCalls::Frame& frame : under_way) {
    TRY_VOID(frames.add(frame, pc, where, out));
    TRY(where, frames.call_of(frame));
    pc = frame.call;
  }
  return out;
}

}  // namespace twinrun
