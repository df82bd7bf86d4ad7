// SPDX-License-Identifier: MIT
// What corresponding instructions used that was not the same: valDifferences of figure 6 of
// differential slicing, on statements of the IR.
//
// An instruction does several things: `add` makes a sum and six flags. Asked why a flag differs,
// only what that flag was computed from matters. So the question is about statements, and the bytes
// of their results. The temporaries of both executions of the block are taken from the regenerated
// values, and the statements are walked backward from those that are wanted: where the two values
// of a temporary are the same, the walk ends; where bytes differ, it goes on with the bytes of the
// operands that those depend on (byte_flow.h). What leaves the instruction, a register or memory
// read, is an operand of the answer, with its last writers in each run.
//
// Right because a deterministic statement with equal operands has equal results: if the results
// differ, some operand does, and the walk finds each that does. Pointers that mean the same
// (same_pointer.h, the paper's section IV-E) are taken as equal. Where the address of a load
// differs, both the address and what was loaded are operands, as in the figure: a pool that hands
// out another node must not hide that another value was put into it. Code that is not the same in
// both blocks, or that a fault cut short, has no statements to pair: its operands are those of the
// encoding (by_encoding()), registers first.
//
// Costs the statements of one block a question, and two snapshots, of which the latest 16 are kept:
// the worklist mostly asks again about the same few blocks. Computing the two segments that they
// are in costs far more, and is done for both runs at the same time.
// Example: `cmp eax, [n]` with n 4 and 67: eax is the same, so that n alone is followed.
#include "explain/graph/value_pairs.h"

#include "explain/graph/both_sides.h"
#include "program/instruction.h"
#include "values/past_state.h"
#include "values/subject.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace twinrun {
namespace {

constexpr uint32_t kValueMost = 32;

std::vector<uint8_t> copy(const uint8_t* bytes, uint64_t size) {
  return {bytes, bytes + std::min<uint64_t>(size, kValueMost)};
}

/// Who wrote the bytes is to be looked for in other segments than that of the reader. Those must be
/// computed mostly.
bool is_from_far(const BlockOf& block, uint64_t where, uint32_t size) {
  return !block.view->values->may_write(block.at.segment, where, size);
}

/// Looks for writers in both runs: at the same time where that takes longer than to start a thread.
/// What each of them asks of its own run, and in which order, is the same either way.
template <typename ForA, typename ForB>
Result<void> for_sides(const BlockOf& a, const BlockOf& b,
                       std::span<const ValuePairs::Place> places, ForA&& for_a, ForB&& for_b) {
  const bool takes_long = std::ranges::any_of(places, [&](const ValuePairs::Place& place) {
    return place.in_memory && is_from_far(a, place.where_a, place.size) &&
           is_from_far(b, place.where_b, place.size);
  });
  if (takes_long && &a.view->run() != &b.view->run()) return both_sides(for_a, for_b);
  TRY_VOID(for_a());
  return for_b();
}

}  // namespace

Result<ValuePairs::Snapshot> ValuePairs::without_values(const BlockOf& block) {
  TRY(const BlockFlow* flow, block.view->slicer.flow_at(block.at));
  Snapshot made;
  made.view = block.view;
  made.at = block.at;
  made.temps.resize(flow->ir.types.size());
  made.accesses.resize(flow->code->accesses.size());
  TRY(const SegmentValues* segment, block.view->values->segment(block.at.segment));
  const uint32_t first = segment->first_access[block.at.ordinal];
  const uint32_t ran = segment->first_access[block.at.ordinal + 1] - first;
  made.addresses.assign(flow->code->accesses.size(), SegmentValues::kNotDone);
  std::copy_n(segment->addresses.begin() + first, std::min<size_t>(ran, made.addresses.size()),
              made.addresses.begin());
  made.thread = {segment->thread_of(block.at.ordinal)};
  TRY(made.ops, block.view->slicer.writers().ops_run(*segment, block.at.ordinal));
  return made;
}

