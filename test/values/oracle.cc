// SPDX-License-Identifier: MIT
// oracle RECORDING SEED QUERIES SLICES [DECISIONS]: compares last writers, slices and what decided
// that random instructions were executed with a naive oracle that
// runs forward and remembers, for every byte of memory and registers, who wrote it last; for
// control dependence, every block that each frame executed, frames being told by the computed stack
// pointer.
#include "values/control_finder.h"
#include "values/control_relation.h"
#include "values/slice.h"
#include "values/values.h"
#include "values/writers.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

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
      // Decoded here once more: it is what is tested.
      if (st.tag == TW_STMT_GET)
        read(at, thread, false, st.offset, type_size(flow.ir.types[st.dst]));
      if (st.tag == TW_STMT_GETI)
        read(at, thread, false, st.offset, st.element_count * type_size(st.element_type));
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

/// What each executed block depends on by control: all blocks of its frame are remembered, and
/// looked through from the last one back.
class ControlOracle {
 public:
  ControlOracle(RunProcess& process, ProcessValues& values)
      : reader_(process.reader()), values_(values), relation_(process) {}

  void run() {
    constexpr uint32_t kRsp = 48;
    CodeCache code(values_.dictionary(), values_.process().info.state_size);
    Regenerator machine(reader_, values_.process(), code);
    std::map<uint32_t, uint64_t> rsp;                // of each thread, behind its last block
    std::map<uint32_t, std::vector<size_t>> active;  // frames of each thread
    places_.resize(values_.segments());
    for (uint32_t number = 0; number < values_.segments(); ++number) {
      if (!machine.enter(number)) std::exit(2);
      for (;;) {
        const auto item = must(machine.next());
        if (item == Regenerator::Item::kEnd) break;
        if (item != Regenerator::Item::kBlock) continue;
        const Regenerator::Block& block = machine.block();
        const BlockDef& def = *values_.dictionary().find(block.value);
        std::vector<size_t>& stack = active[block.thread];
        // A return address below the stack pointer is gone, whatever took it away.
        while (stack.size() > 1 && frames_[stack.back()].sp < rsp[block.thread]) stack.pop_back();
        if (stack.empty()) {
          stack.push_back(frames_.size());
          frames_.push_back({});
        }
        const BlockAt at{number, block.ordinal};
        Frame& frame = frames_[stack.back()];
        const bool whole = !block.partial && block.value - def.id.value + 1 == def.variants;
        places_[number].push_back({stack.back(), frame.executed.size(), block.number, &def});
        frame.executed.push_back({at, whole ? def.last_instruction().value : 0});
        uint64_t& now = rsp[block.thread];
        std::memcpy(&now, machine.machine().state() + kRsp, 8);
        if (whole && def.jump == TW_JUMP_CALL) {
          stack.push_back(frames_.size());
          frames_.push_back({now, at, {}});
        }
      }
    }
  }

  /// An instruction that was executed.
  InstructionAt draw(std::mt19937_64& random) {
    for (;;) {
      const auto segment = static_cast<uint32_t>(random() % places_.size());
      if (places_[segment].empty()) continue;
      // Often near the start of a segment, which can be that of a chunk.
      const size_t size = places_[segment].size();
      const auto ordinal =
          static_cast<uint32_t>(random() % (random() % 2 == 0 ? std::min<size_t>(size, 48) : size));
      const uint32_t count = places_[segment][ordinal].def->instructions();
      if (count != 0) return {{segment, ordinal}, static_cast<uint32_t>(random() % count)};
    }
  }
  [[nodiscard]] uint32_t block_id(BlockAt at) const {
    return places_[at.segment][at.ordinal].def->id.value;
  }

  /// The block whose last instruction decided about the instruction.
  std::optional<BlockAt> decider(const InstructionAt& at) {
    const Place& place = places_[at.block.segment][at.block.ordinal];
    uint64_t address = place.def->address.value;
    for (uint32_t i = 0; i < at.instruction; ++i) address += place.def->lengths[i];
    const std::vector<uint64_t>& branches = *must(relation_.branches(address, place.number));
    const Frame& frame = frames_[place.frame];
    for (size_t i = place.index; i-- > 0;) {
      if (std::ranges::find(branches, frame.executed[i].second) != branches.end())
        return frame.executed[i].first;
    }
    return frame.call;
  }

