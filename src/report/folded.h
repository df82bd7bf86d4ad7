// SPDX-License-Identifier: MIT
#pragma once

#include "calls/context_tree.h"

#include <functional>
#include <string_view>

namespace twinrun {

/// Takes text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// "main;f;g 1234": a line for each stack that executed something itself, as flamegraph.pl reads.
void folded_text(const ContextTree& tree, const TextSink& sink);

/// "main;f;g 1234 1250": with the counts of both, as difffolded.pl prints.
void folded_text(const ContextTree& a, const ContextTree& b, const TextSink& sink);

}  // namespace twinrun