void ValuePairs::add_values(Snapshot& made, const BlockFlow& flow, Regenerator& there) {
  Machine& machine = there.machine();
  made.is_known = true;
  made.ops = there.block().ops;
  for (size_t i = 0; i < made.temps.size(); ++i) {
    const uint32_t size = std::min(type_size(flow.ir.types[i]), kValueMost);
    std::memcpy(made.temps[i].data(), machine.at(flow.code->temps[i]), size);
  }
  for (size_t i = 0; i < made.accesses.size(); ++i) {
    const MemoryAccess& access = flow.code->accesses[i];
    const uint32_t size = std::min<uint32_t>(access.size, kValueMost);
    std::memcpy(made.accesses[i].data(), machine.at(access.value), size);
  }
  made.next = machine.word(flow.code->next);
  std::memcpy(&made.sp, machine.state() + reg::kRsp, sizeof made.sp);
}

const ValuePairs::Snapshot* ValuePairs::keep(Snapshot made) {
  const SnapshotKey key{made.view, made.at.segment, made.at.ordinal};
  snapshots_.push_front(std::move(made));
  by_block_[key] = snapshots_.begin();
  if (snapshots_.size() > kSnapshotsKept) {
    const Snapshot& last = snapshots_.back();
    by_block_.erase({last.view, last.at.segment, last.at.ordinal});
    snapshots_.pop_back();
  }
  return &snapshots_.front();
}

Result<const ValuePairs::Snapshot*> ValuePairs::snapshot(const BlockOf& block) {
  if (const auto known = by_block_.find({block.view, block.at.segment, block.at.ordinal});
      known != by_block_.end()) {
    snapshots_.splice(snapshots_.begin(), snapshots_, known->second);
    return &snapshots_.front();
  }
  TRY(Snapshot made, without_values(block));
  TRY(const SegmentValues* segment, block.view->values->segment(block.at.segment));
  std::set<uint32_t>& asked = asked_[block.view];
  const bool is_asked_again = !asked.insert(segment->value(block.at.ordinal)).second;
  // The latest ones are asked for next: of a long way only so many.
  const auto pass = [&](BlockAt at, Regenerator& there) {
    if (block.at.ordinal - at.ordinal > kSnapshotsKept / 2 ||
        !asked.contains(segment->value(at.ordinal)) ||
        by_block_.contains({block.view, at.segment, at.ordinal}))
      return;
    const BlockOf passed{block.view, at};
    auto of_passed = without_values(passed);
    const auto flow = block.view->slicer.flow_at(at);
    if (!of_passed || !flow) return;
    add_values(*of_passed, **flow, there);
    keep(std::move(*of_passed));
  };
  // The process can have ended before the values of its last block were written down.
  const auto there = is_asked_again ? block.view->values->run_to(block.at, false, pass)
                                    : block.view->values->run_to(block.at);
  if (there) {
    TRY(const BlockFlow* flow, block.view->slicer.flow_at(block.at));
    add_values(made, *flow, **there);
  }
  return keep(std::move(made));
}

Result<void> ValuePairs::compute_segments(const BlockOf& a, const BlockOf& b) {
  ProcessValues& values_a = *a.view->values;
  ProcessValues& values_b = *b.view->values;
  if (values_a.has(a.at.segment) || values_b.has(b.at.segment)) return {};
  return both_sides(
      [&]() -> Result<void> {
        TRY_VOID(values_a.segment(a.at.segment));
        return {};
      },
      [&]() -> Result<void> {
        TRY_VOID(values_b.segment(b.at.segment));
        return {};
      });
}

PointerMatcher::At ValuePairs::moment(const BlockOf& block, const Snapshot& snapshot) {
  return {block.view->process().info.number, snapshot.thread, block.view->number_of(block.at) + 1,
          snapshot.sp};
}

