// SPDX-License-Identifier: MIT
// The control flow of all functions of a binary, with the question which calls return answered on
// the way.
//
// Each function is explored from its entry. At a call the explorer stops until the callee is known
// to return; the call then waits in a list of the callee. When a function reaches a return, all
// calls that wait for it are resumed, which can make their functions return, and so on. A function
// that is still not known to return when nothing is left to do does not return: the least fixpoint.
// Each instruction is decoded once, so the fixpoint costs no more than the decoding.
//
// Two things become known only from the explored code: which functions of other modules do not
// return, and which pieces of code without names are cold parts of other functions. When
// exploration shows something of that kind, all is explored again with it; both sets only grow, and
// the number of rounds is limited. The last round learns nothing, so that the graphs are those of
// what is known.
//
// What all that found out are the FlowFacts. Explored alone with them, a function comes out as it
// did among all: the instructions that are reached are a closure, whatever the order, once it is
// known which calls return and where indirect jumps go. So binaries whose facts are stored are
// explored function by function.
//
// With what a run did (ControlFlow::with), only few functions differ: those with an indirect jump
// that went where no table leads, and code that nothing but calls tells of. These are explored
// anew, among themselves to a fixpoint, with the rest as it was. When then a function returns that
// did not, or the other way, or something is learned, the rest may differ, too, and all is
// explored.
#include "program/control_flow.h"

#include "program/explorer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>

namespace twinrun {

class FlowExplorer {
 public:
  FlowExplorer() = default;
  FlowExplorer(std::shared_ptr<const CodeImage> image, FunctionTable functions,
               std::span<const FrameRange> frames, std::vector<ObservedEdge> observed)
      : image_(std::move(image)), observed_(std::move(observed)), table_(std::move(functions)) {
    std::sort(observed_.begin(), observed_.end());
    observed_.erase(std::unique(observed_.begin(), observed_.end()), observed_.end());
    for (const FrameRange& range : frames) {
      const auto sites = read_call_sites(*image_, range);
      call_sites_.insert(call_sites_.end(), sites.begin(), sites.end());
    }
    std::stable_sort(call_sites_.begin(), call_sites_.end(),
                     [](const CallSite& a, const CallSite& b) { return a.start < b.start; });
    context_ = {image_.get(), &decoder_, call_sites_, observed_};
    const uint32_t count = table_.size();
    cfgs_.resize(count);
    own_.resize(count);
    explorers_.resize(count);
    waiting_.resize(count);
    tail_waiting_.resize(count);
    outward_seen_.resize(count);
    facts_.returns.resize(count);
    resolve_stubs();
    find_arrivals();
  }
  FlowExplorer(const FlowExplorer&) = delete;
  FlowExplorer& operator=(const FlowExplorer&) = delete;

  [[nodiscard]] const FunctionTable& table() const { return table_; }
  [[nodiscard]] const FlowFacts& facts() const { return facts_; }
  [[nodiscard]] const std::shared_ptr<const CodeImage>& image() const { return image_; }

  /// Everything from the start.
  void find_out() {
    constexpr int kMostRounds = 5;
    for (int round = 0;; ++round) {
      explore_all();
      if (round == kMostRounds) break;
      const bool linked = link_parts();
      const bool learned = learn_imports();
      if (!linked && !learned) break;
    }
    for (const auto& explorer : explorers_)
      if (explorer) std::ranges::move(explorer->jumps(), std::back_inserter(facts_.jumps));
    std::ranges::sort(facts_.jumps, {}, &KnownJump::address);
    facts_.no_return.assign(no_return_.begin(), no_return_.end());
    is_settled_ = true;
  }

  /// False when the facts are those of other functions.
  bool take(FlowFacts facts) {
    if (facts.returns.size() != table_.size()) return false;
    for (const FlowFacts::Link& link : facts.links)
      if (!table_.link(link.part, link.parent)) return false;
    facts_ = std::move(facts);
    no_return_.insert(facts_.no_return.begin(), facts_.no_return.end());
    is_settled_ = true;
    return true;
  }

  /// With what is known without the observed edges; false when they make it wrong.
  bool take_and_observe(const std::shared_ptr<FlowExplorer>& before);

  const Cfg& cfg(uint32_t f) {
    if (!cfgs_[f]) make(f);
    return *cfgs_[f];
  }

