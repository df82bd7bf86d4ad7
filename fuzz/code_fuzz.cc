// SPDX-License-Identifier: MIT
// Arbitrary bytes as code: functions, control flow, dominators, loops. The first bytes say where
// functions begin, which edges were observed, and whether the rest is code or an ELF file.
#include "base/check.h"
#include "program/control_flow.h"
#include "program/dominators.h"
#include "program/loops.h"

#include <cstddef>
#include <cstdint>
#include <optional>

using namespace twinrun;

namespace {

constexpr uint64_t kBase = 0x1000;

void use(const ControlFlow& flow) {
  uint64_t end = 0;
  for (uint32_t f = 0; f < flow.functions().size(); ++f) {
    const CodeFunction& function = flow.functions()[f];
    CHECK(function.address >= end) << function.address << end;
    end = function.end();
    const Cfg& cfg = flow.cfg(f);
    if (cfg.blocks.empty()) continue;
    const Digraph graph = cfg.graph();
    const PostDominators post = post_dominators(graph, cfg.entry, cfg.exits());
    const DominatorTree tree = dominators(graph, cfg.entry);
    for (uint32_t block = 0; block < graph.size(); ++block) {
      CHECK(post.tree.reached(block)) << block;
      CHECK(cfg.blocks[block].start < cfg.blocks[block].end);
      CHECK(tree.reached(block) || cfg.blocks[block].start != function.address);
    }
    (void)find_loops(graph, cfg.entry);
    (void)control_dependence(post, 1 << 16);
  }
  for (const CallEdge& call : flow.calls())
    CHECK(call.caller < flow.functions().size() && call.callee < flow.functions().size());
}

void as_elf(ByteSpan bytes) {
  const auto image = CodeImage::from_memory(bytes);
  if (!image) return;
  const auto symbols = ElfSymbols::from_memory(bytes);
  const auto frames = read_eh_frame(*image);
  use(ControlFlow::build(*image, FunctionTable::make(*image, symbols ? &*symbols : nullptr, frames),
                         frames));
}

void as_code(ByteReader& in) {
  std::vector<uint64_t> called{kBase};
  for (uint32_t n = in.fixed<uint8_t>() % 8; n > 0; --n)
    called.push_back(kBase + in.fixed<uint16_t>() % 4096);
  std::vector<ObservedEdge> observed;
  for (uint32_t n = in.fixed<uint8_t>() % 8; n > 0; --n) {
    const uint64_t from = kBase + in.fixed<uint16_t>() % 4096;
    observed.push_back(
        {from % 7 == 0 ? ObservedEdge::kElsewhere : from, kBase + in.fixed<uint16_t>() % 4096});
  }
  const ByteSpan code = in.take(in.left());
  CodeImage image;
  image.add({kBase, Bytes(code.begin(), code.end()), true, false});
  use(ControlFlow::build(image, FunctionTable::make(image, nullptr, {}, called), {}, observed));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ByteReader in({data, size});
  if (in.fixed<uint8_t>() == 0x7f)
    as_elf({data, size});
  else
    as_code(in);
  return 0;
}