Result<ValuePairs::Difference> ValuePairs::different(const BlockOf& a, const Snapshot& of_a,
                                                     const uint8_t* bytes_a, const BlockOf& b,
                                                     const Snapshot& of_b, const uint8_t* bytes_b,
                                                     uint32_t size, ByteMask mask,
                                                     bool is_same_block) {
  Difference out;
  size = std::min(size, kValueMost);
  if (!of_a.is_known || !of_b.is_known) return Difference{.bytes = mask & byte_mask(0, size)};
  for (uint32_t i = 0; i < size; ++i) {
    if (bytes_a[i] != bytes_b[i]) out.bytes |= ByteMask{1} << i;
  }
  out.bytes &= mask;
  for (uint32_t i = 0; i + 8 <= size; i += 8) {
    const ByteMask word = byte_mask(i, 8);
    // Of equal numbers it is asked only when all of them is: parts are no pointers.
    const bool is_equal = (out.bytes & word) == 0;
    if (is_equal && (mask & word) != word) continue;
    uint64_t value_a;
    uint64_t value_b;
    std::memcpy(&value_a, bytes_a + i, sizeof value_a);
    std::memcpy(&value_b, bytes_b + i, sizeof value_b);
    if (is_equal && !is_same_block && is_on_stack(value_a, of_a.sp)) continue;
    TRY(const PointerMatcher::Compared compared,
        pointers_.compare(moment(a, of_a), value_a, moment(b, of_b), value_b));
    if (compared.ended && compared.is_same) out.ended.push_back(*compared.ended);
    if (compared.ended && !compared.is_same) out.meant = compared.ended;
    if (compared.is_same) {
      out.bytes &= ~word;
    } else if (is_equal) {
      out.bytes |= word;
      out.equal |= word;
    }
  }
  return out;
}

Result<bool> ValuePairs::is_same_code(const BlockOf& a, const BlockOf& b) {
  TRY_VOID(compute_segments(a, b));
  const auto def_of = [](const BlockOf& block) -> Result<const BlockDef*> {
    TRY(const SegmentSteps* segment, block.view->values->steps(block.at.segment));
    const BlockDef* def = block.view->values->dictionary().find(segment->value(block.at.ordinal));
    if (def == nullptr) return fail("T022", "a block is not defined");
    return def;
  };
  TRY(const BlockDef* def_a, def_of(a));
  TRY(const BlockDef* def_b, def_of(b));
  if (!std::ranges::equal(def_a->lengths, def_b->lengths) ||
      !std::ranges::equal(def_a->bytes, def_b->bytes))
    return false;
  TRY(const BlockFlow* flow_a, a.view->slicer.flow_at(a.at));
  TRY(const BlockFlow* flow_b, b.view->slicer.flow_at(b.at));
  return flow_a->ir.types == flow_b->ir.types &&
         std::ranges::equal(flow_a->ir.statements, flow_b->ir.statements, {}, &IrStatement::tag,
                            &IrStatement::tag);
}

Result<ValuePairs::Wanted> ValuePairs::all_of(const BlockOf& block, uint32_t instruction) {
  TRY(const BlockFlow* flow, block.view->slicer.flow_at(block.at));
  Wanted out;
  for (uint32_t i = 0; i < flow->ir.statements.size(); ++i) {
    if (flow->instruction_of[i] == instruction) out[i] = kAllBytes;
  }
  return out;
}