  const std::vector<CallEdge>& calls() {
    if (!has_calls_) {
      for (uint32_t f = 0; f < table_.size(); ++f)
        if (!cfgs_[f] || is_shared(f)) make_own(f);
      has_calls_ = true;
      std::sort(calls_.begin(), calls_.end());
      calls_.erase(std::unique(calls_.begin(), calls_.end()), calls_.end());
    }
    return calls_;
  }

  /// Makes all graphs, so that image and frames are no longer needed.
  void finish() {
    calls();
    image_.reset();
    context_ = {};
    call_sites_ = {};
    observed_ = {};
  }

 private:
  struct Waiting {
    uint32_t function = 0;
    uint64_t call = 0;
  };
  // A stub leads to a function of this binary if it has one of that name, else to another module.
  void resolve_stubs() {
    std::map<std::string_view, uint32_t> defined;
    for (uint32_t i = 0; i < table_.size(); ++i) {
      const CodeFunction& f = table_[i];
      if (f.is_stub) continue;
      defined.emplace(f.name, i);
      for (const std::string& alias : f.aliases) defined.emplace(alias, i);
    }
    stub_targets_.assign(table_.size(), CodeFunction::kNone);
    for (uint32_t i = 0; i < table_.size(); ++i) {
      const CodeFunction& f = table_[i];
      if (!f.is_stub) continue;
      const auto it = defined.find(std::string_view(f.name).substr(0, f.name.find('@')));
      if (it != defined.end()) stub_targets_[i] = it->second;
    }
  }

  // Where control was seen to arrive other than by a jump inside the function: behind calls.
  void find_arrivals() {
    for (const ObservedEdge& edge : observed_) {
      if (edge.to == ObservedEdge::kElsewhere) continue;
      const auto from = edge.from == ObservedEdge::kElsewhere
                            ? std::nullopt
                            : decoder_.decode(image_->at(edge.from), edge.from);
      if (!from || from->flow == Flow::kReturn) arrivals_.push_back(edge.to);
    }
    std::sort(arrivals_.begin(), arrivals_.end());
  }
  [[nodiscard]] bool has_arrived(uint64_t address) const {
    return std::ranges::binary_search(arrivals_, address);
  }
  [[nodiscard]] bool was_executed(uint64_t call) const {
    return std::ranges::binary_search(observed_, call, {}, &ObservedEdge::from);
  }

  // Calls of other modules' functions by name; of ours, the whole function.
  struct Callee {
    uint32_t function = CodeFunction::kNone;
    std::string_view import;
  };
  [[nodiscard]] Callee callee(uint64_t target) const {
    const auto found = table_.at(target);
    if (!found) return {};
    if (!table_[*found].is_stub) return {table_.whole(*found), {}};
    if (stub_targets_[*found] != CodeFunction::kNone)
      return {table_.whole(stub_targets_[*found]), {}};
    return {CodeFunction::kNone, table_[*found].name};
  }
  [[nodiscard]] Callee callee(const Instruction& instruction) const {
    if (instruction.is_direct()) return callee(instruction.target);
    if (!instruction.has_slot) return {};
    const CodeImage::Import* import = image_->import(instruction.target);
    return {CodeFunction::kNone, import == nullptr ? std::string_view() : import->name};
  }
  [[nodiscard]] bool import_returns(std::string_view name) const {
    return !no_return_.contains(name.substr(0, name.find('@')));
  }

  // ---- exploring ----

  [[nodiscard]] std::set<uint32_t> concerned() const;

  void explore_all() {
    const uint32_t count = table_.size();
    for (uint32_t f = 0; f < count; ++f) explorers_[f].reset();
    waiting_.assign(count, {});
    tail_waiting_.assign(count, {});
    outward_seen_.assign(count, 0);
    facts_.returns.assign(count, false);
    std::vector<uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    explore(all, context_);
  }

  // Together, up to the fixpoint.
  void explore(std::span<const uint32_t> functions, const ExplorerContext& context) {
    for (const uint32_t f : functions) {
      if (table_[f].parent != CodeFunction::kNone) continue;
      if (table_[f].is_stub) {
        const Callee to = callee(table_[f].address);
        if (to.function == CodeFunction::kNone && import_returns(to.import)) set_returns(f);
        continue;
      }
      start(f, context);
    }
    settle();
    // What was executed but not found: now, so that paths from the entry come first.
    for (const ObservedEdge& edge : observed_) {
      if (edge.to == ObservedEdge::kElsewhere) continue;
      const auto f = table_.find(edge.to);
      if (f && explorers_[table_.whole(*f)]) enter(table_.whole(*f), edge.to);
    }
    settle();
  }

