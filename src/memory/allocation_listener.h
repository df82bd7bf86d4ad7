// SPDX-License-Identifier: MIT
#pragma once

#include "calls/call_walk.h"
#include "memory/allocations.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

/// Recognises the calls of allocators on a walk and tells what they do. Uses the tags of frames.
class AllocationListener : public CallListener {
 public:
  AllocationListener(CallWalk& walk, const std::vector<AllocatorRule>& more);

  void called(ThreadNo thread, CallFrame& frame) override;
  void entered(ThreadNo thread, CallFrame& frame) override;
  void jumped(ThreadNo thread, CallFrame& frame, uint32_t from) override;
  void left(ThreadNo thread, CallFrame& frame, FrameEnd how, Step step) override;

 protected:
  /// An allocator has been called; one that frees, or resizes, does that to what is at the pointer.
  /// `call`: thread, step, block and site of the call.
  virtual void begins(const AllocatorRule& /*rule*/, uint64_t /*pointer*/,
                      const Allocation& /*call*/) {}
  /// What is freed next goes on in what is made next.
  virtual void resized(uint64_t /*address*/) {}
  /// malloc_usable_size was called.
  virtual void asked_usable_size() {}
  /// Of realloc, behind freed().
  virtual void made(const Allocation& made, const AllocatorRule& rule) = 0;
  virtual void freed(uint64_t address, const Allocation& end, const AllocatorRule& rule) = 0;
  /// A number for Allocation::allocator.
  virtual uint32_t add_allocator(std::string name) = 0;
  /// One of those that were given: their blocks may lie in blocks of the standard ones.
  [[nodiscard]] bool is_custom(const AllocatorRule& rule) const {
    return static_cast<size_t>(&rule - rules_.data()) < custom_;
  }

 private:
  struct Call {
    const AllocatorRule* rule = nullptr;
    uint32_t name = 0;
    uint64_t site = 0;
    uint64_t size = 0;
    uint64_t pointer = 0;
    uint64_t called = 0;
    Step step;
  };
  struct Known {
    bool is_known = false;
    bool is_usable_size = false;
    const AllocatorRule* rule = nullptr;
    uint32_t name = 0;
  };
  void recognise(ThreadNo thread, CallFrame& frame);
  void finish(ThreadNo thread, const Call& call, Step step);
  std::pair<const AllocatorRule*, uint32_t> rule_of(uint32_t function);

  CallWalk& walk_;
  std::vector<AllocatorRule> rules_;
  size_t custom_;                       // so many of them were given
  std::vector<Known> known_;            // by function
  std::map<uint32_t, Call> under_way_;  // by thread
};

}  // namespace twinrun
