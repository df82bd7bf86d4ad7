// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace twinrun {

/// A number that cannot be mixed up with another kind of number.
template <typename Tag, typename Rep>
struct Id {
  Rep value{};
  constexpr auto operator<=>(const Id&) const = default;
};

using Addr = Id<struct AddrTag, uint64_t>;              // guest address
using ModuleAddr = Id<struct ModuleAddrTag, uint64_t>;  // as a module's ELF file has it
using BlockId = Id<struct BlockIdTag, uint32_t>;        // one process's block dictionary; 0 is none
using ProcessId = Id<struct ProcessTag, uint32_t>;      // process of a recording, 1 = the root
using ThreadNo = Id<struct ThreadTag, uint32_t>;        // thread of a process, 1 = the main thread
using Step = Id<struct StepTag, uint64_t>;              // instructions a thread had executed before

constexpr ModuleAddr operator+(ModuleAddr address, uint64_t bytes) {
  return {address.value + bytes};
}
constexpr uint64_t operator-(ModuleAddr to, ModuleAddr from) { return to.value - from.value; }

}  // namespace twinrun

template <typename Tag, typename Rep>
struct std::hash<twinrun::Id<Tag, Rep>> {
  size_t operator()(twinrun::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value); }
};
