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
// the number of rounds is limited.
#include "program/control_flow.h"

#include "program/explorer.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace twinrun {

class ControlFlowBuilder {
 public:
  ControlFlowBuilder(const CodeImage& image, FunctionTable functions,
                     std::span<const FrameRange> frames, std::span<const ObservedEdge> observed)
      : image_(image), observed_(observed.begin(), observed.end()) {
    out_.functions_ = std::move(functions);
    std::sort(observed_.begin(), observed_.end());
    observed_.erase(std::unique(observed_.begin(), observed_.end()), observed_.end());
    for (const FrameRange& range : frames) {
      const auto sites = read_call_sites(image, range);
      call_sites_.insert(call_sites_.end(), sites.begin(), sites.end());
    }
    std::stable_sort(call_sites_.begin(), call_sites_.end(),
                     [](const CallSite& a, const CallSite& b) { return a.start < b.start; });
    context_ = {&image_, &decoder_, call_sites_, observed_};
    resolve_stubs();
    find_arrivals();
  }

  ControlFlow run() {
    constexpr int kMostRounds = 5;
    for (int round = 0; round < kMostRounds; ++round) {
      explore_all();
      const bool linked = link_parts();
      const bool learned = learn_imports();
      if (!linked && !learned) break;
    }
    finish();
    return std::move(out_);
  }

 private:
  struct Waiting {
    uint32_t function = 0;
    uint64_t call = 0;
  };
  FunctionTable& table() { return out_.functions_; }
  [[nodiscard]] const FunctionTable& table() const { return out_.functions_; }

  // A stub leads to a function of this binary if it has one of that name, else to another module.
  void resolve_stubs() {
    std::map<std::string_view, uint32_t> defined;
    for (uint32_t i = 0; i < table().size(); ++i) {
      const CodeFunction& f = table()[i];
      if (f.is_stub) continue;
      defined.emplace(f.name, i);
      for (const std::string& alias : f.aliases) defined.emplace(alias, i);
    }
    stub_targets_.assign(table().size(), CodeFunction::kNone);
    for (uint32_t i = 0; i < table().size(); ++i) {
      const CodeFunction& f = table()[i];
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
                            : decoder_.decode(image_.at(edge.from), edge.from);
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
    const auto found = table().at(target);
    if (!found) return {};
    if (!table()[*found].is_stub) return {table().whole(*found), {}};
    if (stub_targets_[*found] != CodeFunction::kNone)
      return {table().whole(stub_targets_[*found]), {}};
    return {CodeFunction::kNone, table()[*found].name};
  }
  [[nodiscard]] Callee callee(const Instruction& instruction) const {
    if (instruction.is_direct()) return callee(instruction.target);
    if (!instruction.has_slot) return {};
    const CodeImage::Import* import = image_.import(instruction.target);
    return {CodeFunction::kNone, import == nullptr ? std::string_view() : import->name};
  }
  [[nodiscard]] bool import_returns(std::string_view name) const {
    return !no_return_.contains(name.substr(0, name.find('@')));
  }

  // ---- exploring ----

  void explore_all() {
    const uint32_t count = table().size();
    explorers_.clear();
    explorers_.resize(count);
    waiting_.assign(count, {});
    tail_waiting_.assign(count, {});
    outward_seen_.assign(count, 0);
    out_.returns_.assign(count, false);
    for (uint32_t f = 0; f < count; ++f) {
      if (table()[f].parent != CodeFunction::kNone) continue;
      if (table()[f].is_stub) {
        const Callee to = callee(table()[f].address);
        if (to.function == CodeFunction::kNone && import_returns(to.import)) set_returns(f);
        continue;
      }
      std::vector<Explorer::Range> ranges;
      for (const uint32_t part : table().parts(f))
        ranges.push_back({table()[part].address, table()[part].end()});
      explorers_[f] = std::make_unique<Explorer>(context_, std::move(ranges));
      enter(f, table()[f].address);
    }
    settle();
    // What was executed but not found: now, so that paths from the entry come first.
    for (const ObservedEdge& edge : observed_) {
      if (edge.to == ObservedEdge::kElsewhere) continue;
      const auto f = table().find(edge.to);
      if (f && explorers_[table().whole(*f)]) enter(table().whole(*f), edge.to);
    }
    settle();
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
      if (to.function == CodeFunction::kNone || out_.returns_[to.function]) return true;
      waiting_[to.function].push_back({f, call.address});
      return false;
    };
  }

