// SPDX-License-Identifier: MIT
// Which region does a pointer belong to, wherever it points now?
//
// PointerTrace finds where it was made. The region is that of the origin, if it still is there, and
// the offset is the pointer's value minus the region's base, so that it differs from the lazy
// MI(value) exactly when the pointer has left its region.
#include "memory/provenance.h"

#include "values/past_state.h"
#include "values/subject.h"

namespace twinrun {

void Provenance::find_region(const TracedPointer& from, PointerOrigin& out) const {
  const Region* region = map_.region_at(from.origin);
  if (region == nullptr) {
    out.why = "the region that it came from is gone";
    return;
  }
  using Kind = TracedPointer::Kind;
  // Another block, or another frame, may be there now.
  const bool is_another =
      from.kind == Kind::kStack ? region->frame == nullptr || region->thread != from.thread ||
                                      region->frame->frame.block > from.block
      : from.kind == Kind::kAllocation
          ? region->allocation == nullptr || region->allocation->made.block != from.block
          : region->frame != nullptr ||
                (region->allocation != nullptr && region->allocation->made.block > from.block);
  if (is_another) {
    out.why = "the region that it came from is gone";
    return;
  }
  out.index = MemoryIndex{region->id, static_cast<int64_t>(out.value - region->base)};
}

Result<PointerOrigin> Provenance::of_memory(uint64_t address) {
  PointerOrigin out;
  const LiveMemory& memory = map_.memory();
  const auto value = memory.word(address);
  if (!value) {
    out.why = "its value is not known";
    return out;
  }
  TRY(const ProcessValues::Found there,
      view_.values->find(memory.position().thread, memory.position().step));
  TRY(const Moment moment, moment_before(view_, {there.block, there.instruction}));
  PointerTrace trace(
      view_, log_, [&](uint64_t number, uint64_t) { return map_.region_at(number) != nullptr; },
      options_.most_steps);
  TRY(const TracedPointer from, trace.of_memory(moment, address, *value));
  out.kind = from.kind;
  out.value = *value;
  out.origin = from.origin;
  out.steps = from.steps;
  out.why = from.why;
  if (from.kind != TracedPointer::Kind::kUnknown) find_region(from, out);
  return out;
}

}  // namespace twinrun
