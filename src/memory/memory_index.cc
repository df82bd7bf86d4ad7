// SPDX-License-Identifier: MIT
// Canonical names of memory (William N. Sumner, Xiangyu Zhang: Memory Indexing: Canonicalizing
// Addresses Across Executions, sections 4 and 5).
//
// A region's name is how it came to be: a module by its file, a frame by the calls that are under
// way, a block of the heap by the structural index of its allocation and the call site, a mapping
// by the index of the system call. Names are paths in a RegionTree, so that the same name is the
// same number in two runs that share the tree.
//
// Regions are painted one over the other, the larger ones first: mappings and modules, then the
// blocks of the heap inside them, then stacks (which may lie in any of them) and what the system
// keeps there. What remains are pieces without overlaps, sorted: looking up an address is a binary
// search. The lazy semantics needs no more: PV(p) = MI(value of p).
//
// Deviations from the paper: indices are computed when they are asked for, and only for what is
// live then; the first word of a region needs no markers at intervals (rule 12). An array of
// variable length is a region of its frame (stack_areas.h), and what the frame has below it belongs
// to that region, so that no offset depends on a length.
#include "memory/memory_index.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

namespace twinrun {
namespace {

using Kind = RegionLabel::Kind;

/// glibc's record of a thread, from the thread pointer upward. If it is another one's, the rest
/// belongs to the mapping that it lies in.
constexpr uint64_t kThreadRecord = 0x900;
constexpr uint64_t kThreadStorageMost = 1 << 16;
constexpr uint64_t kVectorMost = 1024;

}  // namespace

class MemoryMapBuilder {
 public:
  MemoryMapBuilder(MemoryMap& out, const IndexSource& indices)
      : out_(out), memory_(out.memory_), tree_(out.tree_), indices_(indices) {}

  Result<void> run() {
    TRY_VOID(find_indices());
    mappings();
    modules();
    allocations();
    stacks();
    thread_records();
    arguments();
    for (const auto& [begin, part] : painted_)
      out_.pieces_.push_back({begin, part.first, part.second});
    return {};
  }

 private:
  using Path = std::vector<RegionLabel>;
  using Key = std::pair<uint32_t, uint64_t>;  // process, block

  uint32_t add(Path path, Region region) {
    // Two regions of one name would be one.
    if (out_.by_id_.contains(tree_.find(path))) {
      ++out_.ambiguous_;
      path.push_back({Kind::kOrdinal, 1});
      while (out_.by_id_.contains(tree_.find(path))) ++path.back().a;
    }
    region.kind = path[0].kind;
    region.id = tree_.insert(path);
    return add_region(std::move(region));
  }

  uint32_t add_region(Region region) {
    const auto number = static_cast<uint32_t>(out_.regions_.size());
    out_.by_id_[region.id] = number;
    out_.regions_.push_back(std::move(region));
    return number;
  }

  void paint(uint64_t begin, uint64_t end, uint32_t region) {
    if (begin >= end) return;
    auto it = painted_.upper_bound(begin);
    if (it != painted_.begin() && std::prev(it)->second.first > begin) --it;
    while (it != painted_.end() && it->first < end) {
      const auto [old_begin, old] = *it;
      it = painted_.erase(it);
      if (old_begin < begin) painted_[old_begin] = {begin, old.second};
      if (old.first > end) it = painted_.emplace(end, old).first;
    }
    painted_[begin] = {end, region};
  }

  /// Structural indices of all births at once, process by process.
  Result<void> find_indices() {
    std::map<uint32_t, std::set<BlockMoment>> wanted;
    for (const auto& [key, made] : memory_.allocations())
      wanted[made.birth.process].insert({made.birth.block, made.birth.thread});
    for (const auto& [start, mapping] : memory_.mappings())
      if (mapping.birth.block != 0 && needs_index(mapping))
        wanted[mapping.birth.process].insert({mapping.birth.block, mapping.birth.thread});
    for (const auto& [process, moments] : wanted) {
      const std::vector<BlockMoment> sorted(moments.begin(), moments.end());
      const auto tell = [&](size_t which, const StructuralIndex& index) {
        Path& path = indices_of_[{process, sorted[which].blocks}];
        for (const IndexEntry& entry : index.path) path.push_back(RegionLabel::of(entry));
      };
      TRY_VOID(indices_(process, sorted, tell));
    }
    return {};
  }

