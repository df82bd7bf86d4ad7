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

/// Whether site and outcome are nodes.
bool has_site(IndexEntry::Kind kind) {
  return kind != IndexEntry::Kind::kSignal && kind != IndexEntry::Kind::kStack &&
         kind != IndexEntry::Kind::kLoader;
}
bool has_outcome(IndexEntry::Kind kind) { return kind != IndexEntry::Kind::kRepeat; }

// "sum+0x1160", with the base name of the module: the same for every run of the build.
std::string node_text(const CodeModel& model, CodeNode node, uint64_t address) {
  const MappedFile* file = model.file(node);
  return fmt::format("{}+{:#x}", file == nullptr ? "" : base_name(file->path), address);
}

std::string index_text(const CodeModel& model, const StructuralIndex& index) {
  std::string out;
  for (const IndexEntry& entry : index.path) {
    out += kind_name(entry.kind)[0] == 't' ? "tail" : kind_name(entry.kind);
    if (has_site(entry.kind))
      out += ":" + node_text(model, entry.site, model.node(entry.site).last);
    else
      out += fmt::format(":{}", entry.site);
    if (has_outcome(entry.kind) && entry.outcome != CodeModel::kNone)
      out += ">" + node_text(model, entry.outcome, model.node(entry.outcome).address);
    else if (!has_outcome(entry.kind))
      out += fmt::format(">{}", entry.outcome);
    if (entry.count != 1) out += fmt::format("*{}", entry.count);
    out += '/';
  }
  return out + node_text(model, index.node, index.address);
}

/// A process by itself.
struct Opened {
  RunProcess* process = nullptr;
  CodeModel model;

  [[nodiscard]] const RunCode& code() const { return process->code(); }
};

Result<std::unique_ptr<Opened>> open(Run& run, uint32_t number) {
  auto out = std::make_unique<Opened>();
  TRY(out->process, run.process(number));
  TRY_VOID(out->model.add(out->code()));
  return out;
}

}  // namespace

Result<IndexReport> index_report(Run& run, const Position& at) {
  TRY(const auto opened, open(run, at.process.value));
  TRY(const StructuralIndex index, index_at(opened->model, opened->code(), at.thread, at.step));
  CodeNames names(opened->model, run.binaries());
  IndexReport out;
  out.at = at;
  out.instruction = names.at(index.node, index.address);
  out.text = index_text(opened->model, index);
  for (const IndexEntry& entry : index.path) {
    IndexReport::Row& row = out.rows.emplace_back();
    row.kind = kind_name(entry.kind);
    row.count = entry.count;
    if (has_site(entry.kind))
      row.site = names.place(entry.site);
    else
      row.number = entry.site;
    if (has_outcome(entry.kind) && entry.outcome != CodeModel::kNone)
      row.outcome = names.start(entry.outcome);
  }
  return out;
}

Result<Position> position_of_index(Run& run, std::string_view text, const Position& thread) {
  TRY(const auto opened, open(run, thread.process.value));
  const CodeModel& model = opened->model;
  const std::string_view leaf = text.substr(text.rfind('/') + 1);
  TRY(const auto step,
      find_step(
          opened->model, opened->code(), thread.thread,
          [&](CodeNode node, uint64_t address) { return node_text(model, node, address) == leaf; },
          [&](const StructuralIndex& index) { return index_text(model, index) == text; }));
  if (!step)
    return fail("A004", "thread {}.{} has no instruction with that index", thread.process.value,
                thread.thread.value);
  return Position{thread.process, thread.thread, *step};
}

}  // namespace twinrun
