// SPDX-License-Identifier: MIT
// Parts of frames whose size only the run knows, so that what lies beyond them has the same name in
// two runs.
//
// A compiler gives a frame its size by adding a constant to the stack pointer. An array of variable
// length, alloca and a frame that begins at a multiple of 32 need something else: a subtraction of
// what was computed, a mask. The IR of a block tells one from the other: what is put into the stack
// pointer is followed back through additions of constants. When that does not end at the stack
// pointer as it was, the way ends at a temporary that moves it, and the difference of the values is
// an area: the array, or what was left out. An address in it is told from its begin, and what is
// beyond it by leaving out its size: main's variables are where they were, however long the array
// of a function is that it calls.
//
// An area ends with its frame, or when code of that frame moves the stack pointer back up beyond
// it, as at the end of a block with such an array. Those that are open at a moment form a chain, as
// each of them knows which was open when it was made: none can end before those that came later,
// but for stacks that are switched, whose areas are told apart by their addresses.
//
// Switching to another stack moves the stack pointer by what was loaded from memory, or by very
// much: that is no area. Costs a comparison for each block, and what the few blocks need that do
// such things.
#include "memory/stack_areas.h"

#include "format/registers.h"
#include "trace/ir.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace twinrun {
namespace {

/// What is further away is another stack.
constexpr uint64_t kMost = 64 << 20;
constexpr uint64_t kMostUnderived = 1 << 20;
constexpr uint32_t kNoOffset = ~0u;

}  // namespace

struct StackAreas::Move {
  uint32_t op = 0;              // happened if the block got beyond this step
  uint32_t to = 0;              // where its value is in the arena
  uint32_t from = kNoOffset;    // and the value before; none: that in front of the block
  uint32_t instruction = 0;     // in the block
  uint64_t site = 0;            // its address
  bool is_derived = false;      // from the stack pointer itself
  bool is_from_memory = false;  // it was loaded
};

/// Goes over the IR of a block.
class StackAreas::Finder {
 public:
  Finder(const BlockDef& def, const IrBlock& ir, const CompiledBlock& code)
      : def_(def), ir_(ir), code_(code), roots_(ir.types.size()) {}

  std::vector<Move> run() {
    uint32_t instruction = 0;
    bool has_begun = false;
    for (uint32_t i = 0; i < ir_.statements.size(); ++i) {
      const IrStatement& st = ir_.statements[i];
      if (st.tag == TW_STMT_IMARK && std::exchange(has_begun, true)) ++instruction;
      if (st.dst != kNoTemp && st.dst < roots_.size()) roots_[st.dst] = root_of(st);
      if (st.tag != TW_STMT_PUT || st.offset != reg::kRsp) continue;
      const IrOperand& value = ir_.operands[st.operands];
      if (value.kind != IrOperand::Kind::kTemp) continue;
      const Root root = roots_[value.value];
      if (root.temp != kNoTemp && root.temp != last_) {
        last_ = root.temp;
        out_.push_back({.op = code_.statement_start[i],
                        .to = code_.temps[root.temp],
                        .from = now_,
                        .instruction = instruction,
                        .site = address_of_instruction(instruction),
                        .is_derived = root.is_derived,
                        .is_from_memory = root.is_from_memory});
      }
      now_ = code_.temps[value.value];
    }
    return std::move(out_);
  }

 private:
  /// What a temporary is a constant away from.
  struct Root {
    uint32_t temp = kNoTemp;  // none: the stack pointer as it was
    bool is_sp = false;       // that, or one that was moved
    bool is_derived = false;
    bool is_from_memory = false;
  };

  Root root_of(const IrStatement& st) {
    Root own{.temp = st.dst};
    switch (st.tag) {
      case TW_STMT_GET:
        if (st.offset != reg::kRsp || type_size(ir_.types[st.dst]) != 8) return own;
        // Behind a move, what was put last.
        if (now_ == kNoOffset) now_ = code_.temps[st.dst];
        return last_ == kNoTemp ? Root{.is_sp = true} : roots_[last_];
      case TW_STMT_MOVE: return operand(st, 0).value_or(own);
      case TW_STMT_LOAD:
      case TW_STMT_LOADG: own.is_from_memory = true; return own;
      case TW_STMT_OP: break;
      default: return own;
    }
    const std::string_view name = op_name(st.op);
    const bool is_sum = name == "Add64" || name == "Sub64";
    if ((!is_sum && name != "And64") || st.operand_count != 2) return own;
    const auto left = operand(st, 0);
    const auto right = operand(st, 1);
    const bool left_constant = is_constant(st, 0);
    const bool right_constant = is_constant(st, 1);
    if (is_sum && left && right_constant) return *left;
    if (name == "Add64" && right && left_constant) return *right;
    own.is_derived = (left && left->is_sp) || (name != "Sub64" && right && right->is_sp);
    own.is_sp = own.is_derived;
    return own;
  }

  [[nodiscard]] bool is_constant(const IrStatement& st, uint32_t i) const {
    return ir_.operands[st.operands + i].kind == IrOperand::Kind::kConstant;
  }
  [[nodiscard]] std::optional<Root> operand(const IrStatement& st, uint32_t i) const {
    const IrOperand& value = ir_.operands[st.operands + i];
    if (value.kind != IrOperand::Kind::kTemp) return std::nullopt;
    return roots_[value.value];
  }
  [[nodiscard]] uint64_t address_of_instruction(uint32_t instruction) const {
    uint64_t out = def_.address.value;
    for (uint32_t i = 0; i < std::min(instruction, def_.instructions()); ++i)
      out += def_.lengths[i];
    return out;
  }

