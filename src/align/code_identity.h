// SPDX-License-Identifier: MIT
// Which code of two runs is the same.
//
// What compares runs must know which instruction of the one is which of the other. In modules of
// one build that is the instruction at the same address, for sure, and nothing is stored. Of two
// builds of a module it is what a matcher found, each pair with its certainty; what it has not
// found corresponds to nothing. The alignment, the slices and the memory indices ask these two
// classes, so that none of them knows whether there is one build or two.
#pragma once

#include "align/run_side.h"
#include "base/ids.h"
#include "run/code_space.h"
#include "run/module_address.h"
#include "run/structural_index.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// Modules and addresses in them.
class CodeIdentity {
 public:
  CodeIdentity() = default;
  CodeIdentity(const CodeIdentity&) = delete;
  CodeIdentity& operator=(const CodeIdentity&) = delete;
  CodeIdentity(CodeIdentity&&) = default;
  CodeIdentity& operator=(CodeIdentity&&) = default;

  /// Code or data of two builds of a module that is the same.
  struct Pair {
    ModuleAddr a;
    ModuleAddr b;
    double certainty = 1;
  };
  struct Counterpart {
    const MappedFile* file = nullptr;
    ModuleAddr address;
    double certainty = 1;
  };

  /// What was found to be the same in two builds of a module. An address has one counterpart: of
  /// several the most certain.
  void add(const MappedFile& a, const MappedFile& b, std::vector<Pair> pairs);
  /// Whether something is known about these two builds.
  [[nodiscard]] bool has(const MappedFile& a, const MappedFile& b) const;
  /// Nothing was built differently, as far as this knows.
  [[nodiscard]] bool is_one_build() const { return modules_[0].empty(); }
  /// What an address of one run's module is in the other run; nothing: not known. `file` must
  /// outlive the answer.
  [[nodiscard]] std::optional<Counterpart> counterpart(RunSide side, const MappedFile& file,
                                                       ModuleAddr address) const;
  /// Tells each build what the other shows: post-dominators follow from all jumps that are known,
  /// and must be the same in both. Before a block of the space is asked for.
  void share_observed(CodeSpace& space) const;
  /// Whether addresses of memory mean the same; nothing: at least one of them is in no module.
  [[nodiscard]] std::optional<bool> is_same(const ModuleAddress& a, const ModuleAddress& b) const;

 private:
  struct Module {
    MappedFile file;
    MappedFile other;
    std::map<ModuleAddr, Counterpart> counterparts;
  };
  std::array<std::map<std::string, Module, std::less<>>, 2> modules_;  // by side, then module_key()
};

/// The same for the nodes of a space. What has been asked is kept.
class NodeIdentity {
 public:
  NodeIdentity(const CodeIdentity& identity, CodeSpace& space)
      : identity_(identity), space_(space), is_one_build_(identity.is_one_build()) {}

  [[nodiscard]] bool is_one_build() const { return is_one_build_; }
  /// What a node of one run is in the other; CodeSpace::kNone: it has none.
  [[nodiscard]] CodeNode counterpart(RunSide side, CodeNode node) {
    return is_one_build_ ? node : find(side, node).node;
  }
  /// How sure that is, from 0 to 1.
  [[nodiscard]] double certainty(RunSide side, CodeNode node) {
    return is_one_build_ ? 1 : find(side, node).certainty;
  }
  [[nodiscard]] bool is_same(CodeNode a, CodeNode b) {
    if (is_one_build_ || a == CodeSpace::kNone || b == CodeSpace::kNone) return a == b;
    return find(RunSide::kA, a).node == b;
  }
  [[nodiscard]] bool is_same(const IndexEntry& a, const IndexEntry& b) {
    if (is_one_build_) return a.is_same(b);
    return a.count == b.count && is_same_place(a, b) &&
           (a.has_outcome() ? is_same(a.outcome, b.outcome) : a.outcome == b.outcome);
  }
  /// Whether the entries are of the same place in the code, wherever they led.
  [[nodiscard]] bool is_same_place(const IndexEntry& a, const IndexEntry& b) {
    return a.kind == b.kind && (a.has_site() ? is_same(a.site, b.site) : a.site == b.site);
  }
  /// A node of the one run, or an entry of its index, in terms of the other. Nodes that have no
  /// counterpart stay: they cannot be mistaken for any of the other run.
  [[nodiscard]] CodeNode translate(RunSide side, CodeNode node);
  [[nodiscard]] IndexEntry translate(RunSide side, const IndexEntry& theirs);

 private:
  struct Known {
    CodeNode node = CodeSpace::kNone;
    float certainty = 0;
    bool is_asked = false;
  };
  const Known& find(RunSide side, CodeNode node);

  const CodeIdentity& identity_;
  CodeSpace& space_;
  bool is_one_build_;
  std::array<std::vector<Known>, 2> known_;  // by side and node
};

}  // namespace twinrun
