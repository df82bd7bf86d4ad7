// SPDX-License-Identifier: MIT
#pragma once

#include "align/align.h"
#include "calls/call_slices.h"
#include "report/folded.h"

#include <cstddef>
#include <string>
#include <vector>

namespace twinrun {

/// One run of a trace for Perfetto.
struct PerfettoRun {
  std::string name;  // "good", "A: good"
  CallSlices calls;
};

/// What the trace does not show.
struct PerfettoCut {
  size_t regions = 0;  // disaligned ones
};

/// A trace of Perfetto's format (protocol buffers): for each process a group of tracks, for each
/// thread a track with its calls. The clock is the number of instructions that the thread has
/// executed, as nanoseconds. With two runs and their alignment (which has its regions) also tracks
/// of what only that run executed, the longest `limit` regions of each; 0: all.
PerfettoCut perfetto_trace(const std::vector<PerfettoRun>& runs, const AlignReport* alignment,
                           size_t limit, const TextSink& sink);

}  // namespace twinrun
