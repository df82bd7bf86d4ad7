// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"

namespace twinrun {

/// What the user's code did: the instruction itself, or the call into a library; null: nothing.
const NamedInstruction* site_of(const WhyReport::Node& node, RunSide side);
/// Of the second run, else of the first.
const NamedInstruction* site_of(const WhyReport::Node& node);
bool same_site(const NamedInstruction& x, const NamedInstruction& y);

/// How much of the target leads to each node: the target's weight goes on along the edges, each
/// node dividing what it gets among what it was computed from, and some of it is lost from line to
/// line. Less goes to what both runs did alike, and to what only the right one did.
void weigh_nodes(WhyReport& report);

/// Weighs the nodes and makes the nodes of the graph of lines: one for each line of the source,
/// however often it was executed and however many instructions it has.
void find_statements(WhyReport& report);
/// Keeps the first `most`, and adds the edges between them.
void link_statements(WhyReport& report, size_t most);

/// The lines of the program that are most likely the cause, as numbers of statements; none of a
/// graph that can be read as it is.
std::vector<uint32_t> suspects_of(const WhyReport& report);

}  // namespace twinrun
