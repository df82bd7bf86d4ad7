// SPDX-License-Identifier: MIT
#include "run/call_indices.h"

#include "run/call_walk.h"

#include <algorithm>

namespace twinrun {
namespace {

/// A frame under way, and those that wait for it.
struct Activation {
  uint32_t parent = 0;
  CallFrame::Kind kind = CallFrame::Kind::kCall;
  uint64_t site = 0;  // of the call; of a thread's first frame its number, of a handler the signal
  uint32_t function = CodePlaces::kUnknown;
  uint64_t occurrence = 0;
  std::vector<std::pair<uint64_t, uint64_t>> calls;  // site, how often; the last one last
};

class CallIndexListener : public CallListener {
 public:
  explicit CallIndexListener(const Dictionary& dictionary) : dictionary_(dictionary) {}

  void called(ThreadNo /*thread*/, CallFrame& frame) override {
    const auto parent = static_cast<uint32_t>(frame.tag);
    const BlockDef* caller = dictionary_.find(frame.caller);
    const uint64_t site = frame.kind == CallFrame::Kind::kSignal ? frame.signal
                          : caller == nullptr                    ? 0
                                                                 : caller->last_instruction().value;
    auto& calls = all_[parent].calls;
    auto found = std::ranges::find(calls, site, &std::pair<uint64_t, uint64_t>::first);
    if (found == calls.end()) found = calls.insert(calls.end(), {site, 0});
    const uint64_t occurrence = ++found->second;
    // The last call is the last entry.
    std::rotate(found, std::next(found), calls.end());
    const uint32_t made = make();
    all_[made] = {parent, frame.kind, site, CodePlaces::kUnknown, occurrence, {}};
    frame.tag = made;
  }
  void entered(ThreadNo thread, CallFrame& frame) override {
    if (frame.kind == CallFrame::Kind::kStart && frame.tag == 0) {
      const uint32_t made = make();
      all_[made] = {0, frame.kind, thread.value, frame.function, 1, {}};
      frame.tag = made;
    }
    all_[frame.tag].function = frame.function;
  }
  void jumped(ThreadNo /*thread*/, CallFrame& frame, uint32_t /*from*/) override {
    all_[frame.tag].function = frame.function;
  }
  void left(ThreadNo /*thread*/, CallFrame& frame, FrameEnd /*how*/, Step /*step*/) override {
    if (frame.tag == 0) return;
    free_.push_back(static_cast<uint32_t>(frame.tag));
  }

  /// Outermost first.
  [[nodiscard]] std::vector<const Activation*> path(uint64_t tag) const {
    std::vector<const Activation*> out;
    for (uint64_t at = tag; at != 0 && out.size() < all_.size(); at = all_[at].parent)
      out.push_back(&all_[at]);
    std::ranges::reverse(out);
    return out;
  }
  [[nodiscard]] const Activation& of(uint64_t tag) const { return all_[tag]; }

 private:
  uint32_t make() {
    if (free_.empty()) {
      all_.emplace_back();
      return static_cast<uint32_t>(all_.size() - 1);
    }
    const uint32_t out = free_.back();
    free_.pop_back();
    return out;
  }

  const Dictionary& dictionary_;
  std::vector<Activation> all_ = std::vector<Activation>(1);  // 0: code that nothing told of
  std::vector<uint32_t> free_;
};

}  // namespace

IndexSource call_indices(RunView& run, RegionTree& tree) {
  return [&run, &tree](
             uint32_t process, ThreadNo thread, std::span<const uint64_t> blocks,
             const std::function<void(size_t, const StructuralIndex&)>& tell) -> Result<void> {
    size_t next = 0;
    CallWalk* walk = nullptr;
    CallIndexListener* listener = nullptr;
    boost::unordered_flat_map<uint64_t, uint32_t> places;
    std::vector<uint32_t> functions;  // 0: not looked for
    const auto place = [&](uint64_t address, uint64_t at) {
      const auto [found, is_new] = places.try_emplace(address);
      if (is_new) found->second = tree.place(code_place(run.binaries(), walk->maps(), address, at));
      return found->second;
    };
    const auto function_place = [&](uint32_t number) {
      if (functions.size() <= number) functions.resize(number + 1);
      if (functions[number] == 0) {
        const PlacedFunction& function = walk->places().function(number);
        functions[number] = tree.place(
            {function.file == nullptr ? MappedFile() : *function.file, function.address});
      }
      return functions[number];
    };
    const auto tell_next = [&] {
      StructuralIndex index;
      const auto frames = std::as_const(*walk).tracker().frames(thread);
      const uint64_t tag = frames.empty() ? 0 : frames.back().tag;
      for (const Activation* frame : listener->path(tag)) {
        IndexEntry entry{.kind = IndexEntry::Kind::kCall, .count = frame->occurrence};
        entry.site = static_cast<CodeNode>(frame->site);
        if (frame->kind == CallFrame::Kind::kSignal)
          entry.kind = IndexEntry::Kind::kSignal;
        else if (frame->kind == CallFrame::Kind::kCall && frame->site != 0)
          entry.site = place(frame->site, blocks[next]);
        if (frame->function != CodePlaces::kUnknown)
          entry.outcome = function_place(frame->function);
        index.path.push_back(entry);
      }
      if (const auto& calls = listener->of(tag).calls; !calls.empty()) {
        index.path.push_back({.kind = IndexEntry::Kind::kRepeat,
                              .site = place(calls.back().first, blocks[next]),
                              .count = calls.back().second});
      }
      tell(next++, index);
    };
    CallWalk::Options walking;
    walking.taken = [&](const Timeline::Item& item) {
      if (item.is_event) return true;
      while (next < blocks.size() && blocks[next] <= item.execution.block) tell_next();
      return next < blocks.size();
    };
    TRY(const auto opened,
        CallWalk::open(run.reader(), run.binaries(), process, std::move(walking)));
    walk = opened.get();
    CallIndexListener made(walk->dictionary());
    listener = &made;
    TRY_VOID(walk->run(made));
    while (next < blocks.size()) tell(next++, {});
    return {};
  };
}

}  // namespace twinrun
