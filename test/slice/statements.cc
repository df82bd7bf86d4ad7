// SPDX-License-Identifier: MIT
// statements RECORDING: prints everything that a naive slicer has to know about the first process,
// one JSON object a line: the statements of each block, and for each execution of a block the
// values of its temporaries, the addresses of its accesses and the registers that its instructions
// read by their encodings; in between what came from outside.
//
// Only values are computed again here. Who wrote what, what depends on what and what corresponds is
// left to those who read this.
#include "program/instruction.h"
#include "trace/ir.h"
#include "values/past_state.h"
#include "values/values.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

constexpr unsigned kGeneral = 16;
constexpr uint32_t kRsp = general_register(4);
constexpr uint32_t kFlagOperands = 152;  // what VEX computes the flags from, two words
constexpr uint32_t kThread = 1;

[[noreturn]] void stop(const Error& error) {
  std::fprintf(stderr, "statements: %s\n", error.message.c_str());
  std::exit(2);
}
template <typename T>
T must(Result<T> result) {
  if (!result) stop(result.error());
  return std::move(*result);
}

std::string hex(const uint8_t* bytes, size_t size) {
  std::string out = "\"";
  for (size_t i = 0; i < size; ++i) out += fmt::format("{:02x}", bytes[i]);
  return out + '"';
}

/// A list, separated by commas and in brackets.
class Row {
 public:
  void add(const std::string& text) { text_ += (text_.empty() ? "" : ",") + text; }
  void add(uint64_t number) { add(fmt::format("{}", number)); }
  [[nodiscard]] std::string text() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

std::string operand_text(const IrOperand& operand) {
  switch (operand.kind) {
    case IrOperand::Kind::kTemp: return fmt::format("[\"t\",{}]", operand.value);
    case IrOperand::Kind::kConstant: return fmt::format("[\"c\",{}]", operand.value);
    default: return "[\"s\",0]";
  }
}

const char* tag_name(uint8_t tag) {
  switch (tag) {
    case TW_STMT_IMARK: return "instruction";
    case TW_STMT_PUT: return "put";
    case TW_STMT_PUTI: return "puti";
    case TW_STMT_GET: return "get";
    case TW_STMT_GETI: return "geti";
    case TW_STMT_MOVE: return "move";
    case TW_STMT_OP: return "op";
    case TW_STMT_LOAD: return "load";
    case TW_STMT_STORE: return "store";
    case TW_STMT_ITE: return "ite";
    case TW_STMT_CCALL: return "ccall";
    case TW_STMT_DIRTY: return "dirty";
    case TW_STMT_CAS: return "cas";
    case TW_STMT_LOADG: return "loadg";
    case TW_STMT_STOREG: return "storeg";
    case TW_STMT_EXIT: return "exit";
    default: return "other";
  }
}

/// The places that an instruction reads by its encoding, as (offset in the register file, size).
std::vector<std::pair<uint32_t, uint32_t>> places_read(const Decoder& decoder, const BlockDef& def,
                                                       uint32_t instruction) {
  const size_t skip = address_of(def, instruction) - def.address.value;
  const auto use = decoder.registers(def.bytes.subspan(skip, def.lengths[instruction]));
  std::vector<std::pair<uint32_t, uint32_t>> out;
  for (unsigned n = 0; n < kGeneral && use; ++n) {
    if ((use->reads >> n & 1) != 0) out.emplace_back(general_register(n), 8);
    if ((use->reads & vector_register(n)) != 0) out.emplace_back(vector_offset(n), 32);
  }
  if (use && (use->reads & kRegisterFlags) != 0) out.emplace_back(kFlagOperands, 16);
  return out;
}

class Printer {
 public:
  Printer(const Reader& reader, ProcessValues& values)
      : values_(values),
        code_(values.dictionary(), values.process().info.state_size),
        machine_(reader, values.process(), code_) {}

  void run() {
    for (uint32_t number = 0; number < values_.segments(); ++number) {
      const SegmentValues segment = *must(values_.segment(number));
      if (auto entered = machine_.enter(number); !entered) stop(entered.error());
      size_t outside = 0;
      for (uint32_t block = 0; block <= segment.block_count(); ++block) {
        for (; outside < segment.outside.size() && segment.outside[outside].at <= block; ++outside)
          print_outside(segment, segment.outside[outside]);
        if (block < segment.block_count()) print_execution(segment, block);
      }
    }
  }

 private:
  static void print_outside(const SegmentValues& segment, const OutsideWrite& write) {
    using Kind = OutsideWrite::Kind;
    const uint32_t next = std::min(write.at, segment.block_count() - 1);
    const bool is_call = write.syscall != OutsideWrite::kNone;
    // One that is a system call, what the program was started with, or anything else.
    const char* source = write.kind == Kind::kSyscall || (write.kind == Kind::kRegisters && is_call)
                             ? "call"
                         : write.kind == Kind::kStartup ? "startup"
                                                        : "other";
    fmt::print("{{\"outside\":\"{}\",\"where\":{},\"size\":{},\"source\":\"{}\",\"step\":{}}}\n",
               write.kind == Kind::kRegisters ? "register" : "memory", write.address, write.length,
               source, is_call ? fmt::format("{}", segment.steps[next]) : "null");
  }

