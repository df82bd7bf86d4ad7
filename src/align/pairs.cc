// SPDX-License-Identifier: MIT
#include "align/pairs.h"

#include "base/text.h"
#include "kernel/syscalls.h"
#include "trace/timeline.h"

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

/// The executed code of the program by its place in the file.
std::map<uint64_t, ByteSpan> code_of(const RunProcess& process) {
  std::map<uint64_t, ByteSpan> out;
  for (const BlockDef& def : process.dictionary().blocks()) {
    const Mapping* mapping = process.maps().find_latest(def.address);
    if (mapping == nullptr || mapping->file == Mapping::kNoFile ||
        process.maps().files()[mapping->file] != process.program())
      continue;
    out.emplace(mapping->offset + (def.address.value - mapping->start.value), def.bytes);
  }
  return out;
}

/// Files without a build id are told apart by what was executed of them.
bool has_same_code(const RunProcess& a, const RunProcess& b) {
  const auto in_a = code_of(a);
  for (const auto& [offset, bytes] : code_of(b)) {
    const auto found = in_a.find(offset);
    if (found == in_a.end()) continue;
    const size_t size = std::min(bytes.size(), found->second.size());
    if (!std::equal(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size),
                    found->second.begin()))
      return false;
  }
  return true;
}

bool reads_input(uint64_t number) {
  return number == sys::kRead || number == sys::kPread64 || number == sys::kReadv ||
         number == sys::kRecvfrom || number == sys::kRecvmsg;
}

}  // namespace

Result<ProcessPair> ProcessPair::open(const RunPair& runs, const PairedProcess& numbers) {
  ProcessPair out;
  TRY(out.a, runs.a().borrow(numbers.a));
  TRY(out.b, runs.b().borrow(numbers.b));
  return out;
}

Result<void> ProcessPair::same_program(const CodeIdentity& identity) const {
  const MappedFile& x = a->program();
  const MappedFile& y = b->program();
  if (identity.has(x, y)) return {};
  const bool has_ids = !x.build_id.empty() || !y.build_id.empty();
  if (has_ids ? x.build_id == y.build_id
              : base_name(x.path) == base_name(y.path) && has_same_code(*a, *b))
    return {};
  if (base_name(x.path) == base_name(y.path)) {
    auto error = fail("A002", "the recordings are of two different builds of {}: {} and {}",
                      base_name(x.path), x.path, y.path);
    error.error().help = "only runs of one build can be aligned";
    return error;
  }
  return fail("A001", "the recordings are of different programs: {} and {}", x.path, y.path);
}

Result<std::optional<uint64_t>> first_input(const RunProcess& process, ThreadNo thread) {
  Timeline timeline(process.reader(), process.dictionary(), process.process());
  timeline.without_steps();
  Timeline::Item item;
  uint64_t block = 0;
  const BlockDef* last = nullptr;
  for (;;) {
    TRY(const bool more, timeline.next(item));
    if (!more) return std::nullopt;
    if (item.thread != thread) continue;
    if (!item.is_event) {
      block = item.execution.block;
      last = process.dictionary().find(item.execution.value);
      continue;
    }
    if (item.event.kind != EventKind::kSyscall || last == nullptr) continue;
    const auto call = SyscallEvent::parse(item.event);
    if (!call || !reads_input(call->number)) continue;
    const Mapping* mapping = process.maps().find(last->address, block);
    const bool is_loader =
        mapping != nullptr && mapping->file != Mapping::kNoFile &&
        base_name(process.maps().files()[mapping->file].path).starts_with("ld-linux");
    if (!is_loader) return block;
  }
}

}  // namespace twinrun
