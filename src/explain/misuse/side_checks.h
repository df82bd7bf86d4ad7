// SPDX-License-Identifier: MIT
#pragma once

#include "explain/graph/causal_graph.h"
#include "explain/misuse/access_rules.h"
#include "explain/misuse/misuse.h"
#include "explain/misuse/origins.h"
#include "values/control_finder.h"
#include "values/past_state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace twinrun {

inline constexpr uint32_t kWordSize = 8;

/// A misuse before it has the names of its sites.
struct FoundMisuse {
  Misuse told;
  BlockAt block;                                  // where it happened
  uint32_t instruction = 0;                       // in the block
  uint64_t pc = 0;                                // of it
  const Allocation* object = nullptr;             // that the pointer was made from
  const Allocation* present = nullptr;            // kReused: that is there now
  std::vector<Origins::Found::Pass> passes = {};  // of its pointer
};

/// Holds accesses of one process to the rules of memory.
class SideChecks {
 public:
  SideChecks(RunSide side, ProcessView& view, const AllocationLog& log,
             const std::vector<AllocatorRule>& allocators)
      : side_(side), view_(view), log_(log), rules_(view, allocators), origins_(view, log, {}) {}

  /// Looks up which calls were under way at these blocks, all at once; check() and the others need
  /// it of the blocks that they are given.
  Result<void> prepare(std::span<const BlockAt> blocks);

  /// All accesses of an instruction that was executed; what was looked at already of an instruction
  /// of the code and a block is left out, unless `again`.
  Result<std::vector<FoundMisuse>> check(const InstructionAt& at, bool again = false);
  /// Bytes that the instruction loads and that matter. `may_copy`: only if it does not just move
  /// them, as copying a structure does with the gaps between its members.
  Result<std::optional<FoundMisuse>> check_written(const InstructionAt& reader,
                                                   const BytesOf& bytes, bool may_copy);
  /// Whether they might have been written last when so many blocks had begun, and before the block
  /// or frame that they are in began: cheap, to be asked first.
  [[nodiscard]] bool may_be_unwritten(const InstructionAt& reader, const BytesOf& bytes,
                                      uint64_t written);
  /// The instruction that the process could not execute, or the block behind which it could not go
  /// on.
  Result<std::vector<FoundMisuse>> check_fault(const InstructionAt& at);
  Result<std::vector<FoundMisuse>> check_jump(BlockAt last);
  /// Calls of free() and realloc() with what is no block. `crashed`: the process ended by that.
  Result<std::vector<FoundMisuse>> check_frees(bool crashed);

  /// Pointers that were not followed, because of a limit.
  [[nodiscard]] uint64_t unfollowed() const { return origins_.unfollowed(); }

  /// Gives it the names of its sites.
  Result<Misuse> name(const FoundMisuse& found);

 private:
  struct Access {
    BlockAt block;
    uint32_t instruction = 0;
    uint32_t statement = 0;
    uint64_t address = 0;
    uint32_t size = 0;
    bool is_store = false;
    uint64_t pc = 0;
    uint64_t time = 0;
  };
  Result<void> check_access(const Access& access, std::vector<FoundMisuse>& out);
  Result<void> check_heap(const Access& access, AccessRules::Code code,
                          std::vector<FoundMisuse>& out);
  Result<void> check_variable(const Access& access, const Origins::Found& origin,
                              std::vector<FoundMisuse>& out);
  /// The call under way in the frame that holds the address: where its variables are known.
  Result<std::optional<InstructionAt>> owner_of(uint64_t address, BlockAt block);
  /// What a library was given the address of, by the names at that instruction, and has gone
  /// beyond. Whether it is known.
  Result<bool> check_object(const Access& access, const InstructionAt& at, uint64_t given,
                            std::vector<FoundMisuse>& out);
  /// The same for an array that the pointer is into, perhaps a member of something.
  Result<bool> check_array(const Access& access, const DebugAt& debug, const PastState& state,
                           uint64_t given, std::vector<FoundMisuse>& out);
  /// Where what the library's call writes from `given` on without a gap ends: the byte that matters
  /// may be fine, and the call all the same have gone too far.
  Result<uint64_t> filled_to(const Access& access, uint64_t given);
  Result<bool> fills_beyond(const Access& access, uint64_t given, uint64_t size);
  [[nodiscard]] FoundMisuse found_behind(const Access& access, uint64_t given, uint64_t size) const;
  Result<std::optional<Origins::Found>> origin_of(const Access& access);
  Result<bool> passes_allocator(const Access& access, const Origins::Found& origin);
  void check_return_addresses(const Access& access, std::vector<FoundMisuse>& out);
  [[nodiscard]] FoundMisuse found(const Access& access, Misuse::Kind kind) const;
  [[nodiscard]] const ActiveCalls& calls_at(BlockAt block) const;
  /// When the block or frame that holds the address began; nothing when that does not tell whether
  /// its bytes have been written.
  [[nodiscard]] std::optional<uint64_t> birth(uint64_t address, const InstructionAt& reader) const;
  [[nodiscard]] bool is_on_stack_of(uint64_t address, BlockAt block) const;
  /// The address that an instruction was about to use.
  Result<std::optional<Access>> faulting_access(const InstructionAt& at);
  Result<uint64_t> pc_of(const InstructionAt& at);
  Result<std::optional<BlockAt>> block_of(uint64_t number) const;
  /// Nothing for what is not known.
  Result<std::optional<AccessRules::Site>> site_at(uint64_t block, uint64_t call);
  /// The lines of the program that a pointer came by. `freed`: when it should have been forgotten.
  Result<std::vector<NamedInstruction>> passed_lines(const FoundMisuse& found, uint64_t freed,
                                                     const NamedInstruction& at);
  /// The program's instruction that made the access, or called what made it; nothing when that is
  /// too long ago.
  Result<std::optional<InstructionAt>> program_access(const FoundMisuse& found);
  /// The branch that let the access pass, and where what it compared came from.
  Result<void> find_bounds(const FoundMisuse& found, Misuse& out);
  Result<std::optional<InstructionAt>> decider_of(const InstructionAt& access);
  Result<void> add_bounds(const Slice& slice, Misuse& out);
  [[nodiscard]] bool is_mapped_anew(uint64_t address, const Allocation& freed, uint64_t now) const;
  [[nodiscard]] uint64_t end_of(const Allocation& one) const;

  RunSide side_;
  ProcessView& view_;
  const AllocationLog& log_;
  AccessRules rules_;
  Origins origins_;
  std::optional<ControlFinder> control_;  // made when it is asked
  std::map<BlockAt, ActiveCalls> calls_;
  std::set<std::tuple<uint64_t, const Allocation*, bool>> traced_;  // by pc and block
};

}  // namespace twinrun
