// SPDX-License-Identifier: MIT
#include "report/calls.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/more_rows.h"
#include "report/table.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

/// "fib(n = 5) = 8", "handler(sig = 10)  on SIGUSR1", "fib x 97 more".
std::string call_text(const CallNode& node) {
  std::string out = escape_for_terminal(node.function);
  if (node.folded != 0) return out + fmt::format(" x {} more", format_count(node.folded));
  if (node.has_arguments) {
    out += '(';
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const NamedValue& argument = node.arguments[i];
      if (i != 0) out += ", ";
      out += escape_for_terminal(argument.name);
      if (!argument.value.empty()) {
        if (!argument.name.empty()) out += " = ";
        out += escape_for_terminal(argument.value);
      }
    }
    out += ')';
  } else {
    out += "()";
  }
  for (const std::string& next : node.jumps) out += " -> " + escape_for_terminal(next);
  if (!node.result.empty()) out += " = " + escape_for_terminal(node.result);
  if (!node.signal.empty()) out += "  on " + escape_for_terminal(node.signal);
  if (node.kind == "stack") out += "  on a stack of its own";
  if (node.ends == "unwound") out += "  (unwound)";
  if (node.ends == "open" && node.kind != "start") out += "  (did not return)";
  return out;
}

}  // namespace

std::string calls_text(const CallReport& report, PositionForm form) {
  TextTable table({{"STEP", TextTable::Align::kRight},
                   {"INSTRUCTIONS", TextTable::Align::kRight},
                   {"FROM"},
                   {"CALL"}});
  // Which rows have a later sibling: their line goes on.
  std::vector<bool> is_last(report.rows.size(), true);
  std::vector<uint32_t> last_child(report.rows.size(), CallNode::kNone);
  for (uint32_t i = 0; i < report.rows.size(); ++i) {
    const uint32_t parent = report.rows[i].parent;
    if (parent == CallNode::kNone) continue;
    if (last_child[parent] != CallNode::kNone) is_last[last_child[parent]] = false;
    last_child[parent] = i;
  }
  std::vector<std::string> lead(report.rows.size());  // in front of the children of each row
  for (uint32_t i = 0; i < report.rows.size(); ++i) {
    const CallNode& node = report.rows[i];
    std::string tree;
    if (node.parent != CallNode::kNone) {
      tree = lead[node.parent] + (is_last[i] ? "`- " : "|- ");
      lead[i] = lead[node.parent] + (is_last[i] ? "   " : "|  ");
    }
    std::string from;
    if (node.line != 0)
      from = fmt::format("{}:{}", escape_for_terminal(base_name(node.file)), node.line);
    else if (!node.caller.empty())
      from = escape_for_terminal(node.caller);
    std::string call = tree + call_text(node);
    for (size_t up = 0; up < node.stack.size(); ++up)
      call += (up == 0 ? "  in " : " < ") + escape_for_terminal(node.stack[up]);
    table.add_row(
        {format_position(node.position, form), format_count(node.instructions), from, call});
  }
  std::string out = report.rows.empty() ? "no calls\n" : table.render();
  if (report.hidden != 0)
    out += fmt::format(
        "{}, and what they call: --limit\n",
        report.hidden == 1 ? "1 more call" : format_count(report.hidden) + " more calls");
  if (report.too_deep != 0)
    out += fmt::format("{} calls further down: --depth\n", format_count(report.too_deep));
  return out;
}

std::string calls_json(const CallReport& report) {
  Json rows = Json::array();
  for (const CallNode& node : report.rows) {
    Json row{{"kind", node.kind},
             {"position", format_position(node.position, PositionForm::kFull)},
             {"moment", moment_json(node.position)},
             {"depth", node.depth}};
    row["parent"] = node.parent == CallNode::kNone ? Json() : Json(node.parent);
    row["function"] = node.function;
    if (!node.module.empty()) row["module"] = node.module;
    add_address(row, "address", node.address);
    if (!node.signal.empty()) row["signal"] = node.signal;
    if (node.has_arguments) {
      Json arguments = Json::array();
      for (const NamedValue& argument : node.arguments) {
        Json one{{"name", argument.name}};
        add_value(one, "value", argument.value);
        arguments.push_back(std::move(one));
      }
      row["arguments"] = std::move(arguments);
    }
    if (!node.result.empty()) add_value(row, "result", node.result);
    if (!node.jumps.empty()) row["jumps"] = node.jumps;
    if (!node.caller.empty()) row["caller"] = node.caller;
    if (node.line != 0) {
      row["file"] = node.file;
      row["line"] = node.line;
    }
    if (node.folded != 0) {
      row["folded"] = node.folded;
    } else {
      row["ends"] = node.ends;
      row["left"] = node.left ? Json(node.left->value) : Json();
    }
    row["instructions"] = node.instructions;
    if (!node.stack.empty()) row["stack"] = node.stack;
    rows.push_back(std::move(row));
  }
  return render_json("calls", 1,
                     {{"rows", rows},
                      {"calls", report.calls},
                      {"hidden", report.hidden},
                      {"too_deep", report.too_deep},
                      {"values", report.has_values}});
}

