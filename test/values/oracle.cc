// SPDX-License-Identifier: MIT
// oracle RECORDING SEED QUERIES SLICES: compares last writers and slices with a naive oracle that
// runs forward and remembers, for every byte of memory and registers, who wrote it last.
#include "run/slice.h"
#include "run/values.h"
#include "run/writers.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <unordered_map>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

/// A writer in one number: segment, block, statement; outside writes by their event.
using Source = std::tuple<int, uint32_t, uint32_t, uint32_t>;

Source id_of(const LastWriter& writer) {
  switch (writer.kind) {
    case LastWriter::Kind::kStatement:
      return {1, writer.block.segment, writer.block.ordinal, writer.statement};
    case LastWriter::Kind::kOutside: return {2, writer.block.segment, writer.outside.event, 0};
    default: return {0, 0, 0, 0};
  }
}

[[noreturn]] void stop(const Error& error) {
  std::fprintf(stderr, "oracle: %s\n", error.message.c_str());
  std::exit(2);
}
template <typename T>
T must(Result<T> result) {
  if (!result) stop(result.error());
  return std::move(*result);
}

struct Query {
  Moment at;
  bool in_memory = false;
  uint64_t where = 0;
  uint32_t size = 0;
  std::vector<Source> writers;
};

/// The state of the oracle: who wrote each byte.
struct Shadow {
  std::unordered_map<uint64_t, Source> memory;
  std::map<uint32_t, std::map<uint32_t, Source>> registers;  // by thread, by offset

  std::vector<Source> who(bool in_memory, uint32_t thread, uint64_t where, uint32_t size) {
    std::vector<Source> out;
    for (uint32_t i = 0; i < size; ++i) {
      if (in_memory) {
        const auto found = memory.find(where + i);
        out.push_back(found == memory.end() ? Source{} : found->second);
      } else {
        auto& own = registers[thread];
        const auto found = own.find(static_cast<uint32_t>(where) + i);
        out.push_back(found == own.end() ? Source{} : found->second);
      }
    }
    return out;
  }
};

class Oracle {
 public:
  Oracle(ProcessValues& values, BlockFlows& flows, std::mt19937_64& random, uint64_t queries)
      : values_(values), flows_(flows), random_(random), wanted_(queries) {}

  /// Runs over all segments; draws the queries as it goes (reservoir sampling).
  void run() {
    for (uint32_t number = 0; number < values_.segments(); ++number) {
      const SegmentValues segment = *must(values_.segment(number));
      size_t outside = 0;
      for (uint32_t block = 0; block <= segment.block_count(); ++block) {
        for (; outside < segment.outside.size() && segment.outside[outside].at <= block; ++outside)
          take(segment.outside[outside], number);
        if (block == segment.block_count()) break;
        execute(segment, block);
      }
    }
  }
  [[nodiscard]] const std::vector<Query>& queries() const { return queries_; }
  /// What each statement execution took its bytes from, for slices.
  std::map<Source, std::set<Source>> sources;
  bool remember_sources = false;