  void print_block(const BlockDef& def) {
    if (!printed_.insert(def.id.value).second) return;
    const IrBlock ir = must(decode_ir(def.ir));
    const CompiledBlock& code = *must(code_.compiled(def));
    Row types;
    for (const uint8_t type : ir.types) types.add(type_size(type));
    Row statements;
    for (size_t i = 0; i < ir.statements.size(); ++i) {
      const IrStatement& st = ir.statements[i];
      Row operands;
      for (uint32_t n = 0; n < st.operand_count; ++n)
        operands.add(operand_text(ir.operands[st.operands + n]));
      const bool is_helper = st.tag == TW_STMT_CCALL || st.tag == TW_STMT_DIRTY;
      statements.add(
          fmt::format(R"({{"tag":"{}","start":{},"dst":{},"offset":{},"op":"{}","operands":{}}})",
                      tag_name(st.tag), code.statement_start[i],
                      st.dst == kNoTemp ? "null" : fmt::format("{}", st.dst), st.offset,
                      is_helper              ? std::string(values_.dictionary().helper(st.helper))
                      : st.tag == TW_STMT_OP ? std::string(op_name(st.op))
                                             : std::string(),
                      operands.text()));
    }
    Row accesses;
    for (const MemoryAccess& access : code.accesses)
      accesses.add(fmt::format("[{},\"{}\",{},{}]", access.op,
                               access.kind == MemoryAccess::Kind::kLoad ? "load" : "store",
                               access.size, access.instruction));
    Row writes;
    for (const RegisterWrite& write : code.register_writes)
      writes.add(fmt::format("[{},{},{}]", write.op, write.offset, write.size));
    Row lengths;
    for (const uint8_t length : def.lengths) lengths.add(length);
    Row encoded;
    for (uint32_t i = 0; i < def.lengths.size(); ++i) encoded.add(encoded_writes(def, i));
    fmt::print(R"({{"block":{},"address":{},"lengths":{},"types":{},"ops":{},"statements":{},)"
               R"("accesses":{},"writes":{},"encoded":{},"next":{}}})"
               "\n",
               def.id.value, def.address.value, lengths.text(), types.text(), code.ops.size(),
               statements.text(), accesses.text(), writes.text(), encoded.text(),
               operand_text(ir.next));
  }

  /// Bits of the general registers that the instruction writes by its encoding.
  uint64_t encoded_writes(const BlockDef& def, uint32_t instruction) {
    const size_t skip = address_of(def, instruction) - def.address.value;
    const auto use = decoder_.registers(def.bytes.subspan(skip, def.lengths[instruction]));
    return use ? use->writes & ((1u << kGeneral) - 1) : 0;
  }

  /// Whether there is one: a process can have ended before the values of its last block were
  /// written down.
  bool next_block() {
    for (;;) {
      const auto item = must(machine_.next());
      if (item != Regenerator::Item::kEvent) return item == Regenerator::Item::kBlock;
    }
  }

  void print_execution(const SegmentValues& segment, uint32_t block) {
    const BlockDef& def = *values_.dictionary().find(segment.value(block));
    print_block(def);
    machine_.apply_events();
    const ByteSpan state{machine_.machine().state(), machine_.machine().state_size()};
    const Bytes before(state.begin(), state.end());
    const bool is_known = next_block();
    const uint32_t count = segment.counts[block];
    if (segment.thread_of(block) != kThread) return;
    fmt::print(R"({{"executed":{},"step":{},"count":{},)", def.id.value, segment.steps[block],
               count);
    if (!is_known) {
      const CompiledBlock& code = *must(code_.compiled(def));
      const uint32_t ops = code.variant_end[segment.value(block) - def.id.value];
      fmt::print("\"ops\":{},\"known\":false}}\n", ops);
      return;
    }
    const CompiledBlock& code = *machine_.block().executable->code;
    const IrBlock ir = must(decode_ir(def.ir));
    Machine& machine = machine_.machine();
    Row temps;
    for (size_t i = 0; i < ir.types.size(); ++i)
      temps.add(hex(machine.at(code.temps[i]), type_size(ir.types[i])));
    Row addresses;
    Row values;
    const uint32_t first = segment.first_access[block];
    for (uint32_t i = 0; i < segment.first_access[block + 1] - first; ++i) {
      const uint64_t address = segment.addresses[first + i];
      addresses.add(address == SegmentValues::kNotDone ? "null" : fmt::format("{}", address));
      values.add(hex(machine.at(code.accesses[i].value), code.accesses[i].size));
    }
    BlockRegisters walk(def, code, machine_.block().ops, machine, before);
    Row used;
    Row stack;
    for (uint32_t i = 0; i < count; ++i, walk.step()) {
      Row places;
      for (const auto& [offset, size] : places_read(decoder_, def, i)) {
        const uint8_t* at = walk.now().bytes.data() + offset;
        places.add(fmt::format("[{},{},{}]", offset, size,
                               walk.now().knows(offset, size) ? hex(at, size) : "null"));
      }
      used.add(places.text());
      uint64_t sp = 0;
      std::memcpy(&sp, walk.now().bytes.data() + kRsp, sizeof sp);
      stack.add(sp);
    }
    fmt::print(
        R"("ops":{},"known":true,"temps":{},"addresses":{},"values":{},"next":{},"uses":{},"sp":{}}})"
        "\n",
        machine_.block().ops, temps.text(), addresses.text(), values.text(),
        machine.word(code.next), used.text(), stack.text());
  }

  ProcessValues& values_;
  CodeCache code_;
  Regenerator machine_;
  Decoder decoder_;
  std::set<uint32_t> printed_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto run = must(Run::open(argv[1]));
  const Reader* reader = &run->reader();
  if (reader->processes().empty()) return 2;
  const auto values =
      must(ProcessValues::open(*must(run->process(reader->processes().begin()->first))));
  Printer(*reader, *values).run();
  return 0;
}
