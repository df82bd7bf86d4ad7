// SPDX-License-Identifier: MIT
// Loop nesting by Havlak, "Nesting of Reducible and Irreducible Loops" (1997).
//
// A depth-first walk numbers the nodes. An edge to an ancestor in the walk's tree is a back edge,
// its target w a header. Headers are taken from the last in preorder to the first, so that inner
// loops are complete and collapsed into their header (union-find) when an outer one is made. The
// body of w is what reaches a back edge's source without passing w: walking backward over the other
// edges from those sources. If that walk meets a node that is no descendant of w, then the loop can
// be entered beside w: it is irreducible, and the entering edge is noted as one into w, so that
// outer loops see it. For natural loops the result is exactly the textbook's: the body of w are the
// nodes that reach a back edge to w without passing w, loops with the same header are one.
//
//   0 -> 1, 0 -> 2, 1 -> 2, 2 -> 1: a loop {1, 2} with header 1, irreducible (0 -> 2 enters it).
#include "program/loops.h"

#include <algorithm>
#include <numeric>

namespace twinrun {

using Node = Digraph::Node;

bool LoopForest::contains(uint32_t loop, Node node) const {
  uint32_t at = innermost[node];
  while (at != Loop::kNone && at != loop) at = loops[at].parent;
  return at != Loop::kNone;
}

namespace {

// Works on preorder numbers: a tree's subtree is an interval of them.
class Havlak {
 public:
  Havlak(const Digraph& graph, Node root)
      : walk_(depth_first(graph, root)),
        count_(static_cast<uint32_t>(walk_.preorder.size())),
        last_(count_),
        back_(count_),
        other_(count_),
        collapsed_(count_),
        header_(count_, Loop::kNone),
        kind_(count_, Kind::kNone),
        in_body_(count_, Loop::kNone) {
    std::iota(collapsed_.begin(), collapsed_.end(), 0);
    std::iota(last_.begin(), last_.end(), 0);
    for (uint32_t at = count_; at-- > 1;) {
      const uint32_t parent = walk_.preorder_number[walk_.parent[walk_.preorder[at]]];
      last_[parent] = std::max(last_[parent], last_[at]);
    }
    for (uint32_t at = 0; at < count_; ++at)
      for (const Node from : graph.predecessors(walk_.preorder[at])) {
        if (!walk_.reached(from)) continue;
        const uint32_t number = walk_.preorder_number[from];
        (is_ancestor(at, number) ? back_ : other_)[at].push_back(number);
      }
  }

  LoopForest run(uint32_t nodes) {
    for (uint32_t at = count_; at-- > 0;) make_loop(at);
    return forest(nodes);
  }

 private:
  enum class Kind : uint8_t { kNone, kNatural, kIrreducible };

  [[nodiscard]] bool is_ancestor(uint32_t a, uint32_t b) const { return a <= b && b <= last_[a]; }
  uint32_t find(uint32_t at) {
    while (collapsed_[at] != at) {
      collapsed_[at] = collapsed_[collapsed_[at]];
      at = collapsed_[at];
    }
    return at;
  }

  void make_loop(uint32_t w) {
    std::vector<uint32_t> body;
    const auto add = [&](uint32_t at) {
      if (at == w || in_body_[at] == w) return;
      in_body_[at] = w;
      body.push_back(at);
    };
    for (const uint32_t from : back_[w]) {
      kind_[w] = Kind::kNatural;
      add(find(from));
    }
    std::vector<uint32_t> entering;
    for (size_t i = 0; i < body.size(); ++i)
      for (const uint32_t from : other_[body[i]]) {
        const uint32_t at = find(from);
        if (is_ancestor(w, at)) {
          add(at);
        } else {
          kind_[w] = Kind::kIrreducible;
          entering.push_back(at);
        }
      }
    std::sort(entering.begin(), entering.end());
    entering.erase(std::unique(entering.begin(), entering.end()), entering.end());
    other_[w].insert(other_[w].end(), entering.begin(), entering.end());
    for (const uint32_t at : body) {
      header_[at] = w;
      collapsed_[at] = w;
    }
  }

  // Headers ascend in preorder from the outside to the inside.
  LoopForest forest(uint32_t nodes) {
    LoopForest out;
    out.innermost.assign(nodes, Loop::kNone);
    std::vector<uint32_t> loop_of(count_, Loop::kNone);  // the loop that a header heads
    for (uint32_t at = 0; at < count_; ++at) {
      uint32_t around = header_[at] == Loop::kNone ? Loop::kNone : loop_of[header_[at]];
      if (kind_[at] != Kind::kNone) {
        loop_of[at] = static_cast<uint32_t>(out.loops.size());
        out.loops.push_back({walk_.preorder[at], kind_[at] == Kind::kIrreducible, around,
                             around == Loop::kNone ? 1 : out.loops[around].depth + 1, 0});
        around = loop_of[at];
      }
      out.innermost[walk_.preorder[at]] = around;
      if (around != Loop::kNone) ++out.loops[around].nodes;
    }
    for (size_t i = out.loops.size(); i-- > 0;)
      if (out.loops[i].parent != Loop::kNone)
        out.loops[out.loops[i].parent].nodes += out.loops[i].nodes;
    return out;
  }

  DepthFirst walk_;
  uint32_t count_;
  std::vector<uint32_t> last_;                // of the subtree
  std::vector<std::vector<uint32_t>> back_;   // sources of back edges
  std::vector<std::vector<uint32_t>> other_;  // sources of all other edges
  std::vector<uint32_t> collapsed_;
  std::vector<uint32_t> header_;
  std::vector<Kind> kind_;
  std::vector<uint32_t> in_body_;
};

}  // namespace

LoopForest find_loops(const Digraph& graph, Node root) {
  return Havlak(graph, root).run(graph.size());
}

}  // namespace twinrun
