// SPDX-License-Identifier: MIT
#pragma once

#include "program/code_image.h"
#include "program/eh_frame.h"
#include "program/elf_symbols.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// How a function became known.
enum class FunctionSource : uint8_t { kSymbol, kFrame, kObserved };

/// A function, or a part of one, in the code of a binary. Addresses as in the ELF file.
struct CodeFunction {
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint64_t address = 0;
  uint64_t size = 0;
  FunctionSource source = FunctionSource::kSymbol;
  bool is_stub = false;              // jumps through a slot that the loader fills: "name@plt"
  bool is_piece = false;             // by .eh_frame, a part of another function
  uint32_t parent = kNone;           // the function that this one is the cold part of
  std::string name;                  // empty: unknown
  std::vector<std::string> aliases;  // its other names

  [[nodiscard]] uint64_t end() const { return address + size; }
  /// Its name, or its address as "0x401000".
  [[nodiscard]] std::string label() const;
};

/// The functions of one binary: by address, without overlaps. Sources, the earlier ones first where
/// they contradict each other:
///  1. Symbols. A symbol without a size, or with one that reaches into the next, ends there, and no
///     function reaches beyond its section.
///  2. Frame description entries that begin in no function. They are all that a stripped binary
///     has; cold parts and stubs become functions of their own there.
///  3. Addresses that the caller saw being called and that are in no function. Such a function
///     reaches up to the next one.
class FunctionTable {
 public:
  /// `symbols` can be null. `frames` as read_eh_frame gives them.
  static FunctionTable make(const CodeImage& image, const ElfSymbols* symbols,
                            std::span<const FrameRange> frames,
                            std::span<const uint64_t> called = {});

  [[nodiscard]] const std::vector<CodeFunction>& all() const { return functions_; }
  [[nodiscard]] const CodeFunction& operator[](uint32_t index) const { return functions_[index]; }
  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(functions_.size()); }
  /// The function that holds the address. O(log n).
  [[nodiscard]] std::optional<uint32_t> find(uint64_t address) const;
  /// The function that begins there. O(log n).
  [[nodiscard]] std::optional<uint32_t> at(uint64_t address) const;
  /// All that have the name, or the alias, in the order of their addresses. O(n).
  [[nodiscard]] std::vector<uint32_t> named(std::string_view name) const;
  /// The outermost function that `index` is a part of; itself for a whole function.
  [[nodiscard]] uint32_t whole(uint32_t index) const;
  /// The parts of a whole function, itself first.
  [[nodiscard]] std::vector<uint32_t> parts(uint32_t index) const;

  /// Makes `part` a part of `parent`. False when that would make a cycle.
  bool link(uint32_t part, uint32_t parent);

 private:
  void add_symbols(const ElfSymbols& symbols, const std::vector<CodeImage::Section>& sections);
  void add_frames(std::span<const FrameRange> frames,
                  const std::vector<CodeImage::Section>& sections);
  void add_called(std::span<const uint64_t> called,
                  const std::vector<CodeImage::Section>& sections);
  void name_stubs(const CodeImage& image, const std::vector<CodeImage::Section>& sections);
  void link_cold_parts();
  void merge(std::vector<CodeFunction> more);

  std::vector<CodeFunction> functions_;
  std::vector<std::vector<uint32_t>> children_;  // of each function; filled by link()
};

/// The name of the whole function if this is one of a cold part: "f" for "f.cold" and "f.cold.3".
/// What else has a suffix (f.part.0, f.isra.0, f.constprop.0) is a function of its own.
std::optional<std::string_view> cold_part_of(std::string_view name);

}  // namespace twinrun
