// SPDX-License-Identifier: MIT
#include "report/folded.h"

#include "base/escape.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {
namespace {

/// What separates functions cannot be in a name.
std::string frame_text(const std::string& name) {
  std::string out = escape_for_terminal(name);
  for (char& c : out)
    if (c == ';') c = ':';
  return out;
}

/// A tree whose children can be listed.
class Side {
 public:
  explicit Side(const ContextTree& tree) : tree_(tree), first_(tree.nodes.size() + 1) {
    for (size_t i = 1; i < tree.nodes.size(); ++i) ++first_[tree.nodes[i].parent + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    children_.resize(tree.nodes.size());
    for (uint32_t i = 1; i < tree.nodes.size(); ++i) children_[next[tree.nodes[i].parent]++] = i;
    for (const std::string& name : tree.names) names_.push_back(frame_text(name));
  }

  template <typename Visit>
  void children(uint32_t node, Visit visit) const {
    for (uint32_t i = first_[node]; i < first_[node + 1]; ++i)
      visit(names_[tree_.nodes[children_[i]].name], children_[i]);
  }
  [[nodiscard]] uint64_t instructions(std::optional<uint32_t> node) const {
    return node ? tree_.nodes[*node].instructions : 0;
  }

 private:
  const ContextTree& tree_;
  std::vector<uint32_t> first_;  // by node: the first of its children
  std::vector<uint32_t> children_;
  std::vector<std::string> names_;
};

/// Corresponding nodes of the trees; nothing where one has no such stack.
struct Pair {
  std::optional<uint32_t> a;
  std::optional<uint32_t> b;
};

class Printer {
 public:
  Printer(const Side& a, const Side* b, const TextSink& sink) : a_(a), b_(b), sink_(sink) {}

  /// Recursion is as deep as the stacks, which are limited.
  void print(const std::string& stack, const Pair& at) {
    const uint64_t own_a = a_.instructions(at.a);
    const uint64_t own_b = b_ == nullptr ? 0 : b_->instructions(at.b);
    if (own_a + own_b != 0)
      sink_(b_ == nullptr ? fmt::format("{} {}\n", stack, own_a)
                          : fmt::format("{} {} {}\n", stack, own_a, own_b));
    std::map<std::string, Pair> below;
    if (at.a)
      a_.children(*at.a, [&](const std::string& name, uint32_t child) { below[name].a = child; });
    if (b_ != nullptr && at.b)
      b_->children(*at.b, [&](const std::string& name, uint32_t child) { below[name].b = child; });
    for (const auto& [name, child] : below)
      print(stack.empty() ? name : fmt::format("{};{}", stack, name), child);
  }

 private:
  const Side& a_;
  const Side* b_;
  const TextSink& sink_;
};

}  // namespace

void folded_text(const ContextTree& tree, const TextSink& sink) {
  const Side side(tree);
  Printer(side, nullptr, sink).print("", {.a = 0, .b = {}});
}

void folded_text(const ContextTree& a, const ContextTree& b, const TextSink& sink) {
  const Side side_a(a);
  const Side side_b(b);
  Printer(side_a, &side_b, sink).print("", {.a = 0, .b = 0});
}

}  // namespace twinrun
