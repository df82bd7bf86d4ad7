// SPDX-License-Identifier: MIT
#pragma once

#include "report/source_text.h"
#include "report/why.h"

#include <string>
#include <string_view>

namespace twinrun {

/// The answer as a report of tests: one suite with one test, the pair of runs, which fails when
/// they differ, with the text of the answer in it.
std::string why_junit(const WhyReport& report, SourceText& sources, const WhyView& view);

/// With U+FFFD in place of what XML 1.0 cannot hold, even escaped: controls, U+FFFE and U+FFFF, and
/// bytes that are no UTF-8.
std::string xml_characters(std::string_view text);
/// Between double quotes.
std::string xml_attribute(std::string_view text);
/// "<![CDATA[...]]>", with "]]>" divided among two of them.
std::string xml_cdata(std::string_view text);

}  // namespace twinrun