  [[nodiscard]] bool needs_index(const LiveMapping& mapping) const {
    return mapping.kind != TW_MAP_HEAP && memory_.module(mapping.start) == nullptr;
  }

  Path birth_path(Kind kind, const Birth& birth) {
    Path path{{kind}};
    uint64_t generations = 0;
    for (const Process* p = memory_.run().reader().process(memory_.position().process.value);
         p != nullptr && p->info.number != birth.process;
         p = memory_.run().reader().process(p->info.parent))
      ++generations;
    if (generations != 0) path.push_back({Kind::kOfProcess, generations});
    if (birth.block != 0) path.push_back({Kind::kOfThread, birth.thread.value});
    const auto found = indices_of_.find({birth.process, birth.block});
    if (found != indices_of_.end())
      path.insert(path.end(), found->second.begin(), found->second.end());
    return path;
  }

  void mappings() {
    std::map<std::tuple<uint32_t, uint64_t, uint32_t>, uint32_t> by_birth;
    std::optional<uint32_t> heap;
    for (const auto& [start, mapping] : memory_.mappings()) {
      if (memory_.module(start) != nullptr && memory_.module(start)->begin <= start) continue;
      Region region{.base = mapping.base, .begin = mapping.start, .end = mapping.end};
      region.is_internal = mapping.by_allocator;
      uint32_t number = 0;
      if (mapping.kind == TW_MAP_HEAP) {
        if (!heap) heap = add({{Kind::kBreak}}, region);
        number = *heap;
      } else {
        const Birth& birth = mapping.birth;
        const auto [found, is_new] =
            by_birth.try_emplace({birth.process, birth.block, birth.ordinal});
        if (is_new) {
          Path path = birth_path(Kind::kMapping, birth);
          if (birth.ordinal != 0) path.push_back({Kind::kOrdinal, birth.ordinal});
          found->second = add(std::move(path), region);
        }
        number = found->second;
      }
      Region& made = out_.regions_[number];
      made.end = std::max(made.end, mapping.end);
      // One that the program has asked for itself is not the allocator's alone.
      made.is_internal = made.is_internal && mapping.by_allocator;
      paint(mapping.start, mapping.end, number);
    }
  }

  void modules() {
    for (const LiveModule& module : memory_.modules()) {
      const MappedFile& file = memory_.files()[module.file];
      Path path{{Kind::kModule, tree_.place({file, 0}), module.instance}};
      const uint32_t number = add(std::move(path), {.base = module.bias,
                                                    .begin = module.begin,
                                                    .end = module.end,
                                                    .module = &module,
                                                    .name = std::string(base_name(file.path))});
      // Only what is mapped: linkers leave holes.
      auto it = memory_.mappings().lower_bound(module.begin);
      for (; it != memory_.mappings().end() && it->first < module.end; ++it) {
        if (it->second.file == module.file || it->second.file == Mapping::kNoFile)
          paint(it->first, std::min(it->second.end, module.end), number);
      }
    }
  }

  void allocations() {
    for (const auto& [key, made] : memory_.allocations()) {
      const uint64_t address = key.first;
      Path path = birth_path(Kind::kHeap, made.birth);
      if (made.made.site != 0) path.push_back({Kind::kSite, place(made.made.site)});
      // Not even malloc(0) returns the same twice.
      const uint64_t end = address + std::max<uint64_t>(made.made.size, 1);
      const uint32_t number = add(std::move(path), {.base = address,
                                                    .begin = address,
                                                    .end = end,
                                                    .allocation = &made,
                                                    .thread = made.made.thread});
      paint(address, end, number);
    }
  }

