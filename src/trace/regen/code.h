// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "trace/ir.h"
#include "trace/reader.h"
#include "trace/regen/op.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace twinrun {

/// What a step does, for the native compiler: everything else is called.
struct StepShape {
  enum Kind : uint8_t { kCall, kNothing, kCopy, kGet, kLoad, kStore, kChoose, kOperation };
  Kind kind = kCall;
  uint32_t what = 0;  // bytes; the number of the operation
};

/// A load or store of a block. Temporaries are assigned once, so that address and value can be read
/// from the arena when the block has run: reporting an access costs nothing.
struct MemoryAccess {
  enum class Kind : uint8_t { kLoad, kStore };
  static constexpr uint32_t kAlways = ~0u;

  uint32_t op = 0;           // happened if the block got beyond this step
  uint32_t instruction = 0;  // in the block
  uint32_t address = 0;      // arena offsets
  uint32_t value = 0;
  uint32_t guard = kAlways;  // of a conditional one
  uint16_t size = 0;
  uint8_t displacement = 0;  // to be added to the address
  Kind kind = Kind::kLoad;
};

/// A write to the register file; its value is in the arena like that of a memory access.
struct RegisterWrite {
  static constexpr uint32_t kFixed = ~0u;

  uint32_t op = 0;
  uint32_t instruction = 0;
  uint32_t offset = 0;            // in the register file
  uint32_t offset_from = kFixed;  // where in the arena the offset is instead, of an x87 register
  uint32_t size = 0;
  uint32_t value = 0;
  uint32_t guard = MemoryAccess::kAlways;
};

/// A block compiled to steps for the machine. Which side exits it passes is known from the
/// recording, so the steps are straight-line code: a variant is a prefix of them.
struct CompiledBlock {
  std::vector<Op> ops;
  std::vector<StepShape> shapes;       // of each op
  std::vector<MemoryAccess> accesses;  // in the order of execution
  std::vector<MemoryAccess> stores;    // of them
  std::vector<RegisterWrite> register_writes;
  std::vector<uint32_t> statement_start;  // ops before each statement of the IR
  std::vector<uint32_t> temps;            // arena offset of each temporary
  std::vector<uint32_t> variant_end;      // ops of each variant
  std::vector<uint32_t> instruction_end;  // ops of the first 1, 2, ... instructions
  std::vector<uint8_t> load_sizes;        // by load number
  uint32_t next = 0;                      // arena offset of the address of the next block
  struct Exit {
    uint32_t op = 0;     // stands before this op
    uint32_t guard = 0;  // arena offset
    uint64_t target = 0;
    bool makes_variant = false;
    bool raises_signal = false;
  };
  std::vector<Exit> exits;
};

class NativeCompiler;
struct MachineCore;
/// Runs a block as one of its variants; returns where it goes on, 0 for anywhere.
using NativeBlock = uint64_t (*)(Machine*, MachineCore*);

/// A stream value that has been met: its block, and its code.
struct Executable {
  const BlockDef* def = nullptr;
  const CompiledBlock* code = nullptr;
  NativeBlock native = nullptr;
  uint64_t address = 0;  // of the block
  uint32_t variant = 0;
  uint32_t ops = 0;   // of the variant
  uint32_t heat = 0;  // executions; from kHot on it is compiled to machine code
};

enum class Engine : uint8_t {
  kMixed,      // interpret what runs rarely
  kReference,  // interpret everything
  kNative,     // interpret nothing that can be compiled
};

/// Compiles the blocks of one process on demand. Constants of all blocks live in one pool that
/// every machine copies into its arena.
class CodeCache {
 public:
  CodeCache(const Dictionary& dictionary, uint32_t state_size, Engine engine = Engine::kMixed);
  ~CodeCache();
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  /// What a value of the block stream means; nullptr when it has not been met: see add().
  [[nodiscard]] Executable* find(uint32_t value) {
    return value < by_value_.size() && by_value_[value].code != nullptr ? &by_value_[value]
                                                                        : nullptr;
  }
  /// Compiles the block; T022 when it is not defined.
  Result<Executable*> add(uint32_t value);
  /// To be called before an execution that is not native.
  void warm_up(Executable& executable) {
    if (++executable.heat == hot_) make_native(executable);
  }
  /// The compiled form of the block with this id.
  Result<const CompiledBlock*> compiled(const BlockDef& def);
  [[nodiscard]] const std::vector<uint64_t>& constants() const { return constants_; }
  /// Blocks compiled from here on run `wrong` instead of `right`, in machine code too. For tests
  /// that ask whether a wrong step would be noticed.
  void plant(StepFunction right, StepFunction wrong) { planted_ = {right, wrong}; }

 private:
  friend class BlockCompiler;
  void make_native(Executable& executable);
  uint32_t constant(uint64_t low, uint64_t high = 0, uint64_t third = 0, uint64_t fourth = 0,
                    unsigned words = 1);

  const Dictionary& dictionary_;
  uint32_t state_size_;  // definitions may not reach beyond it
  uint32_t hot_;
  std::unique_ptr<NativeCompiler> native_;
  std::vector<std::unique_ptr<CompiledBlock>> by_id_;
  std::vector<Executable> by_value_;
  std::vector<uint64_t> constants_;
  std::unordered_map<uint64_t, uint32_t> words_;  // constants of one word
  struct {
    StepFunction right = nullptr;
    StepFunction wrong = nullptr;
  } planted_;
};

}  // namespace twinrun
