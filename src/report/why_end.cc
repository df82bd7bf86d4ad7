// SPDX-License-Identifier: MIT
// How a run ended that did not end by itself: what it did when it died, or what keeps it.
#include "report/why_end.h"

#include "base/text.h"
#include "explain/answer/statements.h"
#include "program/source_name.h"
#include "report/why_phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace twinrun {
namespace {

using Line = WhyReport::Line;

constexpr size_t kQuoteMost = 60;  // of a line of the source

bool is_of_name(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/// Up to the parenthesis that closes the one at `open`; npos: it is not in this line.
size_t closing(std::string_view line, size_t open) {
  int depth = 0;
  for (size_t i = open; i < line.size(); ++i) {
    if (line[i] == '(') ++depth;
    if (line[i] == ')' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// "  strcpy(a, b);", behind a place; empty without a source.
std::string quoted(const WhyLine& site, const NamedInstruction& at) {
  if (at.line == 0 || site.text.empty()) return "";
  return "  " + cut_text(site.text, kQuoteMost);
}

/// "SIGSEGV", when a signal killed B, or interrupted it for good.
std::string signal_of(const WhyReport& report) {
  if (report.target_kind != Target::Kind::kCrash || report.target_b.kind != TargetValue::Kind::kEnd)
    return "";
  const std::string& text = report.target_b.end.text;
  for (const std::string_view what : {"killed by ", "interrupted by "})
    if (text.starts_with(what)) return text.substr(what.size());
  return "";
}

/// What of the answer's values is NULL in B.
std::string null_name(const WhyReport& report) {
  for (const Line& line : report.answer) {
    if (!line.edge) continue;
    const WhyReport::Edge& edge = report.edges[*line.edge];
    if (phrase_of_value(edge.value_b) == "NULL") return edge.name;
  }
  return "";
}

/// An access, or a jump, that cannot be: what B died of.
std::string fault_text(const WhyReport& report, const Misuse& of, const std::string& signal,
                       WhyLines& lines) {
  const WhyLine site = lines.site(of.at);
  const bool is_null = of.kind == Misuse::Kind::kNull;
  const uint64_t address = is_null ? static_cast<uint64_t>(of.offset) : of.address;
  const std::string to = !is_null       ? fmt::format("{:#x}, where there is no memory,", address)
                         : address == 0 ? "0 (NULL)"
                                        : fmt::format("{0} (NULL + {0})", address);
  std::string does;
  switch (of.access) {
    case Misuse::Access::kRead: does = "reads address " + to; break;
    case Misuse::Access::kWrite: does = "writes to address " + to; break;
    case Misuse::Access::kJump:
      does = is_null ? "calls a NULL pointer"
                     : fmt::format("jumps to {:#x}, where there is no code,", address);
      break;
    case Misuse::Access::kFree: return phrase_of_misuse(of);
  }
  if (of.by.empty())
    return fmt::format("{}: B {} at {}{}", signal, does, site.place, quoted(site, of.at));
  return fmt::format("{}: {} {} at {}", signal,
                     call_in_line(of.at.line == 0 ? "" : site.text, of.by, null_name(report)), does,
                     site.place);
}

/// What differs there, as far as the answer tells it and no wrong state says it already:
/// "  (left is -8 in B, 0 in A)".
std::string values_at(const WhyReport& report, const NamedInstruction& at, WhyLines& lines) {
  if (std::ranges::any_of(report.answer, &Line::is_first_wrong)) return "";
  for (const Line& line : report.answer) {
    if (line.kind != Line::Kind::kPlace || !line.edge) continue;
    const NamedInstruction* site = site_of(report.nodes[line.nodes.front()], RunSide::kB);
    if (site == nullptr || !same_site(*site, at)) continue;
    const WhyLine told = lines.line(line);
    if (told.name.empty() || told.value_a == "?" || told.value_b == "?") continue;
    return fmt::format("  ({} is {} in B, {} in A)", told.name, told.value_b, told.value_a);
  }
  return "";
}

/// The function that B died in is called by itself there: " in sum(), which calls itself at a.c:6".
std::string recursion_at(const WhyReport& report, const NamedInstruction& at) {
  for (const Line& line : report.answer) {
    if (line.kind != Line::Kind::kSite || line.run != RunSide::kB) continue;
    const std::optional<NamedInstruction>& by = report.nodes[line.nodes.front()].b;
    const bool is_call = by && by->text.starts_with("call") && by->function == at.function;
    if (is_call && !at.function.empty())
      return fmt::format(" in {}(), which calls itself at {}", twinrun::source_name(at.function),
                         phrase_of_place(*by));
  }
  return "";
}

/// Whether B stands in a system call where it comes no oftener than A: it waits there, and does not
/// rest between the rounds of a loop.
bool is_waiting(const WhyReport& report) {
  if (report.nodes.empty()) return false;
  const WhyReport::Node& target = report.nodes.front();
  if (!target.b || !target.b->text.starts_with("syscall")) return false;
  const NamedInstruction* at = site_of(target, RunSide::kB);
  const auto here = std::ranges::find_if(report.statements, [&](const WhyReport::Statement& one) {
    return at != nullptr && same_site(one.at, *at);
  });
  return here != report.statements.end() && here->times_b <= here->times_a + 1;
}

/// Where B stood in the end, or the branch by which A left the loop; null: nowhere in the program.
const NamedInstruction* last_site(const WhyReport& report, bool is_hang) {
  for (const Line& line : report.answer) {
    // Where a loop is left is what both runs did, where it stood when it was stopped is chance.
    const bool is_told = line.kind == Line::Kind::kPlace ||
                         (!is_hang && line.kind == Line::Kind::kSite && line.run == RunSide::kB);
    if (is_told) return site_of(report.nodes[line.nodes.front()], RunSide::kB);
  }
  return nullptr;
}

WhySentence hang_sentence(const WhyReport& report, WhyLines& lines) {
  if (is_waiting(report)) {
    const NamedInstruction& at = *site_of(report.nodes.front(), RunSide::kB);
    const WhyLine site = lines.site(at);
    return {fmt::format("B waits at {}{}", site.place, quoted(site, at)), {&at}};
  }
  const NamedInstruction* at = last_site(report, true);
  if (at == nullptr) return {};
  const WhyLine site = lines.site(*at);
  return {fmt::format("B does not come out of the loop at {}{}{}", site.place, quoted(site, *at),
                      values_at(report, *at, lines)),
          {at}};
}

/// The call from which nothing returned: the run ended by itself, but had failed.
WhySentence gave_up_sentence(const WhyReport& report, WhyLines& lines) {
  if (!report.gave_up) return {};
  const WhyLine site = lines.site(*report.gave_up);
  return {fmt::format("B gives up at {}{}", site.place, quoted(site, *report.gave_up)),
          {&*report.gave_up}};
}

std::string crash_text(const WhyReport& report, const NamedInstruction& at,
                       const std::string& signal, WhyLines& lines) {
  const WhyLine site = lines.site(at);
  const std::optional<NamedInstruction>& last = report.nodes.front().b;  // the answer tells some
  const bool divides = signal == "SIGFPE" && last && last->text.find("div") < 2;
  if (const std::string recursion = recursion_at(report, at);
      signal == "SIGSEGV" && !recursion.empty())
    return fmt::format("{} at {}{}", signal, site.place, recursion);
  return fmt::format("{} at {}{}{}", divides ? "SIGFPE: a division without a result" : signal,
                     site.place, quoted(site, at), values_at(report, at, lines));
}

}  // namespace

std::vector<const NamedInstruction*> sites_of(const Misuse& misuse) {
  std::vector<const NamedInstruction*> out{&misuse.at};
  for (const NamedInstruction& caller : misuse.callers) out.push_back(&caller);
  return out;
}

std::string call_in_line(std::string_view line, std::string_view function, std::string_view name) {
  std::vector<std::string_view> calls;
  for (size_t at = line.find(function); at != std::string_view::npos;
       at = line.find(function, at + 1)) {
    const size_t open = at + function.size();
    if (open >= line.size() || line[open] != '(') continue;
    if (at != 0 && is_of_name(line[at - 1])) continue;
    const size_t end = closing(line, open);
    if (end != std::string_view::npos) calls.push_back(line.substr(at, end + 1 - at));
  }
  if (calls.size() > 1 && !name.empty())
    std::erase_if(calls, [&](std::string_view one) { return !one.contains(name); });
  return calls.size() == 1 ? std::string(calls[0]) : fmt::format("{}()", function);
}

WhySentence end_sentence(const WhyReport& report, WhyLines& lines) {
  const bool is_hang = report.target_kind == Target::Kind::kHang;
  const bool is_of_b = report.target_b.kind == TargetValue::Kind::kEnd &&
                       report.target_b.end.kind != HowEnded::Kind::kExited;
  const std::string signal = signal_of(report);
  const Misuse* misuse = report.misuses.empty() || report.misuses.front().is_in_both
                             ? nullptr
                             : &report.misuses.front();
  if (misuse != nullptr && misuse->is_symptom())
    return {signal.empty() ? phrase_of_misuse(*misuse) : fault_text(report, *misuse, signal, lines),
            sites_of(*misuse)};
  if (misuse != nullptr) return {};
  if (!is_of_b) return gave_up_sentence(report, lines);
  if (is_hang) return hang_sentence(report, lines);
  const NamedInstruction* at = last_site(report, false);
  if (signal.empty() || at == nullptr) return {};
  return {crash_text(report, *at, signal, lines), {at}};
}

}  // namespace twinrun
