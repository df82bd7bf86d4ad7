// SPDX-License-Identifier: MIT
// A history of memory as bytes.
//
//     magic (8)  checksum (8, XXH3-64 of all behind it)  key (string)  raw size (varint)  zstd
//
// Inside are tables, each stored column by column: a column has little that is new from row to row,
// and alike bytes side by side compress well. A number is told as its difference from that of the
// row before, or from one of the same row that it follows closely (the end of a call from its
// begin). fields() lists the columns of a row once, for writing and for reading, so that the two
// cannot disagree. 122 000 blocks of perl, with what its 127 segments write, are 0.4 MB so.
//
// Read are any bytes. The checksum finds damage; what somebody made on purpose gets no more memory
// than its own size allows, and is_sound() holds every reference that is followed later to what is
// there.
#include "memory/history_bytes.h"

#include "trace/coding.h"

#include <xxhash.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace twinrun {
namespace {

constexpr std::string_view kMagic = "TWINMEM\n";
constexpr size_t kChecked = 16;  // where that begins which the checksum is of

// ---- the columns ----

template <typename Row, typename Visit>
  requires std::same_as<std::remove_const_t<Row>, Allocation>
void fields(Row& a, Visit& visit) {
  visit(a.address);
  visit(a.size);
  visit(a.site);
  visit(a.thread);
  visit(a.step);
  visit(a.from_step, a.step.value);
  visit(a.block);
  visit(a.called, a.block);
  visit(a.freed_by);
  visit(a.freed, a.step.value);
  visit(a.freed_from, a.freed.value);
  visit(a.freed_block, a.block);
  visit(a.freed_site);
  visit(a.freed_argument);
  visit(a.allocator);
  visit(a.argument);
  visit(a.is_zeroed);
  visit(a.is_replaced);
  visit(a.from);
}

template <typename Row, typename Visit>
  requires std::same_as<std::remove_const_t<Row>, BadFree>
void fields(Row& bad, Visit& visit) {
  visit(bad.address);
  visit(bad.site);
  visit(bad.thread);
  visit(bad.step);
  visit(bad.block);
  visit(bad.freed);
  visit(bad.inside);
  visit(bad.resizes);
}

template <typename Row, typename Visit>
  requires std::same_as<std::remove_const_t<Row>, StackArea>
void fields(Row& area, Visit& visit) {
  visit(area.begin);
  visit(area.end, area.begin);
  visit(area.frame, area.end);
  visit(area.thread);
  visit(area.step);
  visit(area.site);
  visit(area.block);
  visit(area.ended, area.block);
  visit(area.outer);
}

template <typename Row, typename Visit>
  requires std::same_as<std::remove_const_t<Row>, OutsideWrite>
void fields(Row& write, Visit& visit) {
  visit(write.at);
  visit(write.kind);
  visit(write.thread);
  visit(write.address);
  visit(write.length);
  visit(write.event);
  visit(write.syscall);
}

template <typename Row, typename Visit>
  requires std::same_as<std::remove_const_t<Row>, uint64_t>
void fields(Row& number, Visit& visit) {
  visit(number);
}

// ---- fields as numbers ----

template <typename Field>
uint64_t number_of(const Field& field) {
  if constexpr (requires { field.value; })
    return field.value;
  else
    return static_cast<uint64_t>(field);
}

/// False when it does not fit.
template <typename Field>
bool set(Field& field, uint64_t number) {
  if constexpr (requires { field.value; })
    field.value = static_cast<decltype(field.value)>(number);
  else
    field = static_cast<Field>(number);
  return number_of(field) == number;
}

// ---- tables ----

struct Column {
  ByteWriter bytes;
  uint64_t before = 0;
};

class RowWriter {
 public:
  template <typename Field>
  void operator()(const Field& field) {
    Column& column = next();
    const uint64_t number = number_of(field);
    put(column, number, std::exchange(column.before, number));
  }
  template <typename Field>
  void operator()(const Field& field, uint64_t base) {
    put(next(), number_of(field), base);
  }
  void begin_row() { at_ = 0; }
  void finish(ByteWriter& out) const {
    out.varint(columns_.size());
    for (const Column& column : columns_) {
      out.varint(column.bytes.bytes().size());
      out.raw(column.bytes.bytes());
    }
  }

