// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_model.h"
#include "run/symbols.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace twinrun {

/// A place in the code of a model.
struct SourcePlace {
  std::string module;    // path; empty: code without a file
  std::string function;  // or the address, if it has no name; empty: no place
  std::string file;      // of the source; empty: not known
  uint32_t line = 0;
  uint64_t address = 0;  // as in the ELF file

  bool operator==(const SourcePlace&) const = default;
};

/// Names of the nodes of a code model.
class CodeNames {
 public:
  CodeNames(const CodeModel& model, Binaries& binaries) : model_(model), binaries_(binaries) {}

  /// Of the node's last instruction, which decides.
  SourcePlace place(CodeNode node) { return at(node, model_.node(node).last); }
  SourcePlace start(CodeNode node) { return at(node, model_.node(node).address); }
  /// Whether its function has the name.
  [[nodiscard]] bool is_named(CodeNode node, std::string_view name) const;

  /// Of an instruction of the node.
  SourcePlace at(CodeNode node, uint64_t address);

 private:
  const CodeModel& model_;
  Binaries& binaries_;
};

}  // namespace twinrun
