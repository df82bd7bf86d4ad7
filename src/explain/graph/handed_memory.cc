// SPDX-License-Identifier: MIT
// What a process reads in shared memory and has not written itself, in who wrote it.
//
// A recording has what each load brought. When that is not what the process itself, or the one that
// it was forked from, left there, somebody else wrote it: another process that has the same object,
// a file or memory without one, at another address perhaps. In which order processes wrote is not
// recorded. So each of the others is asked for its last write of this very value at this place, and
// only when exactly one of them has written it that one is told; what the kernel put there for
// another process, and what several wrote alike, stays an input. The value is the proof: whoever is
// told has put it there, and nobody else whom the recording knows.
//
// Costs a search for the last writers in each process that shares the object, and for one that went
// on writing there a few more.
#include "explain/graph/handed_over.h"

#include "values/past_memory.h"

#include <algorithm>

namespace twinrun {
namespace {

constexpr uint32_t kWritesMost = 64;  // of a process at one place

bool holds(ProcessView& view, Moment at, uint64_t address, std::span<const uint8_t> value) {
  std::vector<uint8_t> there(value.size());
  PastMemory memory(view, at);
  return memory.read(address, there) && std::ranges::equal(there, value);
}

/// Whether the process left that value there itself.
Result<bool> is_own(ProcessView& view, const LastWriter& writer, uint64_t address,
                    std::span<const uint8_t> value) {
  switch (writer.kind) {
    case LastWriter::Kind::kStatement:
      return holds(view, {writer.block, writer.statement + 1}, address, value);
    case LastWriter::Kind::kParent: {
      TRY(const auto origin, fork_origin(view));
      return origin && holds(*origin->parent, origin->at, address, value);
    }
    case LastWriter::Kind::kOutside:
      // What was mapped and is still zero, nobody has written.
      return writer.outside.kind != OutsideWrite::Kind::kMapped ||
             std::ranges::all_of(value, [](uint8_t byte) { return byte == 0; });
    default: return true;
  }
}

/// The last statement of a process that wrote the value; nothing for none.
Result<std::optional<LastWriter>> last_write(ProcessView& view, uint64_t address,
                                             std::span<const uint8_t> value) {
  TRY(const auto end, last_block_of(view));
  if (!end) return std::nullopt;
  Moment at{*end, ~0u};
  for (uint32_t i = 0; i < kWritesMost; ++i) {
    TRY(const auto found,
        view.slicer.writers().memory(at, address, static_cast<uint32_t>(value.size())));
    if (found.size() != 1 || found[0].writer.kind != LastWriter::Kind::kStatement)
      return std::nullopt;
    const LastWriter& writer = found[0].writer;
    if (holds(view, {writer.block, writer.statement + 1}, address, value)) return writer;
    at = {writer.block, writer.statement};
  }
  return std::nullopt;
}

}  // namespace

Result<const std::vector<SharedPart>*> HandOvers::shared(RunSide side, uint32_t process) {
  const auto [known, is_new] = shared_.try_emplace({side, process});
  if (is_new) {
    const Reader& reader = runs_.run(side).reader();
    TRY(known->second, shared_parts(reader, *reader.process(process)));
  }
  return &known->second;
}

Result<std::optional<HandedOver>> HandOvers::find_shared(RunSide side, ProcessView& view,
                                                         const LastWriter& writer,
                                                         const BytesOf& bytes,
                                                         std::span<const uint8_t> value) {
  if (!bytes.in_memory || value.empty() || value.size() != bytes.size) return std::nullopt;
  Run& run = runs_.run(side);
  const uint32_t own = view.process().info.number;
  TRY(const std::vector<SharedPart>* parts, shared(side, own));
  const auto here = std::find_if(parts->rbegin(), parts->rend(), [&](const SharedPart& part) {
    return part.has(bytes.where, bytes.size);
  });
  if (here == parts->rend()) return std::nullopt;
  TRY(const bool is_known, is_own(view, writer, bytes.where, value));
  if (is_known) return std::nullopt;
  const uint64_t offset = here->offset + (bytes.where - here->address);
  std::optional<HandedOver> out;
  for (const auto& [number, process] : run.reader().processes()) {
    if (number == own) continue;
    TRY(const std::vector<SharedPart>* others, shared(side, number));
    std::vector<uint64_t> tried;
    for (const SharedPart& part : *others) {
      const uint64_t address = part.address + (offset - part.offset);
      if (part.object != here->object || !part.is_writable || offset < part.offset ||
          !part.has(address, bytes.size) || std::ranges::find(tried, address) != tried.end())
        continue;
      tried.push_back(address);
      TRY(ProcessView* const other, view_of(run, number));
      TRY(const auto found, last_write(*other, address, value));
      if (!found) continue;
      if (out) return std::nullopt;  // either of them
      out = HandedOver{.from = other, .block = found->block, .bytes = {true, address, bytes.size}};
    }
  }
  return out;
}

}  // namespace twinrun
