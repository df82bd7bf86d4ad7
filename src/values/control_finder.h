// SPDX-License-Identifier: MIT
#pragma once

#include "values/control_relation.h"
#include "values/frame_index.h"
#include "values/slice.h"

#include <cstdint>
#include <list>
#include <map>
#include <vector>

namespace twinrun {

/// Finds what decided that instructions were executed: the last execution, in the same frame, of a
/// branch that they are control dependent on, else the call that entered the frame. Answers come
/// while a search goes backward over the chunks of the process.
class ControlFinder {
 public:
  ControlFinder(RunProcess& process, ProcessValues& values)
      : values_(values), places_(process.places()), relation_(process) {}

  struct Question {
    uint32_t asker = 0;
    FrameIndex::Frame frame;  // to be found at the end of the next older chunk
    const std::vector<uint64_t>* branches = nullptr;
  };
  struct Answer {
    uint32_t asker = 0;
    BlockAt at;  // its last instruction, a branch or a call
  };
  struct Found {
    std::vector<Answer> answers;
    std::vector<Question> open;  // further back
  };
  /// What decided about an executed instruction, as far as its own chunk knows. `value`: of the
  /// stream, of its block.
  Result<void> ask(const InstructionAt& at, uint32_t value, uint32_t asker, Found& out);
  /// Goes on with questions of a later chunk in the chunk of this segment.
  Result<void> go_on(uint32_t segment, const std::vector<Question>& questions, Found& out);
  /// The first segment of the chunk.
  [[nodiscard]] uint32_t chunk_start(uint32_t segment) const;

 private:
  static constexpr size_t kIndexesKept = 3;
  static constexpr uint32_t kStepsAtOnce = 64;

  Result<FrameIndex*> index(uint32_t segment);
  /// The frame's last block before `from` that executed one of the branches; kNone for none.
  uint32_t search(const FrameIndex& index, uint32_t frame, uint32_t from,
                  const std::vector<uint64_t>& branches);
  void answer(const FrameIndex& index, uint32_t frame, uint32_t from, uint32_t asker,
              const std::vector<uint64_t>& branches, Found& out);
  /// The address of the last instruction, if the stream value says that it was executed; else 0.
  uint64_t end_of(uint32_t value);

  ProcessValues& values_;
  CodePlaces& places_;
  ControlRelation relation_;
  std::list<FrameIndex> recent_;
  std::vector<uint64_t> ends_;  // by stream value; 1: not known yet
  /// Where a frame with many blocks executed each of its last instructions, ascending.
  using Executions = boost::unordered_flat_map<uint64_t, std::vector<uint32_t>>;
  std::map<std::pair<uint32_t, uint32_t>, Executions> executions_;  // by first segment and frame
};

}  // namespace twinrun
