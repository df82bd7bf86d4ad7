// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_space.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

/// A place in code.
struct SourcePlace {
  std::string module;    // path; empty: code without a file
  std::string function;  // or the address, if it has no name; empty: no place
  std::string file;      // of the source; empty: not known
  uint32_t line = 0;
  ModuleAddr address;

  bool operator==(const SourcePlace&) const = default;
};

/// Names of the nodes of a space.
class CodeNames {
 public:
  explicit CodeNames(const CodeSpace& space) : space_(space) {}

  /// Of the node's last instruction, which decides.
  SourcePlace place(CodeNode node) { return at(node, space_.node(node).last); }
  SourcePlace start(CodeNode node) { return at(node, space_.node(node).address); }
  /// Whether its function has the name.
  [[nodiscard]] bool is_named(CodeNode node, std::string_view name) const;

  /// Of an instruction of the node.
  SourcePlace at(CodeNode node, ModuleAddr address);

 private:
  const CodeSpace& space_;
};

}  // namespace twinrun
