// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "calls/call_tracker.h"
#include "memory/allocations.h"
#include "memory/memory_image.h"
#include "memory/stack_areas.h"
#include "program/values.h"
#include "run/symbols.h"
#include "trace/maps.h"
#include "trace/position.h"
#include "trace/reader.h"
#include "values/past_state.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

/// The moment at which something came to be: `block` blocks of the process had begun.
struct Birth {
  uint32_t process = 0;
  uint64_t block = 0;
  ThreadNo thread;
  uint32_t ordinal = 0;  // tells those of one moment apart
};

/// A block of the heap that has not been freed.
struct LiveAllocation {
  Allocation made;
  Birth birth;
  std::string allocator;
  uint64_t defined = 0;  // so many bytes at its start have a promised value (calloc)
};

/// What is left of one mapping, in its parts.
struct LiveMapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t base = 0;  // where the mapping began
  Birth birth;
  uint32_t kind = 0;  // TwMapKind
  uint32_t prot = 0;
  uint32_t file = Mapping::kNoFile;  // index into LiveMemory::files()
  uint64_t offset = 0;               // in the file, of `start`
  bool by_allocator = false;         // made while an allocator ran
  bool is_older = false;             // than the recording: what was in it is not known
};

/// A call that is under way.
struct LiveFrame {
  CallFrame frame;
  uint64_t site = 0;   // the call instruction; 0: not known
  uint64_t pc = 0;     // where it stands: the next instruction, or its call; or 0
  uint64_t begin = 0;  // the frame owns [begin, end): down from its return address
  uint64_t end = 0;
  uint32_t file = Mapping::kNoFile;  // of its function, index into LiveMemory::files()
  std::string function;              // empty: not known
  ModuleAddr address;                // of the function
  std::vector<StackArea> areas;      // arrays of variable length and the like, the outermost first
};

/// Frames on one stack, innermost last.
struct LiveStack {
  ThreadNo thread;
  CallFrame::Kind kind = CallFrame::Kind::kStart;
  bool is_current = false;  // the thread runs on it
  std::vector<LiveFrame> frames;
};

/// A loaded ELF file: what is mapped in [begin, end) belongs to it, .bss too.
struct LiveModule {
  uint32_t file = 0;  // index into LiveMemory::files()
  uint64_t bias = 0;  // address in memory minus that in the ELF file
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t instance = 0;  // the same file can be loaded several times
};

struct LiveThread {
  uint64_t sp = 0;
  uint64_t thread_pointer = 0;  // FS base
};

/// The memory of a process at a moment: contents, and all that is live in it. Made by one walk from
/// the start of the process (and of those that it was forked from) up to the moment, so its cost
/// follows the instructions in front of it (see docs/decisions/0029-memory-index.md for numbers);
/// memory follows what the program has written.
class LiveMemory {
 public:
  struct Options {
    std::vector<AllocatorRule> allocators;   // before the standard ones
    std::function<void(uint64_t)> progress;  // instructions so far
  };
  /// In front of the instruction at the position; kLastStep: of the thread's last one. V001 when
  /// the recording has no values, T008 when there is no such position.
  static Result<std::unique_ptr<LiveMemory>> at(Run& run, const Position& at,
                                                const Options& options);

  [[nodiscard]] const Position& position() const { return at_; }
  /// Blocks of the process that had begun.
  [[nodiscard]] uint64_t blocks() const { return blocks_; }
  /// By address; of those with one address the block of a custom allocator behind the block that it
  /// lies in.
  using Allocations = std::map<std::pair<uint64_t, bool>, LiveAllocation>;  // address, is custom
  [[nodiscard]] const Allocations& allocations() const { return allocations_; }
  /// By address, without overlaps.
  [[nodiscard]] const std::map<uint64_t, LiveMapping>& mappings() const { return mappings_; }
  /// By address.
  [[nodiscard]] const std::vector<LiveModule>& modules() const { return modules_; }
  /// Thread by thread; the handler of a signal behind what it interrupted.
  [[nodiscard]] const std::vector<LiveStack>& stacks() const { return stacks_; }
  [[nodiscard]] const std::map<uint32_t, LiveThread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<MappedFile>& files() const { return maps_.files(); }
  [[nodiscard]] const MemoryImage& image() const { return image_; }
  [[nodiscard]] Run& run() const { return run_; }
  /// Where the process found its arguments: [begin, end), argc first; empty: not known.
  [[nodiscard]] std::pair<uint64_t, uint64_t> initial_stack() const {
    return {initial_begin_, initial_begin_ + initial_bytes_.size()};
  }
  /// The bytes that were there when it started.
  [[nodiscard]] ByteSpan initial_bytes() const { return initial_bytes_; }
  /// The registers of the position's thread.
  [[nodiscard]] const Registers& registers() const { return registers_; }

  /// The mapping that holds the address; null for none.
  [[nodiscard]] const LiveMapping* mapping(uint64_t address) const;
  /// What is at the address: known bytes are those with `true`. Returns how many are known.
  size_t read(uint64_t address, std::span<uint8_t> out, std::vector<bool>* known = nullptr) const;
  [[nodiscard]] std::optional<uint64_t> word(uint64_t address) const;
  /// The module that holds the address; null for none.
  [[nodiscard]] const LiveModule* module(uint64_t address) const;

 private:
  friend class LiveWalk;
  explicit LiveMemory(Run& run) : run_(run) {}
  void find_modules();
  bool read_mapped(uint64_t address, std::span<uint8_t> out) const;

  Run& run_;
  Position at_;
  uint64_t blocks_ = 0;
  MapHistory maps_;
  MemoryImage image_;
  Allocations allocations_;
  std::map<uint64_t, LiveMapping> mappings_;
  std::vector<LiveModule> modules_;
  std::vector<LiveStack> stacks_;
  std::map<uint32_t, LiveThread> threads_;
  uint64_t initial_begin_ = 0;
  Bytes initial_bytes_;
  Registers registers_;
};

/// A frame of a LiveMemory, for debug information: the address of its frame is known, registers
/// only of the innermost frame of the thread that stands at the position.
class LiveState : public ValueSource {
 public:
  LiveState(const LiveMemory& memory, const LiveFrame* frame, bool is_innermost, uint64_t load_bias)
      : memory_(memory), frame_(frame), is_innermost_(is_innermost), load_bias_(load_bias) {}

  [[nodiscard]] std::optional<uint64_t> reg(unsigned dwarf_number) const override;
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    return memory_.read(address, out) == out.size();
  }
  [[nodiscard]] std::optional<uint64_t> call_frame_address() const override;
  [[nodiscard]] uint64_t load_bias() const override { return load_bias_; }

 private:
  const LiveMemory& memory_;
  const LiveFrame* frame_;  // null: none
  bool is_innermost_;
  uint64_t load_bias_;
};

}  // namespace twinrun
