// SPDX-License-Identifier: MIT
#pragma once

#include "program/function_table.h"
#include "program/instruction.h"
#include "program/source_name.h"
#include "run/called_addresses.h"
#include "run/symbols.h"
#include "trace/block.h"
#include "trace/maps.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A function of one of the modules that a process executed, where it was mapped.
struct PlacedFunction {
  const MappedFile* file = nullptr;  // null: code without a file
  std::string name;                  // empty: unknown; then module and address name it
  std::vector<std::string> aliases;
  ModuleAddr address;    // of code without a file, in memory
  uint64_t bias = 0;     // address in memory minus that in the ELF file
  bool is_stub = false;  // only jumps on to a function of another module

  [[nodiscard]] bool has_name(std::string_view wanted) const;
  [[nodiscard]] Addr in_memory() const { return {address.value + bias}; }
};

/// The name that people know: without the parameters that a C++ symbol encodes, and of several
/// names of a C function the one without leading underscores. Empty when there is none.
std::string source_name(const PlacedFunction& function);

/// What the executed blocks of one process belong to: functions from symbols, else from .eh_frame,
/// so that stripped programs have functions too,
/// else from the calls of the process. Looked up once for each block of the dictionary.
class CodePlaces {
 public:
  static constexpr uint32_t kUnknown = 0;  // the function of code that belongs to none

  CodePlaces(Binaries& binaries, const MapHistory& maps, CalledAddresses& called)
      : binaries_(binaries), maps_(maps), called_(called) {}

  struct OfBlock {
    uint32_t function = kUnknown;  // number for function()
    bool is_entry = false;         // it begins at the function's address
    /// It gives the stack pointer a value that comes neither from itself nor from the frame
    /// pointer: longjmp, a switch to another stack, or the end of a scope with an array of variable
    /// length.
    bool loads_stack_pointer = false;
    /// It ends in a jump to an address that only the run knows.
    bool jumps_indirectly = false;
    bool is_known = false;
  };
  /// `blocks`: of the process that had begun when the block was first executed.
  const OfBlock& of(const BlockDef& def, uint64_t blocks);
  [[nodiscard]] const PlacedFunction& function(uint32_t number) const { return functions_[number]; }
  /// The function that holds an address.
  uint32_t function_at(Addr address, uint64_t blocks);

 private:
  struct Module {
    std::shared_ptr<const FunctionTable> table;  // null: the code is not known
    std::map<uint32_t, uint32_t> numbers;        // of functions_, by index in the table
  };
  Module& module(const MappedFile& file);
  struct Found {
    uint32_t function = kUnknown;
    bool is_entry = false;
  };
  Found find(Addr address, uint64_t blocks);

  Binaries& binaries_;
  const MapHistory& maps_;
  CalledAddresses& called_;
  Decoder decoder_;
  std::map<std::pair<std::string, Bytes>, Module> modules_;
  std::vector<PlacedFunction> functions_{1};
  std::vector<OfBlock> by_id_;
};

}  // namespace twinrun
