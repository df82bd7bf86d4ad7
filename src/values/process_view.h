// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/run.h"
#include "values/block_flow.h"
#include "values/named_instruction.h"
#include "values/slice.h"
#include "values/values.h"

#include <memory>
#include <optional>

namespace twinrun {

/// The values of a process and what they depend on: a facet of it.
struct ProcessView {
  static Result<std::unique_ptr<ProcessView>> make(RunProcess& process);
  ProcessView(RunProcess& opened, std::unique_ptr<ProcessValues> computed)
      : of(opened),
        values(std::move(computed)),
        maps(opened.maps()),
        flows(values->code()),
        slicer(*values, flows),
        symbolizer(opened.symbolizer()),
        namer(opened, *values) {}
  ProcessView(const ProcessView&) = delete;
  ProcessView& operator=(const ProcessView&) = delete;

  [[nodiscard]] Run& run() const { return of.run(); }
  [[nodiscard]] const Process& process() const { return of.process(); }
  /// Number of a block in the process, as MapHistory counts.
  [[nodiscard]] uint64_t number_of(BlockAt block) const;

  RunProcess& of;
  std::unique_ptr<ProcessValues> values;
  const MapHistory& maps;
  BlockFlows flows;
  Slicer slicer;
  Symbolizer& symbolizer;
  InstructionNamer namer;
};

/// Of a process of the run. T008 when there is no such one, V001 for a recording without values.
Result<ProcessView*> view_of(Run& run, uint32_t process);

/// Where a process came from by a fork: the forking process, when the call had not returned yet.
struct ForkOrigin {
  ProcessView* parent = nullptr;
  Moment at;
};
/// Nothing for a process that was started, or whose parent was not recorded.
Result<std::optional<ForkOrigin>> fork_origin(const ProcessView& child);

}  // namespace twinrun