  void start(uint32_t f, const ExplorerContext& context) {
    std::vector<Explorer::Range> ranges;
    for (const uint32_t part : table_.parts(f))
      ranges.push_back({table_[part].address, table_[part].end()});
    explorers_[f] = std::make_unique<Explorer>(context, std::move(ranges));
    enter(f, table_[f].address);
  }

  void settle() {
    do {
      while (!returned_.empty()) {
        const uint32_t g = returned_.back();
        returned_.pop_back();
        for (const uint32_t f : std::exchange(tail_waiting_[g], {})) set_returns(f);
        for (const Waiting& w : std::exchange(waiting_[g], {})) {
          explorers_[w.function]->resume(w.call, continues(w.function));
          look(w.function);
        }
      }
    } while (find_more());
  }

  bool find_more() {
    bool any = false;
    for (uint32_t f = 0; f < explorers_.size(); ++f) {
      if (!explorers_[f] || !explorers_[f]->find_more(continues(f))) continue;
      any = true;
      look(f);
    }
    return any;
  }

  void enter(uint32_t f, uint64_t address) {
    explorers_[f]->enter(address, continues(f));
    look(f);
  }

  Explorer::Continues continues(uint32_t f) {
    return [this, f](const Instruction& call) {
      if (has_arrived(call.end())) return true;
      const Callee to = callee(call);
      if (!to.import.empty()) return import_returns(to.import);
      if (to.function == CodeFunction::kNone || facts_.returns[to.function]) return true;
      if (!is_settled_) waiting_[to.function].push_back({f, call.address});
      return false;
    };
  }

  void set_returns(uint32_t f) {
    if (facts_.returns[f]) return;
    facts_.returns[f] = true;
    returned_.push_back(f);
  }

  // Does the function return, by what was explored of it?
  void look(uint32_t f) {
    if (is_settled_) return;
    const Explorer& e = *explorers_[f];
    if (e.has_return() || e.has_unknown_jump()) set_returns(f);
    for (size_t& i = outward_seen_[f]; i < e.outward().size(); ++i) {
      const Callee to = callee(e.outward()[i].to);
      if (!to.import.empty() ? import_returns(to.import)
                             : to.function == CodeFunction::kNone || facts_.returns[to.function])
        set_returns(f);
      else if (to.function != CodeFunction::kNone)
        tail_waiting_[to.function].push_back(f);
    }
  }

  // ---- learning ----

  bool learn_imports() {
    struct Seen {
      bool called = false;
      bool returned = false;
    };
    std::map<std::string, Seen, std::less<>> seen;
    const size_t before = no_return_.size();
    for (const auto& e : explorers_) {
      if (!e) continue;
      for (const Instruction& instruction : e->instructions()) {
        if (!instruction.is_call()) continue;
        const std::string_view import = callee(instruction).import;
        if (import.empty()) continue;
        const std::string name(import.substr(0, import.find('@')));
        Seen& s = seen[name];
        s.called |= was_executed(instruction.address);
        s.returned |= has_arrived(instruction.end());
        if (e->ends_range(instruction) && !has_arrived(instruction.end())) no_return_.insert(name);
      }
    }
    for (const auto& [name, s] : seen)
      if (s.called && !s.returned) no_return_.insert(name);
    return no_return_.size() > before;
  }

  [[nodiscard]] bool is_cold_part(uint32_t part, uint32_t of) const {
    const auto name = cold_part_of(table_[part].name);
    return name &&
           (*name == table_[of].name || std::ranges::binary_search(table_[of].aliases, *name));
  }

  bool link(uint32_t part, uint32_t parent) {
    if (!table_.link(part, parent)) return false;
    facts_.links.push_back({part, parent});
    return true;
  }

  // Compilers move unlikely code of a function elsewhere. With symbols it is named f.cold, which
  // can be the name of several; without, .eh_frame tells that a frame is in place where the piece
  // begins. Jumps into it come from its function, jumps out of it go back there.
  bool link_parts() {
    bool any = false;
    for (uint32_t f = 0; f < table_.size(); ++f) {
      if (!explorers_[f]) continue;
      for (const Explorer::Outward& jump : explorers_[f]->outward()) {
        const auto found = table_.find(jump.to);
        if (!found || jump.falls_through) continue;
        const uint32_t to = table_.whole(*found);
        const uint32_t from = table_.whole(f);
        if (to == from || table_[to].is_stub) continue;
        const bool into_middle = jump.to != table_[*found].address;
        if (is_cold_part(to, from) || table_[to].is_piece)
          any |= link(to, from);
        else if (is_cold_part(from, to) || (table_[from].is_piece && into_middle))
          any |= link(from, to);
      }
    }
    return any;
  }

