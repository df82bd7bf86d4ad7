// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/source_text.h"

#include <string>
#include <string_view>

namespace twinrun {

/// The answer for an issue or the summary of a job, in GitHub's dialect of Markdown: what it comes
/// to, the runs, the way as a table, the suspicious lines.
std::string why_markdown(const WhyReport& report, SourceText& sources);

// All on one line, whatever is in the text.

/// `text`, as code.
std::string markdown_code(std::string_view text);
/// A sentence: its words as they are, and as code what is more than letters and digits, so that no
/// name in it is a mark, a link or a mention of somebody. What stands behind two blanks is a line
/// of the source, or a remark in brackets.
std::string markdown_prose(std::string_view text);

}  // namespace twinrun
