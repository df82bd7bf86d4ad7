// SPDX-License-Identifier: MIT
// The grams of an index as bytes: a header, then columns, each a zstd frame. Segments and grams are
// written in their order, so that each has much in common with the one before.
#include "paths/folded_difference.h"
#include "paths/path_index.h"
#include "trace/coding.h"

#include <xxhash.h>

#include <array>
#include <cstring>

namespace twinrun {
namespace {

constexpr uint32_t kIndexMagic = 0x49575754;  // "TWWI"
constexpr uint32_t kIndexVersion = 1;

enum IndexColumn : uint8_t {
  kSegmentHeads,  // function - that before, of its first segment the order; blocks; blocks as in
                  // the segment before; stretches, the blocks in each but the last
  kSegmentBlocks,
  kGramSegments,
  kGramHistories,  // of each run: 0 as in the gram before, 1 none, else shape in the function + 2
  kGramTurns,      // of those that have a shape
  kGramCounts,
  kGramFirst,
  kGramLast,
  kColumns,
};

struct IndexHeader {
  uint32_t magic = kIndexMagic;
  uint32_t version = kIndexVersion;
  uint32_t segments = 0;
  uint32_t grams = 0;
  uint64_t events = 0;
  std::array<uint32_t, kColumns> raw_bytes{};
  std::array<uint32_t, kColumns> coded_bytes{};
  uint64_t checksum = 0;  // XXH3-64 of what stands above and of the columns
};
static_assert(sizeof(IndexHeader) == 96);

uint64_t index_checksum(const IndexHeader& header, ByteSpan body) {
  return XXH3_64bits_withSeed(body.data(), body.size(),
                              XXH3_64bits(&header, offsetof(IndexHeader, checksum)));
}

}  // namespace

Bytes PathIndex::encode(const PathGrams& grams, int level) {
  std::array<ByteWriter, kColumns> columns;
  // Where the segments of each segment's function begin.
  std::vector<uint32_t> begins;
  const PathGrams::Segment* before = nullptr;
  for (const PathGrams::Segment& segment : grams.segments) {
    const auto number = static_cast<uint32_t>(begins.size());
    const bool same = before != nullptr && before->function == segment.function;
    begins.push_back(same ? begins.back() : number);
    const auto blocks = grams.blocks_of(segment);
    const auto stretches = grams.stretches_of(segment);
    size_t common = 0;
    if (same) {
      const auto previous = grams.blocks_of(*before);
      while (common < std::min(blocks.size(), previous.size()) &&
             blocks[common] == previous[common])
        ++common;
    }
    columns[kSegmentHeads].varint(segment.function - (before == nullptr ? 0 : before->function));
    if (!same) columns[kSegmentHeads].varint(segment.order);
    columns[kSegmentHeads].varint(blocks.size());
    columns[kSegmentHeads].varint(common);
    columns[kSegmentHeads].varint(stretches.size());
    for (size_t i = 1; i < stretches.size(); ++i)
      columns[kSegmentHeads].varint(stretches[i] - stretches[i - 1]);
    for (size_t i = common; i < blocks.size(); ++i)
      columns[kSegmentBlocks].varint(i == 0 ? blocks[0] + uint64_t{1} : blocks[i] - blocks[i - 1]);
    before = &segment;
  }
  PathGrams::Gram last;
  for (const PathGrams::Gram& gram : grams.grams) {
    const uint32_t begin = begins[gram.segment];
    // What the function's order leaves out is not there, neither now nor for the next gram.
    columns[kGramSegments].varint(fold_difference(uint64_t{gram.segment} - last.segment));
    for (uint32_t i = 0; i + 1 < grams.segments[gram.segment].order; ++i) {
      const PathGrams::Run run = gram.history[i];
      columns[kGramHistories].varint(run == last.history[i] ? 0
                                     : !run.exists()        ? 1
                                                            : run.shape() - begin + uint64_t{2});
      if (run.exists() && run != last.history[i]) columns[kGramTurns].varint(run.turns());
    }
    columns[kGramCounts].varint(gram.count);
    PathPosition previous = 0;
    for (uint32_t i = 0; i < grams.segments[gram.segment].stretches; ++i) {
      const PathGrams::Range& range = grams.ranges[gram.ranges_at + i];
      columns[kGramFirst].varint(fold_difference(range.first - previous));
      columns[kGramLast].varint(range.last - range.first);
      previous = range.first;
    }
    last = gram;
  }
  IndexHeader header;
  header.segments = static_cast<uint32_t>(grams.segments.size());
  header.grams = static_cast<uint32_t>(grams.grams.size());
  header.events = grams.events;
  Bytes body;
  for (size_t c = 0; c < kColumns; ++c) {
    const Bytes coded = zstd_compress(columns[c].bytes(), level);
    header.raw_bytes[c] = static_cast<uint32_t>(columns[c].bytes().size());
    header.coded_bytes[c] = static_cast<uint32_t>(coded.size());
    body.insert(body.end(), coded.begin(), coded.end());
  }
  header.checksum = index_checksum(header, body);
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(&header), sizeof header});
  out.raw(body);
  return out.take();
}

