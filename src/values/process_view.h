// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/symbols.h"
#include "trace/maps.h"
#include "values/block_flow.h"
#include "values/named_instruction.h"
#include "values/slice.h"
#include "values/values.h"

#include <map>
#include <memory>
#include <optional>

namespace twinrun {

/// Everything that looking at one process takes.
struct ProcessView {
  ProcessView(Binaries& binaries, std::unique_ptr<ProcessValues> computed, MapHistory history)
      : values(std::move(computed)),
        maps(std::move(history)),
        flows(values->code()),
        slicer(*values, flows),
        symbolizer(binaries, maps),
        namer(binaries, *values, maps) {}
  ProcessView(const ProcessView&) = delete;
  ProcessView& operator=(const ProcessView&) = delete;

  [[nodiscard]] const Process& process() const { return values->process(); }
  /// Number of a block in the process, as MapHistory counts.
  [[nodiscard]] uint64_t number_of(BlockAt block) const;

  std::unique_ptr<ProcessValues> values;
  MapHistory maps;
  BlockFlows flows;
  Slicer slicer;
  Symbolizer symbolizer;
  InstructionNamer namer;
};

/// The processes of a recording, opened when they are asked for.
class RunView {
 public:
  RunView(const Reader& reader, Binaries& binaries) : reader_(reader), binaries_(binaries) {}

  Result<ProcessView*> process(uint32_t number);
  [[nodiscard]] const Reader& reader() const { return reader_; }
  [[nodiscard]] Binaries& binaries() { return binaries_; }

  /// Where a process came from by a fork: the forking process, when the call had not returned yet.
  /// Nothing for a process that was started, or whose parent was not recorded.
  struct Origin {
    ProcessView* parent = nullptr;
    Moment at;
  };
  Result<std::optional<Origin>> origin(const Process& process);

 private:
  const Reader& reader_;
  Binaries& binaries_;
  std::map<uint32_t, std::unique_ptr<ProcessView>> views_;
};

}  // namespace twinrun
