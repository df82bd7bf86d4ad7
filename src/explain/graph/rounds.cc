// SPDX-License-Identifier: MIT
// Sums, checksums, copies: a value that is carried through millions of rounds of the same code.
//
// Going back from a wrong checksum, Slice-Align meets the same few instructions again, one round
// earlier each time, and a file of 20 MB has 20 million rounds. All of them say the same: "it was
// wrong before". What is worth knowing is the first round whose result differs while what it was
// handed does not: there something else came in.
//
// So when a chain has gone through one instruction often enough (SliceAlign::round_of()), its
// executions are gone over backward without looking at dependences, comparing only results. The
// search ends at the first pair that is the same or does not correspond. Accesses that had one
// address in two rounds must have it in all of them: executions that work on other places belong to
// other sums, which one piece of code can make in turns, and do not count. What is found is
// explained like any other instruction, by its own operands.
//
// Right as far as it goes: each pair that is passed over corresponds and differs. That each of them
// got it from the one before is taken from the rounds that were followed one by one; where it is
// not so, what is found leads on to the true writers all the same, since it is explained anew.
//
// Costs one computation of the segments in between, without keeping anything of them but a word or
// two for each round of one segment.
// Example: crc = table[crc >> 24 ^ byte] ^ crc << 8 over 20 million bytes, one of which differs.
#include "explain/graph/rounds.h"

#include "explain/graph/both_sides.h"
#include "trace/regen/effects.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace twinrun {
namespace {

constexpr uint32_t kValueMost = 32;

/// Bytes of the machine's arena that hold a result while the block has just run.
struct Result8 {
  uint32_t at = 0;
  uint32_t size = 0;
  ByteMask wanted = 0;
};

/// What is compared of each execution of a block.
struct Watched {
  uint32_t block = 0;  // its id
  uint32_t ops = 0;    // that must have run
  std::vector<Result8> results;
  std::vector<uint32_t> places;  // accesses that stay where they are
};

/// One execution.
struct Round {
  uint64_t at = 0;  // ordinal in its segment, then the step
  uint64_t result = 0;
  uint64_t place = 0;
};

uint64_t mixed(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * 0x9e3779b97f4a7c15;
  return sum ^ sum >> 29;
}

std::optional<Watched> watched_of(const BlockFlow& flow, uint32_t id,
                                  const ValuePairs::Wanted& wanted) {
  Watched out{.block = id, .results = {}, .places = {}};
  for (const auto& [statement, bytes] : wanted) {
    const IrStatement& st = flow.ir.statements[statement];
    const uint32_t behind = statement + 1 < flow.code->statement_start.size()
                                ? flow.code->statement_start[statement + 1]
                                : static_cast<uint32_t>(flow.code->ops.size());
    out.ops = std::max(out.ops, behind);
    if (st.dst != kNoTemp)
      out.results.push_back({flow.code->temps[st.dst], type_size(flow.ir.types[st.dst]), bytes});
    const auto& writes = flow.register_writes_of[statement];
    for (uint32_t i = writes.first; i < writes.end; ++i) {
      const RegisterWrite& write = flow.code->register_writes[i];
      out.results.push_back({write.value, write.size, bytes});
    }
    const auto& accesses = flow.accesses_of[statement];
    for (uint32_t i = accesses.first; i < accesses.end; ++i) {
      const MemoryAccess& access = flow.code->accesses[i];
      if (access.kind == MemoryAccess::Kind::kStore)
        out.results.push_back({access.value, access.size, bytes});
    }
  }
  if (out.results.empty()) return std::nullopt;
  return out;
}

uint64_t result_of(Machine& machine, const std::vector<Result8>& results) {
  uint64_t sum = 0;
  for (const Result8& one : results) {
    std::array<uint8_t, kValueMost> bytes{};
    const uint32_t size = std::min(one.size, kValueMost);
    std::memcpy(bytes.data(), machine.at(one.at), size);
    for (uint32_t i = 0; i < size; ++i)
      if ((one.wanted >> i & 1) == 0) bytes[i] = 0;
    for (uint32_t i = 0; i < size; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof word);
      sum = mixed(sum, word);
    }
  }
  return sum;
}

/// The accesses of a block that had the same address in two of its executions.
Result<std::vector<uint32_t>> fixed_places(const BlockOf& one, const BlockOf& other) {
  const auto addresses_of = [](const BlockOf& block) -> Result<std::vector<uint64_t>> {
    TRY(const SegmentValues* segment, block.view->values->segment(block.at.segment));
    const auto& starts = segment->first_access;
    return std::vector<uint64_t>(segment->addresses.begin() + starts[block.at.ordinal],
                                 segment->addresses.begin() + starts[block.at.ordinal + 1]);
  };
  TRY(const auto of_one, addresses_of(one));
  TRY(const auto of_other, addresses_of(other));
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < std::min(of_one.size(), of_other.size()); ++i)
    if (of_one[i] == of_other[i]) out.push_back(i);
  return out;
}

