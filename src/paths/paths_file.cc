// SPDX-License-Identifier: MIT
#include "paths/paths_file.h"

#include "paths/background.h"
#include "paths/path_archive_builder.h"
#include "paths/path_calls.h"
#include "paths/path_clock.h"
#include "paths/path_code_maker.h"
#include "paths/path_gram_builder.h"
#include "paths/path_index_groups.h"
#include "run/run.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

namespace twinrun {
namespace {

constexpr uint32_t kPathsMagic = 0x46575754;  // "TWWF"
constexpr uint32_t kPathsVersion = 2;         // 1: functions had no extents
constexpr int kIndexLevel = 12;
// An index is at most as large as its archive, but small ones may have this.
constexpr size_t kSmallIndex = 1u << 16;
// Parts that have been told and not taken; each has 200 KB.
constexpr size_t kMostWaiting = 8;

/// Which recording, and how much of it.
struct PathsIdentity {
  uint64_t file_size = 0;
  uint64_t blocks = 0;
  uint64_t instructions = 0;
  uint64_t header = 0;  // XXH3-64
  bool operator==(const PathsIdentity&) const = default;
};

struct PathsHeader {
  uint32_t magic = kPathsMagic;
  uint32_t version = kPathsVersion;
  PathsIdentity identity;
  uint64_t streams = 0;
  uint64_t directory = 0;  // bytes behind the header
  uint64_t checksum = 0;   // XXH3-64 of what stands above and of the directory
};
static_assert(sizeof(PathsHeader) == 64);

PathsIdentity identity_of(const Reader& reader) {
  return {reader.file_size(), reader.blocks(), reader.instructions(),
          XXH3_64bits(&reader.header(), sizeof(TwFileHeader))};
}

uint64_t paths_checksum(const PathsHeader& header, ByteSpan directory) {
  return XXH3_64bits_withSeed(directory.data(), directory.size(),
                              XXH3_64bits(&header, offsetof(PathsHeader, checksum)));
}

/// One trace, while it is made.
struct StreamMaker {
  explicit StreamMaker(int level) {
    archiver.emplace(PathArchiveBuilder::Options{.level = level}, [this](ByteSpan part) {
      archive.insert(archive.end(), part.begin(), part.end());
    });
  }
  Bytes archive;
  std::optional<PathArchiveBuilder> archiver;  // until the trace has ended
  PathGramBuilder grams;
  PathClockBuilder clock;
  PathCalls::Frames frames;
  PathPosition step = 0;
};

/// What a view tells, for those who take it later.
struct ToldPart {
  explicit ToldPart(const PathTold& told)
      : events(told.events.begin(), told.events.end()),
        steps(told.steps.begin(), told.steps.end()),
        marks(told.marks.begin(), told.marks.end()) {}
  [[nodiscard]] PathTold told() const { return {events, steps, marks}; }