 private:
  void take(const OutsideWrite& write, uint32_t segment) {
    const Source id{2, segment, write.event, 0};
    if (write.kind == OutsideWrite::Kind::kRegisters) {
      for (uint64_t i = 0; i < write.length; ++i)
        shadow_.registers[write.thread][static_cast<uint32_t>(write.address + i)] = id;
      return;
    }
    if (write.length > (1u << 20)) {  // a huge mapping: nobody walks through it byte by byte
      std::erase_if(shadow_.memory,
                    [&](const auto& byte) { return byte.first - write.address < write.length; });
      big_.push_back({write.address, write.length, id});
      return;
    }
    for (uint64_t i = 0; i < write.length; ++i) shadow_.memory[write.address + i] = id;
  }
  std::vector<Source> who(bool in_memory, uint32_t thread, uint64_t where, uint32_t size) {
    std::vector<Source> out = shadow_.who(in_memory, thread, where, size);
    for (uint32_t i = 0; in_memory && i < size; ++i) {
      if (out[i] != Source{}) continue;
      for (const auto& [start, length, id] : big_) {
        if (where + i - start < length) out[i] = id;
      }
    }
    return out;
  }
  void read(const Moment& at, uint32_t thread, bool in_memory, uint64_t where, uint32_t size) {
    if (remember_sources) {
      const Source self{1, at.block.segment, at.block.ordinal, at.statement};
      for (const Source& id : who(in_memory, thread, where, size)) {
        if (std::get<0>(id) == 1) sources[self].insert(id);
      }
    }
    ++seen_;
    const bool room = queries_.size() < wanted_;
    const uint64_t slot = room ? queries_.size() : random_() % seen_;
    if (slot >= wanted_) return;
    Query query{at, in_memory, where, size, who(in_memory, thread, where, size)};
    if (room)
      queries_.push_back(std::move(query));
    else
      queries_[slot] = std::move(query);
  }

  void execute(const SegmentValues& segment, uint32_t block) {
    const uint32_t value = segment.value(block);
    const BlockDef* def = values_.dictionary().find(value);
    const BlockFlow& flow = *must(flows_.of(*def));
    const uint32_t thread = segment.thread_of(block);
    uint32_t ops = flow.code->variant_end[value - def->id.value];
    for (const PartialBlock& partial : segment.runs.partial) {
      if (partial.ordinal == block)
        ops = partial.completed == 0 ? 0 : flow.code->instruction_end[partial.completed - 1];
    }
    const uint32_t first = segment.first_access[block];
    for (uint32_t s = 0; s < flow.ir.statements.size(); ++s) {
      if (flow.code->statement_start[s] >= ops && flow.ir.statements[s].tag != TW_STMT_IMARK) break;
      const IrStatement& st = flow.ir.statements[s];
      const Moment at{{segment.number, block}, s};
      const Source self{1, segment.number, block, s};
      if (remember_sources) {
        for (uint32_t i = 0; i < st.operand_count; ++i) {
          const IrOperand& operand = flow.ir.operands[st.operands + i];
          if (operand.kind == IrOperand::Kind::kTemp && flow.definition_of[operand.value] != ~0u)
            sources[self].insert({1, segment.number, block, flow.definition_of[operand.value]});
        }
      }
      if (const auto part = flow.state_read(s); part.size != 0)
        read(at, thread, false, part.offset, part.size);
      for (uint32_t i = 0; st.tag == TW_STMT_DIRTY && i < st.effect_count; ++i) {
        const IrEffect& effect = flow.ir.effects[st.effects + i];
        for (uint32_t r = 0; effect.effect != TW_EFFECT_WRITE && r <= effect.repeats; ++r)
          read(at, thread, false, effect.offset + r * effect.stride, effect.size);
      }
      for (uint32_t i = flow.accesses_of[s].first; i < flow.accesses_of[s].end; ++i) {
        const MemoryAccess& access = flow.code->accesses[i];
        if (access.op >= ops || segment.addresses[first + i] == SegmentValues::kNotDone) continue;
        const uint64_t address = segment.addresses[first + i];
        if (access.kind == MemoryAccess::Kind::kLoad) {
          read(at, thread, true, address, access.size);
        } else {
          for (uint32_t b = 0; b < access.size; ++b) shadow_.memory[address + b] = self;
        }
      }
      for (uint32_t i = flow.register_writes_of[s].first; i < flow.register_writes_of[s].end; ++i) {
        const RegisterWrite& write = flow.code->register_writes[i];
        uint32_t offset = write.offset;
        uint32_t size = write.size;
        if (write.offset_from != RegisterWrite::kFixed) {
          offset = st.offset;
          size = st.element_count * type_size(st.element_type);
        }
        for (uint32_t b = 0; b < size; ++b) shadow_.registers[thread][offset + b] = self;
      }
    }
  }

