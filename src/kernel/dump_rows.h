// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/ids.h"
#include "trace/position.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace twinrun {

/// An address with its name, for people: module base name, function, offset in it.
struct NamedAddress {
  Addr address;
  std::string module;    // path; empty: none
  std::string function;  // empty: none
  uint64_t offset = 0;   // in the function, else in the module
};

/// What an instruction read or wrote.
struct OperandValue {
  std::string what;  // "rax", "0x1ffefff010:4"
  bool is_memory = false;
  uint64_t address = 0;
  uint32_t size = 0;
  std::string value;     // in hexadecimal; empty: not known
  std::string variable;  // "h->ncols"; empty: none
  std::string shown;     // the variable's value by its type
};

struct InstructionRow {
  Position position;
  NamedAddress at;
  Bytes code;
  std::string text;
  // With values:
  bool has_values = false;
  std::string file;  // of the source; empty: not known
  uint32_t line = 0;
  std::vector<OperandValue> reads;
  std::vector<OperandValue> writes;
};

struct BlockRow {
  Position position;
  NamedAddress at;
  uint32_t id = 0;
  uint32_t variant = 0;
  uint32_t variants = 1;
  uint32_t instructions = 0;  // as counted
  bool partial = false;
  std::string jump;
};

struct CallRow {
  Position position;
  std::string_view kind;  // "call", "jump", "return", "signal", "start"
  uint32_t depth = 0;
  NamedAddress at;  // the function entered or left; of a signal its name stands in `function`
};

struct MemoryPiece {
  std::string_view direction;  // "read" by the kernel, "written" by it
  Addr address;
  Bytes bytes;
};

struct SyscallRow {
  Position position;
  uint64_t number = 0;
  std::string name;
  std::vector<std::string> arguments;
  std::vector<uint64_t> numbers;   // the arguments, as the registers had them
  std::optional<uint64_t> result;  // nothing: it did not return
  std::string error;
  std::vector<MemoryPiece> data;
};

struct EventRow {
  Position position;
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;
};

struct IrRow {
  Position position;  // of the first execution
  NamedAddress at;
  uint32_t id = 0;
  std::string text;  // one statement a line
};

using DumpRow = std::variant<InstructionRow, BlockRow, CallRow, SyscallRow, EventRow, IrRow>;

}  // namespace twinrun
