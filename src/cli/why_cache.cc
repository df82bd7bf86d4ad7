// SPDX-License-Identifier: MIT
// Answers that are kept beside the recordings, so that `show D2` behind `why` need not align and
// slice again.
//
// An answer is taken only when nothing that it depends on has changed; all of that is its key:
// which recordings and how much of them, the flags, this very build of the program, and the state
// of the binaries and their debug files on the disk, from which names and lines come. Source files
// are not of it: their lines are read when the answer is printed. The file's name holds a hash of
// the recordings and the flags alone, so that an answer which no longer fits is replaced and none
// is left over.
//
// Costs reading the events of both runs once, for the files that they mapped, and the headers of
// those.
#include "cli/why_cache.h"

#include "base/bytes.h"
#include "base/files.h"
#include "base/kept_file.h"
#include "base/own_build.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/store.h"
#include "explain/answer/why_bytes.h"
#include "run/binary_states.h"
#include "run/executable_files.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace twinrun {
namespace fs = std::filesystem;
namespace {

Uuid uuid_of(const TwFileHeader& header) {
  Uuid out;
  std::ranges::copy(header.uuid, out.begin());
  return out;
}

/// Which recording, how much of it, and the binaries that it names.
Result<void> add_run(ByteWriter& out, const Run& run) {
  const Reader& reader = run.reader();
  out.raw({reinterpret_cast<const uint8_t*>(&reader.header()), sizeof(TwFileHeader)});
  out.varint(reader.file_size());
  out.varint(reader.blocks());
  out.varint(reader.instructions());
  std::vector<uint32_t> processes;
  for (const auto& [number, process] : reader.processes()) processes.push_back(number);
  TRY(const std::vector<MappedFile> files, executable_files(reader, processes));
  add_binary_states(out, files, run.binaries().debug_directories());
  return {};
}

void add_options(ByteWriter& out, const WhyOptions& options) {
  out.varint(options.limit);
  out.fixed(std::bit_cast<uint64_t>(options.budget));
  out.string(options.anchor);
  out.varint(static_cast<uint64_t>(options.loops));
  out.varint(options.normalizes ? 1 : 0);
  out.varint(options.enhances ? 1 : 0);
  out.varint(options.regions.size());
  for (const uint32_t node : options.regions) out.varint(node);
  out.varint(options.allocators.size());
  for (const AllocatorRule& rule : options.allocators) {
    out.string(rule.name);
    out.varint(static_cast<uint64_t>(rule.kind));
    for (const uint8_t argument : {rule.size, rule.count, rule.pointer}) out.varint(argument);
  }
  out.varint(static_cast<uint64_t>(options.target.kind));
  for (const std::string& text : {options.target.at, options.target.value, options.target.to})
    out.string(text);
  out.varint(static_cast<uint64_t>(options.target.descriptor));
  out.varint(options.target.offset);
}

/// Where an answer is kept, and what it depends on.
struct Place {
  std::string path;
  Bytes key;
};
Result<std::optional<Place>> place_of(const RunPair& runs, const WhyOptions& options) {
  const Reader& a = runs.a().reader();
  const Reader& b = runs.b().reader();
  const auto directory = [](const Reader& reader) { return fs::path(reader.path()).parent_path(); };
  const auto is_finished = [](const Reader& reader) {
    return !reader.path().empty() && !reader.path().ends_with(kPartialSuffix);
  };
  if (!is_finished(a) || !is_finished(b) || directory(a) != directory(b)) return std::nullopt;
  ByteWriter name;
  name.raw(uuid_of(a.header()));
  name.raw(uuid_of(b.header()));
  add_options(name, options);
  ByteWriter key;
  key.string(kVersion);
  key.raw(own_build_id());
  key.raw(name.bytes());
  TRY_VOID(add_run(key, runs.a()));
  TRY_VOID(add_run(key, runs.b()));
  return Place{fmt::format("{}{}{:016x}", a.path(), kWhySuffix,
                           XXH3_64bits(name.bytes().data(), name.bytes().size())),
               key.take()};
}

std::optional<WhyAnswer> find_kept(const Place& place, const Reader& a, const Reader& b) {
  const auto bytes = read_file(place.path);
  if (!bytes) return std::nullopt;
  auto kept = decode_why(*bytes);
  if (!kept || kept->key != place.key) return std::nullopt;
  // As the user calls them now.
  kept->report.a.path = a.path();
  kept->report.b.path = b.path();
  return WhyAnswer{std::move(kept->report), std::move(kept->warnings)};
}

}  // namespace

Result<WhyAnswer> kept_why(RunPair& runs, const WhyOptions& options) {
  const Reader& a = runs.a().reader();
  const Reader& b = runs.b().reader();
  // What is wrong with a recording is told by who needs it.
  const auto place = place_of(runs, options).value_or(std::nullopt);
  if (place) {
    if (auto kept = find_kept(*place, a, b)) return std::move(*kept);
  }
  TRY(WhyReport report, why(runs, options));
  WhyAnswer out{std::move(report), runs.a().binaries().warnings()};
  if (place)
    write_kept(place->path, encode_why({.a = uuid_of(a.header()),
                                        .b = uuid_of(b.header()),
                                        .key = place->key,
                                        .report = out.report,
                                        .warnings = out.warnings}));
  return out;
}

std::vector<std::string> kept_answers(const std::string& recording) {
  std::vector<std::string> out;
  const auto begin_of = [](const std::string& path, std::span<uint8_t> to) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return false;
    const bool is_whole = pread(fd, to.data(), to.size(), 0) == static_cast<ssize_t>(to.size());
    close(fd);
    return is_whole;
  };
  std::array<uint8_t, sizeof(TwFileHeader)> start{};
  if (!begin_of(recording, start)) return out;
  TwFileHeader header{};
  std::memcpy(&header, start.data(), sizeof header);
  const Uuid uuid = uuid_of(header);
  const std::string own = std::string(base_name(recording)) + std::string(kWhySuffix);
  const std::string infix = std::string(kRecordingSuffix) + std::string(kWhySuffix);
  const fs::path directory = fs::path(recording).parent_path();
  std::error_code status;
  fs::directory_iterator files(directory.empty() ? fs::path(".") : directory, status);
  for (; !status && files != fs::directory_iterator(); files.increment(status)) {
    const std::string name = files->path().filename().string();
    const std::string path = (directory / name).string();
    if (name.find(infix) == std::string::npos && !name.starts_with(own)) continue;
    std::array<uint8_t, kWhyHeader> head{};
    const auto of = begin_of(path, head) ? why_file_of(head) : std::nullopt;
    // Of its own name also what is damaged.
    if (name.starts_with(own) || (of && (of->a == uuid || of->b == uuid))) out.push_back(path);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace twinrun
