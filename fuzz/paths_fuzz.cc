// SPDX-License-Identifier: MIT
// Arbitrary bytes as what is read about paths: a pattern, the functions, the steps, the index, an
// archive. The first byte says which; the rest is what comes out of zstd, and checksums are made
// right, so that it gets deep into the parsers.
#include "base/check.h"
#include "paths/path_archive.h"
#include "paths/path_archive_reader.h"
#include "paths/path_clock.h"
#include "paths/path_code.h"
#include "paths/path_index_groups.h"
#include "paths/path_pattern.h"
#include "trace/coding.h"
#include "trace/zstd_stream.h"

#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

using namespace twinrun;

namespace {

/// Cuts the input into sections: two bytes say how long each is.
template <size_t N>
std::array<ByteSpan, N> sections_of(ByteReader& in) {
  std::array<ByteSpan, N> out;
  for (ByteSpan& section : out)
    section = in.take(std::min<uint64_t>(in.fixed<uint16_t>(), in.left()));
  return out;
}

void as_pattern(ByteSpan bytes) {
  const auto pattern = parse_path(
      {reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 400)});
  if (!pattern) return;
  const PathPattern again = pattern->reversed().reversed();
  CHECK(again.first == pattern->first && again.last == pattern->last);
}

void as_code(ByteReader& in) {
  const auto sections = sections_of<2>(in);
  const Bytes head = zstd_compress(sections[0]);
  ByteWriter out;
  out.fixed(static_cast<uint64_t>(sections[0].size()));
  out.fixed(static_cast<uint64_t>(head.size()));
  out.raw(head);
  out.raw(zstd_compress(sections[1]));
  const auto code = PathCode::decode(out.bytes());
  if (!code) return;
  (void)code->find("f");
  (void)code->body(0);
  (void)code->each_body([](uint32_t, const PathBody&) {});
}

void as_clock(ByteReader& in) {
  const PathLengths lengths;
  const ByteSpan raw = in.take(in.left());
  ByteWriter out;
  out.fixed(static_cast<uint64_t>(raw.size()));
  out.raw(zstd_compress(raw));
  auto clock = PathClockReader::open(out.bytes(), lengths);
  if (!clock) return;
  PathTrace trace{PathEvent::entry(0)};
  for (uint32_t i = 0; i < 100; ++i) trace.push_back(PathEvent::block(i % 7));
  std::vector<PathPosition> steps;
  clock->steps(trace, steps);
}

void as_index(ByteReader& in) {
  // The header of paths/path_index_file.cc.
  struct {
    uint32_t magic = 0x49575754;
    uint32_t version = 1;
    uint32_t segments = 0;
    uint32_t grams = 0;
    uint64_t events = 0;
    std::array<uint32_t, 8> raw{};
    std::array<uint32_t, 8> coded{};
    uint64_t checksum = 0;
  } header;
  header.segments = in.fixed<uint8_t>();
  header.grams = in.fixed<uint8_t>();
  Bytes body;
  const auto sections = sections_of<8>(in);
  for (size_t c = 0; c < sections.size(); ++c) {
    const Bytes coded = zstd_compress(sections[c]);
    header.raw[c] = static_cast<uint32_t>(sections[c].size());
    header.coded[c] = static_cast<uint32_t>(coded.size());
    body.insert(body.end(), coded.begin(), coded.end());
  }
  header.checksum = XXH3_64bits_withSeed(
      body.data(), body.size(), XXH3_64bits(&header, offsetof(decltype(header), checksum)));
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(&header), sizeof header});
  out.raw(body);
  const auto index = PathIndex::decode(out.bytes());
  if (!index) return;
  index->make_all();
  (void)index->segments();
  (void)index->pairs();
  for (const PathIndex::Segment& segment : index->segments()) {
    std::vector<uint32_t> twice(segment.blocks.begin(), segment.blocks.end());
    twice.insert(twice.end(), segment.blocks.begin(), segment.blocks.end());
    (void)index->find({segment.function, twice});
  }
}

void as_archive(ByteReader& in) {
  using namespace path_archive;
  ChunkHeader header;
  header.segments = in.fixed<uint8_t>();
  header.pieces = in.fixed<uint8_t>();
  header.sites = in.fixed<uint8_t>();
  header.events = in.fixed<uint16_t>();
  Bytes body;
  const auto sections = sections_of<kSections>(in);
  for (size_t s = 0; s < kSections; ++s) {
    ZstdWriter zstd(1);
    const Bytes coded = zstd.add(sections[s]);
    header.raw_bytes[s] = static_cast<uint32_t>(sections[s].size());
    header.coded_bytes[s] = static_cast<uint32_t>(coded.size());
    body.insert(body.end(), coded.begin(), coded.end());
  }
  header.checksum = XXH3_64bits_withSeed(body.data(), body.size(),
                                         XXH3_64bits(&header, offsetof(ChunkHeader, checksum)));
  const FileHeader file;
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(&file), sizeof file});
  out.raw({reinterpret_cast<const uint8_t*>(&header), sizeof header});
  out.raw(body);
  const auto trace = expand_archive(out.bytes());
  CHECK(!trace || is_well_formed(*trace));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteReader in({data, size});
  switch (in.fixed<uint8_t>() % 5) {
    case 0: as_pattern(in.take(in.left())); break;
    case 1: as_code(in); break;
    case 2: as_clock(in); break;
    case 3: as_index(in); break;
    default: as_archive(in);
  }
  return 0;
}
