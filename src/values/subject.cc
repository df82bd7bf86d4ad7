// SPDX-License-Identifier: MIT
#include "values/subject.h"

#include "program/naming.h"
#include "values/past_state.h"

#include <algorithm>
#include <charconv>

namespace twinrun {
namespace {

constexpr uint32_t kMostBytes = 4096;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

struct Part {
  std::string name;
  uint32_t offset = 0;
  uint32_t size = 0;
};

void add_general_parts(const std::string& name, uint32_t offset, std::vector<Part>& out) {
  if (name[1] >= '0' && name[1] <= '9') {
    out.push_back({name + "d", offset, 4});
    out.push_back({name + "w", offset, 2});
    out.push_back({name + "b", offset, 1});
    return;
  }
  const std::string rest = name.substr(1);  // ax, si, sp
  out.push_back({"e" + rest, offset, 4});
  out.push_back({rest, offset, 2});
  if (rest[1] == 'x') {
    out.push_back({std::string{rest[0], 'l'}, offset, 1});
    out.push_back({std::string{rest[0], 'h'}, offset + 1, 1});
  } else {
    out.push_back({rest + "l", offset, 1});
  }
}

/// The names of a register's parts, the whole first.
std::vector<Part> parts_of(const RegisterName& reg) {
  const std::string name = lower(reg.name);
  std::vector<Part> out{{name, reg.offset, reg.size}};
  switch (class_named(reg.name)) {
    case RegisterClass::kGeneral: add_general_parts(name, reg.offset, out); break;
    case RegisterClass::kVector: out.push_back({"x" + name.substr(1), reg.offset, 16}); break;
    case RegisterClass::kX87:
    case RegisterClass::kFlags:
    case RegisterClass::kSegment:
    case RegisterClass::kOther: break;
  }
  return out;
}

}  // namespace

std::string register_text(const Process& process, uint64_t offset, uint32_t size) {
  for (const RegisterName& reg : process.info.registers) {
    if (offset < reg.offset || offset + size > uint64_t{reg.offset} + reg.size) continue;
    for (const Part& part : parts_of(reg)) {
      if (part.offset == offset && part.size == size) return part.name;
    }
    return fmt::format("{}[{}:{}]", lower(reg.name), offset - reg.offset, size);
  }
  return fmt::format("registers[{}:{}]", offset, size);
}

std::string memory_text(uint64_t address, uint64_t size) {
  return fmt::format("{:#x}:{}", address, size);
}

namespace {

std::optional<Subject> parse_register(std::string_view text, const Process& process) {
  const std::string wanted = lower(text);
  for (const RegisterName& reg : process.info.registers) {
    for (const Part& part : parts_of(reg)) {
      if (part.name == wanted) return Subject{false, part.offset, part.size, part.name};
    }
  }
  return std::nullopt;
}

std::optional<Subject> parse_address(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view address = text.substr(2, colon == text.npos ? text.npos : colon - 2);
  Subject out{.in_memory = true, .size = 8};
  const auto number = std::from_chars(address.begin(), address.end(), out.where, 16);
  bool good = number.ec == std::errc() && number.ptr == address.end();
  if (colon != text.npos) {
    const std::string_view size = text.substr(colon + 1);
    const auto bytes = std::from_chars(size.begin(), size.end(), out.size, 10);
    good = good && bytes.ec == std::errc() && bytes.ptr == size.end();
  }
  if (!good || out.size == 0 || out.size > kMostBytes || out.where + out.size < out.where)
    return std::nullopt;
  out.text = memory_text(out.where, out.size);
  return out;
}

std::unexpected<Error> no_place(std::string_view text, std::string_view why) {
  return std::unexpected(Error{"V003",
                               fmt::format("'{}' has no place here: {}", text, why),
                               "ask at another step, or for a register or an address",
                               {}});
}

Result<Subject> parse_variable(std::string_view text, ProcessView& view, const InstructionAt& at) {
  TRY(const SegmentSteps* segment, view.values->steps(at.block.segment));
  const BlockDef* def = view.values->dictionary().find(segment->value(at.block.ordinal));
  if (def == nullptr) return fail("T022", "a block is not defined");
  const DebugAt debug =
      debug_at(view, {address_of(*def, at.instruction)}, view.number_of(at.block));
  if (debug.info == nullptr) {
    return std::unexpected(
        Error{"V002",
              fmt::format("'{}' is neither a register nor an address", text),
              "there is no debug information here, so that variables are not known; give rax, "
              "xmm0, 0xADDRESS or 0xADDRESS:LENGTH",
              {}});
  }
  TRY(const Moment moment, moment_before(view, at));
  TRY(Registers registers, registers_before(view, at));
  PastMemory memory(view, moment);
  const PastState state(std::move(registers), memory, debug.load_bias);
  auto object = resolve_expression(*debug.info, debug.pc.value, state, text);
  if (!object) {
    Error error = object.error();
    if (error.help.empty())
      error.help = "give a variable, rax, xmm0, 0xADDRESS or 0xADDRESS:LENGTH";
    return std::unexpected(std::move(error));
  }
  const uint64_t size = object->bit_size != 0 ? (object->bit_offset + object->bit_size + 7) / 8
                                              : size_of(*object->type).value_or(0);
  if (size == 0 || size > kMostBytes) return no_place(text, fmt::format("it has {} bytes", size));
  const Location& location = object->location;
  const std::string value = format_named(*object, state);
  switch (location.kind) {
    case Location::Kind::kMemory:
      return Subject{true, location.address, static_cast<uint32_t>(size), std::string(text), value};
    case Location::Kind::kRegister: {
      const auto offset = register_of_dwarf(location.reg);
      const uint64_t room = location.reg < dwarf::kYmm0 ? kGeneralSize : kVectorSize;
      if (!offset || location.offset + size > room)
        return no_place(text, "it is in a register that is not modelled");
      return Subject{false, *offset + location.offset, static_cast<uint32_t>(size),
                     std::string(text), value};
    }
    case Location::Kind::kValue:
      return no_place(text, "the compiler knows its value without keeping it anywhere");
    case Location::Kind::kComposite: return no_place(text, "its parts are in several places");
    case Location::Kind::kUnavailable: break;
  }
  return no_place(text, location.reason);
}

}  // namespace

Result<Subject> parse_subject(std::string_view text, ProcessView& view, const InstructionAt& at) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    if (const auto address = parse_address(text)) return *address;
    return std::unexpected(Error{"V002",
                                 fmt::format("'{}' is no address", text),
                                 "give 0xADDRESS or 0xADDRESS:LENGTH (at most 4096 bytes)",
                                 {}});
  }
  if (const auto reg = parse_register(text, view.process())) return *reg;
  return parse_variable(text, view, at);
}

