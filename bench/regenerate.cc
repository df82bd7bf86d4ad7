// SPDX-License-Identifier: MIT
// regenerate RECORDING MODE [SEGMENTS]: computes the values of a recording's first process and
// prints "instructions seconds checksum". MODE: state, accesses, registers (accesses and register
// writes); with "-reference" behind it the plain interpreter runs. Decompression is not counted.
#include "trace/regen/regenerate.h"
#include "trace/regen/effects.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

[[noreturn]] void stop(const Error& error) {
  std::fprintf(stderr, "regenerate: %s\n", error.message.c_str());
  std::exit(2);
}

uint64_t value_of(Machine& machine, uint32_t place, uint32_t size) {
  uint64_t value = 0;
  std::memcpy(&value, machine.at(place), std::min(size, 8u));
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::string mode = argv[2];
  const bool reference = mode.ends_with("-reference");
  if (reference) mode.resize(mode.size() - std::strlen("-reference"));
  const auto reader = Reader::open(argv[1]);
  if (!reader) stop(reader.error());
  const Process& process = (*reader)->processes().begin()->second;
  const auto dictionary = (*reader)->dictionary(process.info.number);
  if (!dictionary) stop(dictionary.error());
  CodeCache code(*dictionary, process.info.state_size,
                 reference ? Engine::kReference : Engine::kMixed);
  Regenerator regenerator(**reader, process, code);
  Machine& machine = regenerator.machine();
  const size_t segments = std::min<size_t>(process.segments.size(),
                                           argc > 3 ? std::strtoul(argv[3], nullptr, 10) : ~0u);
  const bool want_accesses = mode != "state";
  const bool want_registers = mode == "registers";
  uint64_t instructions = 0;
  uint64_t checksum = 0;
  double seconds = 0;
  for (size_t i = 0; i < segments; ++i) {
    if (const auto entered = regenerator.enter(i); !entered) stop(entered.error());
    instructions += (*reader)->frames()[process.segments[i]].segment.instruction_count;
    const double start = cpu_seconds();
    for (;;) {
      const auto item = regenerator.next();
      if (!item) stop(item.error());
      if (*item == Regenerator::Item::kEnd) break;
      if (*item == Regenerator::Item::kEvent || !want_accesses) continue;
      const Regenerator::Block& block = regenerator.block();
      for_each_access(machine, *block.executable->code, block.ops, [&](const DoneAccess& access) {
        checksum += access.address;
        checksum ^= value_of(machine, access.what->value, access.size());
      });
      if (!want_registers) continue;
      for (const RegisterWrite& write : block.executable->code->register_writes) {
        if (write.op >= block.ops) break;
        checksum += write.offset ^ value_of(machine, write.value, write.size);
      }
    }
    seconds += cpu_seconds() - start;
  }
  if (regenerator.report().faults != 0) {
    std::fprintf(stderr, "regenerate: the recording contradicts the computation\n");
    return 1;
  }
  std::printf("%lu %.3f %lx\n", instructions, seconds, checksum);
  return 0;
}
