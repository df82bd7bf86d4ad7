// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "program/code_image.h"
#include "program/control_flow.h"
#include "program/eh_frame.h"
#include "program/elf_symbols.h"

#include <string>
#include <vector>

namespace twinrun {

/// One binary on the disk with all that its code is known by: bytes, symbols (with those of its
/// separate debug file), functions, control flow.
struct BinaryCode {
  struct Options {
    /// As if the binary had no symbols: functions are known by .eh_frame alone.
    bool hide_names = false;
  };
  /// P001 for what is no x86-64 ELF file or has no code, P002 for what cannot be read.
  static Result<BinaryCode> open(const std::string& path);
  static Result<BinaryCode> open(const std::string& path, const Options& options);
  /// From bytes alone: no other file is opened.
  static Result<BinaryCode> open_memory(ByteSpan bytes, const Options& options);

  std::string path;
  CodeImage image;
  ElfSymbols symbols;
  std::vector<FrameRange> frames;
  ControlFlow flow;

  [[nodiscard]] const Bytes& build_id() const { return symbols.build_id(); }

 private:
  Result<void> load(ByteSpan bytes);
  void explore(const Options& options);
};

}  // namespace twinrun