  // ---- the result ----

  /// Whether the graph is one of the flow without the observed edges.
  [[nodiscard]] bool is_shared(uint32_t f) const { return before_ && !explorers_[f] && !own_[f]; }

  void make(uint32_t f) {
    if (is_shared(f))
      cfgs_[f] = std::shared_ptr<const Cfg>(before_, &before_->cfg(f));
    else
      make_own(f);
  }

  void make_own(uint32_t f) {
    const bool has_graph = table_[f].parent == CodeFunction::kNone && !table_[f].is_stub;
    if (has_graph && !explorers_[f]) {
      ExplorerContext context = context_;
      context.known = facts_.jumps;
      start(f, context);
    }
    own_[f] = true;
    auto made = std::make_shared<Cfg>();
    made->function = f;
    if (explorers_[f]) {
      const auto is_start = [this](uint64_t address) { return table_.at(address).has_value(); };
      *made = explorers_[f]->finish(f, is_start);
      add_calls(f);
      explorers_[f].reset();
    }
    cfgs_[f] = std::move(made);
  }

  void add_call(uint32_t caller, uint64_t site, uint64_t to, CallKind kind) {
    if (const auto callee = table_.at(to))
      calls_.push_back({caller, table_.whole(*callee), site, kind});
  }

  void add_calls(uint32_t f) {
    for (const Explorer::Outward& jump : explorers_[f]->outward())
      if (!jump.falls_through) add_call(f, jump.from, jump.to, CallKind::kTail);
    for (const Instruction& i : explorers_[f]->instructions()) {
      if (i.flow == Flow::kCall) add_call(f, i.address, i.target, CallKind::kDirect);
      if (i.flow != Flow::kIndirectCall) continue;
      for (const ObservedEdge& edge :
           std::ranges::equal_range(observed_, i.address, {}, &ObservedEdge::from))
        add_call(f, i.address, edge.to, CallKind::kObserved);
    }
  }

