// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

/// A state of a running program, as far as the caller knows it. What it does not know makes
/// results "unavailable"; it never guesses.
class ValueSource {
 public:
  virtual ~ValueSource() = default;

  /// By DWARF number: 0-15 rax rdx rcx rbx rsi rdi rbp rsp r8-r15, 16 the return address (rip),
  /// 17-32 the low halves of xmm0-15.
  [[nodiscard]] virtual std::optional<uint64_t> reg(unsigned dwarf_number) const = 0;
  /// False when one of the bytes is not known.
  [[nodiscard]] virtual bool memory(uint64_t address, std::span<uint8_t> out) const = 0;
  /// A register at the entry of the current function (not of an inlined one).
  [[nodiscard]] virtual std::optional<uint64_t> entry_reg(unsigned /*dwarf_number*/) const {
    return std::nullopt;
  }
  /// The canonical frame address of the current function (where its caller's stack pointer was), if
  /// that is known without unwinding.
  [[nodiscard]] virtual std::optional<uint64_t> call_frame_address() const { return std::nullopt; }
  /// The address of the current thread's variable at this offset of the binary's TLS block.
  [[nodiscard]] virtual std::optional<uint64_t> tls_address(uint64_t /*offset*/) const {
    return std::nullopt;
  }
  /// Address of the running binary minus that of its file.
  [[nodiscard]] virtual uint64_t load_bias() const { return 0; }
};

struct LocationPiece;

/// Where an object is at one pc.
struct Location {
  enum class Kind : uint8_t {
    kMemory,
    kRegister,
    kValue,      // it is nowhere, but its bytes are known
    kComposite,  // pieces, in the order of its bytes
    kUnavailable
  };
  Kind kind = Kind::kUnavailable;
  uint64_t address = 0;               // kMemory: in the running program
  uint32_t reg = 0;                   // kRegister: DWARF number
  Bytes value;                        // kValue
  std::vector<LocationPiece> pieces;  // kComposite
  uint64_t offset = 0;                // of a part: bytes into the register, value or composite
  std::string reason;                 // kUnavailable: why

  static Location unavailable(std::string why);
  static Location in_memory(uint64_t address);
  /// Where the part at this offset is.
  [[nodiscard]] Location part(uint64_t offset) const;
};

struct LocationPiece {
  Location where;
  uint64_t bits = 0;
  uint64_t bit_offset = 0;  // within the register or memory
};

/// Bytes, or why there are none.
struct ReadBytes {
  std::optional<Bytes> bytes;
  std::string reason;
};

/// The bytes of an object of this size. More than 1 MiB is not read.
ReadBytes read_location(const Location& location, uint64_t size, const ValueSource& source);

}  // namespace twinrun