  /// Step by step down the tree: recursion can be deep.
  void stacks() {
    RegionId inner = 0;  // of the stack before
    ThreadNo inner_thread;
    std::map<uint32_t, uint64_t> others;
    for (const LiveStack& stack : memory_.stacks()) {
      RegionId at = 0;
      if (stack.kind == CallFrame::Kind::kSignal && inner != 0 && inner_thread == stack.thread)
        at = inner;
      else
        at = hold(tree_.insert(Path{{Kind::kStack}, {Kind::kOfThread, stack.thread.value}}));
      if (stack.kind == CallFrame::Kind::kStack)
        at = hold(tree_.insert_below(at, {Kind::kOther, ++others[stack.thread.value]}));
      for (const LiveFrame& frame : stack.frames) {
        const RegionLabel label = label_of(frame);
        if (frame.end == 0) {
          at = hold(tree_.insert_below(at, label));
          continue;
        }
        if (out_.by_id_.contains(tree_.find_below(at, label))) {
          ++out_.ambiguous_;
          RegionLabel which{Kind::kOrdinal, 1};
          while (out_.by_id_.contains(tree_.find_below(tree_.find_below(at, which), label)))
            ++which.a;
          at = hold(tree_.insert_below(at, which));
        }
        at = tree_.insert_below(at, label);
        const uint32_t number = add_region({.id = at,
                                            .kind = Kind::kStack,
                                            .base = frame.end,
                                            .begin = frame.begin,
                                            .end = frame.end,
                                            .frame = &frame,
                                            .stack = &stack,
                                            .thread = stack.thread});
        paint(frame.begin, frame.end, number);
        areas(frame, stack, at);
      }
      inner = at;
      inner_thread = stack.thread;
    }
  }

  /// What is below an area of a frame counts from its begin, like the area itself.
  void areas(const LiveFrame& frame, const LiveStack& stack, RegionId of_frame) {
    std::map<uint64_t, uint64_t> times;  // made at a place
    for (const StackArea& area : frame.areas) {
      const uint64_t end = std::min(area.end, frame.end);
      if (area.begin < frame.begin || end <= frame.begin) continue;
      const uint64_t site = place(area.site);
      const RegionId id = tree_.insert_below(of_frame, {Kind::kArea, site, times[site]++});
      const uint32_t number = add_region({.id = id,
                                          .kind = Kind::kStack,
                                          .base = area.begin,
                                          .begin = frame.begin,
                                          .end = end,
                                          .stack = &stack,
                                          .thread = stack.thread});
      paint(frame.begin, end, number);
    }
  }

  RegionId hold(RegionId node) {
    out_.held_.push_back(node);
    return node;
  }

  RegionLabel label_of(const LiveFrame& frame) {
    CodePlace function{frame.file == Mapping::kNoFile ? MappedFile() : memory_.files()[frame.file],
                       frame.address};
    const uint64_t callee = frame.address == ModuleAddr{} ? 0 : tree_.place(function);
    if (frame.frame.kind == CallFrame::Kind::kSignal)
      return {Kind::kSignal, frame.frame.signal, callee};
    return {Kind::kFrame, frame.site == 0 ? 0 : place(frame.site), callee};
  }

