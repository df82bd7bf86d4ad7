// SPDX-License-Identifier: MIT
#include "values/slice_report.h"

#include "values/control_finder.h"
#include "values/subject.h"

#include <algorithm>
#include <numeric>

namespace twinrun {
namespace {

std::string_view kind_text(Dependence::Kind kind) {
  switch (kind) {
    case Dependence::Kind::kValue: return "value";
    case Dependence::Kind::kRegister: return "register";
    case Dependence::Kind::kMemory: return "memory";
    case Dependence::Kind::kControl: return "control";
  }
  return "";
}

std::string_view origin_text(const LastWriter& writer) {
  if (writer.kind == LastWriter::Kind::kParent) return "parent";
  if (writer.kind != LastWriter::Kind::kOutside) return "start";
  switch (writer.outside.kind) {
    case OutsideWrite::Kind::kSyscall: return "syscall";
    case OutsideWrite::Kind::kSignal: return "signal";
    case OutsideWrite::Kind::kStartup: return "startup";
    case OutsideWrite::Kind::kClobbered: return "unseen";
    case OutsideWrite::Kind::kMapped: return "mapping";
    case OutsideWrite::Kind::kRegisters:
      return writer.outside.syscall != OutsideWrite::kNone ? "syscall" : "signal";
  }
  return "";
}

}  // namespace

Result<SliceReport> backward_slice(Run& run, const Position& at, std::string_view subject,
                                   const SliceOptions& options) {
  TRY(ProcessView* const view, view_of(run, at.process.value));
  ProcessValues* const values = view->values.get();
  ControlFinder control(view->of, *values);
  Slicer slicer(*values, view->flows, &control);
  TRY(const ProcessValues::Found found, values->find(at.thread, at.step));
  InstructionAt from{found.block, found.instruction};
  SliceReport out;
  Slice slice;
  std::optional<SubjectWriters> writers;
  Slicer::BytesAt begin;
  if (!subject.empty()) {
    TRY(const Subject bytes, parse_subject(subject, *view, from));
    out.subject = bytes.text;
    begin = {bytes.in_memory, bytes.where};
    TRY(writers, writers_of(*view, bytes, from));
    if (writers->unseen) from.instruction = *writers->unseen;
  }
  if (writers && !writers->unseen) {
    TRY(slice, slicer.slice(writers->bytes, options, begin));
  } else {
    TRY(slice, slicer.slice(from, options));
  }

  std::vector<uint32_t> order(slice.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, std::greater<>(), [&](uint32_t node) { return slice.nodes[node]; });
  std::vector<uint32_t> row_of(slice.nodes.size());
  for (const uint32_t node : order) {
    row_of[node] = static_cast<uint32_t>(out.rows.size());
    TRY(NamedInstruction row, view->namer.row(slice.nodes[node]));
    out.rows.push_back(std::move(row));
  }
  const auto what = [&](bool in_memory, uint64_t where, uint32_t size) -> std::string {
    if (size == 0) return "";
    return in_memory ? fmt::format("{:#x}:{}", where, size)
                     : register_text(values->process(), where, size);
  };
  for (const Dependence& edge : slice.edges) {
    out.edges.push_back({row_of[edge.from], row_of[edge.to], kind_text(edge.kind), edge.for_address,
                         what(edge.kind == Dependence::Kind::kMemory, edge.where, edge.size)});
  }
  std::ranges::sort(out.edges, {}, [](const SliceReport::Edge& e) {
    return std::tuple(e.from, e.to, e.kind, e.for_address, std::string_view(e.what));
  });
  for (const SliceInput& input : slice.inputs) {
    out.inputs.push_back({input.node == ~0u ? 0 : row_of[input.node],
                          what(input.in_memory, input.where, input.size),
                          origin_text(input.writer)});
  }
  std::ranges::sort(out.inputs, {}, [](const SliceReport::Input& i) {
    return std::tuple(i.row, i.from, std::string_view(i.what));
  });
  const auto doubles = std::ranges::unique(out.inputs, [](const auto& a, const auto& b) {
    return a.row == b.row && a.from == b.from && a.what == b.what;
  });
  out.inputs.erase(doubles.begin(), doubles.end());
  out.cut = slice.cut;
  return out;
}

}  // namespace twinrun
