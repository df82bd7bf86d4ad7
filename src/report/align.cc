// SPDX-License-Identifier: MIT
#include "report/align.h"

#include "base/escape.h"
#include "report/code_place.h"
#include "report/json.h"
#include "report/more_rows.h"
#include "report/table.h"
#include "report/typed.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

/// 99.99 rather than 100 when something is missing.
std::string share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  if (part == whole) return "100%";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.2f}%", std::min(percent, 99.99));
}

std::string_view kind_name(Divergence::Kind kind) {
  switch (kind) {
    case Divergence::Kind::kBranch: return "branch";
    case Divergence::Kind::kCall: return "call";
    case Divergence::Kind::kEnd: return "end";
    case Divergence::Kind::kInterrupt: return "interrupt";
  }
  return "";
}

std::string target_text(const SourcePlace& place) {
  return place.function.empty() ? "ends" : "goes to " + place_text(place);
}

std::string thread_name(const Position& position) {
  if (position.thread.value == 0) return "-";
  return fmt::format("{}.{}", position.process.value, position.thread.value);
}

/// Null where the run has no such thread.
Json ids_json(const Position& at) {
  if (at.thread.value == 0) return {};
  return {{"process", at.process.value}, {"thread", at.thread.value}};
}

std::string range_text(const StepRange& range) {
  if (range.size() == 0) return fmt::format("{}", range.from);
  return fmt::format("{}..{}", range.from, range.to);
}

void add_divergences(const AlignReport& report, PositionForm form, std::string& out) {
  bool is_first = true;
  for (const Divergence& divergence : report.divergences) {
    out += is_first ? "\nfirst divergence: " : "\nthen: ";
    is_first = false;
    out += fmt::format("{}  at A {}  B {}\n",
                       divergence.at.function.empty() ? "the start" : place_text(divergence.at),
                       format_position(divergence.a, form), format_position(divergence.b, form));
    const auto side = [&](std::string_view name, const SourcePlace& to, const StepRange& only,
                          const BranchValues& values) {
      out += fmt::format("  {} {}, {} instruction{} by itself\n", name, target_text(to),
                         only.size(), only.size() == 1 ? "" : "s");
      if (!values.text.empty())
        out +=
            fmt::format("    {}{}{}\n", escape_for_terminal(values.text),
                        values.origin.empty() ? "" : ", from ", escape_for_terminal(values.origin));
    };
    side("A", divergence.to_a, divergence.only_a, divergence.values_a);
    side("B", divergence.to_b, divergence.only_b, divergence.values_b);
  }
}

void add_places(const AlignReport& report, const AlignView& view, std::string& out) {
  if (report.places.empty()) return;
  TextTable table({{"TIMES", TextTable::Align::kRight},
                   {"ONLY A", TextTable::Align::kRight},
                   {"ONLY B", TextTable::Align::kRight},
                   {"DIVERGE BEHIND"}});
  size_t rows = 0;
  for (const DivergencePlace& place : report.places) {
    if (rows++ == view.limit) break;
    table.add_row({std::to_string(place.count), std::to_string(place.only_a),
                   std::to_string(place.only_b),
                   place.at.function.empty() ? "the start" : place_text(place.at)});
  }
  out += "\n" + table.render();
  if (report.places.size() > view.limit)
    out += "and " + more_rows(report.places.size() - view.limit, "place") + ": --limit\n";
}

void add_regions(const ThreadAlignment& thread, const AlignView& view, std::string& out) {
  TextTable table({{"REGION"}, {"A"}, {"B"}});
  size_t rows = 0;
  for (const AlignedRegion& region : thread.regions) {
    if (rows++ == view.limit) break;
    table.add_row(
        {region.is_aligned ? "aligned" : "disaligned", range_text(region.a), range_text(region.b)});
  }
  out += fmt::format("\nthread A {}  B {}\n", thread_name(thread.a), thread_name(thread.b));
  out += table.render();
  if (thread.regions.size() > view.limit)
    out += "and " + more_rows(thread.regions.size() - view.limit, "region") + ": --limit\n";
}

}  // namespace

