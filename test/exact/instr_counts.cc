// SPDX-License-Identifier: MIT
// Prints how often each instruction of a recording's first program ran:
//
//   instr_counts RECORDING [PROCESS]
//
// One line per instruction: address, file offset, count, arrivals, path of the file. The count
// follows the rule of single-stepping. Arrivals count the last visit to a finished rep instruction
// too, as callgrind does.
#include "trace/cursor.h"
#include "trace/maps.h"
#include "trace/reader.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <unordered_map>

namespace twinrun {
namespace {

struct Counts {
  uint64_t count = 0;
  uint64_t arrivals = 0;
};

/// Executions of one stream value that counted the same number of instructions.
struct Key {
  uint32_t value;
  uint32_t instructions;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const { return key.value * 2654435761u ^ key.instructions; }
};

Result<void> print_counts(const std::string& path, uint32_t number) {
  TRY(const auto reader, Reader::open(path));
  const Process* process = reader->process(number);
  if (process == nullptr) return fail("T000", "no process {}", number);
  TRY(const Dictionary dictionary, reader->dictionary(number));
  TRY(const MapHistory maps, map_history(*reader, number));

  std::unordered_map<Key, uint64_t, KeyHash> executions;
  BlockCursor cursor(*reader, dictionary, *process, {});
  Execution execution;
  for (;;) {
    TRY(const bool more, cursor.next(execution));
    if (!more) break;
    ++executions[{execution.value, execution.instructions}];
  }

  std::map<uint64_t, Counts> by_address;
  for (const auto& [key, times] : executions) {
    const BlockDef* block = dictionary.find(key.value);
    const uint32_t begun = block->begun(key.value - block->id.value);
    uint64_t address = block->address.value;
    for (uint32_t i = 0; i < begun; ++i) {
      Counts& counts = by_address[address];
      counts.arrivals += times;
      if (i < key.instructions) counts.count += times;
      address += static_cast<uint8_t>(block->lengths[i]);
    }
  }
  for (const auto& [address, counts] : by_address) {
    const Mapping* mapping = maps.find_latest({address});
    const bool in_file = mapping != nullptr && mapping->file != Mapping::kNoFile;
    std::printf("%lx %lx %lu %lu %s\n", address,
                in_file ? address - mapping->start.value + mapping->offset : address, counts.count,
                counts.arrivals, in_file ? maps.files()[mapping->file].path.c_str() : "-");
  }
  return {};
}

}  // namespace
}  // namespace twinrun

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const uint32_t process = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 1;
  const auto printed = twinrun::print_counts(argv[1], process);
  if (!printed) std::fprintf(stderr, "instr_counts: %s\n", printed.error().message.c_str());
  return printed ? 0 : 1;
}
