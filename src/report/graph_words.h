// SPDX-License-Identifier: MIT
#pragma once

#include "explain/answer/why.h"
#include "report/json.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace twinrun {

// Nodes and edges of the causal difference graph, the same in the reports that tell of them.

std::string_view kind_name(CausalGraph::Node::Kind kind);
/// Empty for none.
std::string_view type_name(DivergenceType type);
/// "csvsum.c:33", "sum+0x1c", "libc.so.6+0x8421".
std::string place_of(const NamedInstruction& at);

Json place_json(const NamedInstruction& at);
Json input_json(const OutsideSource& source);
/// `number`: of the node, for its id.
Json node_json(const WhyReport::Node& node, size_t number);
Json edge_json(const WhyReport::Edge& edge);

}  // namespace twinrun
