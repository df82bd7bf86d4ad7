// SPDX-License-Identifier: MIT
// Feeds mutated bytes to what reads, compiles and runs the IR of blocks. The input is u16 size, the
// IR of one block of that size, and what its loads and helpers yield. The definition around the IR
// is made to fit, so that mutations get past it. Each way through the block runs in the interpreter
// and as machine code; both may compute whatever they like, but only inside their machine.
#include "trace/block_facts.h"
#include "trace/ir.h"
#include "trace/regen/code.h"
#include "trace/regen/machine.h"

#include <cstddef>
#include <cstdint>

using namespace twinrun;

namespace {

constexpr uint32_t kStateSize = 960;
constexpr uint32_t kMostVariants = 4;  // that run

void define_helper(ByteWriter& defs, uint32_t number, std::string_view name) {
  ByteWriter payload;
  payload.varint(number);
  payload.string(name);
  defs.varint(TW_DEF_HELPER);
  defs.varint(payload.bytes().size());
  defs.raw(payload.bytes());
}

/// A block of one byte per instruction with this IR.
Bytes definitions(const IrBlock& block, ByteSpan ir) {
  uint32_t instructions = 0;
  std::vector<uint32_t> begun;
  for (const IrStatement& st : block.statements) {
    instructions += st.tag == TW_STMT_IMARK;
    if (st.tag == TW_STMT_EXIT && st.makes_variant) begun.push_back(instructions);
  }
  ByteWriter payload;
  payload.varint(1);
  payload.varint(begun.size() + 1);
  payload.varint(0x1000);
  payload.varint(TW_BLOCK_HAS_IR);
  payload.varint(TW_JUMP_BORING);
  payload.varint(instructions);
  payload.raw(Bytes(instructions, 1));
  payload.raw(Bytes(instructions, 0x90));
  for (const uint32_t count : begun) payload.varint(count);
  payload.raw(ir);
  ByteWriter defs;
  define_helper(defs, 1, "amd64g_calculate_condition");
  define_helper(defs, 2, "amd64g_calculate_rflags_all");
  define_helper(defs, 3, "amd64g_calculate_rflags_c");
  define_helper(defs, 4, "amd64g_dirtyhelper_CPUID_avx2");
  defs.varint(TW_DEF_BLOCK);
  defs.varint(payload.bytes().size());
  defs.raw(payload.bytes());
  return defs.take();
}

void run(const Dictionary& dictionary, Engine engine, ByteSpan streams) {
  const BlockDef& def = dictionary.blocks().front();
  CodeCache code(dictionary, kStateSize, engine);
  Machine machine(kStateSize);
  for (uint32_t variant = 0; variant < def.variants && variant < kMostVariants; ++variant) {
    const auto executable = code.add(def.id.value + variant);
    if (!executable) return;
    machine.take_constants(code.constants());
    // The registers, and loads that miss, by what follows the IR.
    std::memcpy(machine.state(), streams.data(), std::min<size_t>(streams.size(), kStateSize));
    machine.set_streams(streams, streams, streams);
    machine.begin_block(0);
    code.warm_up(**executable);
    if ((*executable)->native != nullptr) {
      (void)(*executable)->native(&machine, machine.core());
    } else {
      for (uint32_t i = 0; i < (*executable)->ops; ++i) {
        const Op& op = (*executable)->code->ops[i];
        op.run(machine, op);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const ByteSpan input(data, size);
  const size_t ir_size = std::min<size_t>(data[0] | data[1] << 8, size - 2);
  const ByteSpan ir = input.subspan(2, ir_size);
  const ByteSpan streams = input.subspan(2 + ir_size);
  const auto block = decode_ir(ir);
  if (!block) return 0;
  Dictionary dictionary;
  const auto added = dictionary.add(std::make_shared<const Bytes>(definitions(*block, ir)));
  if (!added || dictionary.blocks().empty()) return 0;
  (void)print_ir(*block, dictionary, "");
  (void)loads_of(*block);
  (void)opaque_size(*block, block->statements.size());
  (void)block_facts(dictionary.blocks().front(), dictionary);
  run(dictionary, Engine::kReference, streams);
  run(dictionary, Engine::kNative, streams);
  return 0;
}
