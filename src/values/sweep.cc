// SPDX-License-Identifier: MIT
// A backward slice in one pass over the run, from the latest instruction to the first.
//
// Asking who wrote each operand, one question after the other (writers.h), looks at the same
// segments again and again. Here all questions are open at once: bytes of registers (by thread) and
// of memory (by line of 64 bytes) that somebody wants, each with the nodes that want them, and
// statements of blocks of which bytes of the result are needed. The pass takes blocks from the last
// to the first, and statements of a block likewise. One that writes wanted bytes answers those who
// want them: they become edges to its instruction, the bytes are wanted no more, and what the
// statement reads is wanted instead. What comes from outside (system calls, mappings) answers with
// an input; what is still wanted at the beginning was there from the start.
//
// Right because a byte's last writer in front of a moment is the first one that is met going
// backward from it, and a want is only added by something that stands behind all that is still to
// be visited: operands of a statement are defined in front of it, and what decided about an
// instruction (control_finder.h) was executed before it. So each block is visited once.
//
// Cost: segments that write nothing wanted are skipped by their summaries (lines, words of the
// register file), blocks by the addresses of their accesses and a mask of the registers they write;
// a block that remains costs its statements times the logarithm of what is wanted.
#include "values/sweep.h"

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

constexpr uint32_t kLimitReached = ~0u;

bool meet(const WordMask& a, const WordMask& b) { return ((a[0] & b[0]) | (a[1] & b[1])) != 0; }

/// Bits [first, first + size) of a line.
uint64_t line_bits(uint64_t first, uint64_t size) {
  return (size >= 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1) << first;
}

}  // namespace

uint32_t Sweep::node(const InstructionAt& at) {
  const auto known = node_of_.find(at);
  if (known != node_of_.end()) return known->second;
  if (out_.nodes.size() >= options_.limit) {
    out_.cut = true;
    return kLimitReached;
  }
  if (options_.instances != 0 && value_ != 0 &&
      ++instances_[{value_, at.instruction}] > options_.instances)
    return kLimitReached;
  const auto number = static_cast<uint32_t>(out_.nodes.size());
  out_.nodes.push_back(at);
  node_of_.emplace(at, number);
  if (options_.stops && options_.stops(at))
    out_.stops.emplace(number, Slice::Stop{});
  else if (follows_control())
    fresh_.push_back(number);
  return number;
}

void Sweep::want_registers(uint32_t thread, uint32_t offset, uint32_t size, uint32_t owner) {
  RegisterWants& wants = registers_[thread];
  for (uint32_t i = offset; i < offset + size; ++i) {
    wants.owners[i].insert(owner);
    mark_word(wants.words, i / 8);
  }
}

void Sweep::want_memory(uint64_t address, uint32_t size, uint32_t owner) {
  while (size > 0) {
    const uint64_t in_line = address % kLine;
    const auto part = static_cast<uint32_t>(std::min<uint64_t>(size, kLine - in_line));
    memory_[address / kLine].push_back({address, part, owner, line_bits(in_line, part)});
    mark_line(address / kLine);
    address += part;
    size -= part;
  }
}

void Sweep::take_registers(uint32_t thread, uint64_t offset, uint64_t size,
                           std::vector<Taken>& out) {
  const auto found = registers_.find(thread);
  if (found == registers_.end()) return;
  RegisterWants& wants = found->second;
  // Most writes are to other registers.
  WordMask written{};
  const uint64_t last = std::min<uint64_t>((offset + size - 1) / 8, 126);
  for (uint64_t word = std::min<uint64_t>(offset / 8, 126); word <= last; ++word)
    mark_word(written, static_cast<uint32_t>(word));
  if (!meet(written, wants.words)) return;
  std::map<uint32_t, Taken> open;  // by owner: bytes that follow each other become one
  auto it = wants.owners.lower_bound(static_cast<uint32_t>(offset));
  while (it != wants.owners.end() && it->first < offset + size) {
    for (const uint32_t owner : it->second) {
      Taken& taken = open[owner];
      if (taken.size != 0 && taken.where + taken.size != it->first) {
        out.push_back(taken);
        taken.size = 0;
      }
      if (taken.size == 0) taken = {owner, it->first, 0};
      ++taken.size;
    }
    it = wants.owners.erase(it);
  }
  for (const auto& [owner, taken] : open) out.push_back(taken);
  if (open.empty()) return;
  wants.words = {};
  for (const auto& [byte, owners] : wants.owners) mark_word(wants.words, byte / 8);
}