Result<std::vector<DifferentOperand>> ValuePairs::differences(const BlockOf& a, const BlockOf& b,
                                                              Wanted wanted) {
  std::vector<DifferentOperand> out;
  if (wanted.empty()) return out;
  TRY(const Snapshot* of_a, snapshot(a));
  TRY(const Snapshot* of_b, snapshot(b));
  // The second one can have pushed out the first only if it keeps no two.
  static_assert(kSnapshotsKept >= 2);
  TRY(const BlockFlow* flow_a, a.view->slicer.flow_at(a.at));
  const BlockFlow& flow = *flow_a;
  const uint32_t ops = std::min(of_a->ops, of_b->ops);

  /// What a statement reads from a place that the program can name.
  struct Read {
    Dependence::Kind kind;
    uint32_t statement;
    uint64_t where_a;
    uint64_t where_b;
    std::array<uint8_t, 32> value_a;
    std::array<uint8_t, 32> value_b;
    uint32_t skip;  // of the value
    uint32_t size;
    bool for_address;
    bool has_value;
    bool is_elsewhere = false;
    bool is_other_block = false;
    std::optional<PointerMatcher::Ended> meant = {};
  };
  std::vector<Read> reads;
  struct Pointer {
    ByteMask equal = 0;
    std::optional<PointerMatcher::Ended> meant;
  };
  std::map<uint32_t, Pointer> pointers;  // results of statements, whose blocks do not correspond
  const auto add_ended = [&](const std::vector<PointerMatcher::Ended>& ended) {
    for (const PointerMatcher::Ended& one : ended) {
      const bool is_known = std::ranges::any_of(out, [&](const DifferentOperand& operand) {
        return operand.ended && operand.ended->block == one.block;
      });
      if (!is_known) out.push_back({.for_address = true, .ended = one});
    }
  };

  std::map<uint32_t, bool> for_address;  // statements that only went into addresses
  while (!wanted.empty()) {
    const auto [now, bytes] = *wanted.rbegin();
    wanted.erase(std::prev(wanted.end()));
    const IrStatement& st = flow.ir.statements[now];
    const bool is_for_address = for_address[now];
    const uint32_t instruction = flow.instruction_of[now];
    bool address_differs = false;
    for (uint32_t i = 0; i < st.operand_count; ++i) {
      const IrOperand& operand = flow.ir.operands[st.operands + i];
      if (operand.kind != IrOperand::Kind::kTemp) continue;
      const uint32_t definition = flow.definition_of[operand.value];
      const ByteMask used = operand_bytes(flow.ir, st, i, bytes);
      if (definition == ~0u || used == 0 || flow.code->statement_start[definition] >= ops) continue;
      if (st.tag == TW_STMT_CCALL) {
        TRY(const bool matters, a.view->slicer.flags_operand_matters(a.at, flow, st, i));
        if (!matters) continue;
      }
      const uint32_t size = type_size(flow.ir.types[operand.value]);
      TRY(const Difference difference,
          different(a, *of_a, of_a->temps[operand.value].data(), b, *of_b,
                    of_b->temps[operand.value].data(), size, used));
      const ByteMask differs = difference.bytes;
      const bool is_address = is_address_operand(st, i);
      if (is_address) add_ended(difference.ended);
      if (differs == 0) continue;
      // What is at equal addresses is one place of memory for those who look for writers.
      address_differs |= is_address && (differs & ~difference.equal) != 0;
      if (difference.equal != 0 || difference.meant) {
        Pointer& pointer = pointers[definition];
        pointer.equal |= difference.equal;
        if (difference.meant) pointer.meant = difference.meant;
      }
      const bool goes_to_address = is_for_address || is_address;
      const bool is_get = flow.ir.statements[definition].tag == TW_STMT_GET;
      if (flow.instruction_of[definition] == instruction || is_get) {
        const auto [known, is_new] = for_address.try_emplace(definition, goes_to_address);
        known->second = known->second && goes_to_address;
        wanted[definition] |= differs;
        continue;
      }
      DifferentOperand pair{.kind = Dependence::Kind::kValue,
                            .for_address = goes_to_address,
                            .meant = difference.meant,
                            .size = size,
                            .value_bytes = differs};
      const auto side = [&](const BlockOf& block, const Snapshot& of) {
        LastWriter writer{
            .kind = LastWriter::Kind::kStatement, .block = block.at, .statement = definition};
        return UsedValue{
            0,
            of.is_known ? copy(of.temps[operand.value].data(), size) : std::vector<uint8_t>(),
            {{0, size, writer}}};
      };
      pair.a = side(a, *of_a);
      pair.b = side(b, *of_b);
      out.push_back(std::move(pair));
    }

    // What it reads beside its operands.
    for (const RegisterRead& read : flow.register_reads_by(now)) {
      for (const auto& [first, size] : stretches(read.bytes(bytes), read.size)) {
        Read one{Dependence::Kind::kRegister,
                 now,
                 read.offset + first,
                 read.offset + first,
                 {},
                 {},
                 first,
                 size,
                 is_for_address,
                 read.is_copied};
        if (const auto found = pointers.find(now); found != pointers.end() && read.is_copied) {
          one.is_other_block = (found->second.equal & byte_mask(first, size)) != 0;
          one.meant = found->second.meant;
        }
        if (read.is_copied) {
          one.value_a = of_a->temps[st.dst];
          one.value_b = of_b->temps[st.dst];
        }
        reads.push_back(one);
      }
    }
    for (uint32_t i = flow.accesses_of[now].first; i < flow.accesses_of[now].end; ++i) {
      const MemoryAccess& access = flow.code->accesses[i];
      if (access.kind != MemoryAccess::Kind::kLoad || access.op >= ops ||
          of_a->addresses[i] == SegmentValues::kNotDone ||
          of_b->addresses[i] == SegmentValues::kNotDone)
        continue;
      const ByteMask asked = loaded_bytes(st, bytes);
      TRY(const Difference difference, different(a, *of_a, of_a->accesses[i].data(), b, *of_b,
                                                 of_b->accesses[i].data(), access.size, asked));
      for (const auto& [first, size] : stretches(difference.bytes, access.size))
        reads.push_back({Dependence::Kind::kMemory, now, of_a->addresses[i] + first,
                         of_b->addresses[i] + first, of_a->accesses[i], of_b->accesses[i], first,
                         size, is_for_address, true, address_differs,
                         (difference.equal & byte_mask(first, size)) != 0, difference.meant});
    }
  }

  const bool is_known = of_a->is_known && of_b->is_known;
  const size_t first = out.size();
  std::vector<Place> places;
  for (const Read& read : reads) {
    const bool has_value = is_known && read.has_value && read.skip + read.size <= kValueMost;
    const auto side = [&](uint64_t where, const std::array<uint8_t, 32>& value) {
      UsedValue used{where, {}, {}};
      if (has_value) used.bytes = copy(value.data() + read.skip, read.size);
      return used;
    };
    out.push_back({.kind = read.kind,
                   .for_address = read.for_address,
                   .is_elsewhere = read.is_elsewhere,
                   .is_other_block = read.is_other_block,
                   .meant = read.meant,
                   .size = read.size,
                   .a = side(read.where_a, read.value_a),
                   .b = side(read.where_b, read.value_b)});
    places.push_back(
        {read.kind == Dependence::Kind::kMemory, read.where_a, read.where_b, read.size});
  }
  const auto find_writers = [&](const BlockOf& block, UsedValue DifferentOperand::* side) {
    return [&, side]() -> Result<void> {
      LastWriters& writers = block.view->slicer.writers();
      for (size_t i = 0; i < reads.size(); ++i) {
        UsedValue& used = out[first + i].*side;
        const Moment at{block.at, reads[i].statement};
        if (places[i].in_memory) {
          TRY(used.writers, writers.memory(at, used.where, reads[i].size));
        } else {
          TRY(used.writers,
              writers.registers(at, static_cast<uint32_t>(used.where), reads[i].size));
        }
      }
      return {};
    };
  };
  TRY_VOID(for_sides(a, b, places, find_writers(a, &DifferentOperand::a),
                     find_writers(b, &DifferentOperand::b)));
  return out;
}

