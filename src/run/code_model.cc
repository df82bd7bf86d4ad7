// SPDX-License-Identifier: MIT
#include "run/code_model.h"

#include "run/called_addresses.h"
#include "run/module_address.h"
#include "run/observed_jumps.h"
#include "trace/block_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace twinrun {

const MappedFile* CodeModel::file(CodeNode number) const {
  if (number == kNone) return nullptr;
  const MappedFile& file = modules_[nodes_[number].module]->file;
  return file.path.empty() ? nullptr : &file;
}

const Cfg* CodeModel::graph(CodeNode number) const {
  const Node& node = nodes_[number];
  return node.function == 0 ? nullptr : &modules_[node.module]->flow->cfg(node.in_table);
}

std::string CodeModel::function_name(CodeNode number) const {
  const Node& node = nodes_[number];
  if (number == kNone) return {};
  const Module& module = *modules_[node.module];
  if (node.in_table == kNoFunction) return fmt::format("{:#x}", node.address);
  return module.flow->functions()[node.in_table].label();
}

std::vector<std::string> CodeModel::function_aliases(CodeNode number) const {
  const Node& node = nodes_[number];
  if (node.in_table == kNoFunction) return {};
  return modules_[node.module]->flow->functions()[node.in_table].aliases;
}

bool CodeModel::function_has_name(CodeNode number, std::string_view name) const {
  const Node& node = nodes_[number];
  if (node.in_table == kNoFunction) return false;
  const CodeFunction& function = modules_[node.module]->flow->functions()[node.in_table];
  return function.name == name ||
         std::ranges::find(function.aliases, name) != function.aliases.end();
}

CodeModel::Place CodeModel::place(const RunCode& run, uint64_t address, uint64_t blocks) {
  const ModuleAddress found = module_address(*run.binaries, *run.maps, {address}, blocks);
  return {number_of(found.file), found.address, found.is_in_elf};
}

uint32_t CodeModel::number_of(const MappedFile* file) {
  static const MappedFile kNoFile;
  if (file == nullptr) file = &kNoFile;
  // A copy of a file is the same code.
  const auto key = file->build_id.empty() ? std::pair(file->path, Bytes{})
                                          : std::pair(std::string(), file->build_id);
  const auto [number, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(modules_.size()));
  if (is_new) {
    modules_.push_back(std::make_unique<Module>());
    modules_.back()->file = *file;
  }
  return number->second;
}

Result<void> CodeModel::add(const RunCode& run) {
  TRY(const std::vector<ObservedJump> jumps,
      observed_jumps(*run.reader, *run.process, *run.dictionary));
  for (const ObservedJump& jump : jumps) {
    const Place from = place(run, jump.from, jump.block);
    const Place to = place(run, jump.to, jump.block);
    if (from.module == to.module && from.is_in_elf && to.is_in_elf)
      modules_[from.module]->observed.edges.push_back({from.address, to.address});
  }
  CalledAddresses called(*run.binaries, *run.maps, *run.dictionary);
  for (const auto& [file, addresses] : called.all()) {
    std::vector<uint64_t>& all = modules_[number_of(file)]->observed.called;
    all.insert(all.end(), addresses.begin(), addresses.end());
  }
  return {};
}

void CodeModel::build(Module& module, const RunCode& run) {
  module.is_built = true;
  const auto code = run.binaries->module(module.file);
  if (!code) return;
  module.flow = std::make_unique<ControlFlow>(observed_flow(**code, std::move(module.observed)));
  module.first_nodes.resize(module.flow->functions().size());
}

CodeNode CodeModel::first_node(uint32_t module, uint32_t function) {
  Module& there = *modules_[module];
  CodeNode& first = there.first_nodes[function];
  const Cfg& cfg = there.flow->cfg(function);
  if (first != kNone || cfg.blocks.empty()) return first;
  first = static_cast<CodeNode>(nodes_.size());
  ++functions_;
  const auto size = static_cast<uint32_t>(cfg.blocks.size());
  const PostDominators post = cfg.post_dominators(PostDominance::kNoExceptions);
  for (uint32_t i = 0; i < size; ++i) {
    const CodeBlock& block = cfg.blocks[i];
    Node& node = nodes_.emplace_back();
    node.address = block.start;
    node.last = block.last;
    node.end = block.end;
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

CodeNode CodeModel::loose_node(const Place& place, const BlockDef& def) {
  CodeNode& number = loose_[{place.module, place.address}];
  if (number != kNone) return number;
  number = static_cast<CodeNode>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.address = place.address;
  node.last = place.address + (def.last_instruction().value - def.address.value);
  node.end = place.address + def.bytes.size();
  node.instructions = static_cast<uint32_t>(def.lengths.size());
  node.module = place.module;
  const Successors next = successors_of_code(def);
  node.is_branch = def.jump == TW_JUMP_BORING && (next.any || next.count > 1);
  return number;
}

CodeNode CodeModel::at(const RunCode& run, Addr address, uint64_t blocks, const BlockDef& def) {
  const Place found = place(run, address.value, blocks);
  Module& module = *modules_[found.module];
  if (!module.is_built && found.is_in_elf) build(module, run);
  if (found.is_in_elf && module.flow) {
    if (const auto function = module.flow->functions().find(found.address)) {
      const uint32_t whole = module.flow->functions().whole(*function);
      const CodeNode first = first_node(found.module, whole);
      const std::vector<CodeBlock>& code = module.flow->cfg(whole).blocks;
      const auto behind = std::ranges::upper_bound(code, found.address, {}, &CodeBlock::start);
      if (first != kNone && behind != code.begin() && found.address < std::prev(behind)->end)
        return first + static_cast<CodeNode>(behind - code.begin() - 1);
    }
  }
  const CodeNode loose = loose_node(found, def);
  // Stubs have no graph, but names.
  if (found.is_in_elf && module.flow)
    if (const auto function = module.flow->functions().find(found.address))
      nodes_[loose].in_table = module.flow->functions().whole(*function);
  return loose;
}

CodeNode CodeModel::following(CodeNode number) const {
  if (number + 1 >= nodes_.size() || nodes_[number].function == 0) return kNone;
  const Node& next = nodes_[number + 1];
  return next.function == nodes_[number].function && next.address == nodes_[number].end ? number + 1
                                                                                        : kNone;
}

CodeNode CodeModel::meeting(CodeNode a, CodeNode b) const {
  if (a == kNone || b == kNone || nodes_[a].function != nodes_[b].function) return kNone;
  std::vector<CodeNode> above;
  for (CodeNode n = a; n != kNone; n = nodes_[n].until) above.push_back(n);
  for (CodeNode n = b; n != kNone; n = nodes_[n].until)
    if (std::ranges::find(above, n) != above.end()) return n;
  return kNone;
}

uint32_t CodeModel::canonical(CodeNode node, uint64_t address, ByteSpan bytes, uint32_t variant) {
  const BlockKey key{
      uint64_t{nodes_[node].module} << 32 | variant, address, bytes.size(),
      std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()})};
  return canonical_.try_emplace(key, static_cast<uint32_t>(canonical_.size() + 1)).first->second;
}

}  // namespace twinrun
