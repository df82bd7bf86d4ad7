// SPDX-License-Identifier: MIT
// SARIF as code scanning of GitHub takes it, which asks for more than the standard does: every
// result, and every step of a code flow, is at a line of a file, files are named from the root of
// the repository on, and rules have all their texts.
//
// A result is where the first sentence is about (headline_place()). Without a line of the source
// below the root it is at the line of the input that made the difference, if the sentences name
// one; else at line 1 of the root itself, which claims nothing. A step of the way without a line of
// its own, as the exit status, is at that of the next step, or of the one before.
#include "report/sarif.h"

#include "base/escape.h"
#include "base/version.h"
#include "report/json.h"
#include "report/why_places.h"
#include "report/why_words.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <utility>
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

constexpr std::string_view kEveryRule =
    "Two executions of one program were recorded and compared; the code flow leads from the input "
    "that made the difference to what went differently.";
constexpr std::string_view kHelp =
    "Follow the code flow from its beginning; values of the two runs, A and B, stand behind its "
    "lines. `twinrun why` tells the same with these recordings.";

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

constexpr std::string_view kBase = "SRCROOT";

Json message(std::string_view text) { return {{"text", escape_for_terminal(text)}}; }

/// Files that locations name, each once.
class Artifacts {
 public:
  explicit Artifacts(const SourceRoot& root) : root_(root) {}

  Json location(const std::string& file) {
    Json out = named(file);
    const auto [found, is_new] = numbers_.try_emplace(out["uri"].get<std::string>(), files_.size());
    if (is_new) files_.push_back(out);
    out["index"] = found->second;
    return out;
  }
  /// A directory's name ends with a slash.
  static Json root() { return {{"uri", "./"}, {"uriBaseId", kBase}}; }
  [[nodiscard]] Json list() const {
    Json out = Json::array();
    for (const Json& file : files_) out.push_back({{"location", file}});
    return out;
  }

 private:
  /// From the root on, if it is below that.
  [[nodiscard]] Json named(const std::string& file) const {
    const auto inside = root_.inside(file);
    if (!inside) return {{"uri", file_uri(file)}};
    return {{"uri", file_uri(*inside)}, {"uriBaseId", kBase}};
  }

  const SourceRoot& root_;
  std::map<std::string, size_t> numbers_;
  std::vector<Json> files_;
};

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

/// The line of text that an input is; nothing when it is not known, or of a file that is no text.
std::optional<uint64_t> line_of(const WhyReport& report, const OutsideSource& input) {
  const WhyReport::Headline& headline = report.headline;
  if (headline.kind != WhyReport::Headline::Kind::kInput) return std::nullopt;
  const WhyReport::Node& node = report.nodes[headline.node];
  for (const auto& [source, text] :
       {std::pair(&node.source_b, &headline.text_b), {&node.source_a, &headline.text_a}})
    if (*source && *text && (*source)->input == input.input && (*source)->offset == input.offset)
      return (*text)->line;
  return std::nullopt;
}

Json at_line(const Json& artifact, uint64_t line) {
  return {{"artifactLocation", artifact}, {"region", {{"startLine", line}}}};
}

/// Of a line of the answer, null when it is about no line of a file.
Json physical_location(const WhyReport& report, const WhyReport::Line& line, Artifacts& artifacts) {
  if (const NamedInstruction* at = place_of(report, line))
    return at_line(artifacts.location(at->file), at->line);
  const OutsideSource* input = input_of(report, line);
  const auto text = input == nullptr ? std::nullopt : line_of(report, *input);
  return text ? at_line(artifacts.location(input->input), *text) : Json();
}

/// Of a line of the answer.
Json location(const WhyReport& report, const WhyWords& words, size_t number, Artifacts& artifacts) {
  const WhyReport::Line& line = report.answer[number];
  Json out = Json::object();
  if (Json at = physical_location(report, line, artifacts); !at.is_null())
    out["physicalLocation"] = std::move(at);
  if (const NamedInstruction* at = place_of(report, line); at != nullptr && !at->function.empty())
    out["logicalLocations"] = Json::array({{{"name", at->function}, {"kind", "function"}}});
  std::string text = words.lines[number].whole();
  if (line.finding != 0) text = fmt::format("D{}  {}", line.finding, text);
  out["message"] = message(text);
  return out;
}

