// SPDX-License-Identifier: MIT
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "run/run.h"
#include "trace/count.h"
#include "trace/reader.h"
#include "trace/regen/regenerate.h"

#include <compare>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace twinrun {

/// An executed block of a process.
struct BlockAt {
  uint32_t segment = 0;
  uint32_t ordinal = 0;  // in the segment

  auto operator<=>(const BlockAt&) const = default;
};

/// Memory or registers that something else than an instruction changed.
struct OutsideWrite {
  enum class Kind : uint8_t {
    kSyscall,    // the kernel wrote a result
    kSignal,     // the frame of a signal
    kStartup,    // argc, argv, environment, auxv
    kClobbered,  // changed unseen
    kMapped,     // a file, or zeroes
    kRegisters,  // words of the register file
  };
  uint32_t at = 0;  // blocks of the segment that had begun
  Kind kind = Kind::kSyscall;
  uint32_t thread = 0;   // 0: the process
  uint64_t address = 0;  // or offset in the register file
  uint64_t length = 0;
  uint32_t event = 0;        // number of the event in the segment
  uint64_t syscall = kNone;  // number of the call that was under way

  static constexpr uint64_t kNone = ~uint64_t{0};
  bool operator==(const OutsideWrite&) const = default;
};

/// What a segment executed, and where its blocks are in the steps of its threads.
struct SegmentSteps {
  uint32_t number = 0;
  SegmentRuns runs;
  ByteSpan blocks;  // values of the block stream, which `held` has
  std::shared_ptr<const Bytes> held;
  std::vector<uint32_t> counts;  // instructions of each block
  std::vector<uint64_t> steps;   // of its thread, before each block

  [[nodiscard]] uint32_t block_count() const { return static_cast<uint32_t>(counts.size()); }
  [[nodiscard]] uint32_t value(uint32_t ordinal) const { return block_at(blocks, ordinal); }
  [[nodiscard]] uint32_t thread_of(uint32_t ordinal) const;

  void take_blocks(const SegmentData& data) {
    held = data.shared_blocks;
    blocks = data.blocks();
  }
};

/// One segment, computed: the address of every memory access, and what came from outside.
struct SegmentValues : SegmentSteps {
  static constexpr uint64_t kNotDone = ~uint64_t{0};  // address of an access that did not happen

  std::vector<uint32_t> first_access;  // of each block, and the end
  std::vector<uint64_t> addresses;
  std::vector<uint64_t> values;  // the low word of each
  static constexpr size_t kLarge = 64;
  std::vector<bool> is_large;  // of more bytes than that; empty when none is
  bool has_large = false;
  std::vector<OutsideWrite> outside;
  std::vector<RegenerationPoint> points;  // from which its blocks can be computed again, ascending

  /// What it holds in memory, about.
  [[nodiscard]] size_t bytes() const;
};

/// Collects the lines of memory (of 64 bytes) that are written.
class WrittenLines {
 public:
  static constexpr uint32_t kLineBits = 6;
  void add(uint64_t address, uint64_t size) {
    const uint64_t last = (address + size - 1) >> kLineBits;
    for (uint64_t line = address >> kLineBits; line <= last; ++line) {
      if (recent_.empty() || recent_[line % kRecent] != line) add_line(line);
    }
  }
  /// Ascending.
  std::vector<uint64_t> take();

 private:
  static constexpr size_t kRecent = 1024;
  static constexpr size_t kMost = 1 << 18;
  void add_line(uint64_t line);
  void tidy();
  std::vector<uint64_t> lines_;
  size_t most_ = kMost;           // before it is tidied
  std::vector<uint64_t> recent_;  // by the low bits: most lines are written again and again
};

/// Computes the values of one process on demand, segment by segment. Holds a few computed segments,
/// the registers at the start of those that have been computed, and which lines of memory each of
/// them writes; so that the cost of a question follows the distance that it looks back.
class ProcessValues {
 public:
  /// V001 for a recording without values.
  static Result<std::unique_ptr<ProcessValues>> open(const RunProcess& process);

  [[nodiscard]] const Process& process() const { return process_; }
  [[nodiscard]] const Reader& reader() const { return reader_; }
  [[nodiscard]] const Dictionary& dictionary() const { return dictionary_; }
  [[nodiscard]] CodeCache& code() { return code_; }
  [[nodiscard]] uint32_t segments() const {
    return static_cast<uint32_t>(process_.segments.size());
  }

  /// Lives until the next call of a function that is not const.
  Result<const SegmentValues*> segment(uint32_t number);
  /// What needs no values: read from the recording, unless the segment has been computed anyway.
  /// Lives until the next call of a function that is not const.
  Result<const SegmentSteps*> steps(uint32_t number);
  /// Lives as long as the caller holds it.
  Result<std::shared_ptr<const SegmentValues>> hold(uint32_t number);
  /// Whether segment() has it without computing.
  [[nodiscard]] bool has(uint32_t number) const { return kept(number) != nullptr; }

  /// The block in which `thread` executes `step`, and the instruction's number in the block.
  struct Found {
    BlockAt block;
    uint32_t instruction = 0;
  };
  Result<Found> find(ThreadNo thread, Step step);

  /// How many segments have been computed so far: what questions have cost, the same on every
  /// machine.
  [[nodiscard]] uint64_t computed() const { return computed_; }

  /// Whether the segment may write to one of the lines that hold [address, address + size), or has
  /// not been computed yet.
  [[nodiscard]] bool may_write(uint32_t segment, uint64_t address, uint64_t size) const;

  /// Computes the summaries that may_write() and mappings() tell, for the chunk of this segment and
  /// some before it, one on each core.
  Result<void> survey(uint32_t segment);
  [[nodiscard]] bool is_surveyed(uint32_t segment) const { return lines_[segment].has_value(); }

