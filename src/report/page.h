// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/page_data.h"
#include "report/page_source.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace twinrun {

struct PageView {
  size_t functions = 1000;        // rows of the table
  size_t most_bytes = 3'000'000;  // of the data: beyond, long texts are cut
};

/// The data of the page (schema twinrun.report.v1).
std::string page_json(const PageData& data, const PageSources& shown, SourceText& sources,
                      const PageView& view);

/// The page: one HTML file that needs no other and sends no request.
std::string page_html(const PageData& data, const PageSources& shown, SourceText& sources,
                      const PageView& view);

/// JSON that can stand in a <script> element: nothing in it ends the element or begins a comment.
std::string escape_for_script(std::string_view json);
/// Text between tags.
std::string escape_for_html(std::string_view text);

/// The page without its data (web/dist/report.html), and the mark that stands where they belong.
extern const std::string_view kPageTemplate;
inline constexpr std::string_view kPageDataMark = "@TWINRUN_DATA@";
/// Where it has the answer as text, for whoever runs no scripts.
inline constexpr std::string_view kPageTextMark = "@TWINRUN_TEXT@";

}  // namespace twinrun
