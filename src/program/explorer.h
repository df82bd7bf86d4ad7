// SPDX-License-Identifier: MIT
#pragma once

#include "program/cfg.h"
#include "program/code_image.h"
#include "program/control_flow.h"
#include "program/eh_frame.h"
#include "program/instruction.h"
#include "program/jump_table.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace twinrun {

/// What all functions of a binary have in common while they are explored.
struct ExplorerContext {
  const CodeImage* image = nullptr;
  const Decoder* decoder = nullptr;
  std::span<const CallSite> call_sites;    // by start
  std::span<const ObservedEdge> observed;  // by from
  /// By address: what was found out about indirect jumps before. Others are looked at anew.
  std::span<const KnownJump> known = {};
};

/// Decodes one function from its entry along all paths ("recursive traversal"). Each instruction is
/// decoded once; what follows a call only when `continues` says that the call returns, now or
/// later by resume(). Costs O(bytes) memory and time.
class Explorer {
 public:
  struct Range {
    uint64_t start = 0;
    uint64_t end = 0;
  };
  /// A jump or an exception that leaves the function for another place of the binary.
  struct Outward {
    uint64_t from = 0;
    uint64_t to = 0;
    bool falls_through = false;  // runs into what follows the function
  };
  using Continues = std::function<bool(const Instruction& call)>;

  /// The first range begins with the entry.
  Explorer(const ExplorerContext& context, std::vector<Range> ranges);

  /// Decodes from an address; nothing happens when it is decoded already or not in a range.
  void enter(uint64_t address, const Continues& continues);
  /// The call returns after all.
  void resume(uint64_t call, const Continues& continues);
  /// Looks for further tables of indirect jumps, on the ways to them that are known by now. When
  /// nothing else is left to do: it costs more than the rest. False when there was nothing new.
  bool find_more(const Continues& continues);

  [[nodiscard]] bool contains(uint64_t address) const { return offset(address).has_value(); }
  /// Null when no instruction was decoded there.
  [[nodiscard]] const Instruction* at(uint64_t address) const;
  [[nodiscard]] uint64_t entry() const { return entry_; }
  [[nodiscard]] const std::vector<Instruction>& instructions() const { return instructions_; }
  [[nodiscard]] const std::vector<Outward>& outward() const { return outward_; }
  [[nodiscard]] bool has_return() const { return has_return_; }
  /// An indirect jump of which no target is known.
  [[nodiscard]] bool has_unknown_jump() const { return has_unknown_jump_; }
  /// Its indirect jumps that are not through a fixed slot, with their tables.
  [[nodiscard]] std::vector<KnownJump> jumps() const;
  /// Nothing but padding stands between the call and the end of its range.
  [[nodiscard]] bool ends_range(const Instruction& call) const;

  /// `tail`: whether an address is the start of a function.
  [[nodiscard]] Cfg finish(uint32_t function, const std::function<bool(uint64_t)>& tail) const;

 private:
  friend class CfgMaker;
  // How an instruction was reached first.
  struct Origin {
    uint32_t from = kNone;
    bool taken = false;
  };
  struct Extra {
    uint32_t from = 0;  // instruction
    uint64_t to = 0;
    EdgeKind kind = EdgeKind::kTable;
  };
  struct Tables {
    std::set<uint64_t> addresses;
    std::vector<uint64_t> targets;  // sorted
    std::vector<JumpTable> in_order;
  };
  struct Work {
    uint64_t address = 0;
    Origin origin;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  [[nodiscard]] std::optional<size_t> offset(uint64_t address) const;
  void run(const Continues& continues);
  void follow(uint32_t index, const Continues& continues);
  void follow_indirect(uint32_t index);
  void follow_exception(uint32_t index);
  void jump(uint32_t index, uint64_t to);
  void extra(uint32_t index, uint64_t to, EdgeKind kind);
  void meet(size_t where, const Origin& origin);
  [[nodiscard]] std::vector<PathStep> path_to(std::vector<PathStep> backward, Origin origin) const;
  [[nodiscard]] std::optional<JumpTable> find_table(std::span<const PathStep> path) const;
  [[nodiscard]] std::optional<JumpTable> table(std::span<const PathStep> path, uint64_t& work,
                                               uint64_t most_work) const;
  void add_table(uint32_t index, JumpTable found);
  void find_more_tables(uint32_t index);
  void find_first_tables(uint32_t index);

  ExplorerContext context_;
  std::vector<Range> ranges_;        // by start
  std::vector<size_t> range_begin_;  // offset of each range
  uint64_t entry_ = 0;
  std::vector<Instruction> instructions_;  // in the order of decoding
  std::vector<Origin> origins_;
  std::vector<bool> continued_;  // of calls: what follows was decoded
  std::vector<bool> some_;       // of indirect jumps: more targets are possible
  std::vector<uint32_t>
      indices_;               // by offset: index of the instruction that begins there, plus one
  std::vector<bool> queued_;  // by offset: was put into work_ as the target of a jump
  std::vector<Work> work_;
  std::vector<Extra> extras_;
  std::vector<uint64_t> entered_;
  std::vector<Outward> outward_;
  // By offset: other ways to the instruction there than the first one.
  std::unordered_map<size_t, std::vector<Origin>> met_;
  size_t met_count_ = 0;
  size_t met_seen_ = 0;                // when more tables were looked for
  std::map<uint32_t, Tables> tables_;  // of indirect jumps that are not through a fixed slot
  uint32_t table_entries_ = 0;
  uint64_t path_work_ = 0;
  uint64_t more_work_ = 0;
  bool has_return_ = false;
  bool has_unknown_jump_ = false;
};

}  // namespace twinrun