void Sweep::take_memory(uint64_t address, uint64_t size, std::vector<Taken>& out) {
  for (uint64_t line = address / kLine; line <= (address + size - 1) / kLine; ++line) {
    const auto found = memory_.find(line);
    if (found == memory_.end()) continue;
    const uint64_t from = std::max(address, line * kLine);
    const uint64_t to = std::min(address + size, (line + 1) * kLine);
    const uint64_t bits = line_bits(from % kLine, to - from);
    for (MemoryWant& want : found->second) {
      uint64_t hit = want.left & bits;
      want.left &= ~bits;
      while (hit != 0) {
        const auto first = static_cast<uint32_t>(__builtin_ctzll(hit));
        const uint64_t above = ~(hit >> first);
        const uint32_t count =
            above == 0 ? 64 - first : static_cast<uint32_t>(__builtin_ctzll(above));
        out.push_back({want.owner, line * kLine + first, count});
        hit &= ~line_bits(first, count);
      }
    }
    std::erase_if(found->second, [](const MemoryWant& want) { return want.left == 0; });
    if (found->second.empty()) memory_.erase(found);
  }
}

bool Sweep::stores_to_wanted(const SegmentValues& segment, uint32_t ordinal) const {
  if (memory_.empty()) return false;
  for (uint32_t i = segment.first_access[ordinal]; i < segment.first_access[ordinal + 1]; ++i) {
    const uint64_t address = segment.addresses[i];
    if (address == SegmentValues::kNotDone) continue;
    // Sizes are looked at later; an access of a helper may be larger than two lines.
    const uint64_t line = address / kLine;
    if ((may_want(line) && memory_.contains(line)) ||
        (may_want(line + 1) && memory_.contains(line + 1)))
      return true;
    if (segment.has_large && segment.is_large[i]) return true;
  }
  return false;
}

Result<bool> Sweep::is_wanted(uint32_t number) {
  const auto first = needed_.lower_bound({number, 0});
  if (first != needed_.end() && first->first.segment == number) return true;
  const auto decider = deciders_.lower_bound({number, 0});
  if (decider != deciders_.end() && decider->first.segment == number) return true;
  for (const auto& [thread, wants] : registers_) {
    if (wants.owners.empty()) continue;
    TRY(const auto* mask, slicer_.writers().segment_mask(number));
    if (meet(*mask, wants.words)) return true;
  }
  const std::vector<OutsideWrite>* maps = values_.mappings(number);
  for (const auto& [line, wants] : memory_) {
    if (maps == nullptr || values_.may_write(number, line * kLine, kLine)) return true;
    for (const OutsideWrite& map : *maps) {
      if (line * kLine < map.address + map.length && map.address < (line + 1) * kLine) return true;
    }
  }
  return false;
}

void Sweep::outside(const OutsideWrite& write, uint32_t segment) {
  std::vector<Taken> taken;
  const bool in_memory = write.kind != OutsideWrite::Kind::kRegisters;
  if (!in_memory) {
    take_registers(write.thread, write.address, write.length, taken);
  } else if (write.length / kLine < memory_.size()) {
    if (write.length > 0) take_memory(write.address, write.length, taken);
  } else {
    // More lines than are wanted: look at those.
    std::vector<uint64_t> lines;
    for (const auto& [line, wants] : memory_) {
      if (line * kLine < write.address + write.length && write.address < (line + 1) * kLine)
        lines.push_back(line);
    }
    std::ranges::sort(lines);
    for (const uint64_t line : lines) {
      const uint64_t from = std::max(line * kLine, write.address);
      take_memory(from, std::min((line + 1) * kLine, write.address + write.length) - from, taken);
    }
  }
  for (const Taken& bytes : taken) {
    out_.inputs.push_back(
        {bytes.owner,
         in_memory,
         bytes.where,
         bytes.size,
         {.kind = LastWriter::Kind::kOutside, .block = {segment, write.at}, .outside = write}});
  }
}