namespace {

Result<void> read_index_segments(ByteSpan heads, ByteSpan block_bytes, uint32_t count,
                                 PathGrams& out) {
  ByteReader in(heads);
  ByteReader in_blocks(block_bytes);
  uint64_t function = 0;
  for (uint32_t s = 0; s < count && !in.failed(); ++s) {
    const uint64_t step = in.varint();
    function += step;
    const bool same = step == 0 && s > 0;
    const uint64_t order = same ? out.segments.back().order : in.varint();
    const uint64_t blocks = in.varint();
    const uint64_t common = in.varint();
    const uint64_t stretches = in.varint();
    const uint64_t most_common = out.segments.empty() ? 0 : out.segments.back().blocks;
    if (step >= PathEvent::kMostFunctions || function >= PathEvent::kMostFunctions || order == 0 ||
        order > PathGrams::kMostOrder || blocks == 0 || common > blocks || common > most_common ||
        blocks - common > in_blocks.left() || stretches == 0 || stretches > blocks ||
        stretches - 1 > in.left() || out.blocks.size() + blocks > PathEvent::kMostBlocks)
      return fail("T006", "segment {} of the index of paths has {} blocks in {} stretches", s,
                  blocks, stretches);
    PathGrams::Segment segment{.function = static_cast<uint32_t>(function),
                               .blocks = static_cast<uint32_t>(blocks),
                               .blocks_at = static_cast<uint32_t>(out.blocks.size()),
                               .stretches = static_cast<uint32_t>(stretches),
                               .stretches_at = static_cast<uint32_t>(out.stretches.size()),
                               .order = static_cast<uint32_t>(order)};
    uint64_t begin = 0;
    out.stretches.push_back(0);
    for (uint64_t i = 1; i < stretches; ++i) {
      const uint64_t distance = in.varint();
      begin += distance;
      if (distance == 0 || distance > blocks || begin >= blocks)
        return fail("T006", "segment {} of the index of paths has stretches outside of it", s);
      out.stretches.push_back(static_cast<uint32_t>(begin));
    }
    const size_t previous_at = out.segments.empty() ? 0 : out.segments.back().blocks_at;
    for (uint64_t i = 0; i < common; ++i) {
      const uint32_t block = out.blocks[previous_at + i];
      out.blocks.push_back(block);
    }
    uint64_t next = common == 0 ? 0 : uint64_t{out.blocks.back()} + 1;
    for (uint64_t i = common; i < blocks; ++i) {
      const uint64_t distance = in_blocks.varint();
      if (distance == 0 || distance > PathEvent::kMostBlocks ||
          next + distance > PathEvent::kMostBlocks)
        return fail("T006", "segment {} of the index of paths has a block that does not exist", s);
      out.blocks.push_back(static_cast<uint32_t>(next + distance - 1));
      next += distance;
    }
    out.segments.push_back(segment);
  }
  if (in.failed() || !in.at_end() || in_blocks.failed() || !in_blocks.at_end())
    return fail("T006", "the segments of the index of paths do not fit");
  return {};
}

Result<void> read_grams(std::span<const Bytes> columns, uint32_t count, PathGrams& out) {
  ByteReader segments(columns[kGramSegments]);
  ByteReader histories(columns[kGramHistories]);
  ByteReader turns(columns[kGramTurns]);
  ByteReader counts(columns[kGramCounts]);
  ByteReader firsts(columns[kGramFirst]);
  ByteReader lasts(columns[kGramLast]);
  std::vector<uint32_t> begins(out.segments.size());
  for (uint32_t s = 0; s < out.segments.size(); ++s)
    begins[s] =
        s > 0 && out.segments[s - 1].function == out.segments[s].function ? begins[s - 1] : s;
  PathGrams::Gram gram;
  for (uint32_t g = 0; g < count && !segments.failed(); ++g) {
    const uint64_t number = gram.segment + unfold_difference(segments.varint());
    if (number >= out.segments.size())
      return fail("T006", "gram {} of the index of paths has no segment", g);
    gram.segment = static_cast<uint32_t>(number);
    const PathGrams::Segment& segment = out.segments[gram.segment];
    for (uint32_t i = 0; i + 1 < segment.order; ++i) {
      const uint64_t code = histories.varint();
      PathGrams::Run& run = gram.history[i];
      if (code == 1) run = {};
      if (code > 1) {
        const uint64_t shape = begins[gram.segment] + code - 2;
        const uint64_t many = turns.varint();
        if (code > out.segments.size() + 2 || shape >= out.segments.size() || many == 0 ||
            many > PathGrams::Run::kMostTurns)
          return fail("T006", "gram {} of the index of paths follows on no segment", g);
        run = {static_cast<uint32_t>(shape), static_cast<uint32_t>(many)};
      }
      if (run.exists() && (out.segments[run.shape()].function != segment.function ||
                           (i > 0 && !gram.history[i - 1].exists())))
        return fail("T006", "gram {} of the index of paths follows on another function", g);
    }
    for (uint32_t i = segment.order - 1; i < gram.history.size(); ++i) gram.history[i] = {};
    gram.count = counts.varint();
    gram.ranges_at = static_cast<uint32_t>(out.ranges.size());
    if (segment.stretches > firsts.left() || segment.stretches > lasts.left())
      return fail("T006", "gram {} of the index of paths has no positions", g);
    PathPosition first = 0;
    for (uint32_t i = 0; i < segment.stretches; ++i) {
      first += unfold_difference(firsts.varint());
      out.ranges.push_back({first, first + lasts.varint()});
    }
    out.grams.push_back(gram);
  }
  for (const ByteReader* in : {&segments, &histories, &turns, &counts, &firsts, &lasts})
    if (in->failed() || !in->at_end())
      return fail("T006", "the grams of the index of paths do not fit");
  return {};
}

}  // namespace

