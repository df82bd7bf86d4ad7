// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "run/run.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// A function that allocates or frees memory. Arguments count from 0.
struct AllocatorRule {
  enum class Kind : uint8_t {
    kAllocate,  // returns the address
    kStore,     // stores the address where argument `pointer` says and returns 0 (posix_memalign)
    kResize,    // of argument `pointer` (realloc)
    kFree,      // of argument `pointer`
  };
  static constexpr uint8_t kNone = 255;

  std::string name;  // of a symbol; with a trailing '*' all that begin with it
  Kind kind = Kind::kAllocate;
  uint8_t size = kNone;   // argument
  uint8_t count = kNone;  // argument that the size is multiplied by
  uint8_t pointer = 0;    // argument
};

/// malloc and its kin, and operator new and delete in all their forms.
std::vector<AllocatorRule> standard_allocators();
/// "NAME[:SIZE[:FREE[:POINTER]]]": the function, the number of its size argument (from 1; 0 for
/// none), the function that frees and the number of its argument with the address. C003 when it
/// cannot be read.
Result<std::vector<AllocatorRule>> parse_allocator(std::string_view text);

/// A block of memory from its allocation to its end.
struct Allocation {
  static constexpr uint64_t kNever = ~uint64_t{0};

  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t site = 0;  // address of the call instruction; 0: not known
  ThreadNo thread;
  Step step;           // instructions of the thread when the allocator returned
  uint64_t block = 0;  // blocks of the process that had begun then
  ThreadNo freed_by;
  Step freed;
  Step freed_from;             // the first instruction of the call that ended it,
  uint8_t freed_argument = 0;  // and which of its arguments the address was
  uint64_t freed_block = kNever;
  uint64_t freed_site = 0;
  uint32_t allocator = 0;    // for AllocationLog::allocator
  uint64_t called = 0;       // blocks of the process that had begun when the allocator was called
  Step from_step;            // the first instruction of that call
  uint8_t argument = 0;      // of that call, that it frees or resizes
  bool is_zeroed = false;    // calloc
  bool is_replaced = false;  // its end was not seen: another one was made at its address
  uint32_t from = kNoBlock;  // realloc: number of the block whose contents it has
  static constexpr uint32_t kNoBlock = ~0u;

  bool operator==(const Allocation&) const = default;
  [[nodiscard]] bool is_live_at_end() const { return freed_block == kNever; }
  [[nodiscard]] bool lives_at(uint64_t at) const { return block <= at && at < freed_block; }
};

/// A call that was to free, or to resize, what is not the start of a live block.
struct BadFree {
  uint64_t address = 0;
  uint64_t site = 0;  // of the call; 0: not known
  ThreadNo thread;
  Step step;
  uint64_t block = 0;                      // of the process that had begun when it was called
  uint32_t freed = Allocation::kNoBlock;   // the block that was there until it was freed
  uint32_t inside = Allocation::kNoBlock;  // the live block that it points into
  bool resizes = false;

  bool operator==(const BadFree&) const = default;
};

class ProcessValues;
class StackAreas;

/// Every allocation of a process. Calls are recognised by symbol, wherever the function is; what an
/// allocator calls itself belongs to it: operator new that calls malloc is one allocation, made by
/// the caller of operator new. Memory follows the number of allocations. What a forked process has
/// from its parent is not in its log.
class AllocationLog {
 public:
  struct Options {
    std::vector<AllocatorRule> more;         // before the standard ones
    std::function<void(uint64_t)> progress;  // instructions so far
    // Of the process: learns what it writes, on the way, and lends its compiled code.
    ProcessValues* surveyed = nullptr;
    AllocationLog* mapped = nullptr;  // gets what the process maps that is no file's
    StackAreas* areas = nullptr;      // gets those of its frames
  };
  /// V001 when the recording has no values. Follows the whole process.
  static Result<AllocationLog> build(RunProcess& process, const Options& options);