Result<void> Sweep::statement(const SegmentValues& segment, BlockAt at, uint32_t thread,
                              const BlockFlow& flow, uint32_t number, Needed& needed) {
  const uint32_t first = segment.first_access[at.ordinal];
  const uint32_t ran = segment.first_access[at.ordinal + 1] - first;
  const IrStatement& st = flow.ir.statements[number];

  ByteMask bytes_wanted = 0;
  const auto want_bytes = [&](uint64_t start, const std::vector<Taken>& taken, size_t from) {
    for (size_t i = from; i < taken.size(); ++i)
      bytes_wanted |= written_bytes(start, taken[i].where, taken[i].size);
  };
  std::vector<Taken> from_registers;
  const BlockFlow::Range writes = flow.register_writes_of[number];
  for (uint32_t i = writes.end; i-- > writes.first;) {
    const RegisterWrite& write = flow.code->register_writes[i];
    const size_t before = from_registers.size();
    if (write.offset_from == RegisterWrite::kFixed) {
      take_registers(thread, write.offset, write.size, from_registers);
      want_bytes(write.offset, from_registers, before);
    } else {
      take_registers(thread, st.offset, uint64_t{st.element_count} * type_size(st.element_type),
                     from_registers);
      if (from_registers.size() != before) bytes_wanted = kAllBytes;
    }
  }
  std::vector<Taken> from_memory;
  const BlockFlow::Range accesses = flow.accesses_of[number];
  for (uint32_t i = std::min(ran, accesses.end); i-- > accesses.first;) {
    const MemoryAccess& access = flow.code->accesses[i];
    if (access.kind == MemoryAccess::Kind::kStore &&
        segment.addresses[first + i] != SegmentValues::kNotDone) {
      const size_t before = from_memory.size();
      take_memory(segment.addresses[first + i], access.size, from_memory);
      want_bytes(segment.addresses[first + i], from_memory, before);
    }
  }
  if (const auto asked = needed.find(number); asked != needed.end()) bytes_wanted |= asked->second;
  const bool wanted = bytes_wanted != 0;
  if (!options_.exact_bytes) bytes_wanted = kAllBytes;
  if (!wanted || st.tag == TW_STMT_IMARK || st.tag == TW_STMT_FENCE) return {};
  const uint32_t self = node({at, flow.instruction_of[number]});
  if (self == kLimitReached) return {};
  for (const Taken& bytes : from_registers) {
    edges_.insert({Dependence::Kind::kRegister, false, bytes.owner, self, bytes.where, bytes.size});
  }
  for (const Taken& bytes : from_memory)
    edges_.insert({Dependence::Kind::kMemory, false, bytes.owner, self, bytes.where, bytes.size});
  if (const auto stop = out_.stops.find(self); stop != out_.stops.end()) {
    stop->second.statements[number] |= bytes_wanted;
    return {};
  }

  for (uint32_t i = 0; i < st.operand_count; ++i) {
    const IrOperand& operand = flow.ir.operands[st.operands + i];
    if (operand.kind != IrOperand::Kind::kTemp) continue;
    const bool for_address = is_address_operand(st, i);
    if (for_address && !options_.addresses) continue;
    if (st.tag == TW_STMT_CCALL && options_.exact_flags) {
      TRY(const bool matters, slicer_.flags_operand_matters(at, flow, st, i));
      if (!matters) continue;
    }
    const uint32_t definition = flow.definition_of[operand.value];
    const ByteMask bytes = operand_bytes(flow.ir, st, i, bytes_wanted);
    if (definition == ~0u || bytes == 0) continue;
    const uint32_t target = node({at, flow.instruction_of[definition]});
    if (target == kLimitReached) continue;
    if (target != self) edges_.insert({Dependence::Kind::kValue, for_address, self, target, 0, 0});
    needed[definition] |= bytes;
  }
  for (const RegisterRead& read : flow.register_reads_by(number)) {
    for (const auto& [skip, size] : stretches(read.bytes(bytes_wanted), read.size))
      want_registers(thread, read.offset + skip, size, self);
  }
  for (uint32_t i = accesses.first; i < std::min(ran, accesses.end); ++i) {
    const MemoryAccess& access = flow.code->accesses[i];
    if (access.kind == MemoryAccess::Kind::kLoad &&
        segment.addresses[first + i] != SegmentValues::kNotDone) {
      for (const auto& [skip, size] : stretches(loaded_bytes(st, bytes_wanted), access.size))
        want_memory(segment.addresses[first + i] + skip, size, self);
    }
  }
  return {};
}

