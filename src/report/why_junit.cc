// SPDX-License-Identifier: MIT
#include "report/why_junit.h"

#include "base/escape.h"
#include "report/why_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

/// Of the UTF-8 sequence at the start of the text; 0: there is none. What is no UTF-8 is what
/// escape_for_terminal() writes in another way, as it does with much else.
size_t sequence_size(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  const auto is_more = [](char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; };
  if (!std::ranges::all_of(text.substr(1, size - 1), is_more)) return 0;
  const auto second = static_cast<uint8_t>(text[1]);
  const bool is_overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool is_surrogate = lead == 0xed && second >= 0xa0;
  const bool is_beyond = lead == 0xf4 && second >= 0x90;
  return is_overlong || is_surrogate || is_beyond ? 0 : size;
}

bool is_allowed(std::string_view sequence) {
  if (sequence.size() == 1) {
    const char c = sequence[0];
    return static_cast<uint8_t>(c) >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  }
  return sequence != "\xef\xbf\xbe" && sequence != "\xef\xbf\xbf";
}

}  // namespace

std::string xml_characters(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t size = sequence_size(text);
    const std::string_view sequence = text.substr(0, std::max<size_t>(size, 1));
    out += size != 0 && is_allowed(sequence) ? sequence : kReplacement;
    text.remove_prefix(sequence.size());
  }
  return out;
}

std::string xml_attribute(std::string_view text) {
  std::string out;
  for (const char c : xml_characters(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // Parsers make a blank of them otherwise.
      case '\t':
      case '\n':
      case '\r': out += fmt::format("&#{};", static_cast<int>(c)); break;
      default: out += c;
    }
  }
  return out;
}

std::string xml_cdata(std::string_view text) {
  std::string out = "<![CDATA[";
  std::string inside = xml_characters(text);
  for (size_t end = 0; (end = inside.find("]]>")) != std::string::npos;) {
    out += inside.substr(0, end + 2) + "]]><![CDATA[";
    inside.erase(0, end + 2);
  }
  return out + inside + "]]>";
}

std::string why_junit(const WhyReport& report, SourceText& sources, const WhyView& view) {
  const WhyWords words = why_words(report, sources);
  // As the exit status has it.
  const bool fails = report.outcome != WhyReport::Outcome::kSame;
  const bool is_noise = report.outcome == WhyReport::Outcome::kNoise;
  const std::string text = why_text(report, sources, view);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format(
      "<testsuites>\n"
      "  <testsuite name=\"twinrun why\" tests=\"1\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n"
      "    <testcase classname=\"twinrun.why\" name=\"{}\">\n",
      fails ? 1 : 0,
      xml_attribute(escape_for_terminal(report.a.command + " | " + report.b.command)));
  if (fails)
    out += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                       is_noise ? "noise" : "difference",
                       xml_attribute(escape_for_terminal(
                           words.sentences.empty() ? words.target : words.sentences.front())),
                       xml_cdata(text));
  else
    out += fmt::format("      <system-out>{}</system-out>\n", xml_cdata(text));
  return out + "    </testcase>\n  </testsuite>\n</testsuites>\n";
}

}  // namespace twinrun
