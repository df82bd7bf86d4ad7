// SPDX-License-Identifier: MIT
#include "kernel/syscall_row.h"

#include "kernel/syscalls.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

constexpr size_t kShownBytes = 48;
constexpr size_t kShownPath = 256;

ByteSpan bytes_at(const std::vector<MemoryPiece>& data, uint64_t address,
                  std::string_view direction) {
  for (const MemoryPiece& piece : data) {
    if (piece.direction != direction || address < piece.address.value) continue;
    const uint64_t offset = address - piece.address.value;
    if (offset < piece.bytes.size()) return ByteSpan(piece.bytes).subspan(offset);
  }
  return {};
}

std::string argument_text(char kind, uint64_t value, const std::vector<MemoryPiece>& data) {
  switch (kind) {
    case 'd': return fmt::format("{}", static_cast<int32_t>(value));
    case 'D':
      return static_cast<int32_t>(value) == -100 ? "AT_FDCWD"
                                                 : fmt::format("{}", static_cast<int32_t>(value));
    case 'u': return fmt::format("{}", value);
    case 'l': return fmt::format("{}", static_cast<int64_t>(value));
    case 'm': return value == 0 ? "0" : fmt::format("0{:o}", value & 07777777);
    case 'g': return signal_name(value);
    case 's': {
      const ByteSpan text = bytes_at(data, value, "read");
      if (text.empty()) break;
      const auto end = std::find(text.begin(), text.end(), 0);
      return quoted(text.first(static_cast<size_t>(end - text.begin())), kShownPath);
    }
    case 'i':
    case 'b': {
      const ByteSpan bytes = bytes_at(data, value, kind == 'i' ? "read" : "written");
      if (bytes.empty()) break;
      return quoted(bytes, kShownBytes);
    }
    default: break;
  }
  return value == 0 && kind != 'x' ? "NULL" : fmt::format("{:#x}", value);
}

}  // namespace

std::string quoted(ByteSpan bytes, size_t most) {
  std::string out = "\"";
  for (const uint8_t byte : bytes.first(std::min(most, bytes.size()))) {
    switch (byte) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case 0: out += "\\0"; break;
      default:
        if (byte >= 0x20 && byte < 0x7f)
          out += static_cast<char>(byte);
        else
          out += fmt::format("\\x{:02x}", byte);
    }
  }
  out += '"';
  if (bytes.size() > most) out += "...";
  return out;
}

void SyscallCollector::begin(const SyscallEvent& call, const Position& position) {
  call_ = call;
  position_ = position;
  data_.clear();
}

void SyscallCollector::add(const MemoryEvent& memory, bool is_read) {
  if (!call_ || memory.part != TW_PART_SYSCALL) return;
  const std::string_view direction = is_read ? "read" : "written";
  // Large buffers come in pieces.
  if (!data_.empty() && data_.back().direction == direction &&
      data_.back().address.value + data_.back().bytes.size() == memory.address.value) {
    data_.back().bytes.insert(data_.back().bytes.end(), memory.bytes.begin(), memory.bytes.end());
    return;
  }
  data_.push_back({direction, memory.address, Bytes(memory.bytes.begin(), memory.bytes.end())});
}

SyscallRow SyscallCollector::make_row(const SyscallEvent& call) const {
  SyscallRow row;
  row.position = position_;
  row.number = call.number;
  const SyscallSignature signature = syscall_signature(call.number);
  row.name =
      signature.name.empty() ? fmt::format("syscall_{}", call.number) : std::string(signature.name);
  const bool known = signature.arguments != "?";
  for (size_t i = 0; i < (known ? signature.arguments.size() : call.arguments.size()); ++i) {
    row.arguments.push_back(
        argument_text(known ? signature.arguments[i] : 'x', call.arguments[i], data_));
    row.numbers.push_back(call.arguments[i]);
  }
  row.data = data_;
  return row;
}

SyscallRow SyscallCollector::finish(const SyscallResultEvent& result, const Position& position) {
  if (!call_ || call_->number != result.number) {
    call_ = SyscallEvent{result.thread, result.number, {}};
    position_ = position;
    data_.clear();
  }
  SyscallRow row = make_row(*call_);
  row.result = result.result;
  row.error = error_name(result.result);
  call_.reset();
  data_.clear();
  return row;
}

std::optional<SyscallRow> SyscallCollector::unfinished() {
  if (!call_) return std::nullopt;
  SyscallRow row = make_row(*call_);
  call_.reset();
  data_.clear();
  return row;
}

}  // namespace twinrun
