// SPDX-License-Identifier: MIT
#include "align/code_identity.h"

#include <algorithm>
#include <utility>

namespace twinrun {

void CodeIdentity::add(const MappedFile& a, const MappedFile& b, std::vector<Pair> pairs) {
  std::ranges::stable_sort(pairs, std::greater<>(), &Pair::certainty);
  Module& of_a = modules_[0][std::string(module_key(a))];
  Module& of_b = modules_[1][std::string(module_key(b))];
  of_a.file = of_b.other = a;
  of_b.file = of_a.other = b;
  for (const Pair& pair : pairs) {
    if (of_a.counterparts.contains(pair.a) || of_b.counterparts.contains(pair.b)) continue;
    of_a.counterparts[pair.a] = {&of_a.other, pair.b, pair.certainty};
    of_b.counterparts[pair.b] = {&of_b.other, pair.a, pair.certainty};
  }
}

bool CodeIdentity::has(const MappedFile& a, const MappedFile& b) const {
  const auto found = modules_[0].find(module_key(a));
  return found != modules_[0].end() && module_key(found->second.other) == module_key(b);
}

std::optional<CodeIdentity::Counterpart> CodeIdentity::counterpart(RunSide side,
                                                                   const MappedFile& file,
                                                                   ModuleAddr address) const {
  if (is_one_build()) return Counterpart{&file, address, 1};
  const auto& modules = modules_[static_cast<size_t>(side)];
  const auto module = modules.find(module_key(file));
  if (module == modules.end()) return Counterpart{&file, address, 1};
  const auto found = module->second.counterparts.find(address);
  if (found == module->second.counterparts.end()) return std::nullopt;
  return found->second;
}

void CodeIdentity::share_observed(CodeSpace& space) const {
  for (const auto& entry : modules_[0]) {
    const Module& module = entry.second;
    ObservedCode* const of_a = space.observed(module.file);
    ObservedCode* const of_b = space.observed(module.other);
    if (of_a == nullptr || of_b == nullptr) continue;
    const auto translate = [&](RunSide side, const ObservedCode& from) {
      const MappedFile& file = side == RunSide::kA ? module.file : module.other;
      const auto there = [&](uint64_t address) { return counterpart(side, file, {address}); };
      ObservedCode out;
      for (const uint64_t called : from.called)
        if (const auto to = there(called)) out.called.push_back(to->address.value);
      for (const ObservedEdge& edge : from.edges) {
        const auto start = there(edge.from);
        const auto end = there(edge.to);
        if (start && end) out.edges.push_back({start->address.value, end->address.value});
      }
      for (const ExecutedCode& code : from.executed) {
        const auto first = there(code.first);
        const auto last = there(code.last);
        if (first && last) out.executed.push_back({first->address.value, last->address.value});
      }
      return out;
    };
    const ObservedCode for_b = translate(RunSide::kA, *of_a);
    const ObservedCode for_a = translate(RunSide::kB, *of_b);
    const auto add = [](ObservedCode& to, const ObservedCode& more) {
      to.called.insert(to.called.end(), more.called.begin(), more.called.end());
      to.edges.insert(to.edges.end(), more.edges.begin(), more.edges.end());
      to.executed.insert(to.executed.end(), more.executed.begin(), more.executed.end());
    };
    add(*of_a, for_a);
    add(*of_b, for_b);
  }
}

std::optional<bool> CodeIdentity::is_same(const ModuleAddress& a, const ModuleAddress& b) const {
  if (a.file == nullptr || b.file == nullptr) return std::nullopt;
  const auto there = counterpart(RunSide::kA, *a.file, a.address);
  return there && there->address == b.address && module_key(*there->file) == module_key(*b.file);
}

const NodeIdentity::Known& NodeIdentity::find(RunSide side, CodeNode node) {
  std::vector<Known>& known = known_[static_cast<size_t>(side)];
  if (known.size() <= node) known.resize(std::max<size_t>(space_.size(), node + 1));
  if (known[node].is_asked) return known[node];
  Known out{.is_asked = true};
  const MappedFile* file = space_.file(node);
  if (file == nullptr) {
    // Code without a file is known by where it is.
    out.node = node;
    out.certainty = 1;
  } else if (const auto there = identity_.counterpart(side, *file, space_.node(node).address)) {
    // Nodes of one build are the same, those that have no graph too.
    const bool is_itself = there->file == file;
    const CodeNode found = is_itself ? node : space_.find(*there->file, there->address);
    if (found == CodeSpace::kNone) out.is_asked = false;  // the other run can still come to it
    if (found != CodeSpace::kNone && space_.node(found).address == there->address) {
      out.node = found;
      out.certainty = static_cast<float>(there->certainty);
    }
  }
  return known[node] = out;
}

CodeNode NodeIdentity::translate(RunSide side, CodeNode node) {
  if (is_one_build_ || node == CodeSpace::kNone) return node;
  const CodeNode there = find(side, node).node;
  return there == CodeSpace::kNone ? node : there;
}

IndexEntry NodeIdentity::translate(RunSide side, const IndexEntry& theirs) {
  IndexEntry entry = theirs;
  if (is_one_build_) return entry;
  if (entry.has_site()) entry.site = translate(side, entry.site);
  if (entry.has_outcome()) entry.outcome = translate(side, entry.outcome);
  entry.until = translate(side, entry.until);
  return entry;
}

}  // namespace twinrun
