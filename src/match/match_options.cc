// SPDX-License-Identifier: MIT
#include "match/match_options.h"

#include "base/suggest.h"

#include <algorithm>
#include <array>

namespace twinrun {
namespace {

constexpr std::array<StepInfo, 15> kSteps{{
    {StepId::kName, Subject::kProcedures, "name", false, false, true,
     "the same name with parameters (C++: as mangled)"},
    {StepId::kHierarchicalName, Subject::kProcedures, "hierarchical-name", false, false, true,
     "the same name with its classes, other parameters"},
    {StepId::kProcedureHash, Subject::kProcedures, "hash", true, false, true,
     "the same hash value of all blocks, level by level"},
    {StepId::kSimilarName, Subject::kProcedures, "similar-name", false, false, true,
     "similar names, and enough equal blocks"},
    {StepId::kBlockPercentage, Subject::kProcedures, "percentage", false, false, true,
     "enough equal blocks"},
    {StepId::kLikeness, Subject::kProcedures, "likeness", false, true, true,
     "rare things in common: blocks, data, numbers, matched callers and callees"},
    {StepId::kBetween, Subject::kProcedures, "between", false, true, true,
     "alone between the same matched neighbours"},
    {StepId::kDataHash, Subject::kData, "data-hash", false, false, true, "the same contents"},
    {StepId::kDataPosition, Subject::kData, "data-position", false, false, true,
     "between the same matched neighbours, of about the same size"},
    {StepId::kDataReference, Subject::kData, "data-reference", false, true, true,
     "matched instructions refer to them"},
    {StepId::kBlockHash, Subject::kBlocks, "block-hash", true, false, true,
     "the same hash value, level by level"},
    {StepId::kNeighbour, Subject::kBlocks, "neighbour", true, false, false,
     "the same hash value, and matched predecessors or successors"},
    {StepId::kSwitch, Subject::kBlocks, "switch", false, true, true,
     "the same entry of a jump table"},
    {StepId::kControlFlow, Subject::kBlocks, "control-flow", false, false, true,
     "the same way from or to matched blocks"},
    {StepId::kBlockLikeness, Subject::kBlocks, "block-likeness", false, true, true,
     "the most in common: calls, data, numbers, offsets, neighbours"},
}};

std::vector<std::string_view> split_commas(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    out.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return out;
}

}  // namespace

std::span<const StepInfo> match_steps() { return kSteps; }

const StepInfo& step_info(StepId id) { return kSteps[static_cast<size_t>(id)]; }

MatchOptions MatchOptions::defaults() {
  MatchOptions out;
  // Constant data is the same whatever the code does: it comes first, so that code which refers to
  // it is known by it.
  out.steps = {StepId::kDataHash,      StepId::kName,         StepId::kHierarchicalName,
               StepId::kProcedureHash, StepId::kSimilarName,  StepId::kBlockPercentage,
               StepId::kLikeness,      StepId::kBetween,      StepId::kDataPosition,
               StepId::kBlockHash,     StepId::kSwitch,       StepId::kBlockLikeness,
               StepId::kControlFlow,   StepId::kDataReference};
  out.procedure_levels = {Level::k0, Level::k1, Level::k3, Level::k1a, Level::k5, Level::k3a};
  out.block_levels = {Level::k1, Level::k3,  Level::k2, Level::k1a,
                      Level::k4, Level::k3a, Level::k5};
  return out;
}

Result<std::vector<StepId>> MatchOptions::parse_steps(std::string_view text) {
  std::vector<StepId> out;
  std::vector<std::string> names;
  for (const StepInfo& step : kSteps)
    if (step.is_chosen) names.emplace_back(step.name);
  for (const std::string_view word : split_commas(text)) {
    const auto it = std::ranges::find(kSteps, word, &StepInfo::name);
    if (it == kSteps.end() || !it->is_chosen) {
      Error error{
          "M001", fmt::format("there is no step '{}'", word), did_you_mean(word, names), {}};
      if (error.help.empty()) error.help = fmt::format("steps: {}", fmt::join(names, ", "));
      return std::unexpected(std::move(error));
    }
    out.push_back(it->id);
  }
  if (out.empty()) return fail("M001", "no steps are named");
  return out;
}

Result<std::vector<Level>> MatchOptions::parse_levels(std::string_view text) {
  std::vector<Level> out;
  for (const std::string_view word : split_commas(text)) {
    const auto level = parse_level(word);
    if (!level) {
      std::vector<std::string_view> names;
      for (const LevelInfo& row : levels()) names.push_back(row.name);
      Error error{"M001",
                  fmt::format("there is no level '{}'", word),
                  fmt::format("levels: {}", fmt::join(names, ", ")),
                  {}};
      return std::unexpected(std::move(error));
    }
    out.push_back(*level);
  }
  if (out.empty()) return fail("M001", "no levels are named");
  return out;
}

}  // namespace twinrun
