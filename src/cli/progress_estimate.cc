// SPDX-License-Identifier: MIT
// How long work takes that has several stages, of which some can tell how far they are and some
// cannot.
//
// A plan says how long each stage takes beside the others. What has been done says how many seconds
// a unit of that is on this machine, for these recordings; the rest of the plan times that is the
// time left. In the current stage its own speed replaces the plan, the more of it is done. A stage
// that cannot tell how far it is takes what was planned, and when it is late always a while longer:
// it does not stand at its end, as a share of 99% would say.
//
// A stage that is skipped counts as done, so that the share jumps ahead; one that takes longer than
// was planned makes the rest longer, but the share that was shown is not taken back.
#include "cli/progress_estimate.h"

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

// Of a stage: less says too little about its speed.
constexpr double kTellingShare = 0.02;
constexpr double kTellingSeconds = 0.3;
// Its own speed counts fully from this share on.
constexpr double kOwnSpeed = 0.25;
// What a stage that is late still needs, of what it has taken.
constexpr double kLate = 0.4;

}  // namespace

ProgressEstimate::ProgressEstimate(std::vector<ProgressStage> plan, std::optional<double> guess)
    : guess_(guess) {
  for (ProgressStage& stage : plan) stages_.push_back({.plan = std::move(stage)});
}

size_t ProgressEstimate::index_of(std::string_view stage) {
  const auto found =
      std::ranges::find(stages_, stage, [](const Stage& one) { return one.plan.name; });
  if (found != stages_.end()) return static_cast<size_t>(found - stages_.begin());
  // Behind the one that it follows.
  const size_t at = current_ == kNone ? stages_.size() : current_ + 1;
  stages_.insert(stages_.begin() + static_cast<ptrdiff_t>(at),
                 Stage{.plan = {.name = std::string(stage)}});
  return at;
}

void ProgressEstimate::tell(std::string_view stage, double share, double now) {
  const size_t next = index_of(stage);
  if (next != current_) {
    if (current_ != kNone) stages_[current_].spent += now - since_;
    current_ = next;
    since_ = now;
  }
  if (share < 0) return;
  Stage& here = stages_[current_];
  here.is_measured = true;
  here.share = std::clamp(share, here.share, 1.0);
}

/// By the stages that are done and what is done of the current one.
std::optional<double> ProgressEstimate::seconds_per_weight(double spent_now) const {
  double seconds = 0;
  double weight = 0;
  for (size_t i = 0; i < current_; ++i) {
    if (stages_[i].spent == 0) continue;  // skipped
    seconds += stages_[i].spent;
    weight += stages_[i].plan.weight;
  }
  const Stage& here = stages_[current_];
  if (here.is_measured && here.share >= kTellingShare) {
    seconds += spent_now;
    weight += here.plan.weight * here.share;
  }
  if (weight == 0 || seconds < kTellingSeconds) return guess_;
  return seconds / weight;
}

double ProgressEstimate::rest_of(const Stage& stage, double spent, double expected) const {
  const double planned = std::max(expected - spent, kLate * spent);
  if (!stage.is_measured || stage.share < kTellingShare) return planned;
  const double measured = spent * (1 - stage.share) / stage.share;
  const double own = std::min(1.0, stage.share / kOwnSpeed);
  return own * measured + (1 - own) * planned;
}

ProgressEstimate::View ProgressEstimate::at(double now) {
  if (current_ == kNone) return {};
  const Stage& here = stages_[current_];
  const double spent_now = here.spent + now - since_;
  View out{.stage = here.plan.name};
  const auto unit = seconds_per_weight(spent_now);
  if (!unit) return out;
  double spent = spent_now;
  double left = rest_of(here, spent_now, here.plan.weight * *unit);
  for (size_t i = 0; i < stages_.size(); ++i) {
    if (i < current_) spent += stages_[i].spent;
    if (i > current_) {
      spent += stages_[i].spent;
      left += std::max(0.0, stages_[i].plan.weight * *unit - stages_[i].spent);
    }
  }
  shown_ = std::max(shown_, spent / (spent + left));
  out.share = shown_;
  out.left = left;
  return out;
}

}  // namespace twinrun
