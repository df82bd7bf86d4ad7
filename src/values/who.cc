// SPDX-License-Identifier: MIT
#include "values/who.h"

#include "values/outside_source.h"
#include "values/past_state.h"
#include "values/source_names.h"
#include "values/subject.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace twinrun {
namespace {

/// Bytes in a process, and their writer.
struct Written {
  ProcessView* view = nullptr;
  bool in_memory = false;
  uint64_t where = 0;
  uint32_t size = 0;
  LastWriter writer;
  bool unseen = false;         // by an instruction whose result is not in the IR (past_state.h)
  ByteMask bytes = kAllBytes;  // of a value that stayed inside the block
};

WhoRow::Kind kind_of(OutsideSource::Kind kind) {
  using Kind = OutsideSource::Kind;
  switch (kind) {
    case Kind::kSyscall: return WhoRow::Kind::kSyscall;
    case Kind::kSignal: return WhoRow::Kind::kSignal;
    case Kind::kStartup: return WhoRow::Kind::kStartup;
    case Kind::kUnseen: return WhoRow::Kind::kUnseen;
    case Kind::kFile: return WhoRow::Kind::kFile;
    case Kind::kZero: return WhoRow::Kind::kZero;
    case Kind::kParent: return WhoRow::Kind::kParent;
    case Kind::kLate: return WhoRow::Kind::kLate;
    case Kind::kAnchor:  // only why compares from an anchor on
    case Kind::kStart: break;
  }
  return WhoRow::Kind::kStart;
}

class WhoSearch {
 public:
  explicit WhoSearch(Run& run) : run_(run) {}

  Result<WhoReport> run(const Position& at, std::string_view text, const WhoOptions& options) {
    TRY(ProcessView* const view, view_of(run_, at.process.value));
    TRY(const ProcessValues::Found found, view->values->find(at.thread, at.step));
    const InstructionAt here{found.block, found.instruction};
    TRY(const Subject subject, parse_subject(text, *view, here));
    WhoReport out{.subject = subject.text};
    TRY(out.at, view->namer.row(here));
    TRY_VOID(add_writers(out, 1, *view, subject, here, nullptr));
    while (!todo_.empty()) {
      const auto [row, written] = todo_.front();
      todo_.pop_front();
      if (options.progress) options.progress(out.rows[row].hop - 1);
      TRY_VOID(continue_from(out, row, written, options));
    }
    return out;
  }

 private:
  using Rows = std::vector<uint32_t>;

  /// Adds rows for who wrote the subject as the instruction sees it.
  Result<void> add_writers(WhoReport& out, uint32_t hop, ProcessView& view, const Subject& subject,
                           const InstructionAt& at, Rows* rows) {
    TRY(const SubjectWriters writers, writers_of(view, subject, at));
    if (writers.unseen) {
      TRY(const Moment moment, moment_before(view, {at.block, *writers.unseen}));
      const LastWriter writer{LastWriter::Kind::kStatement, at.block, moment.statement, 0, {}};
      return add(out, hop, {&view, false, subject.where, subject.size, writer, true}, rows);
    }
    for (const BytesWritten& bytes : writers.bytes) {
      TRY_VOID(add(
          out, hop,
          {&view, subject.in_memory, subject.where + bytes.first, bytes.count, bytes.writer, false},
          rows));
    }
    return {};
  }

  Result<void> continue_from(WhoReport& out, uint32_t row, const Written& written,
                             const WhoOptions& options) {
    const uint32_t hop = out.rows[row].hop;
    const bool is_enough = hop >= options.depth || out.rows.size() >= options.most_rows;
    Rows from;
    if (written.unseen) {
      if (is_enough)
        out.cut = true;
      else
        TRY_VOID(add_operands(out, hop + 1, written, from));
    } else {
      TRY(const ByteMask bytes, bytes_of(written));
      TRY(const auto sources,
          written.view->slicer.instruction_sources(written.writer.block, written.writer.statement,
                                                   bytes, {.addresses = false}));
      if (!sources.empty() && is_enough) out.cut = true;
      for (const FlowSource& source : sources) {
        if (is_enough) break;
        TRY_VOID(add(out, hop + 1,
                     {written.view, source.kind == Dependence::Kind::kMemory, source.where,
                      source.size, source.writer, false, source.bytes},
                     &from));
      }
    }
    for (const uint32_t next : from) {
      Rows& known = out.rows[row].from;
      if (std::ranges::find(known, next) == known.end()) known.push_back(next);
    }
    return {};
  }

