// SPDX-License-Identifier: MIT
#include "run/who.h"

#include "run/descriptors.h"
#include "run/syscalls.h"
#include "trace/initial_stack.h"
#include "trace/maps.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>

namespace twinrun {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

struct Part {
  std::string name;
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// The names of a register's parts, the whole first.
std::vector<Part> parts_of(const RegisterName& reg) {
  const std::string name = lower(reg.name);
  std::vector<Part> out{{name, reg.offset, reg.size}};
  if (name.starts_with("ymm")) {
    out.push_back({"x" + name.substr(1), reg.offset, 16});
    return out;
  }
  if (reg.size != 8 || name.size() < 2 || name[0] != 'r' || name == "rip") return out;
  if (name[1] >= '0' && name[1] <= '9') {
    out.push_back({name + "d", reg.offset, 4});
    out.push_back({name + "w", reg.offset, 2});
    out.push_back({name + "b", reg.offset, 1});
    return out;
  }
  const std::string rest = name.substr(1);  // ax, si, sp
  out.push_back({"e" + rest, reg.offset, 4});
  out.push_back({rest, reg.offset, 2});
  if (rest[1] == 'x') {
    out.push_back({std::string{rest[0], 'l'}, reg.offset, 1});
    out.push_back({std::string{rest[0], 'h'}, reg.offset + 1, 1});
  } else {
    out.push_back({rest + "l", reg.offset, 1});
  }
  return out;
}

std::string memory_text(uint64_t address, uint64_t size) {
  return fmt::format("{:#x}:{}", address, size);
}

}  // namespace

std::string register_text(const Process& process, uint64_t offset, uint32_t size) {
  for (const RegisterName& reg : process.info.registers) {
    if (offset < reg.offset || offset + size > uint64_t{reg.offset} + reg.size) continue;
    for (const Part& part : parts_of(reg)) {
      if (part.offset == offset && part.size == size) return part.name;
    }
    return fmt::format("{}[{}:{}]", lower(reg.name), offset - reg.offset, size);
  }
  return fmt::format("registers[{}:{}]", offset, size);
}

Result<Subject> parse_subject(std::string_view text, const Process& process) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const size_t colon = text.find(':');
    const std::string_view address = text.substr(2, colon == text.npos ? text.npos : colon - 2);
    Subject out{.in_memory = true, .size = 8};
    const auto number = std::from_chars(address.begin(), address.end(), out.where, 16);
    bool good = number.ec == std::errc() && number.ptr == address.end();
    if (colon != text.npos) {
      const std::string_view size = text.substr(colon + 1);
      const auto bytes = std::from_chars(size.begin(), size.end(), out.size, 10);
      good = good && bytes.ec == std::errc() && bytes.ptr == size.end();
    }
    constexpr uint32_t kMost = 4096;
    if (good && out.size > 0 && out.size <= kMost && out.where + out.size > out.where) {
      out.text = memory_text(out.where, out.size);
      return out;
    }
  } else {
    const std::string wanted = lower(text);
    for (const RegisterName& reg : process.info.registers) {
      for (const Part& part : parts_of(reg)) {
        if (part.name == wanted) return Subject{false, part.offset, part.size, part.name};
      }
    }
  }
  return std::unexpected(Error{"V002",
                               fmt::format("'{}' is neither a register nor an address", text),
                               "give rax, xmm0, 0xADDRESS or 0xADDRESS:LENGTH (at most 4096 bytes)",
                               {}});
}

namespace {

class WhoSearch {
 public:
  WhoSearch(const Reader& reader, Binaries& binaries, ProcessValues& values, const MapHistory& maps)
      : reader_(reader),
        values_(values),
        flows_(values.code()),
        slicer_(values, flows_),
        maps_(maps),
        namer_(binaries, values, maps) {}

