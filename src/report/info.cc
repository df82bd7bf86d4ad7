// SPDX-License-Identifier: MIT
#include "report/info.h"

#include "base/escape.h"
#include "base/text.h"
#include "kernel/syscalls.h"
#include "report/json.h"
#include "report/table.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <optional>

namespace twinrun {
namespace {

using Align = TextTable::Align;
constexpr size_t kRowsShown = 5;

std::string command_text(const std::vector<std::string>& command) {
  std::string out;
  for (const std::string& word : command) out += (out.empty() ? "" : " ") + quote_for_shell(word);
  return out;
}

// Cut at `width` columns, counting each byte as one; never inside a UTF-8 sequence.
std::string shortened(std::string text, size_t width) {
  if (text.size() <= width) return text;
  while (width > 0 && (static_cast<unsigned char>(text[width]) & 0xc0) == 0x80) --width;
  return text.substr(0, width) + "...";
}

std::string local_time(uint64_t nanoseconds) {
  const auto seconds = static_cast<time_t>(nanoseconds / 1'000'000'000);
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return "?";
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", local);
}

const char* stop_text(StopReason reason) {
  switch (reason) {
    case StopReason::kNone: return "complete";
    case StopReason::kInterrupted: return "interrupted";
    case StopReason::kMaxSize: return "size limit";
    case StopReason::kReserve: return "disk nearly full";
    case StopReason::kWriteError: return "write error";
    case StopReason::kLost: return "its end was lost";
    case StopReason::kTimeout: return "out of time";
  }
  return "unknown";
}

const char* origin_text(uint32_t origin) {
  switch (origin) {
    case TW_ORIGIN_ROOT: return "start";
    case TW_ORIGIN_FORK: return "fork";
    case TW_ORIGIN_EXEC: return "exec";
    case TW_ORIGIN_LATE: return "late";
    default: return "?";
  }
}

double bits_per_instruction(uint64_t bytes, uint64_t instructions) {
  return instructions == 0 ? 0
                           : 8.0 * static_cast<double>(bytes) / static_cast<double>(instructions);
}

size_t thread_count(const RecordingSummary& summary) {
  size_t count = 0;
  for (const ProcessSummary& p : summary.processes) count += p.threads.size();
  return count;
}

std::string counted(size_t count, const char* singular, const char* plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

std::string state_text(const RecordingSummary& s) {
  if (s.is_prefix)
    return fmt::format("a prefix: {}, {} behind it cannot be used", s.prefix_note,
                       format_size(s.lost_bytes));
  if (s.end && s.end->stop != StopReason::kNone)
    return fmt::format("cut: {} ({})", stop_text(s.end->stop), escape_for_terminal(s.end->note));
  return "complete";
}

void add_hidden(std::string& out, size_t total, bool all) {
  if (!all && total > kRowsShown) out += fmt::format("{} more: --all\n", total - kRowsShown);
}

std::string processes_text(const RecordingSummary& s, bool all) {
  TextTable table({{"PROCESS", Align::kRight},
                   {"PARENT", Align::kRight},
                   {"PID", Align::kRight},
                   {"BY"},
                   {"THREADS", Align::kRight},
                   {"INSTRUCTIONS", Align::kRight},
                   {"END"},
                   {"COMMAND"}});
  for (size_t i = 0; i < s.processes.size() && (all || i < kRowsShown); ++i) {
    const ProcessSummary& p = s.processes[i];
    table.add_row({fmt::format("{}", p.info.number),
                   p.info.parent == 0 ? "-" : fmt::format("{}", p.info.parent),
                   fmt::format("{}", p.info.pid), origin_text(p.info.origin),
                   fmt::format("{}", p.threads.size()), fmt::format("{}", p.instructions),
                   p.end ? end_text(p.end->how, p.end->status, p.end->note) : "not seen",
                   shortened(command_text(p.command), all ? 4096 : 48)});
  }
  std::string out = table.render();
  add_hidden(out, s.processes.size(), all);
  return out;
}

std::string threads_text(const RecordingSummary& s) {
  TextTable table(
      {{"PROCESS", Align::kRight}, {"THREAD", Align::kRight}, {"INSTRUCTIONS", Align::kRight}});
  for (const ProcessSummary& p : s.processes)
    for (const ThreadSummary& t : p.threads)
      table.add_row({fmt::format("{}", p.info.number), fmt::format("{}", t.number),
                     fmt::format("{}", t.instructions)});
  return table.render();
}

std::string streams_text(const RecordingSummary& s) {
  TextTable table({{"STREAM"},
                   {"RAW", Align::kRight},
                   {"CODED", Align::kRight},
                   {"BITS/INSTRUCTION", Align::kRight}});
  uint64_t raw = 0;
  uint64_t coded = 0;
  for (const StreamSummary& stream : s.streams) {
    table.add_row({stream.name, format_size(stream.raw), format_size(stream.coded),
                   fmt::format("{:.4f}", bits_per_instruction(stream.coded, s.instructions))});
    raw += stream.raw;
    coded += stream.coded;
  }
  table.add_row({"all", format_size(raw), format_size(coded),
                 fmt::format("{:.4f}", bits_per_instruction(coded, s.instructions))});
  return table.render();
}

std::string modules_text(const RecordingSummary& s, bool all) {
  TextTable table({{"MODULE"}, {"BUILD ID"}, {""}});
  for (size_t i = 0; i < s.modules.size() && (all || i < kRowsShown); ++i) {
    const ModuleSummary& m = s.modules[i];
    table.add_row({escape_for_terminal(m.path), m.build_id.empty() ? "-" : hex_text(m.build_id),
                   m.packed ? "packed" : ""});
  }
  std::string out = table.render();
  add_hidden(out, s.modules.size(), all);
  return out;
}

/// Percent of the executed operations that are computed; none when none was executed.
std::optional<double> share(const OperationCount& count) {
  if (count.all() == 0) return std::nullopt;
  return 100.0 * static_cast<double>(count.computed) / static_cast<double>(count.all());
}

Json end_json(EndKind how, uint32_t status, const std::string& note) {
  const char* name = how == EndKind::kExited   ? "exited"
                     : how == EndKind::kKilled ? "killed"
                     : how == EndKind::kExec   ? "exec"
                                               : "cut";
  Json out = {{"how", name}};
  if (how == EndKind::kExited) out["status"] = status;
  if (how == EndKind::kKilled) out["signal"] = status;
  if (!note.empty()) out["note"] = note;
  return out;
}

}  // namespace

std::string end_text(EndKind how, uint32_t status, const std::string& note) {
  switch (how) {
    case EndKind::kExited: return fmt::format("exit {}", status);
    case EndKind::kKilled: return fmt::format("killed by {}", signal_name(status));
    case EndKind::kExec: return "became another program";
    case EndKind::kCut: break;
  }
  return note.empty() ? "cut" : fmt::format("cut: {}", escape_for_terminal(note));
}

std::string info_text(const RecordingSummary& s, bool all, const Style& style) {
  std::string out =
      style.bold(s.recording ? shortened(command_text(s.recording->argv), all ? 65536 : 100)
                             : "(the command is lost)") +
      "\n";
  const std::string end = s.end ? end_text(s.end->how, s.end->status, s.end->note) : "end not seen";
  out += fmt::format("{}, {} instructions, {}, {}\n", end, format_count(s.instructions),
                     counted(s.processes.size(), "process", "processes"),
                     counted(thread_count(s), "thread", "threads"));
  out += fmt::format("{}, {} ({:.3f} bits per instruction), {}\n", escape_for_terminal(s.path),
                     format_size(s.file_size), bits_per_instruction(s.file_size, s.instructions),
                     state_text(s));
  if (s.recording) {
    const RecordingInfo& r = *s.recording;
    const std::string* from = r.fact(kFactFrom);
    const std::string begin =
        from == nullptr ? "" : fmt::format(", from {} on", escape_for_terminal(*from));
    out +=
        fmt::format("recorded {} in {} by twinrun {}, Valgrind {}{}{}\n",
                    local_time(s.start_time_ns), escape_for_terminal(r.cwd),
                    escape_for_terminal(r.twinrun_version), escape_for_terminal(r.valgrind_version),
                    (s.features & TW_FEATURE_VALUES) == 0 ? ", control flow only" : "", begin);
    if (all) {
      out += fmt::format("host {}\ncpu {}\nuuid {}, format {}, {} environment variables\n",
                         escape_for_terminal(r.host), escape_for_terminal(r.cpu_features), s.uuid,
                         s.version, r.env.size());
      for (const auto& [name, value] : r.facts)
        out += fmt::format("{} {}\n", escape_for_terminal(name), escape_for_terminal(value));
    }
  }
  out += "\n" + processes_text(s, all);
  if (all) out += "\n" + threads_text(s) + "\n" + streams_text(s);
  out += "\n" + modules_text(s, all);
  if (!s.warnings.empty()) out += "\n";
  for (size_t i = 0; i < s.warnings.size() && (all || i < kRowsShown); ++i) {
    const TraceWarning& w = s.warnings[i];
    out += fmt::format("{} process {}: {}\n",
                       style.yellow(fmt::format("{}[{}]", w.is_note() ? "note" : "warning",
                                                escape_for_terminal(w.code))),
                       w.process, escape_for_terminal(w.text));
  }
  add_hidden(out, s.warnings.size(), all);
  return out;
}

std::string info_json(const RecordingSummary& s) {
  Json fields = {{"path", s.path},
                 {"size", s.file_size},
                 {"format", s.version},
                 {"uuid", s.uuid},
                 {"time_ns", s.start_time_ns},
                 {"values", (s.features & TW_FEATURE_VALUES) != 0},
                 {"packed", (s.features & TW_FEATURE_PACKED) != 0},
                 {"prefix", s.is_prefix},
                 {"prefix_note", s.prefix_note},
                 {"lost_bytes", s.lost_bytes},
                 {"instructions", s.instructions},
                 {"blocks", s.blocks},
                 {"bits_per_instruction", bits_per_instruction(s.file_size, s.instructions)}};
  if (s.recording) {
    const RecordingInfo& r = *s.recording;
    Json facts = Json::object();
    for (const auto& [name, value] : r.facts) facts[name] = value;
    fields["recording"] = {{"command", r.argv},
                           {"directory", r.cwd},
                           {"environment", r.env},
                           {"twinrun", r.twinrun_version},
                           {"valgrind", r.valgrind_version},
                           {"host", r.host},
                           {"cpu", r.cpu_features},
                           {"padded", (r.flags & kRecordingPadded) != 0},
                           {"facts", facts}};
  } else {
    fields["recording"] = Json();
  }
  fields["end"] = s.end ? end_json(s.end->how, s.end->status, s.end->note) : Json();
  fields["stop"] = s.end ? Json(stop_text(s.end->stop)) : Json();
  Json processes = Json::array();
  for (const ProcessSummary& p : s.processes) {
    Json threads = Json::array();
    for (const ThreadSummary& t : p.threads)
      threads.push_back({{"thread", t.number}, {"instructions", t.instructions}});
    processes.push_back(
        {{"process", p.info.number},
         {"parent", p.info.parent == 0 ? Json() : Json(p.info.parent)},
         {"origin", origin_text(p.info.origin)},
         {"pid", p.info.pid},
         {"command", p.command},
         {"blocks", p.blocks},
         {"instructions", p.instructions},
         {"threads", threads},
         {"end", p.end ? end_json(p.end->how, p.end->status, p.end->note) : Json()}});
  }
  fields["processes"] = processes;
  Json streams = Json::array();
  for (const StreamSummary& stream : s.streams)
    streams.push_back(
        {{"name", stream.name},
         {"raw", stream.raw},
         {"coded", stream.coded},
         {"bits_per_instruction", bits_per_instruction(stream.coded, s.instructions)}});
  fields["streams"] = streams;
  Json modules = Json::array();
  for (const ModuleSummary& m : s.modules)
    modules.push_back({{"path", m.path}, {"build_id", hex_text(m.build_id)}, {"packed", m.packed}});
  fields["modules"] = modules;
  Json warnings = Json::array();
  for (const TraceWarning& w : s.warnings)
    warnings.push_back(
        {{"process", w.process}, {"code", w.code}, {"is_note", w.is_note()}, {"text", w.text}});
  fields["warnings"] = warnings;
  return render_json("info", 1, fields);
}

std::string functions_text(const std::vector<FunctionCount>& functions, uint64_t total,
                           size_t limit) {
  TextTable table({{"INSTRUCTIONS", Align::kRight},
                   {"%", Align::kRight},
                   {"CALLS", Align::kRight},
                   {"FUNCTION"},
                   {"MODULE"}});
  const size_t shown = limit == 0 ? functions.size() : std::min(limit, functions.size());
  for (size_t i = 0; i < shown; ++i) {
    const FunctionCount& f = functions[i];
    table.add_row({fmt::format("{}", f.instructions),
                   fmt::format("{:.2f}", total == 0 ? 0
                                                    : 100.0 * static_cast<double>(f.instructions) /
                                                          static_cast<double>(total)),
                   f.function.empty() ? "-" : fmt::format("{}", f.calls),
                   f.function.empty() ? "(no symbol)" : escape_for_terminal(f.function),
                   f.module.empty() ? "(no file)" : escape_for_terminal(f.module)});
  }
  std::string out = table.render();
  if (shown < functions.size()) out += fmt::format("{} more: --all\n", functions.size() - shown);
  return out;
}

std::string functions_json(const std::vector<FunctionCount>& functions, uint64_t total) {
  Json rows = Json::array();
  for (const FunctionCount& f : functions)
    rows.push_back({{"module", f.module},
                    {"function", f.function.empty() ? Json() : Json(f.function)},
                    {"address", f.address.value},
                    {"instructions", f.instructions},
                    {"calls", f.calls}});
  return render_json("info.functions", 1, {{"instructions", total}, {"functions", rows}});
}

std::string instructions_text(const std::vector<InstructionCount>& instructions) {
  TextTable table({{"COUNT", Align::kRight}, {"ADDRESS", Align::kRight}, {"FUNCTION"}, {"MODULE"}});
  for (const InstructionCount& i : instructions)
    table.add_row({fmt::format("{}", i.count), fmt::format("{:#x}", i.address.value),
                   i.function.empty() ? "-" : escape_for_terminal(i.function),
                   i.module.empty() ? "(no file)" : escape_for_terminal(i.module)});
  return table.render();
}

std::string instructions_json(const std::vector<InstructionCount>& instructions) {
  Json rows = Json::array();
  for (const InstructionCount& i : instructions)
    rows.push_back({{"module", i.module}, {"address", i.address.value}, {"count", i.count}});
  return render_json("info.instructions", 1, {{"instructions", rows}});
}

std::string operations_text(const OperationCounts& counts, size_t limit) {
  TextTable kinds({{"KIND"},
                   {"EXECUTED", Align::kRight},
                   {"COMPUTED", Align::kRight},
                   {"LOGGED", Align::kRight},
                   {"UNNEEDED", Align::kRight},
                   {"% COMPUTED", Align::kRight}});
  for (size_t i = 0; i < kOperationKinds; ++i) {
    const OperationCount& c = counts.by_kind[i];
    const auto percent = share(c);
    kinds.add_row({operation_kind_name(static_cast<OperationKind>(i)), fmt::format("{}", c.all()),
                   fmt::format("{}", c.computed), fmt::format("{}", c.logged),
                   fmt::format("{}", c.unneeded), percent ? fmt::format("{:.3f}", *percent) : "-"});
  }
  std::string out = kinds.render();
  if (counts.logged.empty()) return out;
  TextTable logged({{"LOGGED", Align::kRight}, {"OPERATION"}, {"KIND"}});
  const size_t shown = limit == 0 ? counts.logged.size() : std::min(limit, counts.logged.size());
  for (size_t i = 0; i < shown; ++i) {
    const LoggedOperation& operation = counts.logged[i];
    logged.add_row({fmt::format("{}", operation.count), escape_for_terminal(operation.name),
                    operation_kind_name(operation.kind)});
  }
  out += "\n" + logged.render();
  if (shown < counts.logged.size())
    out += fmt::format("{} more: --all\n", counts.logged.size() - shown);
  return out;
}

std::string operations_json(const OperationCounts& counts) {
  Json kinds = Json::array();
  for (size_t i = 0; i < kOperationKinds; ++i) {
    const OperationCount& c = counts.by_kind[i];
    const auto percent = share(c);
    kinds.push_back({{"kind", operation_kind_name(static_cast<OperationKind>(i))},
                     {"executed", c.all()},
                     {"computed", c.computed},
                     {"logged", c.logged},
                     {"unneeded", c.unneeded},
                     {"computed_percent", percent ? Json(*percent) : Json()}});
  }
  Json logged = Json::array();
  for (const LoggedOperation& operation : counts.logged)
    logged.push_back({{"operation", operation.name},
                      {"kind", operation_kind_name(operation.kind)},
                      {"count", operation.count}});
  return render_json("info.operations", 1, {{"kinds", kinds}, {"logged", logged}});
}

}  // namespace twinrun
