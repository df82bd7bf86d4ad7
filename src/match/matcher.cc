// SPDX-License-Identifier: MIT
#include "match/matcher.h"

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

// Numbers for names that occur on both sides.
void find_common_names(MatchContext& context) {
  std::map<std::string_view, std::pair<bool, uint32_t>> names;
  for (const ShapeProcedure& p : context.shape(Side::kOld).procedures())
    if (!p.name.empty()) names.try_emplace(p.name.extended, false, 0);
  uint32_t count = 0;
  for (const ShapeProcedure& p : context.shape(Side::kNew).procedures())
    if (const auto it = names.find(p.name.extended); it != names.end() && !it->second.first)
      it->second = {true, ++count};
  for (const Side side : kSides) {
    auto& numbers = context.state.common_names[static_cast<size_t>(side)];
    for (const ShapeProcedure& p : context.shape(side).procedures()) {
      const auto it = names.find(p.name.extended);
      numbers.push_back(it == names.end() ? 0 : it->second.second);
    }
  }
  const auto& old_numbers = context.state.common_names[0];
  context.state.has_common_names =
      2 * std::ranges::count(old_numbers, 0u) < static_cast<int64_t>(old_numbers.size());
}

}  // namespace

MatchContext::MatchContext(const BinaryShape& old_shape, const BinaryShape& new_shape,
                           const MatchOptions& how)
    : shapes{&old_shape, &new_shape},
      options(how),
      hashers{BlockHasher(old_shape, state, Side::kOld),
              BlockHasher(new_shape, state, Side::kNew)} {
  state.procedures.resize(old_shape.procedures().size(), new_shape.procedures().size());
  state.blocks.resize(old_shape.blocks().size(), new_shape.blocks().size());
  state.data.resize(old_shape.data().size(), new_shape.data().size());
  find_common_names(*this);
}

MatchState match_binaries(const BinaryShape& old_shape, const BinaryShape& new_shape,
                          const MatchOptions& options, const WorkSink& work) {
  MatchContext context(old_shape, new_shape, options);
  uint64_t done = 0;
  for (const StepId step : options.steps) {
    tell(work, kMatching, share_of(done++, options.steps.size()));
    switch (step) {
      case StepId::kName: match_by_name(context); break;
      case StepId::kHierarchicalName: match_by_hierarchical_name(context); break;
      case StepId::kProcedureHash: match_by_hash(context); break;
      case StepId::kSimilarName: match_by_similar_name(context); break;
      case StepId::kBlockPercentage: match_by_percentage(context); break;
      case StepId::kLikeness: match_by_likeness(context); break;
      case StepId::kBetween: match_between(context); break;
      case StepId::kDataHash: match_data_by_hash(context); break;
      case StepId::kDataPosition: match_data_by_position(context); break;
      case StepId::kDataReference: match_data_by_reference(context); break;
      case StepId::kBlockHash:
      case StepId::kNeighbour:
      case StepId::kSwitch:
      case StepId::kControlFlow:
      case StepId::kBlockLikeness: match_blocks(context); break;
    }
  }
  return std::move(context.state);
}

}  // namespace twinrun