 private:
  Column& next() {
    if (at_ == columns_.size()) columns_.emplace_back();
    return columns_[at_++];
  }
  static void put(Column& column, uint64_t number, uint64_t base) {
    column.bytes.varint(zigzag(static_cast<int64_t>(number - base)));
  }

  std::vector<Column> columns_;
  size_t at_ = 0;
};

class RowReader {
 public:
  /// False when there are not so many rows.
  bool begin(ByteReader& in, uint64_t rows) {
    const uint64_t count = in.varint();
    for (uint64_t i = 0; i < count && !in.failed(); ++i) {
      const ByteSpan bytes = in.take(in.varint());
      if (bytes.size() < rows) return false;
      columns_.emplace_back(ByteReader(bytes), 0);
    }
    return !in.failed() && (rows == 0 || !columns_.empty());
  }
  template <typename Field>
  void operator()(Field& field) {
    if (at_ == columns_.size()) return fail();
    auto& [bytes, before] = columns_[at_++];
    before = get(bytes, before);
    if (!set(field, before)) fail();
  }
  template <typename Field>
  void operator()(Field& field, uint64_t base) {
    if (at_ == columns_.size()) return fail();
    if (!set(field, get(columns_[at_++].first, base))) fail();
  }
  void begin_row() { at_ = 0; }
  [[nodiscard]] bool is_whole() const {
    return !failed_ && std::ranges::all_of(columns_, [](const auto& column) {
      return column.first.at_end() && !column.first.failed();
    });
  }

 private:
  void fail() { failed_ = true; }
  static uint64_t get(ByteReader& bytes, uint64_t base) {
    return base + static_cast<uint64_t>(unzigzag(bytes.varint()));
  }

  std::vector<std::pair<ByteReader, uint64_t>> columns_;
  size_t at_ = 0;
  bool failed_ = false;
};

template <typename Row>
void write_table(ByteWriter& out, const std::vector<Row>& rows) {
  RowWriter writer;
  for (const Row& row : rows) {
    writer.begin_row();
    fields(row, writer);
  }
  out.varint(rows.size());
  writer.finish(out);
}

template <typename Row>
bool read_table(ByteReader& in, std::vector<Row>& rows) {
  RowReader reader;
  const uint64_t count = in.varint();
  if (!reader.begin(in, count)) return false;
  rows.resize(count);
  for (Row& row : rows) {
    reader.begin_row();
    fields(row, reader);
  }
  return reader.is_whole();
}

// ---- the parts ----

void write_log(ByteWriter& out, const AllocationLog& log) {
  write_table(out, log.all());
  out.varint(log.allocators().size());
  for (const std::string& name : log.allocators()) out.string(name);
  write_table(out, log.bad_frees());
  for (const uint64_t number :
       {log.unknown_frees(), log.most_bytes(), uint64_t{log.uses_usable_size() ? 1u : 0u}})
    out.varint(number);
}

bool read_log(ByteReader& in, AllocationLog::Parts& log) {
  if (!read_table(in, log.all)) return false;
  const uint64_t names = in.varint();
  for (uint64_t i = 0; i < names && !in.failed(); ++i) log.names.emplace_back(in.string());
  if (!read_table(in, log.bad_frees)) return false;
  log.unknown_frees = in.varint();
  log.most_bytes = in.varint();
  return set(log.uses_usable_size, in.varint()) && !in.failed();
}

bool is_known(OutsideWrite::Kind kind) {
  using enum OutsideWrite::Kind;
  switch (kind) {
    case kSyscall:
    case kSignal:
    case kStartup:
    case kClobbered:
    case kMapped:
    case kRegisters: return true;
  }
  return false;
}

bool is_sound(const AllocationLog::Parts& log, bool has_names) {
  const auto is_block = [&](uint32_t number) {
    return number == Allocation::kNoBlock || number < log.all.size();
  };
  for (size_t i = 0; i < log.all.size(); ++i) {
    const Allocation& made = log.all[i];
    if (made.from != Allocation::kNoBlock && made.from >= i) return false;
    if (has_names && made.allocator >= log.names.size()) return false;
    // Whoever looks for one relies on the order in which they were made.
    if (i > 0 && made.block < log.all[i - 1].block) return false;
  }
  return std::ranges::all_of(log.bad_frees, [&](const BadFree& bad) {
    return is_block(bad.freed) && is_block(bad.inside);
  });
}

bool is_sound(const KeptMemory& kept) {
  if (!is_sound(kept.blocks, true) || !is_sound(kept.mappings, false)) return false;
  for (size_t i = 0; i < kept.areas.size(); ++i)
    if (kept.areas[i].outer != StackArea::kNone && kept.areas[i].outer >= i) return false;
  return std::ranges::all_of(kept.segments, [](const auto& segment) {
    return !segment || (std::ranges::is_sorted(segment->lines) &&
                        std::ranges::all_of(segment->mappings, [](const OutsideWrite& write) {
                          return is_known(write.kind);
                        }));
  });
}

}  // namespace

