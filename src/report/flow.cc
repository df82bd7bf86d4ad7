// SPDX-License-Identifier: MIT
#include "report/flow.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/table.h"
#include "report/typed.h"

#include <fmt/format.h>

#include <map>

namespace twinrun {
namespace {

/// "csv.c:33 sum+0x12", "sum+0x12", "libc.so.6+0x1234", "0x4010".
std::string place_text(const NamedInstruction& row) {
  std::string out;
  if (!row.file.empty() && row.line != 0)
    out = fmt::format("{}:{} ", escape_for_terminal(base_name(row.file)), row.line);
  if (!row.function.empty())
    out += fmt::format("{}+{:#x}", escape_for_terminal(row.function), row.offset);
  else if (!row.module.empty())
    out += fmt::format("{}+{:#x}", escape_for_terminal(row.module), row.offset);
  else
    out += fmt::format("{:#x}", row.pc);
  return out;
}

Json instruction_json(const NamedInstruction& row) {
  Json out{{"position", format_position(row.position, PositionForm::kFull)},
           {"moment", moment_json(row.position)}};
  add_address(out, "address", row.pc);
  if (!row.module.empty()) out["module"] = row.module;
  if (!row.function.empty()) out["function"] = row.function;
  out["offset"] = row.offset;
  if (row.line != 0) {
    out["file"] = row.file;
    out["line"] = row.line;
  }
  out["text"] = row.text;
  return out;
}

std::string_view kind_name(WhoRow::Kind kind) {
  switch (kind) {
    case WhoRow::Kind::kInstruction: return "instruction";
    case WhoRow::Kind::kSyscall: return "syscall";
    case WhoRow::Kind::kSignal: return "signal";
    case WhoRow::Kind::kStartup: return "startup";
    case WhoRow::Kind::kUnseen: return "unseen";
    case WhoRow::Kind::kFile: return "file";
    case WhoRow::Kind::kZero: return "zero";
    case WhoRow::Kind::kParent: return "parent";
    case WhoRow::Kind::kStart: return "start";
    case WhoRow::Kind::kLate: return "late";
  }
  return "";
}

/// "h->ncols (0x1ffefff010:4)", "eax".
std::string written_text(const WhoRow& row) {
  if (row.name.empty()) return row.subject;
  return fmt::format("{} ({})", escape_for_terminal(row.name), row.subject);
}

std::string value_text(const WhoRow& row) {
  if (!row.shown.empty()) return escape_for_terminal(row.shown);
  return row.value ? fmt::format("{:#x}", *row.value) : "";
}

std::string outside_text(const WhoRow& row) {
  std::string from = row.input.empty() ? "" : " from " + escape_for_terminal(row.input);
  if (row.input_offset) from += fmt::format(", byte {}", *row.input_offset);
  switch (row.kind) {
    case WhoRow::Kind::kSyscall: return fmt::format("system call {}{}", row.call, from);
    case WhoRow::Kind::kSignal: return "delivery of a signal";
    case WhoRow::Kind::kStartup: return from.empty() ? from : from.substr(6);
    case WhoRow::Kind::kUnseen: return "changed by the kernel, unseen";
    case WhoRow::Kind::kFile: return "mapped" + from;
    case WhoRow::Kind::kZero: return "fresh memory, zero";
    case WhoRow::Kind::kParent: return "from before the fork: ask the parent process";
    case WhoRow::Kind::kStart: return "from before the thread's first instruction";
    case WhoRow::Kind::kLate: return "was there when the recording began";
    case WhoRow::Kind::kInstruction: break;
  }
  return "";
}

}  // namespace

std::string who_text(const WhoReport& report, PositionForm form) {
  std::string out = fmt::format("{} at {}  {}  {}\n", escape_for_terminal(report.subject),
                                format_position(report.at.position, form), place_text(report.at),
                                escape_for_terminal(report.at.text));
  TextTable table({{"HOP", TextTable::Align::kRight},
                   {"WRITTEN"},
                   {"VALUE", TextTable::Align::kRight},
                   {"STEP", TextTable::Align::kRight},
                   {"BY"},
                   {"INSTRUCTION"}});
  for (const WhoRow& row : report.rows) {
    const bool is_instruction = row.kind == WhoRow::Kind::kInstruction;
    table.add_row({std::to_string(row.hop), written_text(row), value_text(row),
                   format_position(row.at.position, form),
                   is_instruction ? place_text(row.at) : outside_text(row),
                   is_instruction ? escape_for_terminal(row.at.text) : ""});
  }
  out += table.render();
  if (report.cut) out += "more behind it: --depth\n";
  return out;
}

std::string who_json(const WhoReport& report) {
  Json rows = Json::array();
  for (const WhoRow& row : report.rows) {
    Json item{{"kind", kind_name(row.kind)}, {"hop", row.hop}, {"written", row.subject}};
    if (!row.name.empty()) item["variable"] = row.name;
    if (!row.subject.empty()) item["bytes"] = bytes_json(row.subject);
    if (!row.shown.empty()) add_value(item, "shown", row.shown);
    item["value"] = row.value ? Json(fmt::format("{:#x}", *row.value)) : Json();
    if (row.value) item["value_typed"] = *row.value;
    if (row.kind == WhoRow::Kind::kInstruction) {
      item.update(instruction_json(row.at));
    } else {
      item["position"] = format_position(row.at.position, PositionForm::kFull);
      item["moment"] = moment_json(row.at.position);
    }
    if (!row.call.empty()) item["call"] = row.call;
    if (!row.input.empty()) item["input"] = row.input;
    if (row.input_offset) item["input_offset"] = *row.input_offset;
    item["from"] = row.from;
    rows.push_back(std::move(item));
  }
  return render_json("who", 1,
                     {{"subject", report.subject},
                      {"at", instruction_json(report.at)},
                      {"rows", rows},
                      {"cut", report.cut}});
}

std::string slice_text(const SliceReport& report, PositionForm form) {
  TextTable table({{"STEP", TextTable::Align::kRight}, {"AT"}, {"INSTRUCTION"}, {"NEEDED"}});
  std::map<uint32_t, std::string> needed;
  const auto add = [&](uint32_t row, const std::string& text) {
    std::string& all = needed[row];
    if (!all.empty()) all += ", ";
    all += text;
  };
  for (const SliceReport::Edge& edge : report.edges) {
    const std::string_view how = edge.kind == "control" ? "decided by "
                                 : edge.what.empty()    ? ""
                                                        : " of ";
    add(edge.from, fmt::format("{}{}{}", edge.what, how,
                               format_position(report.rows[edge.to].position, form)));
  }
  for (const SliceReport::Input& input : report.inputs) {
    if (input.row < report.rows.size())
      add(input.row, fmt::format("{} ({})", input.what, input.from));
  }
  for (uint32_t i = 0; i < report.rows.size(); ++i) {
    const NamedInstruction& row = report.rows[i];
    table.add_row({format_position(row.position, form), place_text(row),
                   escape_for_terminal(row.text), needed[i]});
  }
  std::string out = table.render();
  out +=
      fmt::format("{} instructions, {} dependences, {} inputs{}\n", report.rows.size(),
                  report.edges.size(), report.inputs.size(), report.cut ? "; cut at --limit" : "");
  return out;
}

std::string slice_json(const SliceReport& report) {
  Json rows = Json::array();
  for (const NamedInstruction& row : report.rows) rows.push_back(instruction_json(row));
  Json edges = Json::array();
  for (const SliceReport::Edge& edge : report.edges) {
    Json row{{"from", edge.from},
             {"to", edge.to},
             {"kind", edge.kind},
             {"address", edge.for_address},
             {"what", edge.what}};
    if (!edge.what.empty()) row["bytes"] = bytes_json(edge.what);
    edges.push_back(std::move(row));
  }
  Json inputs = Json::array();
  for (const SliceReport::Input& input : report.inputs) {
    Json row{{"row", input.row}, {"what", input.what}};
    if (!input.what.empty()) row["bytes"] = bytes_json(input.what);
    row["from"] = input.from;
    inputs.push_back(std::move(row));
  }
  return render_json("slice", 1,
                     {{"subject", report.subject},
                      {"rows", rows},
                      {"edges", edges},
                      {"inputs", inputs},
                      {"cut", report.cut}});
}

std::string slice_dot(const SliceReport& report, PositionForm form) {
  const auto quote = [](std::string_view text) {
    std::string out = "\"";
    for (const char c : escape_for_terminal(text)) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + "\"";
  };
  std::string out = "digraph slice {\n  node [shape=box, fontname=monospace];\n";
  for (uint32_t i = 0; i < report.rows.size(); ++i) {
    const NamedInstruction& row = report.rows[i];
    out += fmt::format("  n{} [label={}];\n", i,
                       quote(fmt::format("{}  {}  {}", format_position(row.position, form),
                                         place_text(row), row.text)));
  }
  for (const SliceReport::Edge& edge : report.edges) {
    out += fmt::format("  n{} -> n{} [label={}{}];\n", edge.from, edge.to, quote(edge.what),
                       edge.kind == "control" ? ", style=dotted"
                       : edge.for_address     ? ", style=dashed"
                                              : "");
  }
  for (uint32_t i = 0; i < report.inputs.size(); ++i) {
    const SliceReport::Input& input = report.inputs[i];
    if (input.row >= report.rows.size()) continue;
    out += fmt::format("  i{} [shape=ellipse, label={}];\n  n{} -> i{};\n", i,
                       quote(fmt::format("{} {}", input.from, input.what)), input.row, i);
  }
  return out + "}\n";
}

}  // namespace twinrun
