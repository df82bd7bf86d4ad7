// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A part of long work, and how long it takes beside the other parts, roughly.
struct ProgressStage {
  std::string name;
  double weight = 1;
};

/// How much of long work is done and how long the rest takes, from what it tells. Knows no clock:
/// moments are seconds.
class ProgressEstimate {
 public:
  struct View {
    std::string_view stage;  // empty: nothing was told
    std::optional<double> share;
    std::optional<double> left;  // seconds
  };

  /// `guess`: seconds of a unit of weight, as long as no stage has told how fast it is.
  explicit ProgressEstimate(std::vector<ProgressStage> plan, std::optional<double> guess = {});

  /// The work is in this stage now and has done that share of it, or kUnknownShare (base/work.h). A
  /// stage that is not in the plan is added to it.
  void tell(std::string_view stage, double share, double now);
  /// The share never becomes less.
  View at(double now);

 private:
  struct Stage {
    ProgressStage plan;
    double share = 0;
    double spent = 0;  // seconds, but for the time since `since_` of the current one
    bool is_measured = false;
  };

  [[nodiscard]] size_t index_of(std::string_view stage);
  [[nodiscard]] std::optional<double> seconds_per_weight(double spent_now) const;
  [[nodiscard]] double rest_of(const Stage& stage, double spent, double expected) const;

  std::vector<Stage> stages_;
  std::optional<double> guess_;
  size_t current_ = kNone;
  double since_ = 0;  // the current stage's last beginning
  double shown_ = 0;

  static constexpr size_t kNone = ~size_t{0};
};

}  // namespace twinrun
