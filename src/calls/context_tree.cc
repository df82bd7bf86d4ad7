// SPDX-License-Identifier: MIT
// The calling context tree. A frame's tag is the node of its caller, at the moment of the call;
// what a frame executes belongs to that node's child for the function that the block is in. So
// counts by function are those of the blocks, whatever becomes of the frame: a tail call, or a jump
// into a part of the function that the compiler has put elsewhere, changes the leaf and not the
// callers.
//
// After longjmp it is not known which frame goes on until its next call or return (CallTracker);
// what is executed until then waits.
#include "calls/context_tree.h"

#include "base/text.h"
#include "calls/call_tracker.h"
#include "run/executable_files.h"
#include "run/function_labels.h"

#include <fmt/format.h>
#include <boost/unordered/unordered_flat_map.hpp>

#include <map>
#include <utility>

namespace twinrun {
namespace {

/// Adds nodes within the limits.
class Tree {
 public:
  Tree(ContextTree& out, const ContextOptions& options) : out_(out), options_(options) {
    out_.nodes.emplace_back();
    places_.push_back({});
  }

  uint32_t child(uint32_t parent, uint32_t name) {
    bool is_shortened = false;
    for (;; parent = out_.nodes[parent].parent, is_shortened = true) {
      // At a limit the leaf stays right: what goes are callers.
      if (parent != 0 && places_[parent].depth >= options_.depth) continue;
      const uint64_t key = uint64_t{parent} << 32 | name;
      const auto found = children_.find(key);
      uint32_t number = 0;
      if (found != children_.end()) {
        number = found->second;
      } else if (out_.nodes.size() < options_.nodes || parent == 0) {
        number = static_cast<uint32_t>(out_.nodes.size());
        children_.emplace(key, number);
        out_.nodes.push_back({parent, name, 0});
        places_.push_back({places_[parent].depth + 1, false});
      } else {
        continue;
      }
      places_[number].is_shortened |= is_shortened;
      return number;
    }
  }

  void count(uint32_t node, uint64_t instructions) {
    out_.nodes[node].instructions += instructions;
    out_.instructions += instructions;
    if (places_[node].is_shortened) out_.shortened += instructions;
  }

 private:
  struct Place {
    uint32_t depth = 0;
    bool is_shortened = false;
  };

  ContextTree& out_;
  const ContextOptions& options_;
  std::vector<Place> places_;                               // by node
  boost::unordered_flat_map<uint64_t, uint32_t> children_;  // by parent and name
};

/// The calls of one process.
class ProcessContexts : public CallListener {
 public:
  ProcessContexts(Tree& tree, const Dictionary& dictionary, const MapHistory& maps,
                  CodePlaces& places, NameTable& names)
      : tree_(tree),
        names_(names),
        dictionary_(dictionary),
        places_(places),
        labels_(places, maps, names),
        tracker_(dictionary, places, *this) {}

  /// Nodes above all others; threads have one each if they are several.
  void begin(uint32_t root, bool names_threads) {
    root_ = root;
    names_threads_ = names_threads;
  }

  void take(const Timeline::Item& item) {
    if (item.is_event) return tracker_.event(item);
    tracker_.arrive(item);
    if (const BlockDef* def = dictionary_.find(item.execution.value)) execute(item.execution, *def);
    tracker_.depart(item);
  }

  void finish() {
    tracker_.finish();
    for (auto& [number, thread] : threads_) settle(thread, thread.root);
  }

  void called(ThreadNo number, CallFrame& frame) override { frame.tag = thread(number).last; }
  void entered(ThreadNo number, CallFrame& frame) override {
    if (frame.kind == CallFrame::Kind::kStack) frame.tag = thread(number).last;
  }
  void found(ThreadNo number, CallFrame& frame) override {
    Thread& t = thread(number);
    settle(t, above(t, frame));
  }

 private:
  struct Thread {
    uint32_t root = 0;
    uint32_t last = 0;  // where the last block was counted
    bool has_run = false;
    std::vector<std::pair<uint32_t, uint64_t>> waiting;  // functions and instructions
    // The last step from a caller to a function.
    uint32_t from = ~0u;
    uint32_t name = 0;
    uint32_t to = 0;
  };

  Thread& thread(ThreadNo number) {
    if (recent_ != nullptr && number.value == recent_number_) return *recent_;
    const auto [found, is_new] = threads_.try_emplace(number.value);
    if (is_new) {
      Thread& t = found->second;
      t.root = names_threads_
                   ? tree_.child(root_, names_.number(fmt::format("thread {}", number.value)))
                   : root_;
      t.last = t.root;
    }
    recent_number_ = number.value;
    recent_ = &found->second;
    return *recent_;
  }

