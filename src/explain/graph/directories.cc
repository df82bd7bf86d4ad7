// SPDX-License-Identifier: MIT
// Two runs ask for the same relative path and get different answers, or read different files by it.
//
// Then what the path means can differ, and that is no input: somebody said it with chdir or fchdir,
// the process itself or one that it came from. The last successful change counts, for a file that
// is read the one in front of its opening. Where the paths of both changes differ, they are
// followed like arguments of the call; where only one run has changed at all, in code that the
// other did not execute, to where they parted. Anything else stays the input that it was: the
// answer of the file system. Costs the events of the process and of those that it came from.
#include "explain/graph/slice_align.h"

#include "kernel/syscalls.h"
#include "values/outside_call.h"
#include "values/working_directory.h"

#include <algorithm>

namespace twinrun {

Result<std::optional<GivenPath>> SliceAlign::directory_change(const End& end) {
  TRY(const auto call, outside_call(*end.view, end.writer));
  if (!call) return std::nullopt;
  TRY(const WorkingDirectory directory,
      WorkingDirectory::at(end.view->of.reader(), end.view->process(), end.instruction->at.block));
  const std::string_view kinds = syscall_signature(call->number).arguments;
  const size_t path = kinds.find('s');
  if (path == std::string_view::npos)
    return directory.changed_for(static_cast<int64_t>(call->arguments[0]));
  constexpr int kWorkingDirectory = -100;  // AT_FDCWD
  const bool has_base = path > 0 && kinds[path - 1] == 'D';
  if (has_base && static_cast<int>(call->arguments[path - 1]) != kWorkingDirectory)
    return std::nullopt;
  if (!is_relative(call->text_at(call->arguments[path]).value_or(""))) return std::nullopt;
  return directory.changed();
}

Result<std::optional<uint32_t>> SliceAlign::directory_node(const End& a, const End& b) {
  const auto is_call = [](const End& end) {
    return end.instruction && end.source && end.source->kind == OutsideSource::Kind::kSyscall;
  };
  if (!is_call(a) || !is_call(b) ||
      !runs_.is_aligned(a.instruction->position, b.instruction->position))
    return std::nullopt;
  TRY(const auto change_a, directory_change(a));
  TRY(const auto change_b, directory_change(b));
  if (!change_a && !change_b) return std::nullopt;
  if (!change_a || !change_b) {
    const RunSide side = change_a ? RunSide::kA : RunSide::kB;
    const GivenPath& change = change_a ? *change_a : *change_b;
    TRY(ProcessView* const view, view_of(runs_.run(side), change.process));
    TRY(const InstructionOf at, last_instruction(*view, change.block));
    const auto where = runs_.where(side, at.position);
    if (!where || where->is_aligned) return std::nullopt;
    TRY(const uint32_t node, aligned_node(*a.instruction, *b.instruction));
    TRY_VOID(to_divergence(node, *where));
    return node;
  }
  const auto first = std::ranges::mismatch(change_a->text, change_b->text);
  if (first.in1 == change_a->text.end() && first.in2 == change_b->text.end()) return std::nullopt;
  const auto skip = static_cast<uint64_t>(first.in1 - change_a->text.begin());
  std::array<std::optional<End>, 2> ends;
  for (const RunSide side : {RunSide::kA, RunSide::kB}) {
    const GivenPath& change = side == RunSide::kA ? *change_a : *change_b;
    TRY(ProcessView* const view, view_of(runs_.run(side), change.process));
    TRY(ends[static_cast<size_t>(side)],
        end_of_handed(side,
                      {.from = view,
                       .block = change.block,
                       .bytes = {true, change.address + skip, 1},
                       .chosen_by = BytesOf{false, change.pointer, sizeof(uint64_t)}},
                      0));
  }
  if (!ends[0] || !ends[1]) return std::nullopt;
  TRY(const auto to, join(*ends[0], *ends[1]));
  if (!to) return std::nullopt;
  TRY(const uint32_t node, aligned_node(*a.instruction, *b.instruction));
  add_edge({.from = node,
            .to = *to,
            .through = Dependence::Kind::kMemory,
            .place_a = {true, change_a->address + skip, 1},
            .place_b = {true, change_b->address + skip, 1}});
  return node;
}

}  // namespace twinrun
