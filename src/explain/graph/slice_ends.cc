// SPDX-License-Identifier: MIT
// Where the bytes come from that an instruction of one run used: the end of an edge, before both
// runs are joined there (slice_align.cc).
//
// Mostly that is an instruction. What the process found when it was forked is looked for in its
// parent, what another process gave it in that one (handed_over.h), and so on along a pipeline;
// what is left is an input. Ends because each step leads to an earlier moment, or to another
// process, of which at most kPassedMost are passed.
#include "explain/graph/slice_align.h"

#include <algorithm>

namespace twinrun {
namespace {

constexpr uint32_t kPassedMost = 100;  // processes of a pipeline, one behind the other

}  // namespace

Result<SliceAlign::End> SliceAlign::end_of_read(RunSide side, ProcessView& view,
                                                const LastWriter& writer, const BytesOf& bytes,
                                                std::span<const uint8_t> value) {
  TRY(const auto given, hand_overs_.find_shared(side, view, writer, bytes, value));
  if (given) {
    TRY(const auto end, end_of_handed(side, *given, 0));
    if (end) return *end;
  }
  return end_of(side, view, writer, bytes);
}

Result<SliceAlign::End> SliceAlign::end_of(RunSide side, ProcessView& view,
                                           const LastWriter& writer, const BytesOf& bytes,
                                           uint32_t passed) {
  if (writer.kind == LastWriter::Kind::kParent) {
    TRY(const auto origin, fork_origin(view));
    if (origin) {
      LastWriters& writers = origin->parent->slicer.writers();
      TRY(const auto found,
          bytes.in_memory
              ? writers.memory(origin->at, bytes.where, bytes.size)
              : writers.registers(origin->at, static_cast<uint32_t>(bytes.where), bytes.size));
      if (!found.empty()) return end_of(side, *origin->parent, found[0].writer, bytes, passed + 1);
    }
  }
  End out{.side = side, .view = &view, .writer = writer, .bytes = bytes};
  if (writer.kind == LastWriter::Kind::kStatement) {
    TRY(const BlockFlow* flow, view.slicer.flow_at(writer.block));
    TRY(out.instruction,
        instruction_of(view, {writer.block, flow->instruction_of[writer.statement]}));
  } else {
    TRY(out.source, outside_source(view, writer, bytes.where, bytes.size));
    TRY(const auto given, hand_overs_.find(side, view, writer, *out.source, bytes));
    if (given && given->is_fault) return fault_end(side, *given);
    if (given && passed < kPassedMost) {
      TRY(const auto end, end_of_handed(side, *given, passed));
      if (end) return *end;
    }
    Position made = out.source->position;
    if (!out.source->call.empty() && made.step.value > 0) {
      made.step = {made.step.value - 1};
      if (auto found = instruction_at(side, made)) out.instruction = *found;
    }
  }
  if (!out.instruction) return out;
  out.where = runs_.where(side, out.instruction->position);
  // The runs are compared from the anchor on: what was there by then is given.
  if (!out.source && runs_.is_before_anchor(side, out.instruction->position)) {
    out.source = {.kind = OutsideSource::Kind::kAnchor, .position = out.instruction->position};
    out.writer = {.kind = LastWriter::Kind::kStart};
  }
  return out;
}

Result<std::optional<SliceAlign::End>> SliceAlign::end_of_handed(RunSide side,
                                                                 const HandedOver& given,
                                                                 uint32_t passed) {
  TRY(const auto end, end_of_given(side, *given.from, given.block, given.bytes, passed + 1));
  // Of a text that nobody has written, it matters who chose it.
  const bool is_constant = end && end->source &&
                           (end->source->kind == OutsideSource::Kind::kFile ||
                            end->source->kind == OutsideSource::Kind::kStart);
  if (!is_constant || !given.chosen_by) return end;
  return end_of_given(side, *given.from, given.block, *given.chosen_by, passed + 1);
}

Result<std::optional<SliceAlign::End>> SliceAlign::end_of_given(RunSide side, ProcessView& view,
                                                                BlockAt block, const BytesOf& bytes,
                                                                uint32_t passed) {
  TRY(const auto found, ValuePairs::writers_at_end({&view, block}, bytes));
  if (found.empty()) return std::nullopt;
  const BytesOf first{bytes.in_memory, bytes.where, std::min(bytes.size, found[0].count)};
  TRY(End out, end_of(side, view, found[0].writer, first, passed));
  return out;
}

Result<SliceAlign::End> SliceAlign::fault_end(RunSide side, const HandedOver& given) {
  TRY(const SegmentSteps* segment, given.from->values->steps(given.block.segment));
  const auto partial =
      std::ranges::find(segment->runs.partial, given.block.ordinal, &PartialBlock::ordinal);
  const uint32_t count = segment->counts[given.block.ordinal];
  const uint32_t at = partial != segment->runs.partial.end() ? partial->completed
                      : count == 0                           ? 0
                                                             : count - 1;
  TRY(const InstructionOf stopped, instruction_of(*given.from, {given.block, at}));
  return End{
      .side = side,
      .view = given.from,
      .instruction = stopped,
      .source = OutsideSource{.kind = OutsideSource::Kind::kSignal, .position = stopped.position},
      .where = runs_.where(side, stopped.position)};
}

}  // namespace twinrun