  /// Which bytes of the statement's result are in question.
  static Result<ByteMask> bytes_of(const Written& written) {
    if (written.size == 0) return written.bytes;
    return written.view->slicer.result_bytes(written.writer, written.in_memory, written.where,
                                             written.size);
  }

  /// What an instruction that the IR does not show in full reads: by its encoding, and its loads.
  Result<void> add_operands(WhoReport& out, uint32_t hop, const Written& written, Rows& rows) {
    ProcessView& view = *written.view;
    TRY(const BlockFlow* flow, view.slicer.flow_at(written.writer.block));
    const InstructionAt at{written.writer.block, flow->instruction_of[written.writer.statement]};
    TRY(const SegmentValues* segment, view.values->segment(at.block.segment));
    const BlockDef* def = view.values->dictionary().find(segment->value(at.block.ordinal));
    const uint32_t first = segment->first_access[at.block.ordinal];
    const uint32_t end = segment->first_access[at.block.ordinal + 1];
    std::vector<Subject> subjects;
    for (uint32_t i = first; i < end; ++i) {
      const MemoryAccess& access = flow->code->accesses[i - first];
      if (access.instruction == at.instruction && access.kind == MemoryAccess::Kind::kLoad &&
          segment->addresses[i] != SegmentValues::kNotDone)
        subjects.push_back({true, segment->addresses[i], access.size, ""});
    }
    const size_t skip = address_of(*def, at.instruction) - def->address.value;
    const auto use = Decoder().registers(def->bytes.subspan(skip, def->lengths[at.instruction]));
    for_each_place(
        use ? use->operands & (kGeneralBits | kVectorBits) : 0,
        [&](uint32_t offset, uint32_t size) { subjects.push_back({false, offset, size, ""}); });
    for (const Subject& subject : subjects)
      TRY_VOID(add_writers(out, hop, view, subject, at, &rows));
    return {};
  }

  /// Adds the row of a writer, which may be there already; of bytes from before a fork those of the
  /// parent's writers.
  Result<void> add(WhoReport& out, uint32_t hop, const Written& written, Rows* rows) {
    if (written.writer.kind == LastWriter::Kind::kParent) {
      TRY(const auto origin, fork_origin(*written.view));
      if (origin) {
        LastWriters& writers = origin->parent->slicer.writers();
        TRY(const auto found,
            written.in_memory ? writers.memory(origin->at, written.where, written.size)
                              : writers.registers(origin->at, static_cast<uint32_t>(written.where),
                                                  written.size));
        for (const BytesWritten& bytes : found) {
          TRY_VOID(add(out, hop,
                       {origin->parent, written.in_memory, written.where + bytes.first, bytes.count,
                        bytes.writer, false},
                       rows));
        }
        return {};
      }
    }
    const LastWriter& writer = written.writer;
    const Key key{written.view->process().info.number,
                  static_cast<uint32_t>(writer.kind),
                  writer.block,
                  writer.statement,
                  writer.outside.event,
                  written.in_memory,
                  written.where,
                  written.size,
                  written.size == 0 ? written.bytes : 0};
    const auto [known, is_new] = rows_.emplace(key, static_cast<uint32_t>(out.rows.size()));
    if (rows != nullptr) rows->push_back(known->second);
    if (!is_new) return {};
    TRY(WhoRow row, make_row(written));
    row.hop = hop;
    out.rows.push_back(std::move(row));
    if (writer.kind == LastWriter::Kind::kStatement) todo_.emplace_back(known->second, written);
    return {};
  }

