// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "match/levels.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// What steps pair.
enum class Subject : uint8_t { kProcedures, kData, kBlocks };

enum class StepId : uint8_t {
  kName,
  kHierarchicalName,
  kProcedureHash,
  kSimilarName,
  kBlockPercentage,
  kLikeness,
  kBetween,
  kDataHash,
  kDataPosition,
  kDataReference,
  kBlockHash,
  kNeighbour,
  kSwitch,
  kControlFlow,
  kBlockLikeness,
};

/// A row of the table of steps.
struct StepInfo {
  StepId id = StepId::kName;
  Subject subject = Subject::kProcedures;
  std::string_view name;
  bool has_levels = false;
  bool is_added = false;  // not of the published method
  bool is_chosen = true;  // by --steps; false: a part of another step
  std::string_view does;
};

std::span<const StepInfo> match_steps();
const StepInfo& step_info(StepId id);

struct MatchOptions {
  /// In the order in which they are taken; a step can be there several times.
  std::vector<StepId> steps;
  std::vector<Level> procedure_levels;
  std::vector<Level> block_levels;
  /// Of the instructions of two procedures, how many must be in equal blocks.
  double block_threshold = 0.5;
  /// The same when the names are similar.
  double similar_block_threshold = 0.25;
  double name_threshold = 0.7;
  /// By how much two data blocks between matched ones may differ in size, as a part of the larger.
  double data_size_threshold = 0.25;

  static MatchOptions defaults();
  /// "name,hash,data-hash"; M001 for what is no step.
  static Result<std::vector<StepId>> parse_steps(std::string_view text);
  /// "0,1,3,1a"; M001.
  static Result<std::vector<Level>> parse_levels(std::string_view text);
};

}  // namespace twinrun