namespace {

std::string place_text(const AllocationReport::Site& site) {
  std::string out;
  if (site.line != 0)
    out = fmt::format("{}:{} ", escape_for_terminal(base_name(site.file)), site.line);
  if (!site.function.empty()) return out + escape_for_terminal(site.function);
  return out + fmt::format("{}+{:#x}", escape_for_terminal(site.module), site.address);
}

}  // namespace

std::string allocations_text(const AllocationReport& report, size_t limit) {
  std::string out = fmt::format(
      "{} allocations of {}; {} at most at once; at the end {} of {} are left\n",
      format_count(report.count), format_size(report.bytes), format_size(report.most_bytes),
      format_count(report.live), format_size(report.live_bytes));
  TextTable table({{"COUNT", TextTable::Align::kRight},
                   {"SIZE", TextTable::Align::kRight},
                   {"LEFT", TextTable::Align::kRight},
                   {"SIZE", TextTable::Align::kRight},
                   {"BY"},
                   {"FROM"}});
  for (size_t i = 0; i < report.sites.size() && i < limit; ++i) {
    const AllocationReport::Site& site = report.sites[i];
    table.add_row({format_count(site.count), format_size(site.bytes), format_count(site.live),
                   format_size(site.live_bytes), escape_for_terminal(site.allocator),
                   place_text(site)});
  }
  if (!report.sites.empty()) out += table.render();
  if (report.sites.size() > limit)
    out += more_rows(report.sites.size() - limit, "place") + ": --limit\n";
  if (report.unknown_frees != 0)
    out += fmt::format("{} frees of what was not seen to be allocated\n",
                       format_count(report.unknown_frees));
  return out;
}

std::string allocations_json(const AllocationReport& report) {
  Json sites = Json::array();
  for (const AllocationReport::Site& site : report.sites) {
    Json item{{"allocator", site.allocator}, {"function", site.function}, {"module", site.module}};
    add_address(item, "address", site.address);
    if (site.line != 0) {
      item["file"] = site.file;
      item["line"] = site.line;
    }
    item["count"] = site.count;
    item["bytes"] = site.bytes;
    item["live"] = site.live;
    item["live_bytes"] = site.live_bytes;
    sites.push_back(std::move(item));
  }
  Json rows = Json::array();
  for (const AllocationReport::Row& row : report.rows) {
    const Allocation& made = row.made;
    const Position begin{{row.process}, made.thread, made.step};
    const Position end{{row.process}, made.freed_by, made.freed};
    const bool is_freed = !made.is_live_at_end();
    Json item;
    add_address(item, "address", made.address);
    item.update({{"size", made.size},
                 {"site", row.site},
                 {"position", format_position(begin, PositionForm::kFull)},
                 {"moment", moment_json(begin)},
                 {"block", made.block}});
    item["freed"] = is_freed ? Json(format_position(end, PositionForm::kFull)) : Json();
    item["freed_moment"] = is_freed ? moment_json(end) : Json();
    item["freed_block"] = is_freed ? Json(made.freed_block) : Json();
    rows.push_back(std::move(item));
  }
  return render_json("allocations", 1,
                     {{"count", report.count},
                      {"bytes", report.bytes},
                      {"live", report.live},
                      {"live_bytes", report.live_bytes},
                      {"most_bytes", report.most_bytes},
                      {"unknown_frees", report.unknown_frees},
                      {"sites", sites},
                      {"rows", rows}});
}

}  // namespace twinrun
