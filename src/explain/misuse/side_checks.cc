// SPDX-License-Identifier: MIT
// Holds the accesses of instructions to the rules of memory.
//
// An access breaks a rule when its pointer was made from an object that it does not hit: one that
// has been freed, or whose end it has passed. The number alone does not tell that, as another block
// may be there by now, so the pointer is followed to where it was made (origins.h). Where that is
// not known only a plain access of the program's own code to memory that is free counts, for then
// it is wrong whatever the pointer was.
//
// What is not certain is not told. The C runtime's string functions load whole vectors and words:
// of such loads only the first byte counts, and only in a block that the pointer was made from and
// that is free. Loads that begin inside an object may reach beyond it. Bytes of allocators are not
// looked at (access_rules.h). A block that realloc left in its place goes on.
//
// Costs a lookup for each access, and the way back of at most 200 pointers.
#include "explain/misuse/side_checks.h"

#include "explain/graph/copies.h"
#include "program/debug_info.h"
#include "program/naming.h"
#include "run/code_places.h"
#include "values/past_state.h"
#include "values/subject.h"

#include <algorithm>

namespace twinrun {
namespace {

using Kind = Misuse::Kind;
using Code = AccessRules::Code;

constexpr uint64_t kRedZone = 128;
constexpr uint64_t kFrameMost = 1 << 16;
constexpr size_t kPassesTold = 4;
constexpr uint32_t kFillBlocks = 4096;  // of a call that fills something
constexpr std::string_view kStringWriters[] = {
    "strcpy",   "stpcpy",       "strcat",       "strncpy",      "strncat", "sprintf",
    "vsprintf", "snprintf",     "gets",         "fgets",        "scanf",   "fscanf",
    "sscanf",   "__strcpy_chk", "__strcat_chk", "__sprintf_chk"};

}  // namespace

Result<void> SideChecks::prepare(std::span<const BlockAt> blocks) {
  std::vector<BlockAt> fresh;
  for (const BlockAt block : blocks) {
    if (!calls_.contains(block)) fresh.push_back(block);
  }
  std::ranges::sort(fresh);
  const auto doubles = std::ranges::unique(fresh);
  fresh.erase(doubles.begin(), doubles.end());
  if (fresh.empty()) return {};
  TRY(auto found, active_calls(view_, fresh));
  for (size_t i = 0; i < fresh.size(); ++i) calls_.emplace(fresh[i], std::move(found[i]));
  return {};
}

const ActiveCalls& SideChecks::calls_at(BlockAt block) const {
  static const ActiveCalls kNone{.is_lost = true};
  const auto known = calls_.find(block);
  return known == calls_.end() ? kNone : known->second;
}

Result<uint64_t> SideChecks::pc_of(const InstructionAt& at) {
  TRY(const SegmentSteps* segment, view_.values->steps(at.block.segment));
  const BlockDef* def = view_.values->dictionary().find(segment->value(at.block.ordinal));
  if (def == nullptr) return fail("T022", "a block is not defined");
  return address_of(*def, at.instruction);
}

bool SideChecks::is_on_stack_of(uint64_t address, BlockAt block) const {
  const ActiveCalls& calls = calls_at(block);
  if (calls.frames.empty() || calls.frames[0].sp == 0) return false;
  // A stack grows without being mapped anew. Between the frames there is nothing else; beyond them,
  // at most something that was allocated.
  uint64_t low = calls.frames[0].sp;
  uint64_t high = low;
  for (const ActiveCalls::Frame& frame : calls.frames) {
    if (frame.sp == 0) continue;
    low = std::min(low, frame.sp);
    high = std::max(high, frame.sp);
  }
  if (address >= low && address < high) return true;
  return address + kFrameMost >= low && address < high + kFrameMost &&
         log_.latest(address, view_.number_of(block)) == nullptr;
}

uint64_t SideChecks::end_of(const Allocation& one) const {
  uint64_t size = one.size;
  // glibc's blocks have multiples of 16 bytes, of which 8 are its own.
  if (log_.uses_usable_size()) size = ((std::max<uint64_t>(size, 24) + 8 + 15) & ~uint64_t{15}) - 8;
  return one.address + size;
}

bool SideChecks::is_mapped_anew(uint64_t address, const Allocation& freed, uint64_t now) const {
  const Mapping* there = view_.maps.find({address}, now);
  return there != nullptr && there->from > freed.freed_block;
}

FoundMisuse SideChecks::found(const Access& access, Kind kind) const {
  FoundMisuse out{.block = access.block, .instruction = access.instruction, .pc = access.pc};
  out.told.kind = kind;
  out.told.access = access.is_store ? Misuse::Access::kWrite : Misuse::Access::kRead;
  out.told.side = side_;
  out.told.address = access.address;
  out.told.time = access.time;
  return out;
}

Result<std::vector<FoundMisuse>> SideChecks::check(const InstructionAt& at, bool again) {
  std::vector<FoundMisuse> out;
  if (again) traced_.clear();
  TRY(const BlockFlow* flow, view_.slicer.flow_at(at.block));
  TRY(const uint64_t pc, pc_of(at));
  TRY(const SegmentValues* segment, view_.values->segment(at.block.segment));
  const uint32_t first = segment->first_access[at.block.ordinal];
  const uint32_t ran = segment->first_access[at.block.ordinal + 1] - first;
  std::vector<Access> accesses;
  const auto is_loaded = [&](uint64_t address) {
    return std::ranges::any_of(
        accesses, [&](const Access& one) { return !one.is_store && one.address == address; });
  };
  for (uint32_t statement = 0; statement < flow->ir.statements.size(); ++statement) {
    if (flow->instruction_of[statement] != at.instruction) continue;
    const auto [begin, end] = flow->accesses_of[statement];
    for (uint32_t i = begin; i < std::min(end, ran); ++i) {
      const uint64_t address = segment->addresses[first + i];
      if (address == SegmentValues::kNotDone) continue;
      const MemoryAccess& what = flow->code->accesses[i];
      // A barrier adds nothing to what is on the stack.
      const bool is_store = what.kind == MemoryAccess::Kind::kStore;
      if (is_store && is_loaded(address)) continue;
      accesses.push_back({at.block, at.instruction, statement, address, what.size, is_store, pc,
                          view_.number_of(at.block)});
    }
  }
  for (const Access& access : accesses) TRY_VOID(check_access(access, out));
  return out;
}

Result<void> SideChecks::check_access(const Access& access, std::vector<FoundMisuse>& out) {
  const Mapping* there = view_.maps.find({access.address}, access.time);
  const bool on_stack = is_on_stack_of(access.address, access.block);
  const bool in_file = there != nullptr && there->file != Mapping::kNoFile;
  if (!access.is_store && (on_stack || in_file)) return {};
  const Code code = rules_.code_of(access.pc, access.time, calls_at(access.block));
  if (code == Code::kExempt) return {};
  if (!on_stack && !in_file) return check_heap(access, code, out);
  const size_t before = out.size();
  if (on_stack) check_return_addresses(access, out);
  // What a library was told to fill; where code indexes a variable itself, its optimizer may have
  // folded a constant into the address, so that it is not known which variable was meant.
  if (code != Code::kRuntime || out.size() != before) return {};
  if (!traced_.insert({access.pc, nullptr, true}).second) return {};
  TRY(const auto origin, origin_of(access));
  if (origin) TRY_VOID(check_variable(access, *origin, out));
  return {};
}

Result<void> SideChecks::check_heap(const Access& access, Code code,
                                    std::vector<FoundMisuse>& out) {
  const Allocation* present = log_.containing(access.address, access.time);
  const Allocation* latest = log_.latest(access.address, access.time);
  if (!traced_.insert({access.pc, latest, access.is_store}).second) return {};
  const bool is_vague = !access.is_store && (code == Code::kRuntime || access.size > kWordSize);
  // calloc ends in memset, with no frame of its own any more.
  const bool may_serve = access.is_store && code == Code::kRuntime;
  TRY(const auto origin, origin_of(access));
  if (!origin) {
    const bool is_free = !may_serve && present == nullptr && latest != nullptr &&
                         !latest->is_replaced && latest->freed_block <= access.time && !is_vague &&
                         !is_mapped_anew(access.address, *latest, access.time);
    if (!is_free) return {};
    FoundMisuse freed = found(access, Kind::kFreed);
    freed.object = latest;
    out.push_back(freed);
    return {};
  }
  if (origin->from.kind != TracedPointer::Kind::kAllocation) {
    if (origin->from.kind != TracedPointer::Kind::kOutside && access.is_store &&
        code == Code::kRuntime)
      return check_variable(access, *origin, out);
    return {};
  }
  const Allocation& made = log_.grown(*origin->from.allocation, access.time);
  if (made.is_replaced || made.size == 0) return {};
  // A pointer that an allocator had in its lists and gave out unseen is a new one.
  TRY(const bool is_passed_on, passes_allocator(access, *origin));
  if (is_passed_on) return {};
  const uint64_t end = end_of(made);
  const bool is_inside = access.address >= made.address && access.address < end;
  const bool is_freed = made.freed_block <= access.time;
  if (is_freed) {
    // What is far from the freed block is another one's, whatever the way there was.
    if (!is_inside || may_serve || is_mapped_anew(access.address, made, access.time)) return {};
    FoundMisuse freed = found(access, present != nullptr ? Kind::kReused : Kind::kFreed);
    freed.object = &made;
    freed.present = present;
    freed.passes = origin->passes;
    out.push_back(freed);
    return {};
  }
  const bool is_within = is_inside && access.address + access.size <= end;
  const bool is_beyond = access.is_store ? !is_within : !is_inside;
  if (!is_beyond && access.is_store && code == Code::kRuntime)
    return check_variable(access, *origin, out);
  if (!is_beyond || is_vague) return {};
  // A load that begins in front of the block and ends inside is a word of something.
  if (!access.is_store && access.address < made.address &&
      access.address + access.size > made.address)
    return {};
  FoundMisuse outside = found(access, Kind::kOutside);
  outside.object = &made;
  outside.present = present;
  outside.passes = origin->passes;
  out.push_back(outside);
  return {};
}

Result<std::optional<Origins::Found>> SideChecks::origin_of(const Access& access) {
  return origins_.of_access(access.block, access.statement, access.address);
}

Result<bool> SideChecks::passes_allocator(const Access& access, const Origins::Found& origin) {
  for (const Origins::Found::Pass& pass : origin.passes) {
    TRY(const BlockFlow* flow, view_.slicer.flow_at(pass.block));
    // Registers that it saves for its caller are on the stack.
    const auto [first, end] = flow->accesses_of[pass.statement];
    if (first == end) continue;
    TRY(const SegmentValues* segment, view_.values->segment(pass.block.segment));
    const uint64_t to = segment->addresses[segment->first_access[pass.block.ordinal] + first];
    if (is_on_stack_of(to, access.block)) continue;
    TRY(const uint64_t pc, pc_of({pass.block, flow->instruction_of[pass.statement]}));
    if (rules_.serves_allocators(pc, view_.number_of(pass.block))) return true;
  }
  return false;
}

void SideChecks::check_return_addresses(const Access& access, std::vector<FoundMisuse>& out) {
  const ActiveCalls& calls = calls_at(access.block);
  if (calls.is_lost) return;
  // A call writes the return address of the frame that it begins, which is not there yet.
  for (size_t i = 0; i < calls.frames.size(); ++i) {
    const ActiveCalls::Frame& frame = calls.frames[i];
    if (!frame.is_call || frame.sp == 0) continue;
    if (access.address >= frame.sp + kWordSize || access.address + access.size <= frame.sp)
      continue;
    // Of a string function's own frame that would be no overflow of a variable: it has none.
    FoundMisuse over = found(access, Kind::kReturnAddress);
    if (frame.function != CodePlaces::kUnknown)
      over.told.name = source_name(view_.of.places().function(frame.function));
    over.told.offset = static_cast<int64_t>(access.address - frame.sp);
    out.push_back(over);
    return;
  }
}

Result<uint64_t> SideChecks::filled_to(const Access& access, uint64_t given) {
  std::vector<std::pair<uint64_t, uint64_t>> stores;
  TRY(const auto segment, view_.values->hold(access.block.segment));
  const auto take = [&](uint32_t ordinal) -> Result<bool> {
    const BlockAt block{access.block.segment, ordinal};
    const BlockDef* def = view_.values->dictionary().find(segment->value(ordinal));
    if (def == nullptr || rules_.is_program(def->address.value, view_.number_of(block)))
      return false;
    if (segment->thread_of(ordinal) != segment->thread_of(access.block.ordinal)) return false;
    TRY(const BlockFlow* flow, view_.slicer.flow_at(block));
    const uint32_t first = segment->first_access[ordinal];
    const uint32_t ran = segment->first_access[ordinal + 1] - first;
    for (uint32_t i = 0; i < std::min<size_t>(ran, flow->code->accesses.size()); ++i) {
      const MemoryAccess& what = flow->code->accesses[i];
      const uint64_t address = segment->addresses[first + i];
      if (what.kind != MemoryAccess::Kind::kStore || address == SegmentValues::kNotDone) continue;
      if (address >= given) stores.emplace_back(address, address + what.size);
    }
    return true;
  };
  const uint32_t here = access.block.ordinal;
  const uint32_t behind = std::min(segment->block_count(), here + kFillBlocks);
  for (uint32_t at = here; at < behind; ++at) {
    TRY(const bool goes_on, take(at));
    if (!goes_on) break;
  }
  for (uint32_t back = 1; back <= here && back < kFillBlocks; ++back) {
    TRY(const bool goes_on, take(here - back));
    if (!goes_on) break;
  }
  std::ranges::sort(stores);
  uint64_t out = given;
  for (const auto& [begin, end] : stores) {
    if (begin > out) break;
    out = std::max(out, end);
  }
  return out;
}

Result<bool> SideChecks::fills_beyond(const Access& access, uint64_t given, uint64_t size) {
  if (access.address < given || access.address + access.size > given + size) return true;
  TRY(const uint64_t end, filled_to(access, given));
  return end > given + size;
}

FoundMisuse SideChecks::found_behind(const Access& access, uint64_t given, uint64_t size) const {
  FoundMisuse out = found(access, Kind::kOutside);
  const bool is_inside = access.address >= given && access.address + access.size <= given + size;
  if (is_inside) out.told.address = given + size;
  out.told.size = size;
  out.told.offset = static_cast<int64_t>(out.told.address - given);
  return out;
}

/// A library was given the address of a variable, and has written beyond it.
Result<void> SideChecks::check_variable(const Access& access, const Origins::Found& origin,
                                        std::vector<FoundMisuse>& out) {
  // The value that the program's own code handed over.
  for (const Origins::Found::Pass& pass : origin.passes) {
    TRY(const BlockFlow* flow, view_.slicer.flow_at(pass.block));
    const InstructionAt at{pass.block, flow->instruction_of[pass.statement]};
    TRY(const uint64_t pc, pc_of(at));
    if (!rules_.is_program(pc, view_.number_of(pass.block))) continue;
    TRY(const bool is_known, check_object(access, at, pass.value, out));
    if (is_known) return {};
    // A function that was given the address only knows a pointer; its variable is a caller's.
    TRY(const auto owner, owner_of(pass.value, access.block));
    if (owner) TRY_VOID(check_object(access, *owner, pass.value, out));
    return {};
  }
  return {};
}

Result<std::optional<InstructionAt>> SideChecks::owner_of(uint64_t address, BlockAt block) {
  const ActiveCalls& calls = calls_at(block);
  if (calls.is_lost || !is_on_stack_of(address, block)) return std::nullopt;
  for (size_t i = 1; i < calls.frames.size(); ++i) {
    const ActiveCalls::Frame& callee = calls.frames[i - 1];
    if (!callee.is_call || callee.is_inherited || callee.sp == 0 || callee.sp > address)
      return std::nullopt;
    if (calls.frames[i].sp <= address) continue;
    if (!rules_.is_program(callee.call, callee.block)) return std::nullopt;
    TRY(const auto at, block_of(callee.block));
    if (!at) return std::nullopt;
    TRY(const BlockFlow* flow, view_.slicer.flow_at(*at));
    return InstructionAt{*at, flow->instruction_of.back()};
  }
  return std::nullopt;
}

Result<bool> SideChecks::check_object(const Access& access, const InstructionAt& at, uint64_t given,
                                      std::vector<FoundMisuse>& out) {
  TRY(const uint64_t pc, pc_of(at));
  const DebugAt debug = debug_at(view_, {pc}, view_.number_of(at.block));
  if (debug.info == nullptr) return true;
  TRY(Registers registers, registers_before(view_, at));
  TRY(const Moment moment, moment_before(view_, at));
  PastMemory memory(view_, moment);
  const PastState state(std::move(registers), memory, debug.load_bias);
  for (const Variable& variable : debug.info->variables_at(debug.pc.value)) {
    const Location where = debug.info->locate(variable, debug.pc.value, state);
    if (where.kind != Location::Kind::kMemory || where.address != given) continue;
    const auto size = size_of(*variable.type);
    if (!size || *size == 0) return true;
    TRY(const bool goes_beyond, fills_beyond(access, where.address, *size));
    if (!goes_beyond) return true;
    FoundMisuse outside = found_behind(access, where.address, *size);
    outside.told.name = variable.name;
    out.push_back(outside);
    return true;
  }
  return check_array(access, debug, state, given, out);
}

Result<bool> SideChecks::check_array(const Access& access, const DebugAt& debug,
                                     const PastState& state, uint64_t given,
                                     std::vector<FoundMisuse>& out) {
  const auto element = name_memory(*debug.info, debug.pc.value, state, given, 1);
  if (!element || !element->ends_with(']')) return false;
  const std::string name = element->substr(0, element->rfind('['));
  const auto array = resolve_expression(*debug.info, debug.pc.value, state, name);
  if (!array || stripped(*array->type).kind != TypeKind::kArray) return false;
  if (array->location.kind != Location::Kind::kMemory) return false;
  // Who copies bytes to a member may mean the whole object; a string has one place.
  const bool is_member = name.find_first_of(".>") != std::string::npos;
  const std::string by = rules_.own_site(access.pc, access.time, calls_at(access.block)).called;
  if (is_member && std::ranges::find(kStringWriters, by) == std::end(kStringWriters)) return true;
  const uint64_t begin = array->location.address;
  const auto size = size_of(*array->type);
  // One element, or none, is how C had arrays at the end of a structure that go on.
  if (!size || *size <= 1 || given < begin || given >= begin + *size) return true;
  TRY(const bool goes_beyond, fills_beyond(access, given, begin + *size - given));
  if (!goes_beyond) return true;
  FoundMisuse outside = found_behind(access, begin, *size);
  outside.told.name = name;
  out.push_back(outside);
  return true;
}

std::optional<uint64_t> SideChecks::birth(uint64_t address, const InstructionAt& reader) const {
  const uint64_t now = view_.number_of(reader.block);
  if (is_on_stack_of(address, reader.block)) {
    const ActiveCalls& calls = calls_at(reader.block);
    if (calls.is_lost || !calls.frames[0].is_call) return std::nullopt;
    for (const ActiveCalls::Frame& frame : calls.frames) {
      if (frame.sp == 0 || !frame.is_call) return std::nullopt;
      if (frame.sp <= address) continue;
      if (frame.is_inherited) return std::nullopt;
      return frame.block;
    }
    return std::nullopt;
  }
  const Allocation* made = log_.containing(address, now);
  if (made == nullptr || made->is_zeroed || made->from != Allocation::kNoBlock) return std::nullopt;
  // Others may give out what they have prepared.
  const std::string& name = log_.allocator(made->allocator);
  const bool is_plain = name == "malloc" || name.starts_with("operator new") ||
                        name == "aligned_alloc" || name == "posix_memalign" || name == "memalign";
  if (!is_plain) return std::nullopt;
  return made->block;
}

bool SideChecks::may_be_unwritten(const InstructionAt& reader, const BytesOf& bytes,
                                  uint64_t written) {
  if (!bytes.in_memory || bytes.size > kWordSize) return false;
  const auto born = birth(bytes.where, reader);
  return born && written < *born;
}

Result<std::optional<FoundMisuse>> SideChecks::check_written(const InstructionAt& reader,
                                                             const BytesOf& bytes, bool may_copy) {
  const auto born = birth(bytes.where, reader);
  if (!born) return std::nullopt;
  TRY(const uint64_t pc, pc_of(reader));
  const uint64_t now = view_.number_of(reader.block);
  if (rules_.code_of(pc, now, calls_at(reader.block)) != Code::kOwn) return std::nullopt;
  // One that is written again by the same block may be only in part of interest: a bit-field.
  TRY(const BlockFlow* flow, view_.slicer.flow_at(reader.block));
  TRY(const SegmentValues* segment, view_.values->segment(reader.block.segment));
  const uint32_t first = segment->first_access[reader.block.ordinal];
  const uint32_t ran = segment->first_access[reader.block.ordinal + 1] - first;
  bool is_loaded = false;
  for (uint32_t i = 0; i < std::min<size_t>(ran, flow->code->accesses.size()); ++i) {
    const MemoryAccess& what = flow->code->accesses[i];
    const uint64_t address = segment->addresses[first + i];
    if (address == SegmentValues::kNotDone || what.instruction < reader.instruction) continue;
    const bool touches = address < bytes.where + bytes.size && bytes.where < address + what.size;
    if (!touches) continue;
    if (what.kind == MemoryAccess::Kind::kStore || what.size > kWordSize) return std::nullopt;
    is_loaded |= what.instruction == reader.instruction;
  }
  if (!is_loaded) return std::nullopt;
  if (may_copy && only_moves(*flow, reader.instruction)) return std::nullopt;
  TRY(const Moment moment, moment_before(view_, reader));
  TRY(const auto writers, view_.slicer.writers().memory(moment, bytes.where, bytes.size));
  if (writers.empty()) return std::nullopt;
  for (const BytesWritten& part : writers) {
    const LastWriter& writer = part.writer;
    switch (writer.kind) {
      case LastWriter::Kind::kStart: continue;
      case LastWriter::Kind::kParent: return std::nullopt;
      case LastWriter::Kind::kStatement:
        if (view_.number_of(writer.block) >= *born) return std::nullopt;
        continue;
      case LastWriter::Kind::kOutside:
        if (writer.outside.kind == OutsideWrite::Kind::kClobbered) return std::nullopt;
        if (view_.number_of({writer.block.segment, writer.outside.at}) >= *born)
          return std::nullopt;
        continue;
    }
  }
  Access access{.block = reader.block,
                .instruction = reader.instruction,
                .address = bytes.where,
                .size = bytes.size,
                .pc = pc,
                .time = now};
  FoundMisuse out = found(access, Kind::kUninitialised);
  out.object =
      is_on_stack_of(bytes.where, reader.block) ? nullptr : log_.containing(bytes.where, now);
  return out;
}

Result<std::optional<BlockAt>> SideChecks::block_of(uint64_t number) const {
  const auto& segments = view_.process().segments;
  for (uint32_t i = 0; i < segments.size(); ++i) {
    const TwSegmentHeader& segment = view_.values->reader().frames()[segments[i]].segment;
    if (number >= segment.first_block && number - segment.first_block < segment.block_count)
      return BlockAt{i, static_cast<uint32_t>(number - segment.first_block)};
  }
  return std::nullopt;
}

Result<std::optional<AccessRules::Site>> SideChecks::site_at(uint64_t block, uint64_t call) {
  if (call == 0) return std::nullopt;
  TRY(const auto at, block_of(block));
  if (!at) return std::nullopt;
  TRY_VOID(prepare(std::span(&*at, 1)));
  return rules_.own_site(call, block, calls_at(*at));
}

Result<std::vector<NamedInstruction>> SideChecks::passed_lines(const FoundMisuse& found,
                                                               uint64_t freed,
                                                               const NamedInstruction& at) {
  std::vector<NamedInstruction> early;  // of what was freed: before that
  std::vector<NamedInstruction> late;
  for (const Origins::Found::Pass& pass : found.passes) {
    TRY(const BlockFlow* flow, view_.slicer.flow_at(pass.block));
    const uint64_t time = view_.number_of(pass.block);
    TRY(const uint64_t pc, pc_of({pass.block, flow->instruction_of[pass.statement]}));
    const auto line = rules_.own_line(pc, time);
    std::vector<NamedInstruction>& to = time < freed ? early : late;
    const auto is_there = [&](const NamedInstruction& one) {
      return one.line == line->line && one.file == line->file;
    };
    if (!line || is_there(at) || std::ranges::any_of(to, is_there)) continue;
    if (to.size() < kPassesTold) to.push_back(*line);
  }
  early.insert(early.end(), late.begin(), late.end());
  if (early.size() > kPassesTold) early.resize(kPassesTold);
  return early;
}

Result<Misuse> SideChecks::name(const FoundMisuse& found) {
  Misuse out = found.told;
  const AccessRules::Site site = rules_.own_site(found.pc, out.time, calls_at(found.block));
  out.at = site.at;
  out.by = site.called;
  out.callers = site.callers;
  uint64_t freed_at = ~uint64_t{0};
  if (const Allocation* object = found.object) {
    out.size = object->size;
    out.offset = static_cast<int64_t>(out.address - object->address);
    TRY(const auto made, site_at(object->called, object->site));
    if (made) {
      out.allocated = made->at;
      out.allocated_for = made->callers;
    }
    if (!object->is_live_at_end() && object->freed_block <= out.time) {
      freed_at = object->freed_block;
      // A call ends behind the block in which it returned.
      TRY(const auto gone, site_at(object->freed_block - 1, object->freed_site));
      if (gone) {
        out.freed = gone->at;
        out.freed_for = gone->callers;
      }
    }
  }
  if (found.present != nullptr && out.kind == Kind::kReused) {
    TRY(const auto again, site_at(found.present->called, found.present->site));
    if (again) out.reused = again->at;
  }
  TRY(out.passed, passed_lines(found, freed_at, out.at));
  const bool has_gone_beyond =
      out.kind == Kind::kOutside || out.kind == Kind::kReturnAddress || out.kind == Kind::kWild;
  if (has_gone_beyond && out.access != Misuse::Access::kJump) TRY_VOID(find_bounds(found, out));
  return out;
}

}  // namespace twinrun