Result<std::vector<DifferentOperand>> ValuePairs::decisions(const BlockOf& a, const BlockOf& b) {
  TRY(const BlockFlow* flow, a.view->slicer.flow_at(a.at));
  TRY(const Snapshot* of_a, snapshot(a));
  TRY(const Snapshot* of_b, snapshot(b));
  const uint32_t ops = std::min(of_a->ops, of_b->ops);
  // The conditions of its exits, and where it goes otherwise.
  Wanted wanted;
  for (uint32_t i = 0; i < flow->ir.statements.size(); ++i) {
    const bool is_exit = flow->ir.statements[i].tag == TW_STMT_EXIT;
    if (is_exit && flow->code->statement_start[i] <= ops) wanted[i] = kAllBytes;
  }
  const IrOperand& next = flow->ir.next;
  if (next.kind == IrOperand::Kind::kTemp && flow->definition_of[next.value] != ~0u &&
      of_a->next != of_b->next)
    wanted[flow->definition_of[next.value]] = kAllBytes;
  return differences(a, b, std::move(wanted));
}

Result<std::vector<BytesWritten>> ValuePairs::writers_at_end(const BlockOf& block,
                                                             const BytesOf& bytes) {
  TRY(const BlockFlow* flow, block.view->slicer.flow_at(block.at));
  const Moment at{block.at, static_cast<uint32_t>(flow->ir.statements.size())};
  LastWriters& writers = block.view->slicer.writers();
  if (bytes.in_memory) return writers.memory(at, bytes.where, bytes.size);
  return writers.registers(at, static_cast<uint32_t>(bytes.where), bytes.size);
}

