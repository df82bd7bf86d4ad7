// SPDX-License-Identifier: MIT
#include "report/dump.h"

#include "base/escape.h"
#include "base/text.h"
#include "report/json.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {
namespace {

// "main+0x12", "libc.so.6+0x1234", "0x4000".
std::string where(const NamedAddress& at) {
  if (!at.function.empty())
    return escape_for_terminal(at.function) +
           (at.offset == 0 ? std::string() : fmt::format("+{:#x}", at.offset));
  if (!at.module.empty())
    return fmt::format("{}+{:#x}", escape_for_terminal(base_name(at.module)), at.offset);
  return fmt::format("{:#x}", at.address.value);
}

// "main (prog)".
std::string function_text(const NamedAddress& at) {
  if (at.function.empty() || at.module.empty()) return where(at);
  return fmt::format("{} ({})", where(at), escape_for_terminal(base_name(at.module)));
}

// "rax=0x5", "edi(n)=5", "h->ncols=3", "[0x1ffefff010:4]=0x9"; "?" for what is not known.
std::string operand_text(const OperandValue& value) {
  std::string name = value.is_memory ? fmt::format("[{}]", value.what) : value.what;
  if (!value.variable.empty()) {
    const std::string variable = escape_for_terminal(value.variable);
    name = value.is_memory ? variable : fmt::format("{}({})", name, variable);
  }
  if (value.value.empty()) return name + "=?";
  return name + "=" + (value.shown.empty() ? value.value : escape_for_terminal(value.shown));
}

Json operand_json(const OperandValue& value) {
  Json out{{"what", value.what}, {"size", value.size}};
  out["address"] = value.is_memory ? Json(value.address) : Json();
  if (value.value.empty())
    out["value"] = nullptr;
  else
    add_value(out, "value", value.value);
  if (!value.variable.empty()) out["variable"] = value.variable;
  if (!value.shown.empty()) add_value(out, "shown", value.shown);
  return out;
}

std::string result_text(const SyscallRow& row) {
  if (!row.result) return "?";
  if (!row.error.empty()) return fmt::format("-1 {}", row.error);
  const bool is_address = row.name == "mmap" || row.name == "mremap" || row.name == "brk" ||
                          row.name == "shmat" || *row.result > 0xffffffff;
  return is_address ? fmt::format("{:#x}", *row.result) : fmt::format("{}", *row.result);
}

std::string hex_dump(const MemoryPiece& piece) {
  constexpr size_t kWidth = 16;
  std::string out;
  for (size_t at = 0; at < piece.bytes.size(); at += kWidth) {
    std::string hex;
    std::string text;
    for (size_t i = at; i < at + kWidth; ++i) {
      if (i >= piece.bytes.size()) {
        hex += "   ";
        continue;
      }
      const uint8_t byte = piece.bytes[i];
      hex += fmt::format("{:02x} ", byte);
      text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    out += fmt::format("    {:<7} {:#x}  {} {}\n", piece.direction, piece.address.value + at, hex,
                       text);
  }
  return out;
}

struct TextOf {
  PositionForm form;

  std::string operator()(const InstructionRow& row) const {
    if (!row.has_values)
      return fmt::format("{:>12}  {:#014x}  {:<32}  {}\n", format_position(row.position, form),
                         row.at.address.value, where(row.at), row.text);
    std::string place = where(row.at);
    if (row.line != 0)
      place += fmt::format(" {}:{}", escape_for_terminal(base_name(row.file)), row.line);
    std::string out =
        fmt::format("{:>12}  {:<40}  {:<32}", format_position(row.position, form), place, row.text);
    for (const OperandValue& value : row.reads) out += "  " + operand_text(value);
    if (!row.writes.empty()) out += "  ->";
    for (const OperandValue& value : row.writes) out += "  " + operand_text(value);
    while (out.ends_with(' ')) out.pop_back();
    return out + "\n";
  }
  std::string operator()(const BlockRow& row) const {
    std::string id = fmt::format("{}", row.id);
    if (row.variants > 1) id += fmt::format(" exit {}/{}", row.variant + 1, row.variants);
    return fmt::format("{:>12}  {:#014x}  {:<32}  {:>3} instructions  {}{}  block {}\n",
                       format_position(row.position, form), row.at.address.value, where(row.at),
                       row.instructions, row.jump, row.partial ? " (cut by a signal)" : "", id);
  }
  std::string operator()(const CallRow& row) const {
    const char* mark = row.kind == "return"   ? "<-"
                       : row.kind == "jump"   ? "=>"
                       : row.kind == "signal" ? "!!"
                                              : "->";
    constexpr uint32_t kIndentMax = 40;
    return fmt::format("{:>12}  {:{}}{} {}\n", format_position(row.position, form), "",
                       2 * std::min(row.depth, kIndentMax), mark, function_text(row.at));
  }
  std::string operator()(const SyscallRow& row) const {
    std::string arguments;
    for (const std::string& argument : row.arguments)
      arguments += (arguments.empty() ? "" : ", ") + argument;
    std::string out = fmt::format("{:>12}  {}({}) = {}\n", format_position(row.position, form),
                                  row.name, arguments, result_text(row));
    for (const MemoryPiece& piece : row.data) out += hex_dump(piece);
    return out;
  }
  std::string operator()(const EventRow& row) const {
    std::string fields;
    for (const auto& [name, value] : row.fields)
      fields += fmt::format("  {}={}", name, escape_for_terminal(value));
    return fmt::format("{:>12}  {}{}\n", format_position(row.position, form), row.name, fields);
  }
  std::string operator()(const IrRow& row) const {
    std::string out =
        fmt::format("{:>12}  {:#014x}  {}  block {}\n", format_position(row.position, form),
                    row.at.address.value, where(row.at), row.id);
    for (size_t at = 0; at < row.text.size();) {
      const size_t end = row.text.find('\n', at);
      out += fmt::format("    {}\n",
                         escape_for_terminal(std::string_view(row.text).substr(at, end - at)));
      if (end == std::string::npos) break;
      at = end + 1;
    }
    return out;
  }
};

Json base(std::string_view kind, const Position& position) {
  return {{"kind", kind},
          {"process", position.process.value},
          {"thread", position.thread.value},
          {"step", position.step.value}};
}

void add_named_address(Json& out, const NamedAddress& at) {
  out["address"] = at.address.value;
  out["module"] = at.module.empty() ? Json() : Json(at.module);
  out["function"] = at.function.empty() ? Json() : Json(at.function);
  out["offset"] = at.offset;
}

struct JsonOf {
  Json operator()(const InstructionRow& row) const {
    Json out = base("instruction", row.position);
    add_named_address(out, row.at);
    out["bytes"] = hex_text(row.code);
    out["text"] = row.text;
    if (!row.has_values) return out;
    out["file"] = row.file.empty() ? Json() : Json(row.file);
    out["line"] = row.line;
    out["reads"] = Json::array();
    for (const OperandValue& value : row.reads) out["reads"].push_back(operand_json(value));
    out["writes"] = Json::array();
    for (const OperandValue& value : row.writes) out["writes"].push_back(operand_json(value));
    return out;
  }
  Json operator()(const BlockRow& row) const {
    Json out = base("block", row.position);
    add_named_address(out, row.at);
    out["id"] = row.id;
    out["variant"] = row.variant;
    out["variants"] = row.variants;
    out["instructions"] = row.instructions;
    out["partial"] = row.partial;
    out["jump"] = row.jump;
    return out;
  }
  Json operator()(const CallRow& row) const {
    Json out = base(row.kind, row.position);
    out["depth"] = row.depth;
    add_named_address(out, row.at);
    return out;
  }
  Json operator()(const SyscallRow& row) const {
    Json out = base("syscall", row.position);
    out["number"] = row.number;
    out["name"] = row.name;
    out["arguments"] = row.arguments;
    out["argument_numbers"] = row.numbers;
    out["result"] = row.result ? Json(static_cast<int64_t>(*row.result)) : Json();
    out["error"] = row.error.empty() ? Json() : Json(row.error);
    if (row.data.empty()) return out;
    Json data = Json::array();
    for (const MemoryPiece& piece : row.data)
      data.push_back({{"direction", piece.direction},
                      {"address", piece.address.value},
                      {"bytes", hex_text(piece.bytes)}});
    out["data"] = data;
    return out;
  }
  Json operator()(const EventRow& row) const {
    Json out = base(row.name, row.position);
    Json fields = Json::array();
    for (const auto& [name, value] : row.fields) {
      Json field{{"name", name}};
      add_value(field, "value", value);
      fields.push_back(std::move(field));
    }
    out["fields"] = fields;
    return out;
  }
  Json operator()(const IrRow& row) const {
    Json out = base("ir", row.position);
    add_named_address(out, row.at);
    out["id"] = row.id;
    out["text"] = row.text;
    return out;
  }
};

std::string one_line(const Json& json) { return json_text(json) + "\n"; }

}  // namespace

std::string dump_text(const DumpRow& row, PositionForm form) {
  return std::visit(TextOf{form}, row);
}

std::string dump_json_header(std::string_view what, std::string_view path) {
  return one_line({{"schema", "twinrun.dump.v1"}, {"what", what}, {"path", path}});
}

std::string dump_json(const DumpRow& row) { return one_line(std::visit(JsonOf{}, row)); }

}  // namespace twinrun
