// SPDX-License-Identifier: MIT
#pragma once

#include "explain/why.h"

namespace twinrun {

/// What the user's code did: the instruction itself, or the call into a library; null: nothing.
const NamedInstruction* site_of(const WhyReport::Node& node, RunSide side);
/// Of the second run, else of the first.
const NamedInstruction* site_of(const WhyReport::Node& node);
bool same_site(const NamedInstruction& x, const NamedInstruction& y);

/// Makes the report's statements from its nodes and edges: one for each line of the source, however
/// often it was executed and however many instructions it has; the `most` nearest to the target.
void find_statements(WhyReport& report, size_t most);

}  // namespace twinrun
