// SPDX-License-Identifier: MIT
#include "run/slice_report.h"

#include "run/control_finder.h"
#include "run/who.h"
#include "trace/maps.h"

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

Result<SliceReport> backward_slice(const Reader& reader, Binaries& binaries, const Position& at,
                                   std::string_view subject, const SliceOptions& options) {
  TRY(const auto values, ProcessValues::open(reader, at.process.value));
  TRY(const MapHistory maps, map_history(reader, at.process.value));
  BlockFlows flows(values->code());
  ControlFinder control(*values, binaries, maps);
  Slicer slicer(*values, flows, &control);
  TRY(const ProcessValues::Found found, values->find(at.thread, at.step));
  SliceReport out;
  Slice slice;
  if (subject.empty()) {
    TRY(slice, slicer.slice(InstructionAt{found.block, found.instruction}, options));
  } else {
    TRY(const Subject bytes, parse_subject(subject, values->process()));
    out.subject = bytes.text;
    TRY(const BlockFlow* flow, slicer.flow_at(found.block));
    const auto first = std::ranges::find(flow->instruction_of, found.instruction);
    const Moment moment{found.block, static_cast<uint32_t>(first - flow->instruction_of.begin())};
    TRY(const auto writers,
        bytes.in_memory
            ? slicer.writers().memory(moment, bytes.where, bytes.size)
            : slicer.writers().registers(moment, static_cast<uint32_t>(bytes.where), bytes.size));
    TRY(slice, slicer.slice(writers, options));
  }

  std::vector<uint32_t> order(slice.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, std::greater<>(), [&](uint32_t node) { return slice.nodes[node]; });
  std::vector<uint32_t> row_of(slice.nodes.size());
  InstructionNamer namer(binaries, *values, maps);
  for (const uint32_t node : order) {
    row_of[node] = static_cast<uint32_t>(out.rows.size());
    TRY(NamedInstruction row, namer.row(slice.nodes[node]));
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
