// SPDX-License-Identifier: MIT
#include "report/page.h"

#include "base/check.h"
#include "base/text.h"
#include "base/version.h"
#include "program/source_name.h"
#include "report/code_place.h"
#include "report/diff.h"
#include "report/graph_words.h"
#include "report/json.h"
#include "report/why.h"
#include "report/why_lines.h"
#include "report/why_places.h"

namespace twinrun {
namespace {

/// Cuts texts that are longer, at the start of a character.
size_t shorten(Json& json, size_t limit) {
  if (json.is_string()) {
    auto& text = json.get_ref<std::string&>();
    if (text.size() <= limit) return 0;
    size_t end = limit;
    while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xc0) == 0x80) --end;
    const size_t left = text.size() - end;
    text.resize(end);
    text += fmt::format("... ({} bytes more)", left);
    return 1;
  }
  size_t cut = 0;
  if (json.is_structured())
    for (Json& item : json) cut += shorten(item, limit);
  return cut;
}

Json range_json(const StepRange& range) { return Json::array({range.from, range.to}); }

Json thread_json(const PageThread& thread) {
  const auto name = [](const Position& at) {
    return at.process.value == 0 || at.thread.value == 0
               ? Json()
               : Json(fmt::format("{}.{}", at.process.value, at.thread.value));
  };
  Json cells = Json::array();
  for (const PageCell& cell : thread.cells) {
    Json row{{"a", range_json(cell.a)}, {"b", range_json(cell.b)}};
    if (cell.aligned != 0) row["aligned"] = cell.aligned;
    if (cell.only_a != 0) row["only_a"] = cell.only_a;
    if (cell.only_b != 0) row["only_b"] = cell.only_b;
    if (cell.divergences != 0) row["divergences"] = cell.divergences;
    if (!cell.at.function.empty()) {
      row["at"] = {{"module", base_name(cell.at.module)}, {"function", cell.at.function}};
      if (cell.at.line != 0) {
        row["at"]["file"] = cell.at.file;
        row["at"]["line"] = cell.at.line;
      }
    }
    cells.push_back(std::move(row));
  }
  Json out{{"a", name(thread.a)}, {"b", name(thread.b)}};
  if (!thread.note.empty()) out["note"] = thread.note;
  out["cells"] = std::move(cells);
  return out;
}

Json lines_json(const PageData& data, SourceText& sources) {
  Json out = Json::array();
  WhyLines words(data.why, sources);
  for (const GraphLine& line : data.lines) {
    Json row{{"run", line.in_a && line.in_b ? "both"
                     : line.in_a            ? "a"
                                            : "b"},
             {"at", place_json(line.at)},
             {"text", words.site(line.at).text}};
    if (line.is_whole_module) row["whole_module"] = true;
    if (!data.why.is_own(line.at.module)) row["library"] = true;
    if (line.is_decision) row["decides"] = true;
    if (line.statement) row["statement"] = *line.statement;
    Json nodes = Json::array();
    for (const uint32_t node : line.nodes) nodes.push_back(fmt::format("N{}", node));
    row["nodes"] = std::move(nodes);
    out.push_back(std::move(row));
  }
  return out;
}

/// The names that people know of the symbols that the graph has, where they differ.
Json names_json(const WhyReport& why) {
  Json out = Json::object();
  const auto add = [&](const std::optional<NamedInstruction>& at) {
    if (!at || out.contains(at->function)) return;
    std::string name = source_name(at->function);
    if (name != at->function) out[at->function] = std::move(name);
  };
  for (const WhyReport::Node& node : why.nodes) {
    if (node.is_enhanced) continue;
    for (const auto* at : {&node.a, &node.b, &node.caller_a, &node.caller_b}) add(*at);
    for (const auto& [side, at] : node.more) add(at);
  }
  return out;
}

Json source_json(const PageSource& source) {
  Json chunks = Json::array();
  for (const PageSource::Chunk& chunk : source.chunks)
    chunks.push_back({{"first", chunk.first}, {"text", chunk.lines}});
  const auto counts = [](const std::map<uint32_t, uint64_t>& of) {
    Json out = Json::array();
    for (const auto& [line, times] : of) out.push_back(Json::array({line, times}));
    return out;
  };
  return {{"file", source.file},
          {"lines", source.lines},
          {"chunks", std::move(chunks)},
          {"a", counts(source.a)},
          {"b", counts(source.b)}};
}

Json data_json(const PageData& data, const PageSources& texts, SourceText& text,
               const PageView& view) {
  // The same documents that the verbs print, so that the page knows what they know.
  Json functions = Json::parse(diff_json(data.diff, {.limit = view.functions}));
  Json threads = Json::array();
  for (const PageThread& thread : data.threads) threads.push_back(thread_json(thread));
  Json sources = Json::array();
  for (const PageSource& source : texts.files) sources.push_back(source_json(source));
  Json out{{"schema", "twinrun.report.v1"}, {"version", kVersion}};
  out["why"] = Json::parse(why_json(data.why, text));
  const std::vector<const NamedInstruction*> headline = headline_places(data.why, text);
  if (!headline.empty()) out["headline"] = place_json(*headline.front());
  out["lines"] = lines_json(data, text);
  out["names"] = names_json(data.why);
  out["functions"] = {{"rows", std::move(functions["functions"])},
                      {"different", data.diff.functions.size()},
                      {"same", data.diff.same},
                      {"values", data.diff.has_values}};
  out["timeline"] = {{"threads", std::move(threads)}, {"left_out", data.threads_left_out}};
  out["sources"] = std::move(sources);
  out["notes"] = Json::array();
  if (texts.left_out != 0)
    out["notes"].push_back(fmt::format(
        "the texts of {} source files are left out: the page would be too large", texts.left_out));
  size_t cut = 0;
  for (const size_t limit : {size_t{4000}, size_t{1000}, size_t{200}}) {
    if (json_text(out).size() <= view.most_bytes) break;
    cut = std::max(cut, shorten(out, limit));
  }
  if (cut != 0)
    out["notes"].push_back(fmt::format("{} texts are cut: the page would be too large", cut));
  return out;
}

}  // namespace

std::string page_json(const PageData& data, const PageSources& texts, SourceText& text,
                      const PageView& view) {
  return json_text(data_json(data, texts, text, view)) + "\n";
}

std::string escape_for_script(std::string_view json) {
  // Only strings of JSON can hold these, and there each may be written as its number.
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string escape_for_html(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string page_html(const PageData& data, const PageSources& texts, SourceText& text,
                      const PageView& view) {
  const size_t text_at = kPageTemplate.find(kPageTextMark);
  const size_t data_at = kPageTemplate.find(kPageDataMark);
  CHECK(text_at < data_at && data_at != std::string_view::npos)
      << "the page has no places for its data";
  std::string out(kPageTemplate.substr(0, text_at));
  out += escape_for_html(why_text(data.why, text, {}));
  const size_t behind = text_at + kPageTextMark.size();
  out += kPageTemplate.substr(behind, data_at - behind);
  out += escape_for_script(json_text(data_json(data, texts, text, view)));
  out += kPageTemplate.substr(data_at + kPageDataMark.size());
  return out;
}

}  // namespace twinrun