  Result<WhoRow> make_row(const Written& written) {
    WhoRow row;
    if (written.size != 0) {
      row.subject = written.in_memory
                        ? memory_text(written.where, written.size)
                        : register_text(written.view->process(), written.where, written.size);
    }
    if (written.writer.kind != LastWriter::Kind::kStatement) {
      TRY(const OutsideSource source,
          outside_source(*written.view, written.writer, written.where, written.size));
      row.kind = kind_of(source.kind);
      row.at.position = source.position;
      row.call = source.call;
      row.value = source.value;
      row.input = source.input;
      row.input_offset = source.offset;
      return row;
    }
    TRY(const BlockFlow* flow, written.view->slicer.flow_at(written.writer.block));
    const InstructionAt at{written.writer.block, flow->instruction_of[written.writer.statement]};
    TRY(row.at, written.view->namer.row(at));
    if (written.unseen) {
      TRY(const Registers after, registers_before(*written.view, {at.block, at.instruction + 1}));
      const auto offset = static_cast<uint32_t>(written.where);
      if (written.size > 8 || !after.knows(offset, written.size)) return row;
      uint64_t value = 0;
      std::memcpy(&value, after.bytes.data() + offset, written.size);
      row.value = value;
      return row;
    }
    TRY(row.value, value_of(written, *flow));
    if (written.size != 0) {
      TRY(const SourceName name, SourceNames::of_written(*written.view, at, written.in_memory,
                                                         written.where, written.size));
      row.name = name.text;
      row.shown = name.value;
    }
    return row;
  }

  /// The bytes in question, as they were written.
  Result<std::optional<uint64_t>> value_of(const Written& written, const BlockFlow& flow) {
    ProcessValues& values = *written.view->values;
    const LastWriter& writer = written.writer;
    // Where the machine keeps it when the block has run, and which of its bytes are meant.
    uint32_t from = 0;
    uint64_t skip = 0;
    uint64_t size = written.size;
    if (size == 0) {
      // A value that stayed inside the block: the temporary itself.
      const IrStatement& st = flow.ir.statements[writer.statement];
      if (st.dst == kNoTemp) return std::nullopt;
      const auto parts = stretches(written.bytes, type_size(flow.ir.types[st.dst]));
      if (parts.size() != 1) return std::nullopt;
      from = flow.code->temps[st.dst];
      std::tie(skip, size) = parts[0];
    } else if (written.in_memory) {
      TRY(const SegmentValues* segment, values.segment(writer.block.segment));
      const MemoryAccess& access = flow.code->accesses[writer.access];
      const uint32_t index = segment->first_access[writer.block.ordinal] + writer.access;
      from = access.value;
      skip = written.where - segment->addresses[index];
      if (skip + size > access.size) return std::nullopt;
    } else {
      const RegisterWrite& write = flow.code->register_writes[writer.access];
      if (write.offset_from != RegisterWrite::kFixed) return std::nullopt;
      from = write.value;
      skip = written.where - write.offset;
      if (skip + size > write.size) return std::nullopt;
    }
    if (size > 8) return std::nullopt;
    TRY(Regenerator* const there, values.run_to(writer.block));
    uint64_t value = 0;
    std::memcpy(&value, there->machine().at(from) + skip, size);
    return value;
  }

  struct Key {
    uint32_t process;
    uint32_t kind;
    BlockAt block;
    uint32_t statement;
    uint32_t event;
    bool in_memory;
    uint64_t where;
    uint32_t size;
    ByteMask bytes;
    auto operator<=>(const Key&) const = default;
  };

  Run& run_;
  std::map<Key, uint32_t> rows_;
  std::deque<std::pair<uint32_t, Written>> todo_;
};

}  // namespace

Result<WhoReport> who(Run& run, const Position& at, std::string_view subject,
                      const WhoOptions& options) {
  return WhoSearch(run).run(at, subject, options);
}

}  // namespace twinrun