Result<void> Sweep::block(const SegmentValues& segment, uint32_t ordinal) {
  const BlockAt at{segment.number, ordinal};
  Needed needed;
  const auto decider = deciders_.empty() ? deciders_.end() : deciders_.find(at);
  if (const auto found = needed_.find(at); found != needed_.end()) {
    needed = std::move(found->second);
    needed_.erase(found);
  } else if (decider == deciders_.end() && !stores_to_wanted(segment, ordinal)) {
    const auto wants = registers_.find(segment.thread_of(ordinal));
    if (wants == registers_.end() || wants->second.owners.empty()) return {};
    TRY(const auto* mask, slicer_.writers().mask_of(segment.value(ordinal)));
    if (!meet(*mask, wants->second.words)) return {};
  }
  // With a limit on instances a loop can be passed through without end, and nothing found.
  if (options_.visits != 0 && ++visited_ > options_.visits) {
    out_.cut = true;
    return {};
  }
  TRY(const BlockFlow* flow, slicer_.flow_of(segment.value(ordinal)));
  TRY(const uint32_t ops, slicer_.writers().ops_run(segment, ordinal));
  value_ = segment.value(ordinal);
  if (decider != deciders_.end()) decide(at, *flow, needed);
  const uint32_t thread = segment.thread_of(ordinal);
  for (auto number = static_cast<uint32_t>(flow->ir.statements.size()); number-- > 0;) {
    if (flow->code->statement_start[number] >= ops) continue;
    // What only computes a temporary is of interest when something needs that.
    const bool may_write =
        flow->register_writes_of[number].first < flow->register_writes_of[number].end ||
        flow->accesses_of[number].first < flow->accesses_of[number].end;
    if (!may_write && (needed.empty() || !needed.contains(number))) continue;
    TRY_VOID(statement(segment, at, thread, *flow, number, needed));
  }
  return ask_control(segment.value(ordinal));
}

void Sweep::decide(BlockAt at, const BlockFlow& flow, Needed& needed) {
  const auto found = deciders_.find(at);
  const std::vector<uint32_t> askers = std::move(found->second);
  deciders_.erase(found);
  if (flow.instruction_of.empty()) return;
  const uint32_t last = flow.instruction_of.back();
  const uint32_t self = node({at, last});
  if (self == kLimitReached) return;
  for (const uint32_t asker : askers)
    edges_.insert({Dependence::Kind::kControl, false, asker, self, 0, 0});
  if (const auto stop = out_.stops.find(self); stop != out_.stops.end()) {
    stop->second.decides = true;
    return;
  }
  // Where it goes: the conditions of its exits, and a computed target.
  const auto follow = [&](const IrOperand& operand) {
    if (operand.kind != IrOperand::Kind::kTemp) return;
    const uint32_t definition = flow.definition_of[operand.value];
    if (definition == ~0u) return;
    const uint32_t target = node({at, flow.instruction_of[definition]});
    if (target == kLimitReached) return;
    if (target != self) edges_.insert({Dependence::Kind::kValue, false, self, target, 0, 0});
    needed[definition] = kAllBytes;
  };
  for (uint32_t i = 0; i < flow.ir.statements.size(); ++i) {
    const IrStatement& st = flow.ir.statements[i];
    if (st.tag == TW_STMT_EXIT && flow.instruction_of[i] == last)
      follow(flow.ir.operands[st.operands]);
  }
  follow(flow.ir.next);
}

