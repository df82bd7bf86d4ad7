// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "cli/file_flags.h"
#include "cli/flags.h"
#include "cli/recording_pair.h"
#include "cli/why_cache.h"
#include "explain/answer/why.h"

#include <cstdint>
#include <string>
#include <vector>

namespace twinrun {

/// Flags that choose what is to be explained.
struct TargetFlags {
  std::string at;
  std::string value;
  std::string output;
  std::string wrong;
  bool exit = false;
};
/// The verbs whose --output is a file leave that flag out.
enum class OutputFlag : uint8_t { kByte, kNone };
void add_target_flags(FlagSet& app, TargetFlags& flags, OutputFlag output = OutputFlag::kByte);
/// C008 when they exclude each other, C003 and C004 when they cannot be understood.
Result<TargetChoice> target_choice(const TargetFlags& flags);
/// As they were given, with a blank in front of each; for commands that are suggested.
std::string target_words(const TargetFlags& flags);

/// Flags of the verbs that explain, so that the same flags give the same graph.
struct WhyFlags {
  TargetFlags target;
  std::vector<std::string> allocators;
  uint32_t limit = WhyOptions{}.limit;
  double budget = WhyOptions{}.budget;
  std::string anchor = "start";
  std::string loops;
  std::string enhance = "all";
  bool no_normalization = false;
  FileFlags files;
};
void add_why_flags(FlagSet& app, WhyFlags& flags);
Result<WhyOptions> why_options(const WhyFlags& flags);

/// kept_why(), with progress on a terminal.
Result<WhyAnswer> explain_pair(RunPair& runs, WhyOptions options);

}  // namespace twinrun