/// Where the result is; see above.
Json result_location(const WhyReport& report, SourceText& sources, const SourceRoot& root,
                     Artifacts& artifacts) {
  if (const auto at = headline_place(report, sources, root)) {
    Json out{
        {"physicalLocation", at_line(artifacts.location(root.path() + "/" + at->file), at->line)}};
    if (!at->function.empty())
      out["logicalLocations"] = Json::array({{{"name", at->function}, {"kind", "function"}}});
    return out;
  }
  for (const WhyReport::Line& line : report.answer) {
    const OutsideSource* input = input_of(report, line);
    const auto text = input == nullptr ? std::nullopt : line_of(report, *input);
    if (text && root.inside(input->input))
      return {{"physicalLocation", at_line(artifacts.location(input->input), *text)}};
  }
  return {{"physicalLocation", at_line(Artifacts::root(), 1)}};
}

/// Near the way from the input to the target, but not on it.
bool is_beside(const WhyReport::Line& line) { return line.kind == WhyReport::Line::Kind::kAside; }

/// Gives those that are nowhere the place of the next one, the last ones that of the one before.
void place_all(Json& locations, const Json& result_at) {
  Json at = result_at["physicalLocation"];
  for (const Json& row : locations)
    if (row["location"].contains("physicalLocation")) at = row["location"]["physicalLocation"];
  for (size_t i = locations.size(); i-- > 0;) {
    Json& location = locations[i]["location"];
    if (location.contains("physicalLocation"))
      at = location["physicalLocation"];
    else
      location["physicalLocation"] = at;
  }
}

/// From the input to the target, while the answer goes the other way.
Json thread_flow(const WhyReport& report, const WhyWords& words, const Json& result_at,
                 Artifacts& artifacts) {
  Json locations = Json::array();
  for (size_t i = report.answer.size(); i-- > 0;) {
    if (is_beside(report.answer[i])) continue;
    Json row{{"location", location(report, words, i, artifacts)}};
    row["importance"] = report.answer[i].finding != 0 ? "essential" : "important";
    row["executionOrder"] = locations.size() + 1;
    locations.push_back(std::move(row));
  }
  place_all(locations, result_at);
  return {{"locations", std::move(locations)}};
}

Json result(const WhyReport& report, const WhyWords& words, SourceText& sources,
            const SourceRoot& root, Artifacts& artifacts) {
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
  const Json at = result_location(report, sources, root, artifacts);
  out["locations"] = Json::array({at});
  Json beside = Json::array();
  for (size_t i = 0; i < report.answer.size(); ++i)
    if (is_beside(report.answer[i]) && place_of(report, report.answer[i]) != nullptr)
      beside.push_back(location(report, words, i, artifacts));
  if (!beside.empty()) out["relatedLocations"] = std::move(beside);
  if (!report.answer.empty()) {
    Json flows = Json::array();
    flows.push_back(thread_flow(report, words, at, artifacts));
    out["codeFlows"] = Json::array({{{"message", message("from the input to the difference")},
                                     {"threadFlows", std::move(flows)}}});
  }
  out["properties"] = {{"aligned", report.aligned},
                       {"onlyA", report.only_a},
                       {"onlyB", report.only_b},
                       {"divergences", report.divergences}};
  return out;
}

/// As the name of a directory, below which other names are.
std::string with_slash(std::string path) {
  if (!path.ends_with('/')) path += '/';
  return path;
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

std::string why_sarif(const WhyReport& report, SourceText& sources, const SourceRoot& root) {
  const WhyWords words = why_words(report, sources);
  Artifacts artifacts(root);
  Json results = Json::array();
  if (report.outcome == WhyReport::Outcome::kDifferent)
    results.push_back(result(report, words, sources, root, artifacts));
  Json rules = Json::array();
  for (const Rule& rule : kRules)
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", rule.text}}},
                     {"fullDescription", {{"text", fmt::format("{} {}", rule.text, kEveryRule)}}},
                     {"help", {{"text", kHelp}}}});
  Json driver{{"name", "twinrun"}, {"version", kVersion}, {"rules", std::move(rules)}};
  Json notifications = Json::array();
  for (const std::string& note : words.notes)
    notifications.push_back({{"level", "note"}, {"message", message(note)}});
  Json invocation{{"executionSuccessful", true}};
  if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
  Json run{
      {"tool", {{"driver", std::move(driver)}}},
      {"invocations", Json::array({std::move(invocation)})},
      {"originalUriBaseIds", {{kBase, {{"uri", file_uri(with_slash(root.path()))}}}}},
      {"artifacts", artifacts.list()},
      {"results", std::move(results)},
      {"columnKind", "unicodeCodePoints"},
      {"properties", {{"a", run_of(report.a, words.end_a)}, {"b", run_of(report.b, words.end_b)}}}};
  const Json out{
      {"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
  // Names of recorded programs can hold any bytes.
  return json_text(out, 2) + "\n";
}

}  // namespace twinrun
