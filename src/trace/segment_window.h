// SPDX-License-Identifier: MIT
#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "trace/block.h"
#include "trace/call_stack.h"
#include "trace/count.h"
#include "trace/event.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace twinrun {

/// What one thread did in a segment.
struct ThreadPart {
  uint32_t thread = 0;
  std::vector<ThreadRun> runs;
  std::vector<Event> events;  // those that name it, and the stack pointers of its own blocks
};

/// The stack pointer differences that calls of a chunk were recorded with, of all threads, in
/// order. Grows as segments of the chunk are loaded.
struct ChunkDeltas {
  struct Change {
    uint64_t block = 0;  // of the process: the call
    uint32_t id = 0;
    int64_t delta = 0;
  };
  std::vector<Change> changes;
};

/// A segment, decoded and taken apart by threads.
struct LoadedSegment {
  const FrameEntry* entry = nullptr;
  SegmentData data;
  std::vector<ThreadPart> threads;  // ascending
  std::shared_ptr<const ChunkDeltas> deltas;
  std::vector<uint64_t> steps;  // of each block; empty: nobody has asked yet
  SegmentRuns runs;

  /// Null when nothing of the thread is here.
  [[nodiscard]] const ThreadPart* of(uint32_t thread) const;
};

/// The segments of a process for walks over its threads that go on side by side: each is read and
/// decoded once and kept while walks are near. Any segment can be asked for at any time; one that
/// has gone is loaded again. Keeps a fixed number of segments, and what the calls of as many chunks
/// changed.
class SegmentWindow {
 public:
  /// `decoded` is shared with windows of recordings that are walked over side by side.
  SegmentWindow(const Reader& reader, const Dictionary& dictionary, const Process& process,
                std::shared_ptr<DecodedBlocks> decoded = nullptr)
      : reader_(reader), dictionary_(dictionary), process_(process), decoded_(std::move(decoded)) {}

  [[nodiscard]] size_t size() const { return process_.segments.size(); }
  Result<std::shared_ptr<LoadedSegment>> load(size_t number);
  /// Fills `steps`.
  Result<void> count_steps(LoadedSegment& segment) const;

 private:
  /// How far a chunk's calls have been replayed.
  struct Chunk {
    std::shared_ptr<ChunkDeltas> deltas = std::make_shared<ChunkDeltas>();
    size_t next = 0;  // segment
    CallDeltas now;
    std::map<uint32_t, CallStack> threads;
    uint64_t used = 0;
  };
  struct Kept {
    std::shared_ptr<LoadedSegment> segment;
    uint64_t used = 0;
  };
  Result<std::shared_ptr<LoadedSegment>> decode(size_t number);
  Chunk& chunk_of(size_t number);
  void find_ways();
  void replay(Chunk& chunk, const LoadedSegment& segment);
  [[nodiscard]] size_t chunk_start(size_t number) const;

  const Reader& reader_;
  const Dictionary& dictionary_;
  const Process& process_;
  std::shared_ptr<DecodedBlocks> decoded_;
  std::map<size_t, Kept> kept_;
  std::map<size_t, Chunk> chunks_;  // by their first segments
  uint64_t clock_ = 0;
  enum class Way : uint8_t { kOther, kCall, kReturn };
  std::vector<Way> ways_;  // by stream value
};

}  // namespace twinrun
