// SPDX-License-Identifier: MIT
#include "profile/address_profile.h"
#include "profile/counted_flow.h"
#include "profile/write_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace twinrun {
namespace {

std::string bolt_escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == ' ' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// Names come from the binary; one that ends a line has no place in the format.
bool is_one_line(std::string_view name) { return name.find('\n') == std::string_view::npos; }

// A record of fdata, in the order of the file: of each function together.
using FdataRecord = std::tuple<std::string_view, uint64_t, std::string_view, uint64_t>;

std::string fdata_samples(const BoltNames& names, const CountedFlow& flow) {
  std::string out = "no_lbr samples\n";
  for (const CountedFlow::Transfer& block : flow.blocks)
    if (const auto place = names.place(block.from_block); place && is_one_line(place->name))
      fmt::format_to(std::back_inserter(out), "1 {} {:x} {}\n", bolt_escaped(place->name),
                     place->offset, block.count);
  return out;
}

}  // namespace

bool has_flow_counts(const CodeCounts& counts) {
  return std::ranges::any_of(counts.functions, [](const FunctionCounts& f) {
    return f.entries.is_known() || std::ranges::any_of(f.edges, &Count::is_known);
  });
}

std::string write_fdata(const ModuleCode& binary, const BoltNames& names,
                        const CodeCounts& counts) {
  const CountedFlow flow = counted_flow(binary, counts);
  if (!has_flow_counts(counts) && counts.calls.empty()) return fdata_samples(names, flow);
  std::map<FdataRecord, uint64_t> records;
  const auto add = [&](const CountedFlow::Transfer& transfer) {
    const auto from = names.place(transfer.from);
    const auto to = names.place(transfer.to);
    if (!from || !to || transfer.count == 0 || !is_one_line(from->name) || !is_one_line(to->name))
      return;
    uint64_t& count = records[{from->name, from->offset, to->name, to->offset}];
    count = add_counts(count, transfer.count);
  };
  for (const CountedFlow::Transfer& edge : flow.edges)
    if (edge.is_bolt_edge) add(edge);
  for (const CountedFlow::Transfer& call : flow.calls) add(call);
  std::string out;
  for (const CountedFlow::Transfer& entry : flow.entries)
    if (const auto to = names.place(entry.to); to && is_one_line(to->name))
      fmt::format_to(std::back_inserter(out), "0 [unknown] 0 1 {} {:x} 0 {}\n",
                     bolt_escaped(to->name), to->offset, entry.count);
  for (const auto& [record, count] : records)
    fmt::format_to(std::back_inserter(out), "1 {} {:x} 1 {} {:x} 0 {}\n",
                   bolt_escaped(std::get<0>(record)), std::get<1>(record),
                   bolt_escaped(std::get<2>(record)), std::get<3>(record), count);
  return out;
}

std::string write_preaggregated(const ModuleCode& binary, const CodeCounts& counts) {
  const CountedFlow flow = counted_flow(binary, counts);
  std::string out;
  const auto into = std::back_inserter(out);
  if (!has_flow_counts(counts) && counts.calls.empty()) {
    for (const CountedFlow::Transfer& block : flow.blocks)
      fmt::format_to(into, "S {:x} {}\n", block.from_block, block.count);
    return out;
  }
  for (const CountedFlow::Transfer& entry : flow.entries)
    fmt::format_to(into, "B X:0 {:x} {} 0\n", entry.to, entry.count);
  for (const CountedFlow::Transfer& call : flow.calls)
    fmt::format_to(into, "B {:x} {:x} {} 0\n", call.from, call.to, call.count);
  for (const CountedFlow::Transfer& edge : flow.edges)
    if (edge.is_jump)
      fmt::format_to(into, "B {:x} {:x} {} 0\n", edge.from, edge.to, edge.count);
    else
      fmt::format_to(into, "F {:x} {:x} {}\n", edge.from_block, edge.to, edge.count);
  return out;
}

}  // namespace twinrun
