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

/// A line of the source, and the nodes of the Basic graph that belong to it.
struct GraphLine {
  NamedInstruction at;
  bool is_whole_module = false;  // all that is done in `at.module`: see find_statements()
  bool in_a = false;
  bool in_b = false;
  bool is_decision = false;
  std::vector<uint32_t> nodes;
  std::optional<uint32_t> statement;  // of the report, which keeps the most suspicious ones
};

/// The basic_statements lines of the Basic graph, in the order of its nodes.
std::vector<GraphLine> lines_of_graph(const WhyReport& report);

/// The lines of the program that are most likely the cause, as numbers of statements; none of a
/// graph that can be read as it is.
std::vector<uint32_t> suspects_of(const WhyReport& report);

}  // namespace twinrun
