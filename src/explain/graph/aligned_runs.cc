// SPDX-License-Identifier: MIT
#include "explain/graph/aligned_runs.h"

#include <algorithm>

namespace twinrun {
namespace {

const StepRange& range_of(const AlignedRegion& region, RunSide side) {
  return side == RunSide::kA ? region.a : region.b;
}
const Position& thread_of(const ThreadAlignment& thread, RunSide side) {
  return side == RunSide::kA ? thread.a : thread.b;
}

}  // namespace

Result<std::unique_ptr<AlignedRuns>> AlignedRuns::open(const Reader& a, Binaries& binaries_a,
                                                       const Reader& b, Binaries& binaries_b,
                                                       const AlignOptions& options) {
  std::unique_ptr<AlignedRuns> out(new AlignedRuns);
  out->runs_ = {std::make_unique<RunView>(a, binaries_a), std::make_unique<RunView>(b, binaries_b)};
  for (const Reader* reader : {&a, &b}) {
    if (!reader->has_values())
      return fail("V001", "{} was recorded without values (--control-flow-only)", reader->path());
  }
  AlignOptions wanted = options;
  wanted.regions = true;
  wanted.divergences = wanted.values = 0;
  TRY(out->report_, align(a, binaries_a, b, binaries_b, wanted));
  return out;
}

std::optional<AlignedRuns::Where> AlignedRuns::where(RunSide side, const Position& at) const {
  for (uint32_t i = 0; i < report_.threads.size(); ++i) {
    const ThreadAlignment& thread = report_.threads[i];
    const Position& own = thread_of(thread, side);
    if (own.process != at.process || own.thread != at.thread || thread.regions.empty()) continue;
    const auto& regions = thread.regions;
    auto found = std::ranges::upper_bound(
        regions, at.step.value, {},
        [&](const AlignedRegion& region) { return range_of(region, side).to; });
    if (found == regions.end()) --found;
    const StepRange& range = range_of(*found, side);
    if (at.step.value < range.from) return std::nullopt;  // in front of the anchor
    const uint64_t offset = at.step.value - range.from;
    return Where{i, static_cast<uint32_t>(found - regions.begin()), offset,
                 found->is_aligned && offset < range.size()};
  }
  return std::nullopt;
}

std::optional<Position> AlignedRuns::counterpart(RunSide side, const Position& at) const {
  const auto here = where(side, at);
  if (!here || !here->is_aligned) return std::nullopt;
  Position out = thread_of(report_.threads[here->thread], other(side));
  out.step = {range_of(region(*here), other(side)).from + here->offset};
  return out;
}

bool AlignedRuns::is_aligned(const Position& a, const Position& b) const {
  const auto there = counterpart(RunSide::kA, a);
  return there && *there == b;
}

std::optional<AlignedRuns::Points> AlignedRuns::divergence_point(const Where& where) const {
  const ThreadAlignment& thread = report_.threads[where.thread];
  const AlignedRegion& at = region(where);
  // A step behind the end of an aligned region parts behind that region.
  const uint64_t a = at.is_aligned ? at.a.to : at.a.from;
  const uint64_t b = at.is_aligned ? at.b.to : at.b.from;
  if (a == 0 || b == 0) return std::nullopt;
  Points out{thread.a, thread.b};
  out.a.step = {a - 1};
  out.b.step = {b - 1};
  return out;
}

}  // namespace twinrun
