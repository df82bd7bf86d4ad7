// SPDX-License-Identifier: MIT
// Feeds mutated bytes to everything that reads a recording. Checksums are ignored, so that
// mutations get past them into the parsers; the first byte chooses whether the index is used or a
// scan.
#include "trace/cursor.h"
#include "trace/initial_stack.h"
#include "trace/ir.h"
#include "trace/maps.h"
#include "trace/position.h"
#include "trace/reader.h"
#include "trace/timeline.h"
#include "trace/verify.h"

#include <cstddef>
#include <cstdint>

using namespace twinrun;

namespace {

constexpr uint64_t kMostSteps = 2000;

void read_process(const Reader& reader, uint32_t number, const Process& process) {
  const auto dictionary = reader.dictionary(number);
  if (!dictionary) return;
  size_t printed = 0;
  for (const BlockDef& block : dictionary->blocks()) {
    if (!block.has_ir() || ++printed > 50) continue;
    const auto ir = decode_ir(block.ir);
    if (!ir) continue;
    (void)print_ir(*ir, *dictionary, "");
    (void)loads_of(*ir);
    (void)opaque_size(*ir, ir->statements.size());
  }
  Timeline timeline(reader, *dictionary, process);
  Timeline::Item item;
  for (uint64_t i = 0; i < kMostSteps; ++i) {
    const auto more = timeline.next(item);
    if (!more || !*more) break;
  }
  for (const auto& [thread, steps] : process.thread_steps) {
    BlockCursor cursor(reader, *dictionary, process, ThreadNo{thread});
    if (const auto found = cursor.seek({thread}, {steps / 2}); found && *found) {
      Execution execution;
      (void)cursor.next(execution);
    }
    break;
  }
  const auto maps = map_history(reader, number);
  if (maps)
    for (const BlockDef& block : dictionary->blocks()) (void)maps->find(block.address, 3);
  (void)initial_stack(reader, number);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto reader = Reader::open_memory(
      {data + 1, size - 1}, {.ignore_checksums = true, .ignore_index = (data[0] & 1) != 0});
  if (!reader) return 0;
  for (const auto& [number, process] : (*reader)->processes())
    read_process(**reader, number, process);
  for (const Reader::PackedEntry& entry : (*reader)->packed())
    (void)(*reader)->packed_contents(entry);
  (void)verify(**reader);
  return 0;
}
