// SPDX-License-Identifier: MIT
#pragma once

#include "counts/executed_lines.h"
#include "explain/answer/why.h"

namespace twinrun {

/// Adds to each statement what the whole runs tell of its line: how often each executed it, and
/// whether a branch there went a way in the second run that it never went in the first.
void add_executions(std::vector<WhyReport::Statement>& statements, const ExecutedLines& a,
                    const ExecutedLines& b);

/// Puts first what is most likely to be the cause, by the weight in the graph and by executions
/// (docs/decisions/0039-suspicion.md). Needs weights; fills `suspicion`.
void rank_statements(std::vector<WhyReport::Statement>& statements);

}  // namespace twinrun
