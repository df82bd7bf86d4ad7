// SPDX-License-Identifier: MIT
#include "trace/initial_stack.h"

#include "trace/event.h"

#include <cstring>

namespace twinrun {

InitialStack parse_initial_stack(Addr address, ByteSpan bytes) {
  InitialStack out;
  ByteReader in(bytes);
  const auto string_at = [&](uint64_t pointer) {
    if (pointer < address.value || pointer - address.value >= bytes.size()) return std::string();
    const ByteSpan text = bytes.subspan(pointer - address.value);
    size_t size = 0;
    while (size < text.size() && text[size] != 0) ++size;
    return std::string(text.begin(), text.begin() + static_cast<ptrdiff_t>(size));
  };
  uint64_t argc = in.fixed<uint64_t>();
  const auto keep = [&](std::string name, uint64_t pointer, size_t size) {
    out.strings.push_back({std::move(name), pointer, size});
  };
  for (; argc > 0 && in.left() >= 8; --argc) {
    const auto pointer = in.fixed<uint64_t>();
    out.argv.push_back(string_at(pointer));
    keep(fmt::format("argv[{}]", out.argv.size() - 1), pointer, out.argv.back().size() + 1);
  }
  in.fixed<uint64_t>();
  while (in.left() >= 8) {
    const auto pointer = in.fixed<uint64_t>();
    if (pointer == 0) break;
    out.env.push_back(string_at(pointer));
    const std::string& text = out.env.back();
    keep("environment variable " + text.substr(0, text.find('=')), pointer, text.size() + 1);
  }
  while (in.left() >= 16) {
    const auto type = in.fixed<uint64_t>();
    const auto value = in.fixed<uint64_t>();
    if (type == 0) break;
    out.auxv.emplace_back(type, value);
    constexpr uint64_t kRandom = 25;
    const uint64_t offset = value - address.value;
    if (type == kRandom && value >= address.value && offset < bytes.size() &&
        bytes.size() - offset >= sizeof out.random)
      std::memcpy(&out.random, bytes.data() + offset, sizeof out.random);
    if (type == kRandom) keep("random bytes of the kernel", value, 16);
  }
  return out;
}

const InitialString* InitialStack::string_at(uint64_t address) const {
  for (const InitialString& string : strings) {
    if (address - string.address < string.size) return &string;
  }
  return nullptr;
}

Result<InitialStack> initial_stack(const Reader& reader, uint32_t number) {
  const Process* process = reader.process(number);
  while (process != nullptr && process->info.origin == TW_ORIGIN_FORK)
    process = reader.process(process->info.parent);
  if (process == nullptr || process->segments.empty()) return InitialStack{};
  // It is written in pieces, all of them in front of the first block.
  Addr start{0};
  Bytes bytes;
  for (const uint32_t segment : process->segments) {
    TRY(const SegmentData data, reader.load(segment, stream_bit(TW_STREAM_EVENTS)));
    EventReader events(data.events());
    Event event;
    while (events.next(event)) {
      if (event.kind != EventKind::kInitialStack) continue;
      const auto piece = MemoryEvent::parse(event);
      if (!piece) return fail("T006", "the initial stack is malformed");
      if (bytes.empty()) start = piece->address;
      if (piece->address.value == start.value + bytes.size())
        bytes.insert(bytes.end(), piece->bytes.begin(), piece->bytes.end());
    }
    if (reader.frames()[segment].segment.block_count > 0) break;
  }
  return parse_initial_stack(start, bytes);
}

}  // namespace twinrun
