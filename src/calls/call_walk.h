// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "calls/call_tracker.h"
#include "format/registers.h"
#include "program/values.h"
#include "run/run.h"
#include "trace/regen/known_memory.h"
#include "trace/regen/regenerate.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace twinrun {

/// Registers that calls use, at one moment, and the memory that the walk knows then.
class CallMoment : public ValueSource {
 public:
  CallMoment() = default;

  [[nodiscard]] std::optional<uint64_t> reg(unsigned dwarf_number) const override;
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override;
  [[nodiscard]] uint64_t load_bias() const override { return bias; }
  [[nodiscard]] uint64_t sp() const { return general[general_number(reg::kRsp)]; }

  bool is_known = false;
  std::array<uint64_t, kGeneralRegisters>
      general{};                      // in the order of the register file: rax rcx rdx rbx rsp ...
  std::array<uint64_t, 8> vectors{};  // low halves of xmm0-7
  uint64_t bias = 0;
  const std::function<std::optional<uint8_t>(uint64_t)>* read_byte = nullptr;
};

/// Walks over a process from its start to its end and tells its calls, with the values of registers
/// and memory at those moments if they are wanted. Memory follows the depth of calls; with memory
/// contents, also what the program writes.
class CallWalk {
 public:
  struct Options {
    bool values = false;  // V001 when the recording has none
    bool memory = false;  // contents too; needs values
    /// Compiled blocks of the process, which nobody else uses meanwhile; null: it compiles its own.
    CodeCache* code = nullptr;
    /// Told the instructions of the process so far, now and then.
    std::function<void(uint64_t)> progress;
    /// Told every event and every block, before their calls are told; a block when its values have
    /// been computed, if there are values. The walk ends there when it returns false. Who needs no
    /// more than the two below goes much faster.
    std::function<bool(const Timeline::Item&)> taken;
    /// Told every event.
    std::function<void(const Timeline::Item&)> event;
    /// Told that a block has been computed; with values.
    std::function<void(Regenerator&)> computed;
  };
  /// The process must stay open.
  static Result<std::unique_ptr<CallWalk>> open(RunProcess& process, Options options);

  /// Until stop() is called.
  Result<void> run(CallListener& listener);
  void stop() { stopped_ = true; }
  /// From here on contents of memory are not followed: what was known may be old.
  void ignore_memory();

  /// The registers of the thread in front of the block that it executes now, when that block begins
  /// a function; so in entered() and jumped(). Without memory.
  [[nodiscard]] CallMoment before(ThreadNo thread) const;
  /// Follows what is stored in the eight bytes at the address; 0 ends it.
  void watch(uint64_t address);
  [[nodiscard]] uint64_t watched() const { return watched_value_; }
  /// Of what `taken`, `event` and `computed` are told.
  [[nodiscard]] uint32_t segment() const { return told_segment_; }
  /// Of what `computed` is told: the thread's first instruction in it.
  [[nodiscard]] Step step() const { return told_step_; }
  /// Of the process that have begun, but for the current one.
  [[nodiscard]] uint64_t blocks() const { return blocks_; }

  /// The registers as they are now: behind the last instruction that was executed.
  [[nodiscard]] CallMoment now();
  [[nodiscard]] RunProcess& process() const { return process_; }
  [[nodiscard]] CodePlaces& places() { return places_; }
  [[nodiscard]] const MapHistory& maps() const { return process_.maps(); }
  [[nodiscard]] const Dictionary& dictionary() const { return dictionary_; }
  /// In `taken`, the computed block. Only with values.
  [[nodiscard]] Regenerator& regenerator() { return *regenerator_; }
  /// While run() runs, and as it was left when the walk was ended.
  [[nodiscard]] const CallTracker& tracker() const { return *tracker_; }

 private:
  CallWalk(RunProcess& process, Options options);
  Result<bool> compute_block(size_t segment);
  /// A whole block that neither calls nor returns, nor begins a function, nor loads the stack
  /// pointer.
  bool is_plain(uint32_t value, uint64_t block);
  /// Takes such blocks behind the last item, a block of this thread. False at the end.
  Result<bool> pass_plain(Timeline& timeline, ThreadNo thread, uint64_t& instructions);
  CallMoment moment_of(ByteSpan registers);
  void note_watched();
  void note_accesses();
  std::optional<uint8_t> byte(uint64_t address);

  RunProcess& process_;
  const Dictionary& dictionary_;
  CodePlaces& places_;
  Options options_;
  std::unique_ptr<CallTracker> tracker_;
  std::unique_ptr<CodeCache> own_code_;
  std::unique_ptr<Regenerator> regenerator_;
  size_t segment_ = ~size_t{0};
  KnownMemory memory_;
  std::function<std::optional<uint8_t>(uint64_t)> read_byte_;
  bool stopped_ = false;
  uint64_t blocks_ = 0;
  uint32_t told_segment_ = 0;
  Step told_step_;
  CallMoment before_;
  ThreadNo before_thread_;
  uint64_t watch_ = 0;
  uint64_t watched_value_ = 0;
  enum class Plain : uint8_t { kUnknown, kYes, kNo };
  std::vector<Plain> plain_;  // by stream value
};

}  // namespace twinrun