Result<DifferentOperand> ValuePairs::at_end(const BlockOf& a, const BlockOf& b,
                                            const Place& place) {
  DifferentOperand out{
      .kind = place.in_memory ? Dependence::Kind::kMemory : Dependence::Kind::kRegister,
      .size = place.size};
  const auto find_writers = [&](const BlockOf& block, uint64_t where, UsedValue& used) {
    return [&, where]() -> Result<void> {
      used.where = where;
      TRY(used.writers, writers_at_end(block, {place.in_memory, where, place.size}));
      return {};
    };
  };
  TRY_VOID(for_sides(a, b, std::span(&place, 1), find_writers(a, place.where_a, out.a),
                     find_writers(b, place.where_b, out.b)));
  return out;
}

namespace {

/// The registers that an instruction reads by its encoding.
Result<std::vector<Subject>> registers_read(const BlockOf& block, uint32_t instruction) {
  TRY(const SegmentSteps* segment, block.view->values->steps(block.at.segment));
  const BlockDef* def = block.view->values->dictionary().find(segment->value(block.at.ordinal));
  if (def == nullptr || instruction >= def->instructions())
    return fail("T022", "a block is not defined");
  const size_t skip = address_of(*def, instruction) - def->address.value;
  const auto use = Decoder().registers(def->bytes.subspan(skip, def->lengths[instruction]));
  std::vector<Subject> out;
  const auto add = [&](uint32_t offset, uint32_t size) {
    out.push_back({false, offset, size, ""});
  };
  const RegisterSet reads = use ? use->reads : 0;
  for_each_place(reads & ~kRegisterFlags, add);
  for_each_place(reads & kRegisterFlags, add);
  return out;
}

}  // namespace

Result<std::vector<BytesWritten>> ValuePairs::writers_by_encoding(const BlockOf& block,
                                                                  uint32_t instruction) {
  TRY(const std::vector<Subject> places, registers_read(block, instruction));
  std::vector<BytesWritten> out;
  for (const Subject& place : places) {
    TRY(const SubjectWriters writers, writers_of(*block.view, place, {block.at, instruction}));
    out.insert(out.end(), writers.bytes.begin(), writers.bytes.end());
  }
  return out;
}