  /// Only when the words there look like it: the first one points to itself, the second to the
  /// table of the modules' blocks.
  void thread_records() {
    for (const auto& [number, thread] : memory_.threads()) {
      const uint64_t tp = thread.thread_pointer;
      if (tp == 0 || memory_.word(tp) != tp) continue;
      const LiveMapping* mapping = memory_.mapping(tp);
      if (mapping == nullptr) continue;
      uint64_t begin = tp;
      const uint64_t table = memory_.word(tp + 8).value_or(0);
      const uint64_t count = memory_.word(table - 16).value_or(0);
      for (uint64_t i = 1; table != 0 && i <= std::min(count, kVectorMost); ++i) {
        const auto block = memory_.word(table + 16 * i);
        if (block && *block < tp && tp - *block < kThreadStorageMost)
          begin = std::min(begin, *block);
      }
      // A thread's record can lie in a block of the heap, or in more than one mapping.
      begin = std::max(begin, mapping->start);
      const uint64_t end = std::min(tp + kThreadRecord, mapping->end);
      const uint32_t made = add({{Kind::kThread}, {Kind::kOfThread, number}},
                                {.base = tp, .begin = begin, .end = end, .thread = {number}});
      paint(begin, end, made);
    }
  }

  /// Strings by what they are, so that one that is longer does not move the others.
  void arguments() {
    const auto [begin, end] = memory_.initial_stack();
    const ByteSpan bytes = memory_.initial_bytes();
    if (begin == end) return;
    const auto part = [&](uint64_t which, uint64_t from, uint64_t to, uint64_t base,
                          const char* name) {
      Region region{.base = base, .begin = from, .end = to, .name = name};
      paint(from, to, add({{Kind::kArguments, which}}, std::move(region)));
    };
    const auto word = [&](uint64_t address) -> uint64_t {
      uint64_t out = 0;
      if (address >= begin && address + 8 <= end)
        std::memcpy(&out, bytes.data() + (address - begin), 8);
      return out;
    };
    Region rest{.base = end, .begin = begin, .end = end, .name = "process start"};
    rest.is_internal = true;
    paint(begin, end, add({{Kind::kArguments, 3}}, std::move(rest)));
    std::vector<std::pair<uint64_t, uint64_t>> strings;  // pointer's place, what it points to
    uint64_t at = begin + 8;
    const auto pointers = [&] {
      strings.clear();
      for (; at + 8 <= end && word(at) != 0; at += 8) strings.emplace_back(at, word(at));
      at += 8;
    };
    std::map<uint64_t, uint64_t> seen;  // environment variables of one name
    for (const uint64_t which : {0, 1}) {
      const uint64_t from = which == 0 ? begin : at;
      pointers();
      part(which, from, std::min(at, end), from, which == 0 ? "argv" : "envp");
      for (size_t i = 0; i < strings.size(); ++i) {
        const uint64_t start = strings[i].second;
        if (start < begin || start >= end) continue;
        const auto* text = reinterpret_cast<const char*>(bytes.data() + (start - begin));
        const size_t length = strnlen(text, end - start);
        const std::string_view whole(text, length);
        Region region{.base = start, .begin = start, .end = start + length + 1};
        RegionLabel label{Kind::kString, which, i};
        if (which == 0) {
          region.name = fmt::format("argv[{}]", i);
        } else {
          region.name = std::string(whole.substr(0, whole.find('=')));
          label.b = tree_.name(region.name);
          label.c = seen[label.b]++;
        }
        const uint64_t to = std::min(region.end, end);
        paint(start, to, add({label}, std::move(region)));
      }
    }
    // Addresses in the vector that lead to what the kernel has put there (AT_* of elf.h).
    struct Pointed {
      uint64_t type;
      uint64_t size;  // 0: a text
      const char* name;
    };
    static constexpr std::array<Pointed, 4> kPointed = {{{15, 0, "AT_PLATFORM"},
                                                         {24, 0, "AT_BASE_PLATFORM"},
                                                         {25, 16, "AT_RANDOM"},
                                                         {31, 0, "AT_EXECFN"}}};
    const uint64_t from = at;
    for (; at + 16 <= end && word(at) != 0; at += 16) {
      const auto known = std::ranges::find(kPointed, word(at), &Pointed::type);
      const uint64_t start = word(at + 8);
      if (known == kPointed.end() || start < begin || start >= end) continue;
      const auto* text = reinterpret_cast<const char*>(bytes.data() + (start - begin));
      const uint64_t size = known->size != 0 ? known->size : strnlen(text, end - start) + 1;
      const uint64_t to = std::min(start + size, end);
      paint(start, to,
            add({{Kind::kString, 2, known->type}},
                {.base = start, .begin = start, .end = to, .name = known->name}));
    }
    part(2, from, std::min(at + 16, end), from, "auxv");
  }