Result<PathIndex> PathIndex::decode(ByteSpan bytes, PathLengths lengths) {
  IndexHeader header;
  if (bytes.size() < sizeof header)
    return fail("T005", "the index of paths is cut short: {} bytes", bytes.size());
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kIndexMagic)
    return fail("T006", "this is no index of paths: it begins with {:#x}", header.magic);
  if (header.version != kIndexVersion)
    return fail("T004", "the index of paths has version {}, this program reads version {}",
                header.version, kIndexVersion);
  const ByteSpan body = bytes.subspan(sizeof header);
  if (index_checksum(header, body) != header.checksum)
    return fail("T005", "the index of paths is damaged");
  std::array<Bytes, kColumns> columns;
  ByteReader in(body);
  for (size_t c = 0; c < kColumns; ++c) {
    const ByteSpan coded = in.take(header.coded_bytes[c]);
    if (in.failed()) return fail("T006", "the index of paths has columns outside of it");
    TRY(columns[c], zstd_decompress(coded, header.raw_bytes[c]));
  }
  PathGrams grams;
  grams.events = header.events;
  TRY_VOID(
      read_index_segments(columns[kSegmentHeads], columns[kSegmentBlocks], header.segments, grams));
  TRY_VOID(read_grams(columns, header.grams, grams));
  // Each segment was executed: the table of order 1 relies on that.
  std::vector<bool> executed(grams.segments.size());
  for (const PathGrams::Gram& gram : grams.grams) executed[gram.segment] = true;
  for (const bool was : executed)
    if (!was) return fail("T006", "the index of paths has a segment that was not executed");
  grams.settle();
  return PathIndex(std::move(grams), std::move(lengths));
}

}  // namespace twinrun
