// SPDX-License-Identifier: MIT
#include "record/record.h"

namespace twinrun {

Result<RecordOutcome> record(const RecordOptions& options) {
  return fail("R001", "cannot record {}: no driver yet", options.command.at(0));
}

}  // namespace twinrun
