// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "calls/call_tracker.h"
#include "trace/regen/regenerate.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace twinrun {

/// A part of a frame whose size was chosen while the program ran: an array of variable length, a
/// block of alloca, or what was left out so that the frame begins at a round address.
struct StackArea {
  static constexpr uint64_t kNever = ~uint64_t{0};
  static constexpr uint32_t kNone = ~0u;

  uint64_t begin = 0;  // the stack pointer when it had been made; offsets count from here
  uint64_t end = 0;    // and before
  uint64_t frame = 0;  // where its function's return address is; 0: not known
  ThreadNo thread;
  Step step;                // the instruction that made it,
  uint64_t site = 0;        // its address,
  uint64_t block = 0;       // and the number of its block in the process
  uint64_t ended = kNever;  // blocks of the process that had begun
  uint32_t outer = kNone;   // what was open when it was made

  bool operator==(const StackArea&) const = default;
  [[nodiscard]] uint64_t size() const { return end - begin; }
  /// When `blocks` blocks had begun.
  [[nodiscard]] bool is_open_at(uint64_t blocks) const { return block < blocks && blocks < ended; }
};

/// All areas that the frames of a process had, in the order in which they were made.
class StackAreas {
 public:
  StackAreas();
  ~StackAreas();
  StackAreas(StackAreas&&) noexcept;
  StackAreas& operator=(StackAreas&&) noexcept;

  /// Where a pointer into a stack leads, whatever the sizes of areas are.
  struct Place {
    const StackArea* area = nullptr;  // that it points into
    // Into an area: from its begin. Else from the stack pointer, without the areas in between.
    int64_t offset = 0;
  };
  /// Of a thread with this stack pointer, when `blocks` blocks of the process had begun. O(log n)
  /// and the areas that are open.
  [[nodiscard]] Place place(ThreadNo thread, uint64_t blocks, uint64_t sp, uint64_t pointer) const;
  /// That are open then, the latest first.
  [[nodiscard]] std::vector<const StackArea*> open(ThreadNo thread, uint64_t blocks) const;
  [[nodiscard]] const std::vector<StackArea>& all() const { return all_; }
  /// Those that another one's all() had.
  static StackAreas of(std::vector<StackArea> all);

  // For whoever makes one: every block in the order of execution, when it has been computed and
  // before the tracker has taken it; and the frames that the tracker tells as left.
  // `step`: of the thread, before the block; `instructions`: only those of the block's first ones.
  [[gnu::always_inline]] void take(Regenerator& there, Step step, const Dictionary& dictionary,
                                   const CallTracker& tracker, uint32_t instructions = ~0u) {
    const Regenerator::Block& block = there.block();
    if (block.value >= moves_.size() || moves_[block.value] != Moves::kNone) [[unlikely]]
      take_moves(there, step, dictionary, tracker, instructions);
    sp_ = stack_pointer(there.machine());
    thread_ = block.thread;
  }
  void left(ThreadNo thread, const CallFrame& frame, uint64_t blocks);

 private:
  /// A way in which a block's code moves the stack pointer.
  struct Move;
  class Finder;
  enum class Moves : uint8_t { kUnknown, kNone, kSome };

  static uint64_t stack_pointer(Machine& machine);
  void take_moves(Regenerator& there, Step step, const Dictionary& dictionary,
                  const CallTracker& tracker, uint32_t instructions);
  void close(std::vector<uint32_t>& open, uint64_t blocks);
  void raised(std::vector<uint32_t>& open, uint64_t frame, uint64_t to, uint64_t blocks);
  void lowered(StackArea made);

  std::vector<StackArea> all_;
  std::map<uint32_t, std::vector<uint32_t>> by_thread_;
  // Only while it is made.
  std::map<uint32_t, std::vector<uint32_t>> open_;  // by thread, the latest last
  std::vector<Moves> moves_;                        // by stream value
  std::map<uint32_t, std::vector<Move>> found_;     // by id of the block
  uint64_t sp_ = 0;                                 // behind the latest block,
  uint32_t thread_ = ~0u;                           // of this thread
};

}  // namespace twinrun