Result<void> Sweep::ask_control(uint32_t value) {
  if (fresh_.empty() || out_.cut) return {};
  ControlFinder::Found found;
  for (const uint32_t number : std::exchange(fresh_, {}))
    TRY_VOID(slicer_.control()->ask(out_.nodes[number], value, number, found));
  take_answers(std::move(found));
  return {};
}

void Sweep::take_answers(ControlFinder::Found found) {
  for (const ControlFinder::Answer& answer : found.answers)
    deciders_[answer.at].push_back(answer.asker);
  questions_.insert(questions_.end(), found.open.begin(), found.open.end());
}

Result<void> Sweep::enter_chunk(uint32_t segment) {
  const uint32_t start = slicer_.control()->chunk_start(segment);
  if (std::exchange(chunk_, start) == start) return {};
  ControlFinder::Found found;
  TRY_VOID(slicer_.control()->go_on(segment, std::exchange(questions_, {}), found));
  take_answers(std::move(found));
  return {};
}

Result<void> Sweep::segment(uint32_t number) {
  // Looking for the setter of flags may drop it from those that are kept.
  TRY(const auto held, values_.hold(number));
  const SegmentValues& values = *held;
  // What is wanted no more has left its marks.
  line_bits_ = {};
  for (const auto& [line, wants] : memory_) mark_line(line);
  size_t outside_end = values.outside.size();
  const auto last_needed = needed_.lower_bound({number + 1, 0});
  uint32_t from = values.block_count();
  const bool has_wants = !memory_.empty() || std::ranges::any_of(registers_, [](const auto& wants) {
    return !wants.second.owners.empty();
  });
  if (!has_wants) {
    from = 0;
    if (last_needed != needed_.begin() && std::prev(last_needed)->first.segment == number)
      from = std::prev(last_needed)->first.ordinal + 1;
    const auto last_decider = deciders_.lower_bound({number + 1, 0});
    if (last_decider != deciders_.begin() && std::prev(last_decider)->first.segment == number)
      from = std::max(from, std::prev(last_decider)->first.ordinal + 1);
  }
  while (outside_end > 0 && from < values.block_count() &&
         values.outside[outside_end - 1].at >= from)
    --outside_end;
  for (uint32_t ordinal = from; ordinal-- > 0;) {
    for (; outside_end > 0 && values.outside[outside_end - 1].at > ordinal; --outside_end)
      outside(values.outside[outside_end - 1], number);
    TRY_VOID(block(values, ordinal));
    if (out_.cut) return {};
  }
  for (; outside_end > 0; --outside_end) outside(values.outside[outside_end - 1], number);
  return {};
}

Result<Slice> Sweep::run() {
  if (!needed_.empty()) {
    for (uint32_t number = needed_.rbegin()->first.segment + 1; number-- > 0 && !out_.cut;) {
      if (follows_control()) TRY_VOID(enter_chunk(number));
      TRY(const bool wanted, is_wanted(number));
      if (wanted) TRY_VOID(segment(number));
    }
  }
  // Whatever is wanted now was there from the beginning.
  if (!out_.cut) {
    const LastWriter start{.kind = values_.process().info.origin == TW_ORIGIN_FORK
                                       ? LastWriter::Kind::kParent
                                       : LastWriter::Kind::kStart};
    std::vector<Taken> taken;
    for (auto& [thread, wants] : registers_) take_registers(thread, 0, ~0u, taken);
    for (const Taken& bytes : taken)
      out_.inputs.push_back({bytes.owner, false, bytes.where, bytes.size, start});
    std::vector<uint64_t> lines;
    for (const auto& [line, wants] : memory_) lines.push_back(line);
    std::ranges::sort(lines);
    taken.clear();
    for (const uint64_t line : lines) take_memory(line * kLine, kLine, taken);
    for (const Taken& bytes : taken)
      out_.inputs.push_back({bytes.owner, true, bytes.where, bytes.size, start});
  }
  out_.edges.assign(edges_.begin(), edges_.end());
  return std::move(out_);
}

}  // namespace twinrun