  uint64_t place(uint64_t address) {
    const auto [found, is_new] = places_.try_emplace(address);
    if (is_new) {
      const LiveModule* module = memory_.module(address);
      found->second = module == nullptr
                          ? tree_.place({MappedFile(), address})
                          : tree_.place({memory_.files()[module->file], address - module->bias});
    }
    return found->second;
  }

  MemoryMap& out_;
  const LiveMemory& memory_;
  RegionTree& tree_;
  const IndexSource& indices_;
  std::map<Key, Path> indices_of_;
  boost::unordered_flat_map<uint64_t, uint64_t> places_;       // of code, by address
  std::map<uint64_t, std::pair<uint64_t, uint32_t>> painted_;  // begin: end, region
};

Result<std::unique_ptr<MemoryMap>> MemoryMap::build(const LiveMemory& memory, RegionTree& tree,
                                                    const IndexSource& indices) {
  std::unique_ptr<MemoryMap> out(new MemoryMap(memory, tree));
  TRY_VOID(MemoryMapBuilder(*out, indices).run());
  return out;
}

MemoryMap::~MemoryMap() {
  for (const Region& region : regions_) tree_.remove(region.id);
  for (const RegionId node : held_) tree_.remove(node);
}

const Region* MemoryMap::region_at(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(pieces_, address, {}, &Piece::begin);
  if (behind == pieces_.begin()) return nullptr;
  const Piece& piece = *std::prev(behind);
  return address < piece.end ? &regions_[piece.region] : nullptr;
}

bool MemoryMap::is_in(const Region& region, uint64_t address, uint64_t size) const {
  const auto behind = std::ranges::upper_bound(pieces_, address, {}, &Piece::begin);
  if (behind == pieces_.begin()) return false;
  const Piece& piece = *std::prev(behind);
  return &regions_[piece.region] == &region && address < piece.end && size <= piece.end - address;
}

const Region* MemoryMap::region(RegionId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &regions_[found->second];
}

std::optional<MemoryIndex> MemoryMap::index_of(uint64_t address) const {
  const Region* found = region_at(address);
  if (found == nullptr) return std::nullopt;
  return MemoryIndex{found->id, static_cast<int64_t>(address - found->base)};
}

std::optional<uint64_t> MemoryMap::address_of(const MemoryIndex& index) const {
  const Region* found = region(index.region);
  if (found == nullptr) return std::nullopt;
  return found->base + static_cast<uint64_t>(index.offset);
}

std::string MemoryTexts::function(const CodePlace& place) {
  if (!place.file.path.empty()) {
    const ElfSymbols* symbols = binaries_.get(place.file).symbols.get();
    const Function* found = symbols == nullptr ? nullptr : symbols->find(place.address.value);
    if (found != nullptr) {
      PlacedFunction named;
      named.name = found->name;
      named.aliases = found->aliases;
      return source_name(named);
    }
  }
  return fmt::format("{}+{:#x}", base_name(place.file.path), place.address.value);
}

std::string MemoryTexts::place(const CodePlace& place) {
  if (!place.file.path.empty()) {
    if (DebugInfo* debug = binaries_.debug_info(place.file)) {
      const std::vector<SourceFrame> frames = debug->frames_at(place.address.value);
      if (!frames.empty() && frames[0].line != 0)
        return fmt::format("{}:{}", base_name(frames[0].file), frames[0].line);
    }
    const ElfSymbols* symbols = binaries_.get(place.file).symbols.get();
    if (const Function* found = symbols == nullptr ? nullptr : symbols->find(place.address.value))
      return fmt::format("{}+{:#x}", function(place), place.address.value - found->address);
  }
  return fmt::format("{}+{:#x}", base_name(place.file.path), place.address.value);
}

std::string MemoryTexts::step(const RegionLabel& label) {
  const auto of_place = [&](uint64_t number) {
    const auto [text, is_new] = place_texts_.try_emplace(number, "?");
    if (const CodePlace* found = tree_.place_of(number); is_new && found != nullptr)
      text->second = place(*found);
    return text->second;
  };
  const auto of_function = [&](uint64_t number) {
    const CodePlace* found = tree_.place_of(number);
    return found == nullptr ? std::string("?") : function(*found);
  };
  const auto of_node = [&](CodeNode node, bool is_function) {
    const auto [text, is_new] = node_texts_.try_emplace({node, is_function}, "?");
    const auto found = is_new && node_ ? node_(node) : std::nullopt;
    if (found) text->second = is_function ? function(*found) : place(*found);
    return text->second;
  };
  switch (label.kind) {
    case Kind::kModule: return std::string(base_name(tree_.place_of(label.a)->file.path));
    case Kind::kStack: return "stack";
    case Kind::kHeap: return "heap";
    case Kind::kMapping: return "mapping";
    case Kind::kBreak: return "brk";
    case Kind::kThread: return "thread storage";
    case Kind::kArguments:
    case Kind::kString: return "process start";
    case Kind::kOfThread: return label.a == 1 ? "" : fmt::format("thread {}", label.a);
    case Kind::kOfProcess: return fmt::format("{} forks ago", label.a);
    case Kind::kSite: return of_place(label.a);
    case Kind::kOrdinal: return fmt::format("#{}", label.a);
    case Kind::kFrame: return of_function(label.b);
    case Kind::kSignal: return fmt::format("signal {} {}", label.a, of_function(label.b));
    case Kind::kOther: return fmt::format("stack {}", label.a);
    case Kind::kArea:
      return "area at " + of_place(label.a) + (label.b == 0 ? "" : fmt::format(" #{}", label.b));
    case Kind::kEntry: break;
  }
  const IndexEntry entry = label.entry();
  const std::string times = entry.executed() == 1 ? "" : fmt::format(" x{}", entry.executed());
  switch (entry.kind) {
    case IndexEntry::Kind::kCall:
    case IndexEntry::Kind::kTail: {
      const std::string site = of_node(entry.site, false);
      return of_node(entry.outcome, true) + (site == "?" ? "" : "@" + site) + times;
    }
    case IndexEntry::Kind::kBranch:
      return fmt::format("{}>{}{}", of_node(entry.site, false), of_node(entry.outcome, false),
                         times);
    case IndexEntry::Kind::kSignal: return fmt::format("signal {}", entry.site) + times;
    case IndexEntry::Kind::kStack: return fmt::format("stack {}", entry.site) + times;
    case IndexEntry::Kind::kLoader: return "loader";
    case IndexEntry::Kind::kRepeat:
    case IndexEntry::Kind::kLoop:
    case IndexEntry::Kind::kUnwind: return of_node(entry.site, false) + times;
  }
  return "?";
}

std::string MemoryTexts::region(RegionId region) {
  const std::vector<RegionLabel> path = tree_.path(region);
  if (path.empty()) return "?";
  std::string steps;
  for (size_t i = 1; i < path.size(); ++i) {
    const std::string text = step(path[i]);
    if (text.empty()) continue;
    if (!steps.empty()) steps += path[0].kind == Kind::kStack ? " > " : ", ";
    steps += text;
  }
  if (path[0].kind == Kind::kStack) return "stack " + steps;
  return steps.empty() ? step(path[0]) : fmt::format("{} [{}]", step(path[0]), steps);
}

}  // namespace twinrun
