// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/source_root.h"
#include "report/source_text.h"

#include <string>

namespace twinrun {

/// The answer as SARIF 2.1.0: one result whose code flow leads from the input to what went
/// differently, with the values of both runs; no result when nothing differs that matters. Files
/// below the root are named from there on.
std::string why_sarif(const WhyReport& report, SourceText& sources, const SourceRoot& root);

/// "file:///home/a%20b.c" of an absolute path; a relative one without the scheme.
std::string file_uri(std::string_view path);

}  // namespace twinrun