 private:
  struct Frame {
    uint64_t sp = ~uint64_t{0};
    std::optional<BlockAt> call = {};
    std::vector<std::pair<BlockAt, uint64_t>> executed = {};  // with their last instructions
  };
  struct Place {
    size_t frame = 0;
    size_t index = 0;
    uint64_t number = 0;
    const BlockDef* def = nullptr;
  };
  const Reader& reader_;
  ProcessValues& values_;
  ControlRelation relation_;
  std::vector<Frame> frames_;
  std::vector<std::vector<Place>> places_;  // by segment and block
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  const uint64_t decisions = argc == 6 ? std::strtoull(argv[5], nullptr, 10) : 0;
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const uint64_t wanted = std::strtoull(argv[3], nullptr, 10);
  const uint64_t slices = std::strtoull(argv[4], nullptr, 10);
  const auto run = must(Run::open(argv[1]));
  const Reader* reader = &run->reader();
  uint64_t wrong = 0;
  uint64_t asked = 0;
  uint64_t compared_slices = 0;
  uint64_t compared_nodes = 0;
  for (const auto& [number, process] : reader->processes()) {
    const auto values = must(ProcessValues::open(*must(run->process(number))));
    BlockFlows flows(values->code());
    Oracle oracle(*values, flows, random, wanted);
    oracle.remember_sources = slices > 0;
    if (wanted > 0) oracle.run();
    // Asked of one that has computed nothing yet, as users do: it has to look over older chunks.
    const auto asked_values = must(ProcessValues::open(*must(run->process(number))));
    BlockFlows asked_flows(asked_values->code());
    LastWriters writers(*asked_values, asked_flows);
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
    if (slices == 0 && decisions == 0) continue;
    RunProcess& opened = *must(run->process(number));
    ControlOracle control(opened, *values);
    control.run();
    ControlFinder finder(opened, *values);
    uint64_t far = 0;
    // As a slice asks: from the end to the start.
    std::vector<InstructionAt> drawn;
    while (drawn.size() < decisions) drawn.push_back(control.draw(random));
    std::ranges::sort(drawn, std::greater<>());
    for (const InstructionAt& at : drawn) {
      ControlFinder::Found found;
      if (!finder.ask(at, control.block_id(at.block), 0, found)) return 2;
      for (uint32_t segment = at.block.segment; !found.open.empty();) {
        ++far;
        segment = finder.chunk_start(segment) - 1;
        if (!finder.go_on(segment, std::exchange(found.open, {}), found)) return 2;
      }
      const auto expected = control.decider(at);
      const bool same = expected ? found.answers.size() == 1 && found.answers[0].at == *expected
                                 : found.answers.empty();
      if (same || ++wrong > 10) continue;
      std::printf("segment %u block %u instruction %u: ", at.block.segment, at.block.ordinal,
                  at.instruction);
      for (const auto& answer : found.answers)
        std::printf("found segment %u block %u ", answer.at.segment, answer.at.ordinal);
      if (expected) std::printf("oracle segment %u block %u", expected->segment, expected->ordinal);
      std::printf("\n");
    }
    if (decisions > 0) std::printf("%lu decisions, %lu times in an older chunk; ", decisions, far);
    Slicer slicer(*values, flows, &finder);
    const auto flow_at = [&](BlockAt at) -> const BlockFlow& {
      const SegmentValues& there = *must(values->segment(at.segment));
      return *must(flows.of(*values->dictionary().find(there.value(at.ordinal))));
    };
    for (uint64_t i = 0; i < 2 * slices && i / 2 < oracle.queries().size(); ++i) {
      const bool with_control = i % 2 != 0;
      // Everything that the statement was computed from, by the remembered sources.
      const Moment& at = oracle.queries()[i / 2].at;
      std::set<Source> reached;
      std::vector<Source> todo{{1, at.block.segment, at.block.ordinal, at.statement}};
      std::set<InstructionAt> expected;
      const auto add = [&](const InstructionAt& first) {
        std::vector<InstructionAt> waiting{first};
        while (!waiting.empty()) {
          const InstructionAt one = waiting.back();
          waiting.pop_back();
          if (!expected.insert(one).second || !with_control) continue;
          const auto decider = control.decider(one);
          if (!decider) continue;
          const BlockFlow& flow = flow_at(*decider);
          const uint32_t last = flow.instruction_of.back();
          waiting.push_back({*decider, last});
          const auto condition = [&](const IrOperand& operand) {
            if (operand.kind == IrOperand::Kind::kTemp && flow.definition_of[operand.value] != ~0u)
              todo.push_back(
                  {1, decider->segment, decider->ordinal, flow.definition_of[operand.value]});
          };
          for (uint32_t s = 0; s < flow.ir.statements.size(); ++s) {
            if (flow.ir.statements[s].tag == TW_STMT_EXIT && flow.instruction_of[s] == last)
              condition(flow.ir.operands[flow.ir.statements[s].operands]);
          }
          condition(flow.ir.next);
        }
      };
      while (!todo.empty()) {
        const Source id = todo.back();
        todo.pop_back();
        if (!reached.insert(id).second) continue;
        const auto& [kind, segment, block, statement] = id;
        add({{segment, block}, flow_at({segment, block}).instruction_of[statement]});
        for (const Source& source : oracle.sources[id]) todo.push_back(source);
      }
      const Slice slice = must(slicer.slice(
          {{0,
            1,
            {.kind = LastWriter::Kind::kStatement, .block = at.block, .statement = at.statement}}},
          {.limit = ~0u, .control = with_control, .exact_flags = false, .exact_bytes = false}));
      const std::set<InstructionAt> got(slice.nodes.begin(), slice.nodes.end());
      ++compared_slices;
      compared_nodes += got.size();
      if (got == expected) continue;
      if (++wrong <= 10) {
        std::printf("slice%s at segment %u block %u statement %u: %zu instructions, oracle %zu\n",
                    with_control ? " with control" : "", at.block.segment, at.block.ordinal,
                    at.statement, got.size(), expected.size());
        const auto first_only = [&](const auto& mine, const auto& theirs, const char* name) {
          for (auto it = mine.rbegin(); it != mine.rend(); ++it) {
            if (theirs.contains(*it)) continue;
            const uint32_t value =
                must(values->segment(it->block.segment))->value(it->block.ordinal);
            std::printf("  only %s: segment %u block %u instruction %u, address %#lx\n", name,
                        it->block.segment, it->block.ordinal, it->instruction,
                        values->dictionary().find(value)->address.value);
            return;
          }
        };
        first_only(got, expected, "found");
        first_only(expected, got, "by the oracle");
      }
    }
  }
  std::printf("%lu queries, %lu slices of %lu instructions, %lu wrong\n", asked, compared_slices,
              compared_nodes, wrong);
  return wrong == 0 ? 0 : 1;
}
