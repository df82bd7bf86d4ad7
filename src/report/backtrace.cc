// SPDX-License-Identifier: MIT
#include "report/backtrace.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/more_rows.h"
#include "report/typed.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

std::string_view kind_name(BacktraceFrame::Kind kind) {
  switch (kind) {
    case BacktraceFrame::Kind::kCall: return "call";
    case BacktraceFrame::Kind::kInlined: return "inlined";
    case BacktraceFrame::Kind::kOther: return "other";
  }
  return "";
}

/// "?" where the value is not known, which reads "<why>".
std::string short_value(const std::string& value) {
  return value.empty() || value.starts_with("<") ? "?" : value;
}

std::string arguments_text(const BacktraceFrame& frame) {
  if (frame.kind == BacktraceFrame::Kind::kInlined || !frame.has_arguments) return "";
  std::string out;
  for (const NamedValue& one : frame.arguments) {
    if (!out.empty()) out += ", ";
    out += one.name.empty() ? "" : one.name + "=";
    out += short_value(one.value);
  }
  return "(" + out + ")";
}

std::string frame_text(size_t number, const BacktraceFrame& frame) {
  const bool has_line = frame.line != 0;
  const std::string name =
      frame.function.empty() ? fmt::format("{}+{:#x}", frame.module, frame.offset) : frame.function;
  std::string out = fmt::format("#{:<3} {}{}", number, name, arguments_text(frame));
  if (has_line)
    out += fmt::format("  {}:{}", base_name(frame.file), frame.line);
  else if (!frame.function.empty() && frame.pc == 0)
    out += fmt::format("  {}", frame.module);
  else if (!frame.function.empty())
    out += fmt::format("  {}+{:#x}", frame.module, frame.offset);
  if (frame.kind == BacktraceFrame::Kind::kInlined) out += "  (inlined)";
  return escape_for_terminal(out) + "\n";
}

}  // namespace

std::string backtrace_text(const Backtrace& trace, PositionForm form, size_t limit) {
  std::string out = fmt::format("step {}\n", format_position(trace.at, form));
  // What called main is the same everywhere.
  const auto main_frame = std::ranges::find(trace.frames, "main", &BacktraceFrame::function);
  const size_t frames = limit == 0 || main_frame == trace.frames.end()
                            ? trace.frames.size()
                            : static_cast<size_t>(main_frame - trace.frames.begin()) + 1;
  const size_t shown = limit == 0 ? frames : std::min(limit, frames);
  for (size_t i = 0; i < shown; ++i) out += frame_text(i, trace.frames[i]);
  if (shown < frames) out += more_rows(frames - shown, "frame") + ": --limit\n";
  if (trace.is_lost) out += "note: behind a longjmp: the innermost frames may have ended\n";
  return out;
}

std::string backtrace_json(const Backtrace& trace) {
  Json frames = Json::array();
  for (const BacktraceFrame& frame : trace.frames) {
    Json row{{"kind", kind_name(frame.kind)},
             {"function", frame.function},
             {"module", frame.module},
             {"address", frame.pc},
             {"offset", frame.offset}};
    if (frame.line != 0) {
      row["file"] = frame.file;
      row["line"] = frame.line;
    }
    if (frame.has_arguments && frame.kind != BacktraceFrame::Kind::kInlined) {
      row["arguments"] = Json::array();
      for (const NamedValue& one : frame.arguments) {
        Json argument{{"name", one.name}};
        if (one.value.empty())
          argument["value"] = nullptr;
        else
          add_value(argument, "value", one.value);
        row["arguments"].push_back(std::move(argument));
      }
    }
    frames.push_back(std::move(row));
  }
  return render_json("bt", 1,
                     {{"at", format_position(trace.at, PositionForm::kFull)},
                      {"moment", moment_json(trace.at)},
                      {"frames", std::move(frames)},
                      {"lost", trace.is_lost}});
}

}  // namespace twinrun
