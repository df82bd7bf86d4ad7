// SPDX-License-Identifier: MIT
#include "cli/match_flags.h"

namespace twinrun {

void MatchFlags::declare(FlagSet& app) {
  app.add_option("--steps", steps, "take these steps only, in this order, separated by commas")
      ->type_name("LIST");
  app.add_option("--levels", levels, "fuzziness levels of hash values, in this order")
      ->type_name("LIST");
  app.add_option("--block-levels", block_levels, "those of blocks, if others")->type_name("LIST");
  app.add_option("--block-threshold", block_threshold,
                 "how much of the code of two functions must be in equal blocks (0 to 1)")
      ->between(0, 1)
      ->type_name("PART");
  app.add_option("--data-size-threshold", data_size_threshold,
                 "by how much data between matched neighbours may differ in size (0 to 1)")
      ->between(0, 1)
      ->type_name("PART");
  app.add_flag("--no-names", no_names, "do not look at symbols");
}

Result<MatchOptions> MatchFlags::options() const {
  MatchOptions out = MatchOptions::defaults();
  if (!steps.empty()) {
    TRY(out.steps, MatchOptions::parse_steps(steps));
  }
  if (!levels.empty()) {
    TRY(out.procedure_levels, MatchOptions::parse_levels(levels));
    out.block_levels = out.procedure_levels;
  }
  if (!block_levels.empty()) {
    TRY(out.block_levels, MatchOptions::parse_levels(block_levels));
  }
  out.block_threshold = block_threshold;
  out.data_size_threshold = data_size_threshold;
  return out;
}

}  // namespace twinrun