Result<Moment> moment_before(ProcessView& view, const InstructionAt& at) {
  TRY(const BlockFlow* flow, view.slicer.flow_at(at.block));
  const auto first = std::ranges::find(flow->instruction_of, at.instruction);
  return Moment{at.block, static_cast<uint32_t>(first - flow->instruction_of.begin())};
}

Result<Bytes> bytes_of(ProcessView& view, const Subject& subject, const InstructionAt& at) {
  if (subject.in_memory) {
    TRY(const Moment moment, moment_before(view, at));
    PastMemory memory(view, moment);
    Bytes out(subject.size);
    return memory.read(subject.where, out) ? out : Bytes{};
  }
  TRY(const Registers registers, registers_before(view, at));
  const auto offset = static_cast<uint32_t>(subject.where);
  if (!registers.knows(offset, subject.size)) return Bytes{};
  const auto first = registers.bytes.begin() + offset;
  return Bytes(first, first + subject.size);
}

Result<SubjectWriters> writers_of(ProcessView& view, const Subject& subject,
                                  const InstructionAt& at) {
  TRY(const Moment moment, moment_before(view, at));
  LastWriters& writers = view.slicer.writers();
  SubjectWriters out;
  if (subject.in_memory) {
    TRY(out.bytes, writers.memory(moment, subject.where, subject.size));
    return out;
  }
  TRY(const SegmentSteps* segment, view.values->steps(at.block.segment));
  const BlockDef* def = view.values->dictionary().find(segment->value(at.block.ordinal));
  if (def == nullptr) return fail("T022", "a block is not defined");
  TRY(const CompiledBlock* code, view.values->code().compiled(*def));
  const auto offset = static_cast<uint32_t>(subject.where);
  out.unseen = unseen_writer(*def, *code, at.instruction, offset);
  if (out.unseen) return out;
  TRY(out.bytes, writers.registers(moment, offset, subject.size));
  return out;
}

}  // namespace twinrun
