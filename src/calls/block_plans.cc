// SPDX-License-Identifier: MIT
#include "calls/block_plans.h"

#include <algorithm>

namespace twinrun {
namespace {

// push [rip+x]; jmp [rip+y]: what every stub of a table leads to until its function is found.
bool is_start_of_plt(const BlockDef& def) {
  const ByteSpan code = def.bytes;
  if (code.size() < 12 || code[0] != 0xff || code[1] != 0x35) return false;
  const size_t jump = code[6] == 0xf2 ? 7 : 6;
  return code.size() == jump + 6 && code[jump] == 0xff && code[jump + 1] == 0x25;
}

}  // namespace

Result<const BlockPlan*> BlockPlans::make(uint32_t value, uint64_t blocks) {
  const BlockDef* def = model_.process().dictionary().find(value);
  if (def == nullptr || value >= plans_.size())
    return fail("T006", "block {} is executed and not defined", value);
  BlockPlan& plan = plans_[value];
  const CodePlaces::OfBlock& place = places_.of(*def, blocks);
  const uint32_t variant = value - def->id.value;
  const bool to_the_end = variant + 1 == def->variants;
  plan.address = def->address.value;
  plan.to_last = static_cast<uint32_t>(def->last_instruction().value - def->address.value);
  plan.id = def->id.value;
  plan.function = place.function;
  plan.is_entry = place.is_entry;
  plan.is_stub = places_.function(place.function).is_stub;
  plan.repeats = def->is_rep();
  plan.ends_repeating = plan.repeats && def->variants > 1 && variant == 0;
  plan.calls_loader = is_start_of_plt(*def);
  plan.first_visit = static_cast<uint32_t>(visits_.size());
  plan.first_stop = static_cast<uint32_t>(stops_.size());

  // Straight on through the nodes, as far as the block was executed.
  const uint32_t begun = def->begun(variant);
  plan.instructions = static_cast<uint16_t>(std::min(begun, def->instructions()));
  CodeNode current = model_.at(def->address, blocks, *def);
  plan.node = current;
  const uint64_t bias = def->address.value;
  const CodeSpace::Node first = model_.node(current);
  ModuleAddr start = first.address;
  // Where the block begins in the module: it may be in the middle of its first node.
  const ModuleAddr in_module = model_.address_in_module(def->address, blocks);
  plan.offset = static_cast<uint32_t>(in_module - first.address);
  ModuleAddr at = in_module;
  for (uint32_t i = 0; i < begun && i < def->instructions(); ++i) {
    if (i > 0 && at >= model_.node(current).end) {
      current = model_.at({bias + (at - in_module)}, blocks, *def);
      start = model_.node(current).address;
    }
    if (at == start) {
      visits_.push_back({current, i});
      const CodeSpace::Node& node = model_.node(current);
      if (node.is_until || node.is_loop) stops_.push_back({current, node.is_loop});
    }
    if (i + 1 == begun && at == model_.node(current).last && model_.node(current).is_branch)
      plan.branch = current;
    at = at + def->lengths[i];
  }
  plan.last_node = current;
  plan.visits = static_cast<uint16_t>(visits_.size() - plan.first_visit);
  plan.stops = static_cast<uint16_t>(stops_.size() - plan.first_stop);
  if (plan.branch != 0) plan.branch_until = model_.node(plan.branch).until;
  canonical_[value] = model_.canonical(plan.node, in_module, def->bytes, variant);

  using Way = BlockPlan::Way;
  plan.way = place.loads_stack_pointer || plan.calls_loader ? Way::kUnusual
             : !to_the_end || def->jump == TW_JUMP_BORING   ? Way::kPass
             : def->jump == TW_JUMP_CALL                    ? Way::kCall
             : def->jump == TW_JUMP_RETURN                  ? Way::kReturn
                                                            : Way::kUnusual;
  plan.is_plain = plan.way == Way::kPass && !plan.is_entry && !plan.repeats;
  return &plan;
}

}  // namespace twinrun
