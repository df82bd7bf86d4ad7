// SPDX-License-Identifier: MIT
#include "align/run_pair.h"

#include <algorithm>

namespace twinrun {
namespace {

const Position& thread_of(const ThreadAlignment& thread, RunSide side) {
  return side == RunSide::kA ? thread.a : thread.b;
}

}  // namespace

Result<std::unique_ptr<RunPair>> RunPair::open(const std::string& a, const std::string& b,
                                               const DebugDirectories& debug_directories) {
  TRY(auto run_a, Run::open(a, debug_directories));
  TRY(auto run_b, Run::open(b, debug_directories));
  return std::make_unique<RunPair>(std::move(run_a), std::move(run_b));
}

Result<void> RunPair::have_values() const {
  for (const auto& run : runs_) {
    if (!run->reader().has_values())
      return fail("V001", "{} was recorded without values (--control-flow-only)",
                  run->reader().path());
  }
  return {};
}

Result<const AlignReport*> RunPair::align(uint32_t divergences, const WorkSink& work,
                                          Places places) {
  const auto has_enough = [&] {
    return report_->divergences.size() >=
               std::min<uint64_t>(divergences, report_->divergence_count) &&
           (has_places_ || places == Places::kNo);
  };
  if (report_ != nullptr && has_enough()) return report_.get();
  const AlignOptions options{.anchor = anchor_,
                             .anchors_some = true,
                             .regions = true,
                             .divergences = divergences,
                             .places = places == Places::kYes,
                             .loops = loops_,
                             .work = work};
  TRY(AlignReport made, twinrun::align(*this, options));
  report_ = std::make_unique<AlignReport>(std::move(made));
  has_places_ = places == Places::kYes;
  return report_.get();
}

std::optional<RunPair::Where> RunPair::where(RunSide side, const Position& at) const {
  for (uint32_t i = 0; i < report_->threads.size(); ++i) {
    const ThreadAlignment& thread = report_->threads[i];
    const Position& own = thread_of(thread, side);
    if (own.process != at.process || own.thread != at.thread || thread.regions.empty()) continue;
    const auto& regions = thread.regions;
    auto found = std::ranges::upper_bound(
        regions, at.step.value, {},
        [&](const AlignedRegion& region) { return region.range(side).to; });
    if (found == regions.end()) --found;
    if (at.step.value < found->range(side).from) return std::nullopt;  // in front of the anchor
    return Where{i, static_cast<uint32_t>(found - regions.begin()),
                 found->counterpart(side, at.step.value).has_value()};
  }
  return std::nullopt;
}

std::optional<Position> RunPair::counterpart(RunSide side, const Position& at) const {
  const auto here = where(side, at);
  if (!here || !here->is_aligned) return std::nullopt;
  const auto step = region(*here).counterpart(side, at.step.value);
  if (!step) return std::nullopt;
  Position out = thread_of(report_->threads[here->thread], other(side));
  out.step = {*step};
  return out;
}

bool RunPair::is_before_anchor(RunSide side, const Position& at) const {
  return std::ranges::any_of(report_->threads, [&](const ThreadAlignment& thread) {
    const Position& own = thread_of(thread, side);
    return thread.is_anchored && own.process == at.process && own.thread == at.thread &&
           at.step.value < (side == RunSide::kA ? thread.before_a : thread.before_b);
  });
}

bool RunPair::is_aligned(const Position& a, const Position& b) const {
  const auto there = counterpart(RunSide::kA, a);
  return there && *there == b;
}

std::optional<RunPair::Points> RunPair::divergence_point(const Where& where) const {
  const ThreadAlignment& thread = report_->threads[where.thread];
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
