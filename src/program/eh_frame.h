// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "program/code_image.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace twinrun {

/// A frame description entry: code that the unwinder knows as one piece, mostly a function or the
/// cold part of one.
struct FrameRange {
  uint64_t start = 0;
  uint64_t size = 0;
  std::optional<uint64_t> exceptions;  // address of its exception table (LSDA)
  bool signal_frame = false;           // a trampoline that signal handlers return to
  /// Where it begins, a stack frame is in place already: no call leads there, it is a part of a
  /// function that the compiler put elsewhere.
  bool is_piece = false;
};

/// All entries of the image's .eh_frame that describe bytes of the image, by start. What is
/// malformed is left out; reading stops where the section makes no more sense. O(n log n).
std::vector<FrameRange> read_eh_frame(const CodeImage& image);

/// Calls in [start, end) that throw continue at `landing_pad`.
struct CallSite {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t landing_pad = 0;
};

/// The call sites with landing pads of an entry's exception table, by start.
std::vector<CallSite> read_call_sites(const CodeImage& image, const FrameRange& range);

}  // namespace twinrun