  Result<WhoReport> run(const Position& at, std::string_view text, const WhoOptions& options) {
    TRY(const Subject subject, parse_subject(text, values_.process()));
    TRY(const ProcessValues::Found found, values_.find(at.thread, at.step));
    TRY(const BlockFlow* flow, slicer_.flow_at(found.block));
    const auto first = std::ranges::find(flow->instruction_of, found.instruction);
    Moment moment{found.block, static_cast<uint32_t>(first - flow->instruction_of.begin())};
    WhoReport out{.subject = subject.text};
    TRY(out.at, namer_.row({found.block, found.instruction}));
    TRY(const auto writers, subject.in_memory
                                ? slicer_.writers().memory(moment, subject.where, subject.size)
                                : slicer_.writers().registers(
                                      moment, static_cast<uint32_t>(subject.where), subject.size));
    for (const BytesWritten& bytes : writers) {
      const Result<uint32_t> added =
          add(out, 1, subject.in_memory, subject.where + bytes.first, bytes.count, bytes.writer);
      if (!added) return std::unexpected(added.error());
    }
    while (!todo_.empty()) {
      const auto [row, writer] = todo_.front();
      todo_.pop_front();
      const uint32_t hop = out.rows[row].hop;
      TRY(const auto sources,
          slicer_.instruction_sources(writer.block, writer.statement, {.addresses = false}));
      if (!sources.empty() && (hop >= options.depth || out.rows.size() >= options.most_rows)) {
        out.cut = true;
        continue;
      }
      for (const FlowSource& source : sources) {
        TRY(const uint32_t next, add(out, hop + 1, source.kind == Dependence::Kind::kMemory,
                                     source.where, source.size, source.writer));
        if (std::ranges::find(out.rows[row].from, next) == out.rows[row].from.end())
          out.rows[row].from.push_back(next);
      }
    }
    return out;
  }

 private:
  /// The row of a writer, which may be there already.
  Result<uint32_t> add(WhoReport& out, uint32_t hop, bool in_memory, uint64_t where, uint32_t size,
                       const LastWriter& writer) {
    const Key key{static_cast<uint32_t>(writer.kind),
                  writer.block,
                  writer.statement,
                  writer.outside.event,
                  in_memory,
                  where,
                  size};
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second;
    WhoRow row;
    if (writer.kind == LastWriter::Kind::kStatement) {
      TRY(const BlockFlow* flow, slicer_.flow_at(writer.block));
      TRY(row.at, namer_.row({writer.block, flow->instruction_of[writer.statement]}));
      TRY(row.value, value_of(writer, *flow, in_memory, where, size));
    } else {
      TRY_VOID(describe(row, writer, where, size));
    }
    row.hop = hop;
    if (size != 0) {
      row.subject =
          in_memory ? memory_text(where, size) : register_text(values_.process(), where, size);
    }
    const auto number = static_cast<uint32_t>(out.rows.size());
    rows_.emplace(key, number);
    out.rows.push_back(std::move(row));
    if (writer.kind == LastWriter::Kind::kStatement) todo_.emplace_back(number, writer);
    return number;
  }

  /// The bytes in question, as they were written.
  Result<std::optional<uint64_t>> value_of(const LastWriter& writer, const BlockFlow& flow,
                                           bool in_memory, uint64_t where, uint32_t size) {
    const auto cut = [&](uint64_t value, uint64_t skip) -> std::optional<uint64_t> {
      if (skip + size > 8) return std::nullopt;
      value >>= skip * 8;
      return size >= 8 ? value : value & ((uint64_t{1} << (size * 8)) - 1);
    };
    if (size == 0) {
      // A value that stayed inside the block: the temporary itself.
      const IrStatement& st = flow.ir.statements[writer.statement];
      if (st.dst == kNoTemp || type_size(flow.ir.types[st.dst]) > 8) return std::nullopt;
      TRY(Regenerator* const there, values_.run_to(writer.block));
      return there->machine().word(flow.code->temps[st.dst]);
    }
    if (in_memory) {
      TRY(const SegmentValues* segment, values_.segment(writer.block.segment));
      const uint32_t index = segment->first_access[writer.block.ordinal] + writer.access;
      return cut(segment->values[index], where - segment->addresses[index]);
    }
    if (writer.access >= flow.code->register_writes.size()) return std::nullopt;
    const RegisterWrite& write = flow.code->register_writes[writer.access];
    if (write.offset_from != RegisterWrite::kFixed || size > 8) return std::nullopt;
    TRY(Regenerator* const there, values_.run_to(writer.block));
    uint64_t value = 0;
    const uint64_t skip = where - write.offset;
    if (skip + size > write.size) return std::nullopt;
    std::memcpy(&value, there->machine().at(write.value) + skip, size);
    return value;
  }