  PathTrace events;
  std::vector<PathPosition> steps;
  std::vector<PathMark> marks;
};

}  // namespace

Result<Bytes> make_paths(Run& run, const PathsOptions& options) {
  const Reader& reader = run.reader();
  ByteWriter directory;
  Bytes sections;
  const auto add_section = [&](const Bytes& bytes) {
    directory.varint(bytes.size());
    directory.fixed(XXH3_64bits(bytes.data(), bytes.size()));
    sections.insert(sections.end(), bytes.begin(), bytes.end());
  };
  // One set of functions for all processes: most of them execute the same files.
  CodeSpace space;
  std::vector<std::string> programs;
  for (const auto& [number, process] : reader.processes()) {
    TRY(const auto code, run.borrow(number));
    TRY_VOID(space.add(*code));
    programs.push_back(code->program().path);
  }
  PathFunctions functions(space);
  PathCalls calls;
  uint64_t streams = 0;
  uint64_t done_before = 0;
  // Following the calls, storing the trace and counting its grams take about as long as each other.
  Background archiving(kMostWaiting);
  Background counting(kMostWaiting);
  for (const auto& [number, process] : reader.processes()) {
    TRY(const auto code, run.borrow(number));
    PathView view({space, *code}, functions, {});
    std::map<PathStreamKey, std::unique_ptr<StreamMaker>> makers;
    const auto viewed = view.run([&](const PathStreamKey& key, const PathTold& told) {
      std::unique_ptr<StreamMaker>& maker = makers[key];
      if (!maker) maker = std::make_unique<StreamMaker>(options.level);
      const auto part = std::make_shared<const ToldPart>(told);
      archiving.give([its = maker.get(), part] { its->archiver->take(part->events); });
      counting.give([its = maker.get(), part, &calls] {
        its->grams.take(part->told());
        its->clock.take(part->told());
        calls.take(its->frames, part->told());
      });
      maker->step = told.steps.back();
      if (!options.progress) return;
      uint64_t steps = 0;
      for (const auto& [other, its] : makers) steps += its->step;
      options.progress(done_before + steps);
    });
    archiving.wait();
    counting.wait();
    TRY_VOID(viewed);
    done_before += process.instructions;
    for (const auto& [key, maker] : makers) {
      maker->archiver->flush();
      const uint64_t events = maker->archiver->events();
      maker->archiver.reset();
      directory.varint(number);
      directory.varint(key.thread.value);
      directory.varint(key.stack);
      directory.varint(events);
      maker->grams.end();
      add_section(encode_groups_within(
          [&](const PathGrams::Tell& tell) { maker->grams.each_function(tell); },
          std::max(maker->archive.size(), kSmallIndex), kIndexLevel));
      add_section(maker->archive);
      add_section(maker->clock.finish(options.level));
      ++streams;
    }
  }
  add_section(make_path_code(space, functions, calls, run.binaries(), programs));
  PathsHeader header;
  header.identity = identity_of(reader);
  header.streams = streams;
  header.directory = directory.bytes().size();
  header.checksum = paths_checksum(header, directory.bytes());
  ByteWriter out;
  out.raw({reinterpret_cast<const uint8_t*>(&header), sizeof header});
  out.raw(directory.bytes());
  out.raw(sections);
  return out.take();
}

Result<std::unique_ptr<PathsFile>> PathsFile::open(const std::string& path, const Reader& reader) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail("Q002", "there is no file {}", path);
  std::unique_ptr<PathsFile> out(new PathsFile());
  struct stat status{};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    out->mapped_size_ = static_cast<size_t>(status.st_size);
    out->mapped_ = ::mmap(nullptr, out->mapped_size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (out->mapped_ == MAP_FAILED) out->mapped_ = nullptr;
  }
  ::close(fd);
  if (out->mapped_ == nullptr) return fail("T005", "{} cannot be read", path);
  TRY_VOID(out->read({static_cast<const uint8_t*>(out->mapped_), out->mapped_size_}, reader));
  return out;
}

Result<std::unique_ptr<PathsFile>> PathsFile::from_bytes(Bytes bytes, const Reader& reader) {
  std::unique_ptr<PathsFile> out(new PathsFile());
  out->owned_ = std::move(bytes);
  TRY_VOID(out->read(out->owned_, reader));
  return out;
}

PathsFile::~PathsFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_size_);
}

Result<void> PathsFile::read(ByteSpan bytes, const Reader& reader) {
  PathsHeader header;
  if (bytes.size() < sizeof header)
    return fail("T005", "the file of paths is cut short: {} bytes", bytes.size());
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kPathsMagic)
    return fail("T006", "this is no file of paths: it begins with {:#x}", header.magic);
  if (header.version != kPathsVersion)
    return fail("T004", "the file of paths has version {}, this program reads version {}",
                header.version, kPathsVersion);
  if (header.directory > bytes.size() - sizeof header)
    return fail("T005", "the file of paths is cut short: {} bytes", bytes.size());
  const ByteSpan directory = bytes.subspan(sizeof header, header.directory);
  if (paths_checksum(header, directory) != header.checksum)
    return fail("T005", "the file of paths is damaged");
  if (header.identity != identity_of(reader))
    return fail("Q002", "the file of paths is of another recording, or of less of it");
  ByteReader in(directory);
  ByteReader sections(bytes.subspan(sizeof header + header.directory));
  bool is_damaged = false;
  // The archives and indices have checksums of their own, which are looked at when they are used.
  const auto section = [&](bool check) {
    const uint64_t size = in.varint();
    const auto checksum = in.fixed<uint64_t>();
    const ByteSpan out = sections.take(size);
    if (check && XXH3_64bits(out.data(), out.size()) != checksum) is_damaged = true;
    return out;
  };
  for (uint64_t s = 0; s < header.streams && !in.failed() && !sections.failed(); ++s) {
    PathStream stream;
    stream.process = static_cast<uint32_t>(in.varint());
    stream.key.thread = {static_cast<uint32_t>(in.varint())};
    stream.key.stack = static_cast<uint32_t>(in.varint());
    stream.events = in.varint();
    stream.index = section(false);
    stream.archive = section(false);
    stream.clock = section(true);
    streams_.push_back(stream);
  }
  const ByteSpan code = section(true);
  if (is_damaged || in.failed() || sections.failed())
    return fail("T005", "the file of paths is damaged");
  TRY(code_, PathCode::decode(code));
  return {};
}

}  // namespace twinrun
