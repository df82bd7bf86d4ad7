// SPDX-License-Identifier: MIT
#pragma once

#include "kernel/dump_rows.h"
#include "trace/event.h"

namespace twinrun {

/// The fields of an event by name; "malformed" when they cannot be read.
EventRow event_row(const Event& event, const Position& position);

}  // namespace twinrun
