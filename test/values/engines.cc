// SPDX-License-Identifier: MIT
// engines RECORDING: computes it by the reference interpreter and by machine code alone, side by
// side, and compares all registers and memory accesses after every block.
#include "trace/regen/regenerate.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

[[noreturn]] void stop(const Error& error) {
  std::fprintf(stderr, "engines: %s\n", error.message.c_str());
  std::exit(2);
}
template <typename T>
T must(Result<T> result) {
  if (!result) stop(result.error());
  return std::move(*result);
}

bool same_block(Regenerator& a, Regenerator& b) {
  Machine& left = a.machine();
  Machine& right = b.machine();
  if (std::memcmp(left.state(), right.state(), left.state_size()) != 0) return false;
  for (const MemoryAccess& access : a.block().executable->code->accesses) {
    if (access.op >= a.block().ops) break;
    if (left.word(access.address) != right.word(access.address)) return false;
    if (access.guard != MemoryAccess::kAlways &&
        ((left.word(access.guard) ^ right.word(access.guard)) & 1) != 0)
      return false;
    if (std::memcmp(left.at(access.value), right.at(access.value), access.size) != 0) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto reader = must(Reader::open(argv[1]));
  uint64_t blocks = 0;
  for (const auto& [number, process] : reader->processes()) {
    const Dictionary dictionary = must(reader->dictionary(number));
    CodeCache reference_code(dictionary, process.info.state_size, Engine::kReference);
    CodeCache native_code(dictionary, process.info.state_size, Engine::kNative);
    Regenerator reference(*reader, process, reference_code);
    Regenerator native(*reader, process, native_code);
    for (size_t segment = 0; segment < process.segments.size(); ++segment) {
      if (const auto entered = reference.enter(segment); !entered) stop(entered.error());
      if (const auto entered = native.enter(segment); !entered) stop(entered.error());
      for (;;) {
        const Regenerator::Item item = must(reference.next());
        if (must(native.next()) != item) {
          std::printf("process %u segment %zu: the engines are not at the same place\n", number,
                      segment);
          return 1;
        }
        if (item == Regenerator::Item::kEnd) break;
        if (item != Regenerator::Item::kBlock) continue;
        ++blocks;
        if (same_block(reference, native)) continue;
        std::printf("process %u segment %zu block %u at %#lx: the engines differ\n", number,
                    segment, reference.block().ordinal, reference.block().executable->address);
        return 1;
      }
    }
    if (reference.report().faults + native.report().faults != 0) {
      std::printf("process %u: the recording contradicts the computation\n", number);
      return 1;
    }
  }
  std::printf("%lu blocks the same\n", blocks);
  return 0;
}
