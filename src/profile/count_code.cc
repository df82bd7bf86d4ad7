// SPDX-License-Identifier: MIT
#include "profile/count_code.h"

#include "base/text.h"
#include "profile/code_counter.h"

namespace twinrun {

FunctionCounts& CodeCounter::function(uint32_t function) {
  const auto [at, is_new] = functions_.try_emplace(function);
  if (is_new) {
    const Cfg& cfg = binary_.flow().cfg(function);
    at->second.function = function;
    at->second.blocks.resize(cfg.blocks.size());
    at->second.edges.resize(cfg.edges.size());
  }
  return at->second;
}

void CodeCounter::add_call(uint64_t site, uint64_t callee, uint64_t count) {
  if (count == 0) return;
  uint64_t& there = calls_[{site, callee}];
  there = add_counts(there, count);
}

CountedCode CodeCounter::finish() {
  CountedCode out;
  out.fit = fit_;
  out.counts.is_exact = profile_.is_exact;
  for (auto& [number, counts] : functions_) out.counts.functions.push_back(std::move(counts));
  for (const auto& [ends, count] : calls_)
    out.counts.calls.push_back({ends.first, ends.second, count});
  return out;
}

CountedCode count_code(const ModuleCode& binary, const AddressProfile& profile) {
  CountedCode out = profile.has_every_instruction ? count_complete(binary, profile)
                                                  : count_sampled(binary, profile);
  out.fit.weight = add_counts(out.fit.weight, profile.unresolved);
  out.fit.misfit = add_counts(out.fit.misfit, profile.unresolved);
  return out;
}

Result<void> check_fit(const ModuleCode& binary, const AddressProfile& profile,
                       const ProfileFit& fit) {
  // Sampling hardware is off by an instruction at times, and code that was made at run time lies
  // between; a profile of another build fits much worse.
  constexpr double kMostMisfit = 0.05;
  const std::string own_id = hex_text(binary.build_id());
  if (!profile.build_id.empty() && !own_id.empty() && profile.build_id != own_id)
    return fail("F004", "the profile is of another binary: its build id is {}, that of {} is {}",
                profile.build_id, binary.path(), own_id);
  if (fit.weight == 0) return fail("F005", "the profile tells nothing of {}", binary.path());
  if (fit.misfit_share() > kMostMisfit)
    return std::unexpected(
        Error{"F004",
              fmt::format("the profile is of another binary: {:.1f}% of its counts do not fit {}",
                          100 * fit.misfit_share(), binary.path()),
              "twinrun profile migrate carries a profile over to another build",
              {}});
  return {};
}

}  // namespace twinrun
