// SPDX-License-Identifier: MIT
// Whose accesses count?
//
// Not every access outside of a live block is a mistake. An allocator reads and writes the memory
// between blocks and the blocks that are free; whatever runs below one of its functions is exempt,
// and so are the functions of the C runtime that look after its heap when a thread ends, trims it
// or tells about it: by their names, and without a name nothing of the runtime counts. String
// functions load whole vectors or words, which can begin before a string and end behind it; that
// is for who asks to heed (Code::kRuntime).
#include "explain/misuse/access_rules.h"

#include "base/text.h"
#include "run/code_places.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace twinrun {
namespace {

constexpr size_t kCallersTold = 2;

bool is_runtime_file(std::string_view path) {
  static constexpr std::array<std::string_view, 9> kFiles = {
      "libc.so", "libc-", "ld-linux", "ld-2", "libpthread", "libm.so", "libm-", "libmvec", "ld.so"};
  const std::string_view name = base_name(path);
  return std::ranges::any_of(kFiles, [&](std::string_view file) { return name.starts_with(file); });
}

/// Functions that an allocator consists of, or that work on its heap.
bool serves_allocator(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kParts = {
      "alloc", "free", "tcache", "trim",  "arena", "mallinfo", "mallopt",
      "heap",  "fork", "_dl_",   "chunk", "brk",   "_rtld",    "obstack"};
  return std::ranges::any_of(kParts,
                             [&](std::string_view part) { return name.find(part) != name.npos; });
}

/// "strlen" of "__strlen_avx2": the C runtime has one for each kind of processor.
std::string plain_name(std::string name) {
  static constexpr std::array<std::string_view, 6> kVariants = {"_avx",  "_sse",       "_evex",
                                                                "_erms", "_unaligned", "_chk"};
  name.erase(0, name.find_first_not_of('_'));
  for (const std::string_view variant : kVariants) {
    if (const size_t at = name.find(variant); at != std::string::npos && at != 0) name.resize(at);
  }
  return name;
}

/// Exceptions: whoever unwinds the stack writes where functions return to.
bool unwinds(const PlacedFunction& function) {
  const bool is_library =
      function.file != nullptr && base_name(function.file->path).starts_with("libgcc_s");
  return is_library || function.name.starts_with("_Unwind_") || function.name.starts_with("uw_");
}

bool is_rule(const AllocatorRule& rule, const PlacedFunction& function) {
  if (!rule.name.ends_with('*')) return function.has_name(rule.name);
  const std::string_view begin = std::string_view(rule.name).substr(0, rule.name.size() - 1);
  return function.name.starts_with(begin) ||
         std::ranges::any_of(function.aliases,
                             [&](const std::string& name) { return name.starts_with(begin); });
}

}  // namespace

AccessRules::AccessRules(ProcessView& view, const std::vector<AllocatorRule>& allocators)
    : view_(view), rules_(allocators) {
  for (AllocatorRule& rule : standard_allocators()) rules_.push_back(std::move(rule));
  const auto& files = view.maps.files();
  // The kernel maps the program before anything else.
  if (!files.empty()) program_ = base_name(files[0].path);
  has_runtime_ =
      std::ranges::any_of(files, [](const MappedFile& file) { return is_runtime_file(file.path); });
}

AccessRules::Name AccessRules::name_of(uint32_t function) {
  const auto [known, is_new] = names_.try_emplace(function, Name::kOther);
  if (!is_new) return known->second;
  const PlacedFunction& there = view_.of.places().function(function);
  const bool is_allocator =
      std::ranges::any_of(rules_, [&](const AllocatorRule& rule) { return is_rule(rule, there); });
  const bool in_runtime = there.file != nullptr && is_runtime_file(there.file->path);
  if (is_allocator)
    known->second = Name::kAllocator;
  else if (unwinds(there))
    known->second = Name::kUnwinds;
  else if (in_runtime)
    known->second = there.name.empty() || serves_allocator(there.name) ||
                            base_name(there.file->path).starts_with("ld")
                        ? Name::kServes
                        : Name::kRuntime;
  return known->second;
}

