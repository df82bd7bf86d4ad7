// SPDX-License-Identifier: MIT
#include "paths/path_code_maker.h"

#include "program/instruction.h"
#include "run/code_places.h"

#include <algorithm>
#include <map>
#include <optional>

namespace twinrun {
namespace {

class CodeMaker {
 public:
  CodeMaker(const CodeSpace& space, const PathFunctions& functions, Binaries& binaries,
            const std::vector<std::string>& programs)
      : space_(space), functions_(functions), binaries_(binaries), programs_(programs) {}

  Bytes make(const PathCalls& calls) {
    for (uint32_t f = 0; f < functions_.size(); ++f) add(f);
    for (const PathCalls::Call& call : calls.all())
      bodies_[call.function].calls.push_back({call.block, call.callee, call.count});
    for (PathBody& body : bodies_) std::ranges::sort(body.calls);
    return PathCode::encode(code_, bodies_);
  }

 private:
  void add(uint32_t number) {
    const CodeNode first = functions_.node(number, 0);
    PathFunction& function = code_.functions.emplace_back();
    PathBody& body = bodies_.emplace_back();
    if (first == CodeSpace::kNone) return;
    const std::string symbol = space_.function_name(first);
    PlacedFunction names;
    names.name = symbol;
    names.aliases = space_.function_aliases(first);
    function.name = source_name(names);
    function.aliases = names.aliases;
    function.aliases.push_back(symbol);
    std::erase(function.aliases, function.name);
    function.module = module(first);
    function.address = space_.node(first).address.value;
    const Cfg* graph = space_.graph(first);
    function.has_graph = graph != nullptr;
    for (uint32_t b = 0;; ++b) {
      const CodeNode node = functions_.node(number, b);
      if (node == CodeSpace::kNone) break;
      const CodeSpace::Node& code = space_.node(node);
      PathBlock& block = body.blocks.emplace_back();
      // Blocks without a graph are in the order of their execution.
      block.address = code.address.value;
      block.end = code.end.value;
      block.instructions = code.instructions;
      block.is_open = graph == nullptr;
      block.lines = lines(node);
    }
    if (graph == nullptr) return;
    body.entry = graph->entry;
    function.address = body.blocks[graph->entry].address;
    for (const CfgEdge& edge : graph->edges) {
      std::vector<uint32_t>& next = body.blocks[edge.from].next;
      if (next.empty() || next.back() != edge.to) next.push_back(edge.to);
    }
    for (size_t b = 0; b < body.blocks.size(); ++b) {
      const CodeBlock& code = graph->blocks[b];
      body.blocks[b].leaves = code.leaves;
      body.blocks[b].is_open = code.unknown_target || code.some_targets;
      std::vector<uint32_t>& next = body.blocks[b].next;
      std::ranges::sort(next);
      next.erase(std::ranges::unique(next).begin(), next.end());
    }
  }

  uint32_t module(CodeNode node) {
    const MappedFile* file = space_.file(node);
    const MappedFile own = file == nullptr ? MappedFile{} : *file;
    const auto [it, is_new] =
        modules_.try_emplace(own, static_cast<uint32_t>(code_.modules.size()));
    if (is_new)
      code_.modules.push_back(
          {own.path, own.build_id,
           !own.path.empty() && std::ranges::find(programs_, own.path) != programs_.end()});
    return it->second;
  }

  /// Of the innermost frames that are no code of the system's headers, if there are any.
  std::vector<PathLine> lines(CodeNode node) {
    std::vector<PathLine> out;
    const MappedFile* file = space_.file(node);
    DebugInfo* debug = file == nullptr ? nullptr : binaries_.debug_info(*file);
    if (debug == nullptr) return out;
    const auto module = binaries_.module(*file);
    if (!module) return out;
    const CodeSpace::Node& code = space_.node(node);
    for (uint64_t at = code.address.value; at < code.end.value;) {
      const std::vector<SourceFrame> frames = debug->frames_at(at);
      const auto own = std::ranges::find_if(
          frames, [](const SourceFrame& frame) { return !is_system_source(frame.file); });
      if (!frames.empty()) {
        const SourceFrame& frame = own == frames.end() ? frames[0] : *own;
        const PathLine line{source(frame.file), frame.line};
        if (line.line != 0 && (out.empty() || out.back() != line)) out.push_back(line);
      }
      const auto instruction = decoder_.decode((*module)->image().at(at), at);
      if (!instruction) break;
      at += instruction->length;
    }
    return out;
  }

  uint32_t source(const std::string& file) {
    const auto [it, is_new] = files_.try_emplace(file, static_cast<uint32_t>(code_.files.size()));
    if (is_new) code_.files.push_back(file);
    return it->second;
  }

  const CodeSpace& space_;
  const PathFunctions& functions_;
  Binaries& binaries_;
  const std::vector<std::string>& programs_;
  const Decoder decoder_;
  PathCode code_;
  std::vector<PathBody> bodies_;
  std::map<MappedFile, uint32_t> modules_;
  std::map<std::string, uint32_t> files_;
};

}  // namespace

Bytes make_path_code(const CodeSpace& space, const PathFunctions& functions, const PathCalls& calls,
                     Binaries& binaries, const std::vector<std::string>& programs) {
  return CodeMaker(space, functions, binaries, programs).make(calls);
}

}  // namespace twinrun