  void set_returns(uint32_t f) {
    if (out_.returns_[f]) return;
    out_.returns_[f] = true;
    returned_.push_back(f);
  }

  // Does the function return, by what was explored of it?
  void look(uint32_t f) {
    const Explorer& e = *explorers_[f];
    if (e.has_return() || e.has_unknown_jump()) set_returns(f);
    for (size_t& i = outward_seen_[f]; i < e.outward().size(); ++i) {
      const Callee to = callee(e.outward()[i].to);
      if (!to.import.empty() ? import_returns(to.import)
                             : to.function == CodeFunction::kNone || out_.returns_[to.function])
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
    const auto name = cold_part_of(table()[part].name);
    return name &&
           (*name == table()[of].name || std::ranges::binary_search(table()[of].aliases, *name));
  }

  // Compilers move unlikely code of a function elsewhere. With symbols it is named f.cold, which
  // can be the name of several; without, .eh_frame tells that a frame is in place where the piece
  // begins. Jumps into it come from its function, jumps out of it go back there.
  bool link_parts() {
    bool any = false;
    for (uint32_t f = 0; f < table().size(); ++f) {
      if (!explorers_[f]) continue;
      for (const Explorer::Outward& jump : explorers_[f]->outward()) {
        const auto found = table().find(jump.to);
        if (!found || jump.falls_through) continue;
        const uint32_t to = table().whole(*found);
        const uint32_t from = table().whole(f);
        if (to == from || table()[to].is_stub) continue;
        const bool into_middle = jump.to != table()[*found].address;
        if (is_cold_part(to, from) || table()[to].is_piece)
          any |= table().link(to, from);
        else if (is_cold_part(from, to) || (table()[from].is_piece && into_middle))
          any |= table().link(from, to);
      }
    }
    return any;
  }

  // ---- the result ----

  void finish() {
    const auto is_start = [this](uint64_t address) { return table().at(address).has_value(); };
    out_.cfgs_.resize(table().size());
    for (uint32_t f = 0; f < table().size(); ++f) {
      out_.cfgs_[f].function = f;
      // The last round can have made it a part; then the function it belongs to lacks it.
      if (!explorers_[f]) continue;
      out_.cfgs_[f] = explorers_[f]->finish(f, is_start);
      add_calls(f);
      explorers_[f].reset();
    }
    std::sort(out_.calls_.begin(), out_.calls_.end());
    out_.calls_.erase(std::unique(out_.calls_.begin(), out_.calls_.end()), out_.calls_.end());
  }

  void add_call(uint32_t caller, uint64_t site, uint64_t to, CallKind kind) {
    if (const auto callee = table().at(to))
      out_.calls_.push_back({caller, table().whole(*callee), site, kind});
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

  const CodeImage& image_;
  Decoder decoder_;
  std::vector<ObservedEdge> observed_;
  std::vector<CallSite> call_sites_;
  ExplorerContext context_;
  ControlFlow out_;
  std::vector<uint32_t> stub_targets_;
  std::vector<uint64_t> arrivals_;
  std::set<std::string, std::less<>> no_return_;  // functions of other modules
  std::vector<std::unique_ptr<Explorer>> explorers_;
  std::vector<std::vector<Waiting>> waiting_;        // calls, by callee
  std::vector<std::vector<uint32_t>> tail_waiting_;  // functions that jump to it, by callee
  std::vector<size_t> outward_seen_;
  std::vector<uint32_t> returned_;
};

ControlFlow ControlFlow::build(const CodeImage& image, FunctionTable functions,
                               std::span<const FrameRange> frames,
                               std::span<const ObservedEdge> observed) {
  return ControlFlowBuilder(image, std::move(functions), frames, observed).run();
}

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