  Result<void> describe(WhoRow& row, const LastWriter& writer, uint64_t where, uint32_t size) {
    row.at.position = {{values_.process().info.number}, {1}, {0}};
    if (writer.kind == LastWriter::Kind::kParent) row.kind = WhoRow::Kind::kParent;
    if (writer.kind == LastWriter::Kind::kStart) row.kind = WhoRow::Kind::kStart;
    if (writer.kind != LastWriter::Kind::kOutside) return {};
    TRY(const SegmentValues* segment, values_.segment(writer.block.segment));
    const uint32_t next = std::min(writer.outside.at, segment->block_count() - 1);
    const uint32_t thread =
        writer.outside.thread != 0 ? writer.outside.thread : segment->thread_of(next);
    row.at.position = {{values_.process().info.number}, {thread}, {segment->steps[next]}};
    const OutsideWrite& outside = writer.outside;
    if (outside.syscall != OutsideWrite::kNone) {
      row.call = syscall_signature(outside.syscall).name;
      if (row.call.empty()) row.call = fmt::format("syscall_{}", outside.syscall);
    }
    using Kind = OutsideWrite::Kind;
    switch (outside.kind) {
      case Kind::kSyscall:
        row.kind = WhoRow::Kind::kSyscall;
        return describe_input(row, writer, where, size);
      case Kind::kRegisters:
        row.kind = row.call.empty() ? WhoRow::Kind::kSignal : WhoRow::Kind::kSyscall;
        return {};
      case Kind::kSignal: row.kind = WhoRow::Kind::kSignal; return {};
      case Kind::kStartup:
        row.kind = WhoRow::Kind::kStartup;
        row.input = "the program's arguments and environment";
        return {};
      case Kind::kClobbered: row.kind = WhoRow::Kind::kUnseen; return {};
      case Kind::kMapped: break;
    }
    row.kind = WhoRow::Kind::kZero;
    const FrameEntry& frame = reader_.frames()[values_.process().segments[writer.block.segment]];
    const Mapping* mapping = maps_.find({where}, frame.segment.first_block + outside.at);
    if (mapping != nullptr && mapping->file != Mapping::kNoFile) {
      row.kind = WhoRow::Kind::kFile;
      row.input = maps_.files()[mapping->file].path;
      row.input_offset = mapping->offset + (where - mapping->start.value);
    }
    return {};
  }

  /// Which file a system call took the bytes from.
  Result<void> describe_input(WhoRow& row, const LastWriter& writer, uint64_t where,
                              uint32_t size) {
    Descriptors descriptors;
    for (uint32_t number = 0; number <= writer.block.segment; ++number) {
      TRY(const SegmentData data,
          reader_.load(values_.process().segments[number], stream_bit(TW_STREAM_EVENTS)));
      EventReader events(data.events());
      uint32_t index = 0;
      uint64_t before = 0;  // bytes that the call had written in front of this piece
      for (Event event; events.next(event); ++index) {
        const bool is_it = number == writer.block.segment && index == writer.outside.event;
        const auto memory = event.kind == TW_EVENT_WRITTEN ? MemoryEvent::parse(event)
                                                           : std::optional<MemoryEvent>();
        if (event.kind == TW_EVENT_SYSCALL) before = 0;
        if (!is_it) {
          if (memory) before += memory->bytes.size();
          descriptors.apply(event);
          continue;
        }
        if (!memory) return {};
        const uint64_t skip = where - memory->address.value;
        if (size <= 8 && skip + size <= memory->bytes.size()) {
          uint64_t value = 0;
          std::memcpy(&value, memory->bytes.data() + skip, size);
          row.value = value;
        }
        if (const auto source = descriptors.source(memory->thread)) {
          row.input = source->name.empty() ? fmt::format("descriptor {}", source->descriptor)
                                           : source->name;
          if (source->offset) row.input_offset = *source->offset + before + skip;
        }
        return {};
      }
    }
    return {};
  }

  struct Key {
    uint32_t kind;
    BlockAt block;
    uint32_t statement;
    uint32_t event;
    bool in_memory;
    uint64_t where;
    uint32_t size;
    auto operator<=>(const Key&) const = default;
  };

  const Reader& reader_;
  ProcessValues& values_;
  BlockFlows flows_;
  Slicer slicer_;
  const MapHistory& maps_;
  InstructionNamer namer_;
  std::map<Key, uint32_t> rows_;
  std::deque<std::pair<uint32_t, LastWriter>> todo_;
};

}  // namespace

Result<WhoReport> who(const Reader& reader, Binaries& binaries, const Position& at,
                      std::string_view subject, const WhoOptions& options) {
  TRY(const auto values, ProcessValues::open(reader, at.process.value));
  TRY(const MapHistory maps, map_history(reader, at.process.value));
  WhoSearch search(reader, binaries, *values, maps);
  return search.run(at, subject, options);
}

}  // namespace twinrun
