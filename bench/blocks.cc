// SPDX-License-Identifier: MIT
// blocks RECORDING...: reads and decodes the blocks of all processes, and does nothing with them:
// what every walk over control flow pays. Prints the number of blocks.
#include "trace/reader.h"

#include <cstdio>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

int main(int argc, char** argv) {
  uint64_t blocks = 0;
  for (int i = 1; i < argc; ++i) {
    const auto reader = Reader::open(argv[i]);
    if (!reader) return 2;
    for (const auto& [number, process] : (*reader)->processes()) {
      for (const uint32_t frame : process.segments) {
        const auto data =
            (*reader)->load(frame, stream_bit(TW_STREAM_BLOCKS) | stream_bit(TW_STREAM_EVENTS));
        if (!data) return 2;
        blocks += data->blocks().size() / 4;
      }
    }
  }
  std::printf("%lu\n", blocks);
  return 0;
}
