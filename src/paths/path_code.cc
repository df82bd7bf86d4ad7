// SPDX-License-Identifier: MIT
// Layout: sizes of the head and its zstd frame, the head, then the bodies, some functions in a zstd
// frame.
#include "paths/path_code.h"

#include "paths/folded_difference.h"
#include "trace/coding.h"

#include <algorithm>

namespace twinrun {
namespace {

constexpr int kCodeLevel = 9;
constexpr size_t kGroupBytes = 1u << 15;

void write_body(ByteWriter& out, const PathBody& body) {
  out.varint(body.entry);
  out.varint(body.blocks.size());
  uint64_t address = 0;
  for (const PathBlock& block : body.blocks) {
    out.varint(block.address - address);
    out.varint(block.end - block.address);
    out.varint(uint64_t{block.instructions} << 2 | (block.leaves ? 2u : 0u) |
               (block.is_open ? 1u : 0u));
    address = block.address;
    out.varint(block.next.size());
    uint32_t before = 0;
    for (const uint32_t next : block.next) out.varint(next - std::exchange(before, next));
    out.varint(block.lines.size());
    for (const PathLine& own : block.lines) {
      out.varint(own.file);
      out.varint(own.line);
    }
  }
  out.varint(body.calls.size());
  for (const PathCall& call : body.calls) {
    out.varint(call.block);
    out.varint(call.callee);
    out.varint(call.count);
  }
}

/// Sizes are those of things that need a byte each at least.
Result<PathBody> read_body(ByteReader& in) {
  PathBody body;
  body.entry = static_cast<uint32_t>(in.varint());
  const uint64_t blocks = in.varint();
  if (in.failed() || blocks > in.left()) return fail("T006", "a function has {} blocks", blocks);
  uint64_t address = 0;
  body.blocks.resize(blocks);
  for (PathBlock& block : body.blocks) {
    block.address = address += in.varint();
    block.end = block.address + in.varint();
    const uint64_t word = in.varint();
    block.instructions = static_cast<uint32_t>(word >> 2);
    block.leaves = (word & 2) != 0;
    block.is_open = (word & 1) != 0;
    const uint64_t next = in.varint();
    if (in.failed() || next > in.left()) return fail("T006", "a block has {} successors", next);
    uint64_t number = 0;
    for (uint64_t i = 0; i < next; ++i) {
      number += in.varint();
      if (number >= blocks) return fail("T006", "a block has the successor {}", number);
      block.next.push_back(static_cast<uint32_t>(number));
    }
    const uint64_t lines = in.varint();
    if (in.failed() || lines > in.left()) return fail("T006", "a block has {} lines", lines);
    for (uint64_t i = 0; i < lines; ++i) {
      const auto file = static_cast<uint32_t>(in.varint());
      block.lines.push_back({file, static_cast<uint32_t>(in.varint())});
    }
  }
  const uint64_t calls = in.varint();
  if (in.failed() || calls > in.left()) return fail("T006", "a function has {} calls", calls);
  for (uint64_t i = 0; i < calls; ++i) {
    const auto block = static_cast<uint32_t>(in.varint());
    const auto callee = static_cast<uint32_t>(in.varint());
    body.calls.push_back({block, callee, in.varint()});
  }
  if (in.failed()) return fail("T006", "a function's blocks are cut short");
  return body;
}

}  // namespace

std::vector<PathCode::Extent> PathCode::extents_of(uint32_t function, const PathBody& body) {
  std::vector<Extent> out;
  out.reserve(body.blocks.size());
  for (const PathBlock& block : body.blocks) out.push_back({function, block.address, block.end});
  std::ranges::sort(out, {}, &Extent::address);
  size_t kept = 0;
  for (size_t i = 1; i < out.size(); ++i) {
    if (out[i].address <= out[kept].end) {
      out[kept].end = std::max(out[kept].end, out[i].end);
    } else {
      out[++kept] = out[i];
    }
  }
  out.resize(std::min(out.size(), kept + 1));
  return out;
}

Bytes PathCode::encode(const PathCode& code, const std::vector<PathBody>& bodies) {
  ByteWriter head;
  head.varint(code.modules.size());
  for (const PathModule& module : code.modules) {
    head.string(module.path);
    head.string({reinterpret_cast<const char*>(module.build_id.data()), module.build_id.size()});
    head.varint(module.is_program ? 1 : 0);
  }
  head.varint(code.files.size());
  for (const std::string& file : code.files) head.string(file);
  head.varint(code.functions.size());
  for (uint32_t f = 0; f < code.functions.size(); ++f) {
    const PathFunction& function = code.functions[f];
    head.string(function.name);
    head.varint(function.aliases.size());
    for (const std::string& alias : function.aliases) head.string(alias);
    head.varint(uint64_t{function.module} << 1 | (function.has_graph ? 1u : 0u));
    head.varint(function.address);
    const std::vector<Extent> extents = extents_of(f, bodies[f]);
    head.varint(extents.size());
    for (uint64_t before = function.address; const Extent& extent : extents) {
      head.varint(fold_difference(extent.address - before));
      head.varint(extent.end - extent.address);
      before = extent.end;
    }
  }
  Bytes coded;
  std::vector<Group> groups;
  for (uint32_t next = 0; next < bodies.size();) {
    ByteWriter group;
    const uint32_t first = next;
    while (next < bodies.size() && group.bytes().size() < kGroupBytes)
      write_body(group, bodies[next++]);
    const Bytes frame = zstd_compress(group.bytes(), kCodeLevel);
    groups.push_back({first, static_cast<uint32_t>(frame.size()), group.bytes().size(), 0});
    coded.insert(coded.end(), frame.begin(), frame.end());
  }
  head.varint(groups.size());
  uint32_t before = 0;
  for (const Group& group : groups) {
    head.varint(group.first - std::exchange(before, group.first));
    head.varint(group.coded);
    head.varint(group.raw);
  }
  const Bytes frame = zstd_compress(head.bytes(), kCodeLevel);
  ByteWriter out;
  out.fixed(static_cast<uint64_t>(head.bytes().size()));
  out.fixed(static_cast<uint64_t>(frame.size()));
  out.raw(frame);
  out.raw(coded);
  return out.take();
}

Result<PathCode> PathCode::decode(ByteSpan bytes) {
  ByteReader outer(bytes);
  const auto raw = outer.fixed<uint64_t>();
  const auto coded = outer.fixed<uint64_t>();
  const ByteSpan frame = outer.take(coded);
  if (outer.failed()) return fail("T006", "the functions of paths are cut short");
  TRY(const Bytes head, zstd_decompress(frame, raw));
  PathCode out;
  out.bodies_ = bytes.subspan(outer.position());
  ByteReader in(head);
  const auto too_many = [&](uint64_t count) { return in.failed() || count > in.left(); };
  const uint64_t modules = in.varint();
  if (too_many(modules)) return fail("T006", "there are {} modules of paths", modules);
  for (uint64_t i = 0; i < modules; ++i) {
    PathModule& module = out.modules.emplace_back();
    module.path = in.string();
    const std::string_view id = in.string();
    module.build_id.assign(id.begin(), id.end());
    module.is_program = in.varint() != 0;
  }
  const uint64_t files = in.varint();
  if (too_many(files)) return fail("T006", "there are {} files of paths", files);
  for (uint64_t i = 0; i < files; ++i) out.files.emplace_back(in.string());
  const uint64_t functions = in.varint();
  if (too_many(functions)) return fail("T006", "there are {} functions of paths", functions);
  out.functions.resize(functions);
  for (uint32_t f = 0; f < functions; ++f) {
    PathFunction& function = out.functions[f];
    function.name = in.string();
    const uint64_t aliases = in.varint();
    if (too_many(aliases)) return fail("T006", "a function has {} names", aliases);
    for (uint64_t i = 0; i < aliases; ++i) function.aliases.emplace_back(in.string());
    const uint64_t word = in.varint();
    if (word >> 1 >= modules) return fail("T006", "a function is in module {}", word >> 1);
    function.module = static_cast<uint32_t>(word >> 1);
    function.has_graph = (word & 1) != 0;
    function.address = in.varint();
    const uint64_t extents = in.varint();
    if (too_many(extents)) return fail("T006", "a function has {} parts", extents);
    for (uint64_t before = function.address, i = 0; i < extents; ++i) {
      const uint64_t address = before + unfold_difference(in.varint());
      before = address + in.varint();
      out.extents_.push_back({f, address, before});
    }
  }
  const uint64_t groups = in.varint();
  if (too_many(groups)) return fail("T006", "there are {} groups of functions", groups);
  uint64_t first = 0;
  uint64_t at = 0;
  for (uint64_t i = 0; i < groups; ++i) {
    Group group;
    first += in.varint();
    group.first = static_cast<uint32_t>(first);
    group.coded = static_cast<uint32_t>(in.varint());
    group.raw = in.varint();
    group.at = at;
    at += group.coded;
    if (at > out.bodies_.size() || first > functions)
      return fail("T006", "a group of functions is outside of the file");
    out.groups_.push_back(group);
  }
  if (in.failed()) return fail("T006", "the functions of paths are cut short");
  return out;
}

Result<PathBody> PathCode::body(uint32_t function) const {
  const auto behind = std::ranges::upper_bound(groups_, function, {}, &Group::first);
  if (function >= functions.size() || behind == groups_.begin())
    return fail("T006", "there is no function {} among those of paths", function);
  const Group& group = *std::prev(behind);
  TRY(const Bytes raw, zstd_decompress(bodies_.subspan(group.at, group.coded), group.raw));
  ByteReader in(raw);
  for (uint32_t f = group.first;; ++f) {
    TRY(PathBody body, read_body(in));
    if (f != function) continue;
    TRY_VOID(check(body));
    return body;
  }
}

Result<void> PathCode::check(const PathBody& body) const {
  for (const PathBlock& block : body.blocks)
    for (const PathLine& line : block.lines)
      if (line.file >= files.size())
        return fail("T006", "a line is in the source file {}", line.file);
  for (const PathCall& call : body.calls)
    if (call.block >= body.blocks.size() || call.callee >= functions.size())
      return fail("T006", "block {} calls function {}", call.block, call.callee);
  if (!body.blocks.empty() && body.entry >= body.blocks.size())
    return fail("T006", "a function begins with block {}", body.entry);
  return {};
}

Result<void> PathCode::each_body(
    const std::function<void(uint32_t function, const PathBody& body)>& tell) const {
  for (size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const auto end =
        static_cast<uint32_t>(g + 1 < groups_.size() ? groups_[g + 1].first : functions.size());
    TRY(const Bytes raw, zstd_decompress(bodies_.subspan(group.at, group.coded), group.raw));
    ByteReader in(raw);
    for (uint32_t f = group.first; f < end; ++f) {
      TRY(const PathBody body, read_body(in));
      TRY_VOID(check(body));
      tell(f, body);
    }
  }
  return {};
}

std::vector<uint32_t> PathCode::find(std::string_view name) const {
  std::vector<uint32_t> out;
  for (uint32_t f = 0; f < functions.size(); ++f) {
    const PathFunction& function = functions[f];
    if (function.name == name ||
        std::ranges::find(function.aliases, name) != function.aliases.end())
      out.push_back(f);
  }
  return out;
}

std::vector<uint32_t> PathCode::at(uint64_t address) const {
  std::vector<uint32_t> out;
  for (const Extent& extent : extents_)
    if (extent.address <= address && address < extent.end) out.push_back(extent.function);
  return out;
}

}  // namespace twinrun
