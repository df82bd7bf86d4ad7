// SPDX-License-Identifier: MIT
#pragma once

#include "values/dump.h"
#include "values/process_view.h"

namespace twinrun {

/// The executed instructions with the values of their operands (`dump` with `values`). False when
/// the sink ended the dump.
Result<bool> dump_values(RunProcess& process, const DumpOptions& options, const DumpSink& sink);

}  // namespace twinrun
