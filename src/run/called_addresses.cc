// SPDX-License-Identifier: MIT
#include "run/called_addresses.h"

#include "program/instruction.h"
#include "run/module_address.h"

#include <algorithm>
#include <cstring>

namespace twinrun {
namespace {

// Nearly all calls are these five bytes, and many ask.
std::optional<uint64_t> target_of(const Decoder& decoder, const BlockDef& def) {
  constexpr uint8_t kCall = 0xe8;
  const uint64_t last = def.last_instruction().value;
  const ByteSpan code = def.bytes.subspan(last - def.address.value);
  if (int32_t distance = 0; code.size() == 1 + sizeof distance && code[0] == kCall) {
    std::memcpy(&distance, code.data() + 1, sizeof distance);
    return last + code.size() + static_cast<uint64_t>(int64_t{distance});
  }
  const auto call = decoder.decode(code, last);
  if (!call || call->flow != Flow::kCall) return std::nullopt;
  return call->target;
}

void sort_unique(std::vector<uint64_t>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
}

}  // namespace

const CalledAddresses::ByFile& CalledAddresses::all() {
  if (std::exchange(is_found_, true)) return found_;
  const Decoder decoder;
  std::vector<uint64_t> targets;
  for (const BlockDef& def : dictionary_.blocks()) {
    if (def.jump != TW_JUMP_CALL || def.lengths.empty()) continue;
    if (const auto target = target_of(decoder, def)) targets.push_back(*target);
  }
  sort_unique(targets);
  for (const uint64_t target : targets) {
    const ModuleAddress at = module_address(binaries_, maps_, {target}, Mapping{}.to - 1);
    if (at.is_in_elf) found_[at.file].push_back(at.address.value);
  }
  for (auto& [file, addresses] : found_) sort_unique(addresses);
  return found_;
}

std::span<const uint64_t> CalledAddresses::of(const MappedFile& file) {
  for (const auto& [there, addresses] : all())
    if (*there == file) return addresses;
  return {};
}

ControlFlow observed_flow(const ModuleCode& code, ObservedCode observed) {
  const auto table = code.functions(observed.called);
  std::erase_if(observed.edges, [&](const ObservedEdge& edge) {
    return table->find(edge.from) != table->find(edge.to);
  });
  return code.flow(std::move(observed));
}

}  // namespace twinrun
