// SPDX-License-Identifier: MIT
#include "run/code_space.h"

#include "run/called_addresses.h"
#include "run/module_address.h"
#include "trace/block_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

namespace twinrun {

const MappedFile* CodeSpace::file(CodeNode number) const {
  if (number == kNone) return nullptr;
  const MappedFile& file = modules_[nodes_[number].module]->file;
  return file.path.empty() ? nullptr : &file;
}

Binaries* CodeSpace::binaries(CodeNode number) const {
  return number == kNone ? nullptr : modules_[nodes_[number].module]->binaries;
}

const Cfg* CodeSpace::graph(CodeNode number) const {
  const Node& node = nodes_[number];
  return node.function == 0 ? nullptr : &modules_[node.module]->flow->cfg(node.in_table);
}

std::string CodeSpace::function_name(CodeNode number) const {
  const Node& node = nodes_[number];
  if (number == kNone) return {};
  const Module& module = *modules_[node.module];
  if (node.in_table == kNoFunction) return fmt::format("{:#x}", node.address.value);
  return module.flow->functions()[node.in_table].label();
}

std::vector<std::string> CodeSpace::function_aliases(CodeNode number) const {
  const Node& node = nodes_[number];
  if (node.in_table == kNoFunction) return {};
  return modules_[node.module]->flow->functions()[node.in_table].aliases;
}

bool CodeSpace::function_has_name(CodeNode number, std::string_view name) const {
  const Node& node = nodes_[number];
  if (node.in_table == kNoFunction) return false;
  const CodeFunction& function = modules_[node.module]->flow->functions()[node.in_table];
  return function.name == name ||
         std::ranges::find(function.aliases, name) != function.aliases.end();
}

uint32_t CodeSpace::number_of(const RunProcess& process, const MappedFile* file) {
  static const MappedFile kNoFile;
  if (file == nullptr) file = &kNoFile;
  // Every block asks: only a new module's key is copied.
  const std::string_view key = module_key(*file);
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  const auto number = static_cast<uint32_t>(modules_.size());
  numbers_.emplace(key, number);
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->file = *file;
  modules_.back()->binaries = &process.binaries();
  return number;
}

Result<void> CodeSpace::add(RunProcess& process) {
  TRY(const std::span<const ObservedJump> jumps, process.jumps());
  for (const ObservedJump& jump : jumps) {
    const ModuleAddress from = process.module_address({jump.from}, jump.block);
    const ModuleAddress to = process.module_address({jump.to}, jump.block);
    if (!from.is_in_elf || !to.is_in_elf) continue;
    const uint32_t module = number_of(process, from.file);
    if (module == number_of(process, to.file))
      modules_[module]->observed.edges.push_back({from.address.value, to.address.value});
  }
  for (const auto& [file, addresses] : process.called().all()) {
    std::vector<uint64_t>& all = modules_[number_of(process, file)]->observed.called;
    all.insert(all.end(), addresses.begin(), addresses.end());
  }
  for (const BlockDef& def : process.dictionary().blocks()) {
    const ModuleAddress at = process.module_address(def.address, Mapping{}.to - 1);
    if (!at.is_in_elf) continue;
    const uint64_t last = def.last_instruction().value - def.address.value;
    modules_[number_of(process, at.file)]->observed.executed.push_back(
        {at.address.value, at.address.value + last});
  }
  return {};
}

ObservedCode* CodeSpace::observed(const MappedFile& file) {
  const auto number = numbers_.find(module_key(file));
  return number == numbers_.end() ? nullptr : &modules_[number->second]->observed;
}

void CodeSpace::build(Module& module) {
  module.is_built = true;
  const auto code = module.binaries->module(module.file);
  if (!code) return;
  module.executed = std::move(module.observed.executed);
  std::ranges::sort(module.executed);
  module.flow = std::make_unique<ControlFlow>(observed_flow(**code, std::move(module.observed)));
  module.first_nodes.resize(module.flow->functions().size());
}

CodeNode CodeSpace::first_node(uint32_t module, uint32_t function) {
  Module& there = *modules_[module];
  CodeNode& first = there.first_nodes[function];
  const Cfg& cfg = there.flow->cfg(function);
  if (first != kNone || cfg.blocks.empty()) return first;
  first = static_cast<CodeNode>(nodes_.size());
  ++functions_;
  const auto size = static_cast<uint32_t>(cfg.blocks.size());
  const PostDominators post = cfg.post_dominators(PostDominance::kNoUnusedEnds, there.executed);
  for (uint32_t i = 0; i < size; ++i) {
    const CodeBlock& block = cfg.blocks[i];
    Node& node = nodes_.emplace_back();
    node.address = {block.start};
    node.last = {block.last};
    node.end = {block.end};
    node.instructions = block.instructions;
    node.module = module;
    node.function = functions_;
    node.in_table = function;
    node.until = post.immediate(i) == post.exit() ? kNone : first + post.immediate(i);
    const bool jumps =
        block.ends == BlockEnd::kConditionalJump || block.ends == BlockEnd::kIndirectJump;
    node.is_branch = jumps && post.graph.successors(i).size() > 1;
    node.is_entry = i == cfg.entry;
  }
  for (const Digraph::Node loop : post.infinite_loops)
    nodes_[first + loop].is_loop = !nodes_[first + loop].is_branch;
  for (uint32_t i = 0; i < size; ++i) {
    const Node& node = nodes_[first + i];
    if (node.is_branch && node.until != kNone) nodes_[node.until].is_until = true;
  }
  return first;
}

CodeNode CodeSpace::loose_node(uint32_t module, ModuleAddr address, const BlockDef& def) {
  CodeNode& number = loose_[{module, address}];
  if (number != kNone) return number;
  number = static_cast<CodeNode>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.address = address;
  node.last = address + (def.last_instruction().value - def.address.value);
  node.end = address + def.bytes.size();
  node.instructions = static_cast<uint32_t>(def.lengths.size());
  node.module = module;
  const Successors next = successors_of_code(def);
  node.is_branch = def.jump == TW_JUMP_BORING && (next.any || next.count > 1);
  return number;
}

CodeNode CodeSpace::node_in(uint32_t module, ModuleAddr address) {
  const ControlFlow* flow = modules_[module]->flow.get();
  const auto function = flow == nullptr ? std::nullopt : flow->functions().find(address.value);
  if (!function) return kNone;
  const uint32_t whole = flow->functions().whole(*function);
  const CodeNode first = first_node(module, whole);
  const std::vector<CodeBlock>& code = flow->cfg(whole).blocks;
  const auto behind = std::ranges::upper_bound(code, address.value, {}, &CodeBlock::start);
  if (first == kNone || behind == code.begin() || address.value >= std::prev(behind)->end)
    return kNone;
  return first + static_cast<CodeNode>(behind - code.begin() - 1);
}

CodeNode CodeSpace::find(const MappedFile& file, ModuleAddr address) {
  const auto number = numbers_.find(module_key(file));
  if (number == numbers_.end()) return kNone;
  Module& module = *modules_[number->second];
  if (!module.is_built) build(module);
  if (const CodeNode node = node_in(number->second, address); node != kNone) return node;
  const auto loose = loose_.find({number->second, address});
  return loose == loose_.end() ? kNone : loose->second;
}

CodeNode CodeSpace::at(const RunProcess& process, Addr address, uint64_t blocks,
                       const BlockDef& def) {
  const ModuleAddress found = process.module_address(address, blocks);
  const uint32_t number = number_of(process, found.file);
  if (!found.is_in_elf) return loose_node(number, found.address, def);
  Module& module = *modules_[number];
  if (!module.is_built) build(module);
  if (const CodeNode node = node_in(number, found.address); node != kNone) return node;
  const CodeNode loose = loose_node(number, found.address, def);
  // Stubs have no graph, but names.
  if (module.flow)
    if (const auto function = module.flow->functions().find(found.address.value))
      nodes_[loose].in_table = module.flow->functions().whole(*function);
  return loose;
}

const ControlFlow* CodeSpace::flow(const RunProcess& process, const MappedFile& file) {
  Module& module = *modules_[number_of(process, &file)];
  if (!module.is_built) build(module);
  return module.flow.get();
}

CodeNode CodeSpace::following(CodeNode number) const {
  if (number + 1 >= nodes_.size() || nodes_[number].function == 0) return kNone;
  const Node& next = nodes_[number + 1];
  return next.function == nodes_[number].function && next.address == nodes_[number].end ? number + 1
                                                                                        : kNone;
}

CodeNode CodeSpace::meeting(CodeNode a, CodeNode b) const {
  if (a == kNone || b == kNone || nodes_[a].function != nodes_[b].function) return kNone;
  std::vector<CodeNode> above;
  for (CodeNode n = a; n != kNone; n = nodes_[n].until) above.push_back(n);
  for (CodeNode n = b; n != kNone; n = nodes_[n].until)
    if (std::ranges::find(above, n) != above.end()) return n;
  return kNone;
}

uint32_t CodeSpace::canonical(CodeNode node, ModuleAddr address, ByteSpan bytes, uint32_t variant) {
  const BlockKey key{
      uint64_t{nodes_[node].module} << 32 | variant, address.value, bytes.size(),
      std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()})};
  return canonical_.try_emplace(key, static_cast<uint32_t>(canonical_.size() + 1)).first->second;
}

Result<std::unique_ptr<ProcessCode>> ProcessCode::make(RunProcess& process) {
  auto out = std::make_unique<ProcessCode>();
  TRY_VOID(out->space.add(process));
  return out;
}

}  // namespace twinrun