  std::shared_ptr<const CodeImage> image_;
  Decoder decoder_;
  std::vector<ObservedEdge> observed_;
  std::vector<CallSite> call_sites_;
  ExplorerContext context_;
  FunctionTable table_;
  FlowFacts facts_;
  bool is_settled_ = false;               // the facts are complete
  std::shared_ptr<FlowExplorer> before_;  // has the same functions
  std::vector<bool> own_;                 // graphs that were made here
  std::vector<std::shared_ptr<const Cfg>> cfgs_;
  std::vector<CallEdge> calls_;  // of the graphs that were made here
  bool has_calls_ = false;
  std::vector<uint32_t> stub_targets_;
  std::vector<uint64_t> arrivals_;
  std::set<std::string, std::less<>> no_return_;  // functions of other modules
  std::vector<std::unique_ptr<Explorer>> explorers_;
  std::vector<std::vector<Waiting>> waiting_;        // calls, by callee
  std::vector<std::vector<uint32_t>> tail_waiting_;  // functions that jump to it, by callee
  std::vector<size_t> outward_seen_;
  std::vector<uint32_t> returned_;
};

// The functions whose graphs observed jumps can change.
std::set<uint32_t> FlowExplorer::concerned() const {
  std::set<uint32_t> out;
  for (const ObservedEdge& edge : observed_) {
    const auto known = std::ranges::lower_bound(facts_.jumps, edge.from, {}, &KnownJump::address);
    const bool is_known = known != facts_.jumps.end() && known->address == edge.from &&
                          std::ranges::any_of(known->tables, [&](const JumpTable& table) {
                            return std::ranges::find(table.targets, edge.to) != table.targets.end();
                          });
    if (is_known) continue;
    for (const uint64_t address : {edge.from, edge.to})
      if (const auto f = table_.find(address)) out.insert(table_.whole(*f));
  }
  return out;
}

bool FlowExplorer::take_and_observe(const std::shared_ptr<FlowExplorer>& before) {
  // Functions that calls tell of are between the others, which keep their order.
  const FunctionTable& old = before->table_;
  std::vector<uint32_t> numbers;  // by number in the old table
  std::vector<bool> is_new(table_.size(), true);
  for (const CodeFunction& f : old.all()) {
    const auto here = table_.at(f.address);
    if (!here || table_[*here].size != f.size) return false;
    numbers.push_back(*here);
    is_new[*here] = false;
  }
  FlowFacts facts = before->facts_;
  for (FlowFacts::Link& link : facts.links) link = {numbers[link.part], numbers[link.parent]};
  facts.returns.assign(table_.size(), false);
  for (uint32_t i = 0; i < old.size(); ++i) facts.returns[numbers[i]] = before->facts_.returns[i];
  if (!take(std::move(facts))) return false;
  if (old.size() == table_.size()) before_ = before;

  std::set<uint32_t> some = concerned();
  for (uint32_t f = 0; f < table_.size(); ++f)
    if (is_new[f]) some.insert(f);
  const std::vector<bool> returns = facts_.returns;
  for (const uint32_t f : some) facts_.returns[f] = false;
  is_settled_ = false;
  explore(std::vector<uint32_t>(some.begin(), some.end()), context_);
  is_settled_ = true;
  // To others, code in no function was code that returns.
  for (const uint32_t f : some)
    if (facts_.returns[f] != (is_new[f] || returns[f])) return false;
  return !link_parts() && !learn_imports();
}

ControlFlow::ControlFlow() : source_(std::make_shared<FlowExplorer>()) {}

ControlFlow ControlFlow::build(const CodeImage& image, FunctionTable functions,
                               std::span<const FrameRange> frames,
                               std::span<const ObservedEdge> observed) {
  const std::shared_ptr<const CodeImage> borrowed(std::shared_ptr<void>(), &image);
  auto source =
      std::make_shared<FlowExplorer>(borrowed, std::move(functions), frames,
                                     std::vector<ObservedEdge>(observed.begin(), observed.end()));
  source->find_out();
  source->finish();
  return ControlFlow(std::move(source));
}

ControlFlow ControlFlow::explore(std::shared_ptr<const CodeImage> image, FunctionTable functions,
                                 std::span<const FrameRange> frames) {
  auto source = std::make_shared<FlowExplorer>(std::move(image), std::move(functions), frames,
                                               std::vector<ObservedEdge>{});
  source->find_out();
  return ControlFlow(std::move(source));
}

std::optional<ControlFlow> ControlFlow::resume(std::shared_ptr<const CodeImage> image,
                                               FunctionTable functions,
                                               std::span<const FrameRange> frames,
                                               FlowFacts facts) {
  auto source = std::make_shared<FlowExplorer>(std::move(image), std::move(functions), frames,
                                               std::vector<ObservedEdge>{});
  if (!source->take(std::move(facts))) return std::nullopt;
  return ControlFlow(std::move(source));
}

ControlFlow ControlFlow::with(FunctionTable functions, std::span<const FrameRange> frames,
                              std::vector<ObservedEdge> edges) const {
  auto some = std::make_shared<FlowExplorer>(source_->image(), functions, frames, edges);
  if (some->take_and_observe(source_)) return ControlFlow(std::move(some));
  auto all = std::make_shared<FlowExplorer>(source_->image(), std::move(functions), frames,
                                            std::move(edges));
  all->find_out();
  return ControlFlow(std::move(all));
}

const FunctionTable& ControlFlow::functions() const { return source_->table(); }
const Cfg& ControlFlow::cfg(uint32_t function) const { return source_->cfg(function); }
bool ControlFlow::returns(uint32_t function) const {
  return facts().returns[functions().whole(function)];
}
const std::vector<CallEdge>& ControlFlow::calls() const { return source_->calls(); }
const FlowFacts& ControlFlow::facts() const { return source_->facts(); }

std::vector<uint64_t> called_addresses(const CodeImage& image,
                                       std::span<const ObservedEdge> observed) {
  const Decoder decoder;
  std::vector<uint64_t> out;
  for (const ObservedEdge& edge : observed) {
    if (edge.to == ObservedEdge::kElsewhere || edge.from == ObservedEdge::kElsewhere) continue;
    const auto from = decoder.decode(image.at(edge.from), edge.from);
    if (from && from->is_call()) out.push_back(edge.to);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace twinrun