  const BlockDef& def_;
  const IrBlock& ir_;
  const CompiledBlock& code_;
  std::vector<Root> roots_;
  uint32_t last_ = kNoTemp;   // the temporary that moved it last
  uint32_t now_ = kNoOffset;  // where the stack pointer's present value is
  std::vector<Move> out_;
};

StackAreas::StackAreas() = default;
StackAreas::~StackAreas() = default;
StackAreas::StackAreas(StackAreas&&) noexcept = default;
StackAreas& StackAreas::operator=(StackAreas&&) noexcept = default;

StackAreas StackAreas::of(std::vector<StackArea> all) {
  StackAreas out;
  out.all_ = std::move(all);
  for (uint32_t i = 0; i < out.all_.size(); ++i)
    out.by_thread_[out.all_[i].thread.value].push_back(i);
  return out;
}

uint64_t StackAreas::stack_pointer(Machine& machine) {
  uint64_t out = 0;
  std::memcpy(&out, machine.state() + reg::kRsp, sizeof out);
  return out;
}

void StackAreas::take_moves(Regenerator& there, Step step, const Dictionary& dictionary,
                            const CallTracker& tracker, uint32_t instructions) {
  const Regenerator::Block& block = there.block();
  const BlockDef* def = dictionary.find(block.value);
  if (def == nullptr) return;
  const auto [found, is_new] = found_.try_emplace(def->id.value);
  if (is_new) {
    if (const auto ir = decode_ir(def->ir); ir)
      found->second = Finder(*def, *ir, *block.executable->code).run();
  }
  if (moves_.size() <= block.value) moves_.resize(size_t{block.value} * 2 + 1, Moves::kUnknown);
  moves_[block.value] = found->second.empty() ? Moves::kNone : Moves::kSome;
  if (found->second.empty()) return;
  const std::span<const CallFrame> frames = tracker.frames({block.thread});
  const uint64_t frame = frames.empty() ? CallFrame::kUnknownSp : frames.back().sp;
  std::vector<uint32_t>& open = open_[block.thread];
  Machine& machine = there.machine();
  for (const Move& move : found->second) {
    if (move.op >= block.ops || move.instruction >= instructions) break;
    const uint64_t to = machine.word(move.to);
    uint64_t from = move.from != kNoOffset    ? machine.word(move.from)
                    : thread_ == block.thread ? sp_
                                              : 0;
    // A handler's first frame begins below what it interrupted.
    if (frame != CallFrame::kUnknownSp && frame >= to) from = std::min(from, frame);
    if (to > from || (to == from && !move.is_derived)) {
      raised(open, frame, to, block.number + 1);
    } else if (!move.is_from_memory && from - to <= (move.is_derived ? kMost : kMostUnderived)) {
      lowered({.begin = to,
               .end = from,
               .frame = frame,
               .thread = {block.thread},
               .step = {step.value + move.instruction},
               .site = move.site,
               .block = block.number});
    }
  }
}

void StackAreas::close(std::vector<uint32_t>& open, uint64_t blocks) {
  all_[open.back()].ended = blocks;
  open.pop_back();
}

void StackAreas::raised(std::vector<uint32_t>& open, uint64_t frame, uint64_t to, uint64_t blocks) {
  while (!open.empty() && all_[open.back()].frame == frame && all_[open.back()].begin < to)
    close(open, blocks);
}

void StackAreas::lowered(StackArea made) {
  std::vector<uint32_t>& open = open_[made.thread.value];
  // What is there has ended unseen.
  while (!open.empty() && all_[open.back()].begin < made.end && made.begin < all_[open.back()].end)
    close(open, made.block);
  if (!open.empty()) made.outer = open.back();
  const auto number = static_cast<uint32_t>(all_.size());
  open.push_back(number);
  by_thread_[made.thread.value].push_back(number);
  all_.push_back(made);
}

void StackAreas::left(ThreadNo thread, const CallFrame& frame, uint64_t blocks) {
  if (frame.sp == CallFrame::kUnknownSp) return;
  const auto found = open_.find(thread.value);
  if (found == open_.end()) return;
  while (!found->second.empty() && all_[found->second.back()].frame == frame.sp)
    close(found->second, blocks);
}

std::vector<const StackArea*> StackAreas::open(ThreadNo thread, uint64_t blocks) const {
  std::vector<const StackArea*> out;
  const auto found = by_thread_.find(thread.value);
  if (found == by_thread_.end()) return out;
  const auto behind = std::ranges::lower_bound(found->second, blocks, {},
                                               [&](uint32_t i) { return all_[i].block; });
  if (behind == found->second.begin()) return out;
  for (uint32_t at = *std::prev(behind); at != StackArea::kNone; at = all_[at].outer) {
    if (all_[at].is_open_at(blocks)) out.push_back(&all_[at]);
  }
  return out;
}

StackAreas::Place StackAreas::place(ThreadNo thread, uint64_t blocks, uint64_t sp,
                                    uint64_t pointer) const {
  Place out{nullptr, static_cast<int64_t>(pointer - sp)};
  for (const StackArea* const area : open(thread, blocks)) {
    if (pointer >= area->begin && pointer < area->end)
      return {area, static_cast<int64_t>(pointer - area->begin)};
    const auto size = static_cast<int64_t>(area->size());
    if (area->begin >= sp && area->end <= pointer) out.offset -= size;
    if (area->end <= sp && area->begin >= pointer) out.offset += size;
  }
  return out;
}

}  // namespace twinrun
