// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "program/code_image.h"
#include "program/control_flow.h"
#include "program/eh_frame.h"
#include "program/elf_symbols.h"
#include "program/module_cache.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace twinrun {

/// One binary with all that its code is known by: bytes, symbols (with those of its separate debug
/// file), unwind frames, functions, control flow, and the same with what a run did on top. All but
/// bytes and symbols are made when asked for, so asking is for one thread at a time.
class ModuleCode {
 public:
  struct Options {
    /// As if the binary had no symbols: functions are known by .eh_frame alone.
    bool hide_names = false;
  };
  /// P001 for what is no x86-64 ELF file or has no code, P002 for what cannot be read. Uses the
  /// user's cache.
  static Result<ModuleCode> open(const std::string& path);
  static Result<ModuleCode> open(const std::string& path, const Options& options);
  /// From bytes alone: no other file is opened.
  static Result<ModuleCode> open_memory(ByteSpan bytes, const Options& options);

  /// Without any code.
  ModuleCode();
  /// The code of an ELF file whose symbols are known.
  ModuleCode(CodeImage image, std::shared_ptr<const ElfSymbols> symbols, ModuleCache cache);
  /// Code that these frames describe and nothing names.
  ModuleCode(std::string path, CodeImage image, std::vector<FrameRange> frames);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Bytes& build_id() const { return symbols_->build_id(); }
  [[nodiscard]] const CodeImage& image() const { return *image_; }
  [[nodiscard]] const ElfSymbols& symbols() const { return *symbols_; }
  [[nodiscard]] const std::vector<FrameRange>& frames() const;

  /// The functions, with those that nothing but the calls of a run tells of. Parts of functions are
  /// linked by names only: what jumps tell about them needs the whole control flow.
  [[nodiscard]] std::shared_ptr<const FunctionTable> functions(
      std::span<const uint64_t> called = {}) const;
  /// From the code alone.
  [[nodiscard]] const ControlFlow& flow() const;
  /// With what runs did.
  [[nodiscard]] ControlFlow flow(ObservedCode observed) const;

 private:
  Result<void> load(ByteSpan bytes, const std::string& debug_for);
  [[nodiscard]] ModuleCache::Key key() const;

  std::string path_;
  std::shared_ptr<const CodeImage> image_;
  std::shared_ptr<const ElfSymbols> symbols_;
  bool has_names_ = true;
  ModuleCache cache_;
  mutable std::optional<std::vector<FrameRange>> frames_;
  mutable std::shared_ptr<const FunctionTable> functions_;
  mutable std::optional<ControlFlow> flow_;
};

}  // namespace twinrun