Result<std::vector<DifferentOperand>> ValuePairs::by_encoding(const BlockOf& a,
                                                              uint32_t instruction_a,
                                                              const BlockOf& b,
                                                              uint32_t instruction_b) {
  const InstructionAt at_a{a.at, instruction_a};
  const InstructionAt at_b{b.at, instruction_b};
  TRY(const std::vector<Subject> places, registers_read(a, instruction_a));
  TRY(const Registers registers_a, registers_before(*a.view, at_a));
  TRY(const Registers registers_b, registers_before(*b.view, at_b));
  TRY(const Snapshot* of_a, snapshot(a));
  TRY(const Snapshot* of_b, snapshot(b));
  std::vector<DifferentOperand> out;
  const auto add = [&](const Subject& place_a, const uint8_t* value_a, const Subject& place_b,
                       const uint8_t* value_b, const Difference& difference) -> Result<void> {
    DifferentOperand pair{
        .kind = place_a.in_memory ? Dependence::Kind::kMemory : Dependence::Kind::kRegister,
        .for_address = false,
        .is_other_block = difference.equal != 0,
        .meant = difference.meant,
        .size = place_a.size};
    const auto side = [](const BlockOf& block, const InstructionAt& at, const Subject& place,
                         const uint8_t* value) -> Result<UsedValue> {
      UsedValue used{place.where, {}, {}};
      if (value != nullptr) used.bytes = copy(value, place.size);
      TRY(const SubjectWriters writers, writers_of(*block.view, place, at));
      used.writers = writers.bytes;
      if (writers.unseen) {
        TRY(const Moment moment, moment_before(*block.view, {at.block, *writers.unseen}));
        used.writers = {{0,
                         place.size,
                         {.kind = LastWriter::Kind::kStatement,
                          .block = at.block,
                          .statement = moment.statement}}};
      }
      return used;
    };
    TRY(pair.a, side(a, at_a, place_a, value_a));
    TRY(pair.b, side(b, at_b, place_b, value_b));
    out.push_back(std::move(pair));
    return {};
  };
  for (const Subject& place : places) {
    const auto offset = static_cast<uint32_t>(place.where);
    if (!registers_a.knows(offset, place.size) || !registers_b.knows(offset, place.size)) continue;
    const uint8_t* value_a = registers_a.bytes.data() + offset;
    const uint8_t* value_b = registers_b.bytes.data() + offset;
    Snapshot known_a = *of_a;
    Snapshot known_b = *of_b;
    known_a.is_known = known_b.is_known = true;
    TRY(const Difference difference,
        different(a, known_a, value_a, b, known_b, value_b, place.size, kAllBytes, false));
    if (difference.bytes != 0) TRY_VOID(add(place, value_a, place, value_b, difference));
    for (const PointerMatcher::Ended& ended : difference.ended)
      out.push_back({.for_address = true, .ended = ended});
  }
  const auto is_number = [](const DifferentOperand& operand) {
    return !operand.is_other_block && !operand.ended;
  };
  if (std::ranges::any_of(out, is_number)) return out;
  // The same registers: what is in memory, where each of them reads it.
  TRY(const std::vector<Load> loads_a, loads_of(a, instruction_a, *of_a));
  TRY(const std::vector<Load> loads_b, loads_of(b, instruction_b, *of_b));
  for (size_t i = 0; i < std::min(loads_a.size(), loads_b.size()); ++i) {
    const uint32_t size = loads_a[i].bytes.size;
    if (loads_b[i].bytes.size != size) continue;
    const bool is_known = loads_a[i].value != nullptr && loads_b[i].value != nullptr;
    Difference difference;
    if (is_known) {
      TRY(difference, different(a, *of_a, loads_a[i].value, b, *of_b, loads_b[i].value, size,
                                kAllBytes, false));
    }
    TRY_VOID(add({true, loads_a[i].bytes.where, size, ""}, is_known ? loads_a[i].value : nullptr,
                 {true, loads_b[i].bytes.where, size, ""}, is_known ? loads_b[i].value : nullptr,
                 difference));
  }
  return out;
}

Result<std::vector<ValuePairs::Load>> ValuePairs::loads_of(const BlockOf& block,
                                                           uint32_t instruction,
                                                           const Snapshot& of) {
  TRY(const BlockFlow* flow, block.view->slicer.flow_at(block.at));
  std::vector<Load> out;
  for (size_t i = 0; i < flow->code->accesses.size(); ++i) {
    const MemoryAccess& access = flow->code->accesses[i];
    if (access.instruction != instruction || access.kind != MemoryAccess::Kind::kLoad ||
        of.addresses[i] == SegmentValues::kNotDone)
      continue;
    const bool is_known = of.is_known && access.op < of.ops && access.size <= kValueMost;
    out.push_back(
        {{true, of.addresses[i], access.size}, is_known ? of.accesses[i].data() : nullptr});
  }
  return out;
}

}  // namespace twinrun