/// The executions of a block in one run, from one of them backward, chunk by chunk.
class Rounds {
 public:
  Rounds(const BlockOf& from, Watched watched, uint32_t thread)
      : view_(*from.view),
        watched_(std::move(watched)),
        thread_(thread),
        end_(from.at.segment + 1),
        last_(from.at) {}

  static Result<std::optional<Rounds>> open(const BlockOf& from, const BlockOf& other,
                                            const ValuePairs::Wanted& wanted) {
    TRY(const SegmentSteps* segment, from.view->values->steps(from.at.segment));
    const BlockDef* def = from.view->values->dictionary().find(segment->value(from.at.ordinal));
    if (def == nullptr) return fail("T022", "a block is not defined");
    const uint32_t thread = segment->thread_of(from.at.ordinal);
    TRY(const BlockFlow* flow, from.view->slicer.flow_at(from.at));
    auto watched = watched_of(*flow, def->id.value, wanted);
    if (!watched) return std::optional<Rounds>();
    TRY(watched->places, fixed_places(from, other));
    return std::optional<Rounds>(std::in_place, from, std::move(*watched), thread);
  }

  /// Has the next one at hand when there is one.
  Result<void> load() {
    while (rounds_.empty() && end_ > 0) {
      TRY_VOID(compute());
      pass_others();
    }
    return {};
  }
  /// Nothing at hand: load() computes.
  [[nodiscard]] bool is_empty() const { return rounds_.empty(); }
  [[nodiscard]] const Round& round() const { return rounds_.back(); }
  [[nodiscard]] Position position(uint32_t instruction) const {
    return {{view_.process().info.number}, {thread_}, {round().at + instruction}};
  }
  void drop() {
    rounds_.pop_back();
    pass_others();
  }

 private:
  /// Leaves out those that work on other places than the first one.
  void pass_others() {
    if (!place_ && !rounds_.empty()) place_ = rounds_.back().place;
    while (!rounds_.empty() && rounds_.back().place != *place_) rounds_.pop_back();
  }
  Result<void> compute() {
    const uint32_t first = view_.values->chunk_start(end_ - 1);
    std::vector<size_t> begins;  // of each segment's rounds
    const auto take = [&](BlockAt at, Regenerator& regenerator) {
      while (begins.size() <= at.segment - first) begins.push_back(rounds_.size());
      const Regenerator::Block& block = regenerator.block();
      if (block.executable->def->id.value != watched_.block || block.thread != thread_ ||
          block.ops < watched_.ops || at > last_)
        return;
      Machine& machine = regenerator.machine();
      Round made{.at = at.ordinal, .result = result_of(machine, watched_.results)};
      const auto& accesses = block.executable->code->accesses;
      for (const uint32_t i : watched_.places)
        made.place =
            mixed(made.place, machine.word(accesses[i].address) + accesses[i].displacement);
      rounds_.push_back(made);
    };
    TRY_VOID(view_.values->each_block(first, end_, take));
    begins.push_back(rounds_.size());
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
      if (begins[i] == begins[i + 1]) continue;
      TRY(const SegmentSteps* steps, view_.values->steps(first + static_cast<uint32_t>(i)));
      for (size_t round = begins[i]; round < begins[i + 1]; ++round)
        rounds_[round].at = steps->steps[rounds_[round].at];
    }
    end_ = first;
    return {};
  }

  ProcessView& view_;
  Watched watched_;
  uint32_t thread_ = 0;
  uint32_t end_ = 0;  // segments from here on have been looked at
  BlockAt last_;
  std::optional<uint64_t> place_;
  std::vector<Round> rounds_;  // of a chunk, the latest last
};

}  // namespace

Result<std::optional<FirstRound>> first_round(RunPair& runs, const RoundOf& from,
                                              const RoundOf& other,
                                              const std::function<bool()>& is_late) {
  TRY(auto rounds_a, Rounds::open(from.a, other.a, from.wanted));
  TRY(auto rounds_b, Rounds::open(from.b, other.b, from.wanted));
  if (!rounds_a || !rounds_b) return std::optional<FirstRound>();
  FirstRound out;
  for (uint64_t seen = 0;; ++seen) {
    if (rounds_a->is_empty() || rounds_b->is_empty()) {
      if (is_late()) break;
      TRY_VOID(both_sides([&] { return rounds_a->load(); }, [&] { return rounds_b->load(); }));
      if (rounds_a->is_empty() || rounds_b->is_empty()) break;
    }
    if (rounds_a->round().result == rounds_b->round().result) break;
    const Position a = rounds_a->position(from.instruction);
    const Position b = rounds_b->position(from.instruction);
    if (!runs.is_aligned(a, b)) break;
    out = {a, b, seen};
    rounds_a->drop();
    rounds_b->drop();
  }
  if (out.rounds == 0) return std::optional<FirstRound>();
  return out;
}

}  // namespace twinrun
