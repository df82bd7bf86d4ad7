// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "explain/graph/value_pairs.h"
#include "values/outside_source.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace twinrun {

/// An instruction that was executed in one of the runs.
struct InstructionOf {
  ProcessView* view = nullptr;
  InstructionAt at;
  Position position;
};

/// How two instructions that wrote the same place in two runs do not correspond: table I of
/// differential slicing. Its wild read needs no node: the reader's address is what differs.
enum class DivergenceType : uint8_t {
  kNone,
  kExtraExecution,       // only the second run executed it
  kExecutionOmission,    // only the first run executed it
  kExecutionDifference,  // each by itself
  kWildWrite,            // both did both, but one of them wrote to another place
};

/// The causal difference graph: what differed between two runs and led to the target difference.
/// A node stands for an instruction that both executed (and an edge between its two executions),
/// for instructions that only one of them executed, by regions, or for an input.
struct CausalGraph {
  struct Node {
    enum class Kind : uint8_t {
      kAligned,
      kUnaligned,
      kInput,
      kSingle,  // of one run: what a region that was looked into depends on
    };
    Kind kind = Kind::kAligned;
    DivergenceType type = DivergenceType::kNone;
    std::optional<InstructionOf> a;
    std::optional<InstructionOf> b;
    std::vector<std::pair<RunSide, InstructionOf>> more;  // further ones of the same regions
    // kUnaligned: the disaligned regions.
    std::optional<RunPair::Where> region_a;
    std::optional<RunPair::Where> region_b;
    // kInput.
    std::optional<OutsideSource> source_a;
    std::optional<OutsideSource> source_b;
    std::optional<BytesOf> bytes_a;
    std::optional<BytesOf> bytes_b;
    bool is_decision = false;  // the runs part behind it
    bool is_target = false;
    bool has_no_cause = false;  // it differs, and nothing that it uses does
    bool is_enhanced = false;   // not of the Basic graph
    bool is_beside = false;     // it wrote beside what is used and was not written there
    bool is_common = false;     // kSingle: the other run executed it, too
  };
  struct Edge {
    enum class Kind : uint8_t { kData, kControl };
    uint32_t from = 0;  // nodes: `from` is because of `to`
    uint32_t to = 0;
    Kind kind = Kind::kData;
    bool for_address = false;
    Dependence::Kind through = Dependence::Kind::kValue;
    // What was used; nothing of it for control.
    BytesOf place_a;
    BytesOf place_b;
    std::vector<uint8_t> value_a;  // empty: not known
    std::vector<uint8_t> value_b;
    // A pointer to a block that was freed and to the one that has its place, maybe.
    bool is_reused = false;
    // `to` freed what `from` used, in this run; the places are those of the block.
    std::optional<RunSide> freed_by;
    uint64_t rounds = 0;  // of the same code that lie between, all of which differ
  };
  std::vector<Node> nodes;  // the target first
  std::vector<Edge> edges;
  bool cut = false;         // a limit was reached
  uint32_t unfollowed = 0;  // dependences into what was not recorded
};

}  // namespace twinrun