Bytes encode_history(const HistoryView& view, ByteSpan key) {
  ByteWriter raw;
  write_log(raw, view.blocks);
  write_log(raw, view.mappings);
  write_table(raw, view.areas);
  raw.varint(view.segment_count);
  for (uint32_t i = 0; i < view.segment_count; ++i) {
    const HistoryView::Segment segment = view.segment(i);
    raw.varint(segment.lines != nullptr ? 1 : 0);
    if (segment.lines == nullptr) continue;
    write_table(raw, *segment.lines);
    write_table(raw, segment.mappings);
  }
  ByteWriter checked;
  checked.varint(key.size());
  checked.raw(key);
  checked.varint(raw.bytes().size());
  checked.raw(zstd_compress(raw.bytes()));
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(kMagic.data()), kMagic.size()});
  out.fixed<uint64_t>(XXH3_64bits(checked.bytes().data(), checked.bytes().size()));
  out.raw(checked.bytes());
  return out.take();
}

std::optional<KeptMemory> decode_history(ByteSpan bytes, ByteSpan key) {
  if (bytes.size() < kChecked || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    return std::nullopt;
  ByteReader head(bytes.subspan(kMagic.size()));
  const ByteSpan checked = bytes.subspan(kChecked);
  if (head.fixed<uint64_t>() != XXH3_64bits(checked.data(), checked.size())) return std::nullopt;
  ByteReader packed(checked);
  const ByteSpan its_key = packed.take(packed.varint());
  if (packed.failed() || !std::ranges::equal(its_key, key)) return std::nullopt;
  const uint64_t size = packed.varint();
  const auto raw = zstd_decompress(packed.take(packed.left()), size);
  if (!raw) return std::nullopt;
  ByteReader in(*raw);
  KeptMemory out;
  if (!read_log(in, out.blocks) || !read_log(in, out.mappings) || !read_table(in, out.areas))
    return std::nullopt;
  const uint64_t segments = in.varint();
  for (uint64_t i = 0; i < segments && !in.failed(); ++i) {
    auto& segment = out.segments.emplace_back();
    if (in.varint() == 0) continue;
    segment.emplace();
    if (!read_table(in, segment->lines) || !read_table(in, segment->mappings)) return std::nullopt;
  }
  if (in.failed() || !in.at_end() || !is_sound(out)) return std::nullopt;
  return out;
}

}  // namespace twinrun
