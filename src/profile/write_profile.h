// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "profile/bolt_names.h"
#include "profile/code_counts.h"
#include "program/debug_info.h"
#include "program/module_code.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace twinrun {

/// BOLT's fdata. All records are edges of BOLT's control flow graph: it rejects the profile of a
/// function for one that is not. Without counts of edges, the samples of a "no_lbr" profile.
std::string write_fdata(const ModuleCode& binary, const BoltNames& names, const CodeCounts& counts);

/// For perf2bolt --pa.
std::string write_preaggregated(const ModuleCode& binary, const CodeCounts& counts);

/// A file as callgrind writes it. `lines` can be null. When there are counts that were not
/// measured, further events tell how much of Ir comes from matches of which strength.
std::string write_callgrind(const ModuleCode& binary, const CodeCounts& counts, DebugInfo* lines);

/// LLVM's sample profile as text, for -fprofile-sample-use. F006 when the binary has no debug
/// information.
Result<std::string> write_llvm(const ModuleCode& binary, const CodeCounts& counts,
                               DebugInfo& lines);

/// Whether more than blocks has counts: edges, or entries.
bool has_flow_counts(const CodeCounts& counts);

}  // namespace twinrun