  uint32_t label(const BlockDef& def, uint64_t blocks) {
    return labels_.label(places_.of(def, blocks).function, def.address.value, blocks);
  }

  /// Frames that nobody called have no tag.
  static uint32_t above(const Thread& t, const CallFrame& frame) {
    return frame.tag == 0 ? t.root : static_cast<uint32_t>(frame.tag);
  }

  /// The calls that were under way at a fork: each frame's function is that of the call in it.
  void inherit(Thread& t, ThreadNo number) {
    const std::span<CallFrame> frames = tracker_.frames(number);
    uint32_t node = t.root;
    for (size_t i = 0; i < frames.size(); ++i) {
      if (i > 0 && !frames[i].is_inherited) break;
      const BlockDef* caller = frames[i].caller == 0 ? nullptr : dictionary_.find(frames[i].caller);
      if (caller != nullptr) node = tree_.child(node, label(*caller, 0));
      frames[i].tag = node;
    }
  }

  void execute(const Execution& e, const BlockDef& def) {
    Thread& t = thread(e.thread);
    if (!std::exchange(t.has_run, true)) inherit(t, e.thread);
    const uint32_t name = label(def, e.block);
    const CallTracker::Thread& running = tracker_.runner(e.thread);
    if (running.is_lost) {
      if (t.waiting.empty() || t.waiting.back().first != name) t.waiting.emplace_back(name, 0);
      t.waiting.back().second += e.instructions;
      return;
    }
    const uint32_t parent = above(t, running.stacks.back().frames.back());
    if (!t.waiting.empty()) settle(t, parent);
    if (t.from != parent || t.name != name) {
      t.from = parent;
      t.name = name;
      t.to = tree_.child(parent, name);
    }
    t.last = t.to;
    tree_.count(t.to, e.instructions);
  }

  void settle(Thread& t, uint32_t parent) {
    for (const auto& [name, instructions] : t.waiting) {
      t.last = tree_.child(parent, name);
      tree_.count(t.last, instructions);
    }
    t.waiting.clear();
  }

  Tree& tree_;
  NameTable& names_;
  const Dictionary& dictionary_;
  CodePlaces& places_;
  FunctionLabels labels_;
  CallTracker tracker_;
  uint32_t root_ = 0;
  bool names_threads_ = false;
  std::map<uint32_t, Thread> threads_;
  uint32_t recent_number_ = ~0u;
  Thread* recent_ = nullptr;
};

Result<std::string> process_name(const Reader& reader, uint32_t number) {
  TRY(const auto files, executable_files(reader, {number}));
  return fmt::format("{} {}", files.empty() ? "process" : base_name(files[0].path), number);
}

}  // namespace

ContextLevels levels_of(const Reader& reader) {
  ContextLevels out{.processes = reader.processes().size() > 1};
  for (const auto& [number, process] : reader.processes())
    out.threads |= process.thread_steps.size() > 1;
  return out;
}

Result<ContextTree> context_tree(Run& run, const ContextOptions& options) {
  const Reader& reader = run.reader();
  constexpr uint64_t kBlocksBetween = 1 << 14;
  ContextTree out;
  Tree tree(out, options);
  NameTable names;
  static_cast<void>(names.number(""));  // of the root
  for (const auto& [number, process] : reader.processes()) {
    TRY(const auto borrowed, run.borrow(number));
    const Dictionary& dictionary = borrowed->dictionary();
    const MapHistory& maps = borrowed->maps();
    CodePlaces& places = borrowed->places();
    ProcessContexts contexts(tree, dictionary, maps, places, names);
    uint32_t root = 0;
    if (options.levels.processes) {
      TRY(const std::string name, process_name(reader, number));
      root = tree.child(0, names.number(name));
    }
    contexts.begin(root, options.levels.threads);
    Timeline timeline(reader, dictionary, process);
    Timeline::Item item;
    for (uint64_t blocks = 0;; ++blocks) {
      TRY(const bool more, timeline.next(item));
      if (!more) break;
      contexts.take(item);
      if (options.progress && blocks % kBlocksBetween == 0) options.progress(out.instructions);
    }
    contexts.finish();
  }
  out.names = names.names();
  return out;
}

}  // namespace twinrun