std::string align_text(const AlignReport& report, const AlignView& view, PositionForm form) {
  TextTable table({{"THREAD A"},
                   {"THREAD B"},
                   {"ALIGNED", TextTable::Align::kRight},
                   {"OF A", TextTable::Align::kRight},
                   {"OF B", TextTable::Align::kRight},
                   {"ONLY A", TextTable::Align::kRight},
                   {"ONLY B", TextTable::Align::kRight},
                   {"DIVERGENCES", TextTable::Align::kRight},
                   {""}});
  for (const ThreadAlignment& thread : report.threads) {
    std::string note = thread.note;
    if (thread.before_a != 0 || thread.before_b != 0)
      note = fmt::format("behind the anchor; in front of it A {}, B {}", thread.before_a,
                         thread.before_b);
    table.add_row({thread_name(thread.a), thread_name(thread.b), std::to_string(thread.aligned),
                   share(thread.aligned, thread.steps_a - thread.before_a),
                   share(thread.aligned, thread.steps_b - thread.before_b),
                   std::to_string(thread.only_a), std::to_string(thread.only_b),
                   std::to_string(thread.divergences), note});
  }
  std::string out = table.render();
  if (report.ignored != 0) out += fmt::format("{} divergences ignored\n", report.ignored);
  if (report.is_same()) out += "the runs do not diverge\n";
  add_divergences(report, form, out);
  add_places(report, view, out);
  if (view.regions)
    for (const ThreadAlignment& thread : report.threads) add_regions(thread, view, out);
  return out;
}

std::string align_json(const AlignReport& report, const AlignView& view) {
  const auto side = [](const AlignReport::Side& from) {
    Json out{{"recording", from.path}, {"instructions", from.instructions}};
    if (!from.prefix_note.empty()) out["prefix"] = from.prefix_note;
    return out;
  };
  const auto range = [](const StepRange& steps) { return Json::array({steps.from, steps.to}); };
  Json threads = Json::array();
  for (const ThreadAlignment& thread : report.threads) {
    Json row{{"a", thread.a.thread.value == 0 ? Json() : Json(thread_name(thread.a))},
             {"b", thread.b.thread.value == 0 ? Json() : Json(thread_name(thread.b))},
             {"thread_a", ids_json(thread.a)},
             {"thread_b", ids_json(thread.b)},
             {"instructions_a", thread.steps_a},
             {"instructions_b", thread.steps_b},
             {"aligned", thread.aligned},
             {"only_a", thread.only_a},
             {"only_b", thread.only_b},
             {"divergences", thread.divergences}};
    if (thread.loops == PairLoops::kContent) row["loops"] = "content";
    if (!thread.note.empty()) row["note"] = thread.note;
    if (view.regions) {
      Json regions = Json::array();
      for (const AlignedRegion& region : thread.regions)
        regions.push_back({{"kind", region.is_aligned ? "aligned" : "disaligned"},
                           {"a", range(region.a)},
                           {"b", range(region.b)}});
      row["regions"] = std::move(regions);
    }
    threads.push_back(std::move(row));
  }
  Json divergences = Json::array();
  for (const Divergence& divergence : report.divergences) {
    Json row{{"kind", kind_name(divergence.kind)},
             {"a", format_position(divergence.a, PositionForm::kFull)},
             {"b", format_position(divergence.b, PositionForm::kFull)},
             {"moment_a", moment_json(divergence.a)},
             {"moment_b", moment_json(divergence.b)},
             {"at", place_json(divergence.at)}};
    row["to_a"] = divergence.to_a.function.empty() ? Json() : place_json(divergence.to_a);
    row["to_b"] = divergence.to_b.function.empty() ? Json() : place_json(divergence.to_b);
    row["only_a"] = range(divergence.only_a);
    row["only_b"] = range(divergence.only_b);
    row["depth"] = divergence.depth;
    const auto values = [&](const char* name, const BranchValues& from) {
      if (from.text.empty()) return;
      row[name] = {{"text", from.text}};
      if (!from.origin.empty()) row[name]["origin"] = from.origin;
    };
    values("values_a", divergence.values_a);
    values("values_b", divergence.values_b);
    row["ignore"] = ignore_line(divergence.at);
    divergences.push_back(std::move(row));
  }
  Json places = Json::array();
  for (const DivergencePlace& place : report.places) {
    places.push_back({{"at", place_json(place.at)},
                      {"library", place.is_library},
                      {"times", place.count},
                      {"only_a", place.only_a},
                      {"only_b", place.only_b}});
  }
  return render_json("align", 1,
                     {{"a", side(report.a)},
                      {"b", side(report.b)},
                      {"aligned", report.aligned},
                      {"only_a", report.only_a},
                      {"only_b", report.only_b},
                      {"divergence_count", report.divergence_count},
                      {"ignored", report.ignored},
                      {"threads", std::move(threads)},
                      {"divergences", std::move(divergences)},
                      {"places", std::move(places)}});
}

}  // namespace twinrun
