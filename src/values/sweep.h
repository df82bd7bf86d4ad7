// SPDX-License-Identifier: MIT
#pragma once

#include "values/control_finder.h"
#include "values/slice.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <map>
#include <set>
#include <vector>

namespace twinrun {

/// One pass backward over a run that follows everything wanted at once: bytes of registers and
/// memory whose writer is looked for, statements whose operands are, and branches and calls that
/// decided about an instruction. Each segment is visited at most once, and only when it has
/// something that is wanted. What decided is found when the pass is at the instruction, and visited
/// when the pass gets there: so a limit keeps the latest instructions, whatever they are needed
/// for.
class Sweep {
 public:
  Sweep(ProcessValues& values, Slicer& slicer, const SliceOptions& options)
      : values_(values), slicer_(slicer), options_(options) {}

  void need(BlockAt block, uint32_t statement, ByteMask bytes = kAllBytes) {
    needed_[block][statement] |= bytes;
  }
  void need_instruction(const InstructionAt& at) { (void)node(at); }
  Result<Slice> run();

 private:
  static constexpr uint32_t kLine = 64;
  struct MemoryWant {
    uint64_t first = 0;  // within one line
    uint32_t size = 0;
    uint32_t owner = 0;  // node
    uint64_t left = 0;   // a bit for each byte of the line that is still wanted
  };
  struct RegisterWants {
    std::map<uint32_t, std::set<uint32_t>> owners;  // by byte
    WordMask words{};
  };

  using Needed = std::map<uint32_t, ByteMask>;  // statements of a block, bytes of their results

  Result<bool> is_wanted(uint32_t segment);
  Result<void> segment(uint32_t number);
  Result<void> block(const SegmentValues& segment, uint32_t ordinal);
  Result<void> statement(const SegmentValues& segment, BlockAt block, uint32_t thread,
                         const BlockFlow& flow, uint32_t statement, Needed& needed);
  void outside(const OutsideWrite& write, uint32_t segment);
  bool stores_to_wanted(const SegmentValues& segment, uint32_t ordinal) const;
  [[nodiscard]] bool may_want(uint64_t line) const {
    return (line_bits_[line / 64 % line_bits_.size()] >> (line % 64) & 1) != 0;
  }
  void mark_line(uint64_t line) {
    line_bits_[line / 64 % line_bits_.size()] |= uint64_t{1} << (line % 64);
  }

  void want_registers(uint32_t thread, uint32_t offset, uint32_t size, uint32_t owner);
  void want_memory(uint64_t address, uint32_t size, uint32_t owner);
  /// The wanted bytes among these, and who wanted them; they are no longer wanted.
  struct Taken {
    uint32_t owner = 0;
    uint64_t where = 0;
    uint32_t size = 0;
  };
  void take_registers(uint32_t thread, uint64_t offset, uint64_t size, std::vector<Taken>& out);
  void take_memory(uint64_t address, uint64_t size, std::vector<Taken>& out);

  /// kLimitReached in sweep.cc when it is not wanted.
  uint32_t node(const InstructionAt& at);

  [[nodiscard]] bool follows_control() { return options_.control && slicer_.control() != nullptr; }
  /// The block's last instruction has decided about others.
  void decide(BlockAt block, const BlockFlow& flow, Needed& needed);
  /// Asks what decided about the nodes that the block has added.
  Result<void> ask_control(uint32_t value);
  void take_answers(ControlFinder::Found found);
  Result<void> enter_chunk(uint32_t segment);

  ProcessValues& values_;
  Slicer& slicer_;
  SliceOptions options_;
  Slice out_;
  std::map<InstructionAt, uint32_t> node_of_;
  uint32_t value_ = 0;    // of the stream, of the current block
  uint32_t visited_ = 0;  // blocks
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> instances_;  // by value and instruction
  std::set<Dependence> edges_;
  std::map<BlockAt, Needed> needed_;
  std::map<BlockAt, std::vector<uint32_t>> deciders_;  // nodes that each block has decided about
  std::vector<uint32_t> fresh_;                        // nodes of the current block
  std::vector<ControlFinder::Question> questions_;     // to older chunks
  uint32_t chunk_ = ~0u;                               // first segment
  std::map<uint32_t, RegisterWants> registers_;        // by thread
  std::array<uint64_t, 64> line_bits_{};               // by the low bits of wanted lines, or more
  boost::unordered_flat_map<uint64_t, std::vector<MemoryWant>> memory_;  // by line
};

}  // namespace twinrun
