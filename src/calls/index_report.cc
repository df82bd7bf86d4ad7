// SPDX-License-Identifier: MIT
#include "calls/index_report.h"

#include "base/text.h"
#include "calls/index_walk.h"
#include "run/run.h"

namespace twinrun {
namespace {

std::string_view kind_name(IndexEntry::Kind kind) {
  switch (kind) {
    case IndexEntry::Kind::kCall: return "call";
    case IndexEntry::Kind::kTail: return "tail call";
    case IndexEntry::Kind::kBranch: return "branch";
    case IndexEntry::Kind::kLoop: return "loop";
    case IndexEntry::Kind::kRepeat: return "repetition";
    case IndexEntry::Kind::kSignal: return "signal";
    case IndexEntry::Kind::kUnwind: return "unwinding";
    case IndexEntry::Kind::kStack: return "stack";
    case IndexEntry::Kind::kLoader: return "loader";
  }
  return "";
}

// "sum+0x1160", with the base name of the module: the same for every run of the build.
std::string node_text(const CodeSpace& space, CodeNode node, ModuleAddr address) {
  const MappedFile* file = space.file(node);
  return fmt::format("{}+{:#x}", file == nullptr ? "" : base_name(file->path), address.value);
}

std::string index_text(const CodeSpace& space, const StructuralIndex& index) {
  std::string out;
  for (const IndexEntry& entry : index.path) {
    out += kind_name(entry.kind)[0] == 't' ? "tail" : kind_name(entry.kind);
    if (entry.has_site())
      out += ":" + node_text(space, entry.site, space.node(entry.site).last);
    else
      out += fmt::format(":{}", entry.site);
    if (entry.has_outcome() && entry.outcome != CodeSpace::kNone)
      out += ">" + node_text(space, entry.outcome, space.node(entry.outcome).address);
    else if (!entry.has_outcome())
      out += fmt::format(">{}", entry.outcome);
    if (entry.count != 1) out += fmt::format("*{}", entry.count);
    out += '/';
  }
  return out + node_text(space, index.node, index.address);
}

/// A process by itself.
struct Opened {
  explicit Opened(RunProcess& process) : model(space, process) {}

  CodeSpace space;
  CodeModel model;
};

Result<std::unique_ptr<Opened>> open(Run& run, uint32_t number) {
  TRY(RunProcess* const process, run.process(number));
  auto out = std::make_unique<Opened>(*process);
  TRY_VOID(out->space.add(*process));
  return out;
}

}  // namespace

Result<IndexReport> index_report(Run& run, const Position& at) {
  TRY(const auto opened, open(run, at.process.value));
  TRY(const StructuralIndex index, index_at(opened->model, at.thread, at.step));
  CodeNames names(opened->space);
  IndexReport out;
  out.at = at;
  out.instruction = names.at(index.node, index.address);
  out.text = index_text(opened->space, index);
  for (const IndexEntry& entry : index.path) {
    IndexReport::Row& row = out.rows.emplace_back();
    row.kind = kind_name(entry.kind);
    row.count = entry.count;
    if (entry.has_site())
      row.site = names.place(entry.site);
    else
      row.number = entry.site;
    if (entry.has_outcome() && entry.outcome != CodeSpace::kNone)
      row.outcome = names.start(entry.outcome);
  }
  return out;
}

Result<Position> position_of_index(Run& run, std::string_view text, const Position& thread) {
  TRY(const auto opened, open(run, thread.process.value));
  const CodeSpace& space = opened->space;
  const std::string_view leaf = text.substr(text.rfind('/') + 1);
  TRY(const auto step,
      find_step(
          opened->model, thread.thread,
          [&](CodeNode node, ModuleAddr address) {
            return node_text(space, node, address) == leaf;
          },
          [&](const StructuralIndex& index) { return index_text(space, index) == text; }));
  if (!step)
    return fail("A004", "thread {}.{} has no instruction with that index", thread.process.value,
                thread.thread.value);
  return Position{thread.process, thread.thread, *step};
}

}  // namespace twinrun