  /// The lines of a segment's summary, ascending; null while it is not surveyed.
  [[nodiscard]] const std::vector<uint64_t>* written_lines(uint32_t segment) const {
    return lines_[segment] ? &*lines_[segment] : nullptr;
  }
  /// A summary that was kept; nothing happens when the segment has one.
  void learn(uint32_t segment, std::vector<uint64_t> lines, std::vector<OutsideWrite> mappings);

  /// Takes those summaries from a pass over the whole process that is made for something else.
  class Surveyor {
   public:
    explicit Surveyor(ProcessValues& values) : values_(values) {}
    /// A block that has been computed, or an event, of this segment. A segment's summary is there
    /// when something of a later one was told; so that of the last segment never is.
    void take(uint32_t segment, Regenerator& regenerator);
    void take(uint32_t segment, const Event& event);

   private:
    void enter(uint32_t segment);

    ProcessValues& values_;
    uint32_t segment_ = 0;
    bool is_known_ = false;
    WrittenLines lines_;
    std::vector<OutsideWrite> outside_;
  };

  /// What the segment maps; nullptr while it has not been computed.
  [[nodiscard]] const std::vector<OutsideWrite>* mappings(uint32_t segment) const {
    return lines_[segment] ? &mappings_[segment] : nullptr;
  }

  /// Told each block on the way to the one that is asked for, when it has run.
  using Passed = std::function<void(BlockAt block, Regenerator& regenerator)>;
  /// Computes segments [first, end) for what is told of each of their blocks, and keeps nothing of
  /// them. From the first segment of a chunk on that costs nothing else.
  Result<void> each_block(uint32_t first, uint32_t end, const Passed& passed);
  /// The first segment of the chunk that this one is in.
  [[nodiscard]] uint32_t chunk_start(uint32_t segment) const;

  /// The machine as it is when the block has run: its temporaries and registers can be read until
  /// the next call. `before`: the registers as they are before the block. Computes up to
  /// kBlocksBetweenPoints blocks on the way, and fewer where it has been before.
  Result<Regenerator*> run_to(BlockAt block, bool before = false, const Passed& passed = {});

 private:
  static constexpr size_t kSegmentsKept = 6;
  static constexpr size_t kWalkedKept = 16;
  static constexpr size_t kBytesKept = 128 << 20;  // more segments than that are kept within this
  static constexpr uint32_t kBlocksBetweenPoints = 1 << 14;  // a point has 256 KiB
  static constexpr uint32_t kBlocksBetweenNear = 1 << 9;
  static constexpr size_t kNearMost = 32;
  static constexpr size_t kStatesMost = 1024;  // of 256 KiB

  explicit ProcessValues(const RunProcess& process);
  Result<void> compute(uint32_t number, bool keep);
  void begin_accesses(uint32_t number);
  void take_accesses();
  Result<void> keep_segment(SegmentValues computed);
  void reuse(const std::shared_ptr<SegmentValues>& old);
  /// Of the block and event streams of a segment.
  Result<void> count_steps(ByteSpan blocks, ByteSpan events, SegmentSteps& out) const;
  Result<const SegmentSteps*> walk(uint32_t number);
  [[nodiscard]] const SegmentValues* kept(uint32_t number) const;
  /// The nearest known point of the segment at or before the block; null: its start.
  [[nodiscard]] const RegenerationPoint* point_before(BlockAt block) const;
  /// Makes the regenerator stand at the start of the segment.
  Result<void> go_to(uint32_t number);
  [[nodiscard]] bool starts_chunk(uint32_t number) const;
  Result<void> survey_chunk(uint32_t first, uint32_t end, CodeCache& code);
  /// What an event says about memory; `number` is that of the event in its segment.
  [[nodiscard]] std::optional<OutsideWrite> memory_change(const Event& event, uint32_t segment,
                                                          uint32_t number) const;
  void summarize(uint32_t number, WrittenLines& lines, const std::vector<OutsideWrite>& outside);
  void add_event(SegmentValues& out, const Event& event, uint32_t number);
  void add_register_changes(SegmentValues& out, const Event& event, uint32_t number);

  const Reader& reader_;
  const Process& process_;
  const Dictionary& dictionary_;
  CodeCache code_;
  std::unique_ptr<Regenerator> regenerator_;
  uint32_t stands_at_ = ~0u;  // segment at whose start the regenerator stands
  std::vector<std::optional<RegenerationState>> states_;
  size_t states_kept_ = 0;
  std::vector<std::optional<std::vector<uint64_t>>> lines_;  // that each segment writes, ascending
  std::vector<std::vector<OutsideWrite>> mappings_;          // that each segment makes
  std::vector<std::unique_ptr<CodeCache>> surveyors_;        // code of the threads of a survey
  std::list<std::shared_ptr<SegmentValues>> recent_;         // the last used one first
  size_t recent_bytes_ = 0;
  std::list<SegmentSteps> walked_;  // of others, the last used one first
  /// Points that run_to() came by lately: who asks for a block asks for those before it next.
  std::map<BlockAt, RegenerationPoint> near_;
  std::deque<BlockAt> near_order_;  // the oldest first
  uint64_t computed_ = 0;
  /// Collects the accesses of a segment: how many they are is known at its end.
  struct {
    std::vector<uint32_t> first_access;
    std::vector<uint64_t> addresses;
    std::vector<uint64_t> values;
  } accesses_;
  std::vector<uint32_t> large_;              // of them
  std::vector<uint64_t> syscall_of_thread_;  // that is under way
};

}  // namespace twinrun
