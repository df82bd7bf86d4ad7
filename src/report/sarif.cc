// SPDX-License-Identifier: MIT
#include "report/sarif.h"

#include "base/escape.h"
#include "base/version.h"
#include "report/json.h"
#include "report/why_words.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <vector>

namespace twinrun {
namespace {

constexpr std::string_view kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

struct Rule {
  std::string_view id;
  std::string_view text;
};
constexpr std::array<Rule, 5> kRules{{
    {"crash", "One of the runs was killed by a signal."},
    {"hang", "One of the runs did not end."},
    {"exit-status", "The runs ended with different exit statuses."},
    {"output", "The runs wrote different output."},
    {"divergence", "The runs executed different code."},
}};

size_t rule_index(Target::Kind kind) {
  switch (kind) {
    case Target::Kind::kCrash: return 0;
    case Target::Kind::kHang: return 1;
    case Target::Kind::kExit: return 2;
    case Target::Kind::kOutput: return 3;
    case Target::Kind::kDivergence:
    case Target::Kind::kPlace:
    case Target::Kind::kValue: break;
  }
  return 4;
}

Json message(std::string_view text) { return {{"text", escape_for_terminal(text)}}; }

/// Files that locations name, each once.
class Artifacts {
 public:
  Json location(const std::string& file) {
    const auto [found, is_new] = numbers_.try_emplace(file, files_.size());
    if (is_new) files_.push_back(file);
    return {{"uri", file_uri(file)}, {"index", found->second}};
  }
  [[nodiscard]] Json list() const {
    Json out = Json::array();
    for (const std::string& file : files_) out.push_back({{"location", {{"uri", file_uri(file)}}}});
    return out;
  }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> files_;
};

/// What the line of the answer is about in the run that it tells of; the wrong one for both.
const NamedInstruction* place_of(const WhyReport& report, const WhyReport::Line& line) {
  for (const uint32_t number : line.nodes) {
    const WhyReport::Node& node = report.nodes[number];
    // The program's call says more than a place in a library.
    const auto* const a = node.caller_a ? &node.caller_a : &node.a;
    const auto* const b = node.caller_b ? &node.caller_b : &node.b;
    const auto* const first = line.run == RunSide::kA ? a : b;
    const auto* const second = !line.run ? a : first;
    for (const auto* at : {first, second})
      if (*at && (*at)->line != 0) return &**at;
  }
  return nullptr;
}

/// The bytes of a file that a run read.
const OutsideSource* input_of(const WhyReport& report, const WhyReport::Line& line) {
  for (const uint32_t number : line.nodes) {
    const WhyReport::Node& node = report.nodes[number];
    for (const auto* source :
         {line.run == RunSide::kA ? &node.source_a : &node.source_b, &node.source_a}) {
      if (!*source || !(*source)->offset || (*source)->input.empty()) continue;
      const auto kind = (*source)->kind;
      const bool is_stream = (*source)->input.starts_with("standard input") ||
                             (*source)->input.find(' ') != std::string::npos;
      if ((kind == OutsideSource::Kind::kSyscall || kind == OutsideSource::Kind::kFile) &&
          !is_stream)
        return &**source;
    }
  }
  return nullptr;
}

/// Of a line of the answer.
Json location(const WhyReport& report, const WhyWords& words, size_t number, Artifacts& artifacts) {
  const WhyReport::Line& line = report.answer[number];
  Json out = Json::object();
  if (const NamedInstruction* at = place_of(report, line)) {
    out["physicalLocation"] = {{"artifactLocation", artifacts.location(at->file)},
                               {"region", {{"startLine", at->line}}}};
    if (!at->function.empty())
      out["logicalLocations"] = Json::array({{{"name", at->function}, {"kind", "function"}}});
  } else if (const OutsideSource* input = input_of(report, line)) {
    out["physicalLocation"] = {{"artifactLocation", artifacts.location(input->input)},
                               {"region", {{"byteOffset", *input->offset}, {"byteLength", 1}}}};
  }
  std::string text = words.lines[number].whole();
  if (line.finding != 0) text = fmt::format("D{}  {}", line.finding, text);
  out["message"] = message(text);
  return out;
}

/// Near the way from the input to the target, but not on it.
bool is_beside(const WhyReport::Line& line) { return line.kind == WhyReport::Line::Kind::kAside; }

/// From the input to the target, while the answer goes the other way.
Json thread_flow(const WhyReport& report, const WhyWords& words, Artifacts& artifacts) {
  Json locations = Json::array();
  for (size_t i = report.answer.size(); i-- > 0;) {
    if (is_beside(report.answer[i])) continue;
    Json row{{"location", location(report, words, i, artifacts)}};
    row["importance"] = report.answer[i].finding != 0 ? "essential" : "important";
    row["executionOrder"] = locations.size() + 1;
    locations.push_back(std::move(row));
  }
  return {{"locations", std::move(locations)}};
}

Json result(const WhyReport& report, const WhyWords& words, Artifacts& artifacts) {
  const size_t rule = rule_index(report.target_kind);
  std::string text = words.verdict;
  if (!words.target.empty())
    text = fmt::format("{}  A: {}  B: {}\n{}", words.target, words.target_a, words.target_b,
                       words.verdict);
  Json out{{"ruleId", kRules[rule].id},
           {"ruleIndex", rule},
           {"kind", "fail"},
           {"level", report.target_kind == Target::Kind::kDivergence ? "warning" : "error"},
           {"message", {{"text", text}}}};
  // Where it shows: the first line, from the end, that is about the wrong run and has a place.
  Json locations = Json::array();
  Json beside = Json::array();
  for (size_t i = 0; i < report.answer.size(); ++i) {
    const WhyReport::Line& line = report.answer[i];
    if (place_of(report, line) == nullptr) continue;
    if (is_beside(line))
      beside.push_back(location(report, words, i, artifacts));
    else if (locations.empty() && line.run != RunSide::kA)
      locations.push_back(location(report, words, i, artifacts));
  }
  out["locations"] = std::move(locations);
  if (!beside.empty()) out["relatedLocations"] = std::move(beside);
  if (!report.answer.empty()) {
    Json flows = Json::array();
    flows.push_back(thread_flow(report, words, artifacts));
    out["codeFlows"] = Json::array({{{"message", message("from the input to the difference")},
                                     {"threadFlows", std::move(flows)}}});
  }
  out["properties"] = {{"aligned", report.aligned},
                       {"onlyA", report.only_a},
                       {"onlyB", report.only_b},
                       {"divergences", report.divergences}};
  return out;
}

Json run_of(const WhyReport::Side& side, const std::string& end) {
  return {{"recording", side.path},
          {"command", side.command},
          {"end", end},
          {"instructions", side.instructions}};
}

}  // namespace

std::string file_uri(std::string_view path) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/!$&'()*+,;=@";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return out;
}

std::string why_sarif(const WhyReport& report) {
  const WhyWords words = why_words(report);
  Artifacts artifacts;
  Json results = Json::array();
  if (report.outcome == WhyReport::Outcome::kDifferent)
    results.push_back(result(report, words, artifacts));
  Json rules = Json::array();
  for (const Rule& rule : kRules)
    rules.push_back({{"id", rule.id}, {"shortDescription", {{"text", rule.text}}}});
  Json driver{{"name", "twinrun"}, {"version", kVersion}, {"rules", std::move(rules)}};
  Json notifications = Json::array();
  for (const std::string& note : words.notes)
    notifications.push_back({{"level", "note"}, {"message", message(note)}});
  Json invocation{{"executionSuccessful", true}};
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  Json run{
      {"tool", {{"driver", std::move(driver)}}},
      {"invocations", Json::array({std::move(invocation)})},
      {"artifacts", artifacts.list()},
      {"results", std::move(results)},
      {"columnKind", "unicodeCodePoints"},
      {"properties", {{"a", run_of(report.a, words.end_a)}, {"b", run_of(report.b, words.end_b)}}}};
  const Json out{
      {"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  // Names of recorded programs can hold any bytes.
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace twinrun