  /// In the order in which they were made.
  [[nodiscard]] const std::vector<Allocation>& all() const { return all_; }
  [[nodiscard]] const std::string& allocator(uint32_t number) const { return names_[number]; }
  /// Frees of what no recognised call had allocated.
  [[nodiscard]] uint64_t unknown_frees() const { return unknown_frees_; }
  [[nodiscard]] uint64_t most_bytes() const { return most_bytes_; }  // at once
  /// The first of them, in the order of execution; none of allocators that the user named.
  [[nodiscard]] const std::vector<BadFree>& bad_frees() const { return bad_frees_; }
  /// The process has asked malloc_usable_size: it may use more of a block than it asked for.
  [[nodiscard]] bool uses_usable_size() const { return uses_usable_size_; }
  [[nodiscard]] uint32_t number_of(const Allocation& one) const {
    return static_cast<uint32_t>(&one - all_.data());
  }

  /// The block that holds the address when `block` blocks of the process had begun; null for none.
  /// O(log n) and the blocks that have been at that address.
  [[nodiscard]] const Allocation* containing(uint64_t address, uint64_t block) const;
  /// The block that held the address last, live or not, when `block` blocks had begun.
  [[nodiscard]] const Allocation* latest(uint64_t address, uint64_t block) const;
  /// The block with this address whose allocator ran when `within` blocks had begun, and had
  /// returned when `until` had. O(log n).
  [[nodiscard]] const Allocation* returned(uint64_t address, uint64_t within, uint64_t until) const;
  /// The block whose allocator returned to this step of the thread; null for none. O(log n).
  [[nodiscard]] const Allocation* born(ThreadNo thread, Step step) const;
  /// The block that realloc has made of it at the same address, again and again; itself if none.
  [[nodiscard]] const Allocation& grown(const Allocation& one, uint64_t block) const;

  [[nodiscard]] const std::vector<std::string>& allocators() const { return names_; }
  /// All that it is made of, for those who have kept it.
  struct Parts {
    std::vector<Allocation> all;
    std::vector<std::string> names;
    std::vector<BadFree> bad_frees;
    uint64_t unknown_frees = 0;
    uint64_t most_bytes = 0;
    bool uses_usable_size = false;
  };
  static AllocationLog of(Parts parts);

  // For whoever makes one: in the order of execution, then finish().
  void add(Allocation made);
  /// `end`: thread, step, block and site of the end.
  void free(uint64_t address, const Allocation& end);
  /// A call of an allocator that frees or resizes begins: is there something to free?
  void check_free(const BadFree& call);
  /// The next block that is made has the contents of the one at the address.
  void resize(uint64_t address);
  void asked_usable_size() { uses_usable_size_ = true; }
  void finish();
  uint32_t add_allocator(std::string name);

 private:
  std::vector<Allocation> all_;
  std::vector<std::string> names_;
  std::map<uint64_t, uint32_t> live_;  // by address
  uint64_t live_bytes_ = 0;
  uint64_t most_bytes_ = 0;
  uint64_t unknown_frees_ = 0;
  std::vector<BadFree> bad_frees_;
  uint32_t resized_ = Allocation::kNoBlock;
  bool uses_usable_size_ = false;
  std::map<uint64_t, uint32_t> freed_;  // the last one by address; only while it is made
  std::vector<uint32_t> by_address_;
  std::vector<uint32_t> by_birth_;  // by thread and step
  std::vector<uint64_t> reach_;     // highest end among by_address_[0..i]
};

/// What `twinrun calls --allocations` says.
struct AllocationReport {
  struct Site {
    std::string allocator;
    std::string function;  // that called it
    std::string module;
    std::string file;
    uint32_t line = 0;
    uint64_t address = 0;
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t live = 0;  // at the end
    uint64_t live_bytes = 0;
  };
  struct Row {
    uint32_t process = 0;
    Allocation made;
    uint32_t site = 0;
  };
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t live = 0;
  uint64_t live_bytes = 0;
  uint64_t most_bytes = 0;
  uint64_t unknown_frees = 0;
  std::vector<Site> sites;  // most bytes first
  std::vector<Row> rows;    // in the order in which they were made, process by process
};
struct AllocationOptions {
  std::vector<AllocatorRule> more;
  std::optional<ProcessId> process;  // else all
  std::function<void(uint64_t)> progress;
};
Result<AllocationReport> allocations(Run& run, const AllocationOptions& options);

}  // namespace twinrun
