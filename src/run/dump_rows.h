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

struct InstructionRow {
  Position position;
  NamedAddress at;
  Bytes code;
  std::string text;
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
