// SPDX-License-Identifier: MIT
#include "explain/answer/new_values.h"

#include "trace/regen/effects.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

namespace twinrun {
namespace {

using Kind = CausalGraph::Node::Kind;

constexpr uint64_t kInstructionsMost = 300'000'000;
constexpr size_t kWord = 8;
// Numbers of eight bytes that are not below can be addresses, which are new wherever they are.
constexpr uint64_t kLowestAddress = 0x10000;

/// A value of the second run, and whether the first one has it at the same instruction, too.
struct Sought {
  uint32_t edge = 0;
  uint32_t instruction = 0;
  std::vector<uint8_t> bytes;
  bool is_there = false;
};

bool can_be_address(const std::vector<uint8_t>& bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return bytes.size() == kWord && value >= kLowestAddress;
}

}  // namespace

Result<void> mark_new_values(const CausalGraph& graph, WhyReport& report) {
  // By process, then by block.
  std::map<uint32_t, std::pair<ProcessView*, std::map<uint32_t, std::vector<Sought>>>> sought;
  for (uint32_t i = 0; i < graph.edges.size(); ++i) {
    const CausalGraph::Edge& edge = graph.edges[i];
    const CausalGraph::Node& from = graph.nodes[edge.from];
    if (!report.edges[i].in_memory || report.edges[i].name.empty() || edge.value_b.empty() ||
        edge.value_b.size() > kWord || from.kind != Kind::kAligned ||
        graph.nodes[edge.to].kind != Kind::kUnaligned || can_be_address(edge.value_b))
      continue;
    ProcessView* const view = from.a->view;
    if (view->process().instructions > kInstructionsMost) continue;
    TRY(const SegmentSteps* segment, view->values->steps(from.a->at.block.segment));
    const BlockDef* def = view->values->dictionary().find(segment->value(from.a->at.block.ordinal));
    if (def == nullptr) continue;
    auto& [known, blocks] = sought[from.a->position.process.value];
    known = view;
    blocks[def->id.value].push_back({i, from.a->at.instruction, edge.value_b});
  }
  for (auto& [number, of_process] : sought) {
    auto& [view, blocks] = of_process;
    const auto look = [&](BlockAt /*at*/, Regenerator& regenerator) {
      const Regenerator::Block& block = regenerator.block();
      const auto found = blocks.find(block.executable->def->id.value);
      if (found == blocks.end()) return;
      const auto compare = [&](const DoneAccess& access) {
        if (access.is_store()) return;
        for (Sought& one : found->second) {
          // The value can be a part of what is read.
          if (one.is_there || one.instruction != access.what->instruction) continue;
          const ByteSpan read = access.bytes();
          one.is_there = !std::ranges::search(read, one.bytes).empty();
        }
      };
      for_each_access(regenerator.machine(), *block.executable->code, block.ops, compare);
    };
    TRY_VOID(view->values->each_block(0, view->values->segments(), look));
    for (const auto& [id, all] : blocks)
      for (const Sought& one : all) report.edges[one.edge].is_new = !one.is_there;
  }
  return {};
}

}  // namespace twinrun