AccessRules::Code AccessRules::code_of(uint64_t pc, uint64_t block, const ActiveCalls& calls) {
  for (const ActiveCalls::Frame& frame : calls.frames) {
    if (frame.function != CodePlaces::kUnknown && name_of(frame.function) == Name::kAllocator)
      return Code::kExempt;
  }
  const uint32_t function = view_.of.places().function_at({pc}, block);
  if (function == CodePlaces::kUnknown) return Code::kExempt;
  switch (name_of(function)) {
    case Name::kAllocator:
    case Name::kServes:
    case Name::kUnwinds: return Code::kExempt;
    case Name::kRuntime: return Code::kRuntime;
    case Name::kOther: break;
  }
  if (has_runtime_) return Code::kOwn;
  // Linked into the program: it has no lines, or those of the system.
  const ResolvedAddress place = view_.symbolizer.resolve_own_line({pc}, block);
  if (place.line != 0 && !place.is_system) return Code::kOwn;
  return place.function.empty() || serves_allocator(place.function) ? Code::kExempt
                                                                    : Code::kRuntime;
}

bool AccessRules::serves_allocators(uint64_t pc, uint64_t block) {
  const uint32_t function = view_.of.places().function_at({pc}, block);
  if (function == CodePlaces::kUnknown) return false;
  // The loader's way to a function passes on what it is given.
  const PlacedFunction& there = view_.of.places().function(function);
  return name_of(function) == Name::kAllocator ||
         (name_of(function) == Name::kServes && !there.name.empty() &&
          there.name.find("_dl_") == std::string::npos);
}

bool AccessRules::is_program(uint64_t pc, uint64_t block) {
  return view_.symbolizer.resolve({pc}, block).module_name() == program_;
}

std::optional<NamedInstruction> AccessRules::own_line(uint64_t pc, uint64_t block) {
  bool is_own = false;
  NamedInstruction out = line_of(pc, block, is_own);
  return is_own && out.line != 0 ? std::optional(std::move(out)) : std::nullopt;
}

NamedInstruction AccessRules::line_of(uint64_t pc, uint64_t block, bool& is_own) {
  const ResolvedAddress place = view_.symbolizer.resolve_own_line({pc}, block);
  // What is linked into the program has no lines, or those of the system.
  is_own = place.module_name() == program_ && !place.is_system && (has_runtime_ || place.line != 0);
  return {.pc = pc,
          .module = std::string(place.module_name()),
          .function = std::string(place.function),
          .offset = place.function.empty() ? place.module_offset : place.offset,
          .file = std::string(place.file),
          .line = place.line};
}

AccessRules::Site AccessRules::own_site(uint64_t pc, uint64_t block, const ActiveCalls& calls) {
  Site out;
  uint32_t called = CodePlaces::kUnknown;
  bool is_own = false;
  out.at = line_of(pc, block, is_own);
  size_t next = 0;
  for (; next < calls.frames.size() && !is_own; ++next) {
    const ActiveCalls::Frame& frame = calls.frames[next];
    if (frame.call == 0) continue;
    NamedInstruction at = line_of(frame.call, block, is_own);
    if (!is_own) continue;
    out.at = std::move(at);
    called = frame.function;
  }
  if (called != CodePlaces::kUnknown)
    out.called = plain_name(source_name(view_.of.places().function(called)));
  for (; next < calls.frames.size() && out.callers.size() < kCallersTold; ++next) {
    if (calls.frames[next].call == 0) continue;
    auto at = own_line(calls.frames[next].call, block);
    const NamedInstruction& before = out.callers.empty() ? out.at : out.callers.back();
    // The site itself can be such a call.
    if (at && (at->line != before.line || at->file != before.file))
      out.callers.push_back(std::move(*at));
  }
  return out;
}

}  // namespace twinrun