  ProcessValues& values_;
  BlockFlows& flows_;
  std::mt19937_64& random_;
  uint64_t wanted_;
  uint64_t seen_ = 0;
  Shadow shadow_;
  struct Big {
    uint64_t start, length;
    Source id;
  };
  std::vector<Big> big_;
  std::vector<Query> queries_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const uint64_t wanted = std::strtoull(argv[3], nullptr, 10);
  const uint64_t slices = std::strtoull(argv[4], nullptr, 10);
  const auto reader = must(Reader::open(argv[1]));
  uint64_t wrong = 0;
  uint64_t asked = 0;
  uint64_t compared_slices = 0;
  for (const auto& [number, process] : reader->processes()) {
    const auto values = must(ProcessValues::open(*reader, number));
    BlockFlows flows(values->code());
    Oracle oracle(*values, flows, random, wanted);
    oracle.remember_sources = slices > 0;
    oracle.run();
    LastWriters writers(*values, flows);
    for (const Query& query : oracle.queries()) {
      const auto found =
          query.in_memory
              ? must(writers.memory(query.at, query.where, query.size))
              : must(writers.registers(query.at, static_cast<uint32_t>(query.where), query.size));
      std::vector<Source> ids;
      for (const BytesWritten& bytes : found)
        ids.insert(ids.end(), bytes.count, id_of(bytes.writer));
      ++asked;
      if (ids == query.writers) continue;
      if (++wrong <= 10) {
        std::printf("process %u segment %u block %u statement %u %s %#lx:%u\n", number,
                    query.at.block.segment, query.at.block.ordinal, query.at.statement,
                    query.in_memory ? "memory" : "registers", query.where, query.size);
        for (size_t i = 0; i < ids.size(); ++i) {
          const auto& [a, b, c, d] = ids[i];
          const auto& [e, f, g, h] = query.writers[i];
          if (ids[i] != query.writers[i])
            std::printf("  byte %zu: found %d %u %u %u, oracle %d %u %u %u\n", i, a, b, c, d, e, f,
                        g, h);
        }
      }
    }
    Slicer slicer(*values, flows);
    for (uint64_t i = 0; i < slices && i < oracle.queries().size(); ++i) {
      // Everything that the statement was computed from, by the remembered sources.
      const Moment& at = oracle.queries()[i].at;
      std::set<Source> reached;
      std::vector<Source> todo{{1, at.block.segment, at.block.ordinal, at.statement}};
      while (!todo.empty()) {
        const Source id = todo.back();
        todo.pop_back();
        if (!reached.insert(id).second) continue;
        for (const Source& source : oracle.sources[id]) todo.push_back(source);
      }
      std::set<InstructionAt> expected;
      for (const auto& [kind, segment, block, statement] : reached) {
        const SegmentValues& there = *must(values->segment(segment));
        const BlockFlow& flow = *must(flows.of(*values->dictionary().find(there.value(block))));
        expected.insert({{segment, block}, flow.instruction_of[statement]});
      }
      const Slice slice = must(slicer.slice(
          {{0,
            1,
            {.kind = LastWriter::Kind::kStatement, .block = at.block, .statement = at.statement}}},
          {.limit = ~0u, .exact_flags = false, .exact_bytes = false}));
      const std::set<InstructionAt> got(slice.nodes.begin(), slice.nodes.end());
      ++compared_slices;
      if (got == expected) continue;
      if (++wrong <= 10)
        std::printf("slice at segment %u block %u statement %u: %zu instructions, oracle %zu\n",
                    at.block.segment, at.block.ordinal, at.statement, got.size(), expected.size());
    }
  }
  std::printf("%lu queries, %lu slices, %lu wrong\n", asked, compared_slices, wrong);
  return wrong == 0 ? 0 : 1;
}
