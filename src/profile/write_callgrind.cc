// SPDX-License-Identifier: MIT
#include "base/escape.h"
#include "base/text.h"
#include "profile/address_profile.h"
#include "profile/code_index.h"
#include "profile/write_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace twinrun {
namespace {

// Events beside Ir: how the counts are known.
constexpr std::array<std::string_view, 5> kHowKnown{"Measured", "Strong", "Fair", "Weak",
                                                    "Inferred"};

size_t how_known(const Count& count) {
  if (count.source == CountSource::kMeasured) return 0;
  if (count.source == CountSource::kInferred) return 4;
  if (count.strength >= Strength::kStrong) return 1;
  return count.strength == Strength::kFair ? 2 : 3;
}

class CallgrindWriter {
 public:
  CallgrindWriter(const ModuleCode& binary, const CodeCounts& counts, DebugInfo* lines)
      : binary_(binary), counts_(counts), lines_(lines), index_(binary) {
    for (const FunctionCounts& f : counts.functions)
      for (const Count& count : f.blocks)
        all_measured_ &= count.source == CountSource::kMeasured || count.value == 0;
  }

  std::string run() {
    for (const FunctionCounts& f : counts_.functions) function(f);
    std::string out = fmt::format(
        "# callgrind format\nversion: 1\ncreator: twinrun\ncmd: {}\n{}\ndesc: build id: {}\n{}"
        "positions: instr{}\nevents: Ir",
        binary_.path(), counts_.is_exact ? "desc: counts: exact" : "desc: counts: sampled",
        hex_text(binary_.build_id()), has_flow_counts(counts_) ? "desc: jumps: all\n" : "",
        lines_ != nullptr ? " line" : "");
    if (!all_measured_) out += fmt::format(" {}", fmt::join(kHowKnown, " "));
    out += fmt::format("\nsummary: {}\n\nob={}\n", total_, binary_.path());
    return out + body_ + fmt::format("\ntotals: {}\n", total_);
  }

 private:
  auto into() { return std::back_inserter(body_); }

  void function(const FunctionCounts& counts) {
    const Cfg& cfg = binary_.flow().cfg(counts.function);
    if (cfg.blocks.empty()) return;
    const std::string name =
        escape_for_terminal(binary_.flow().functions()[counts.function].label());
    const SourceFrame at = source(cfg.blocks[cfg.entry].start);
    file_ = at.file.empty() ? "???" : at.file;
    fmt::format_to(into(), "fl={}\nfn={}\n", file_, name);
    for (uint32_t b = 0; b < cfg.blocks.size(); ++b)
      if (counts.blocks[b].value > 0) block(cfg, counts, b);
    body_ += '\n';
  }

  void block(const Cfg& cfg, const FunctionCounts& counts, uint32_t b) {
    const auto& all = index_.instructions({counts.function, b});
    const Count& count = counts.blocks[b];
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is_last = i + 1 == all.size();
      const uint64_t value =
          is_last && i > 0 ? left(cfg, counts, b).value_or(count.value) : count.value;
      position(all[i].address, true);
      fmt::format_to(into(), " {}", value);
      if (!all_measured_)
        for (size_t how = 0; how < kHowKnown.size(); ++how)
          fmt::format_to(into(), " {}", how == how_known(count) ? value : 0);
      body_ += '\n';
      total_ = add_counts(total_, value);
      if (is_last) ways_out(cfg, counts, b, all[i], value);
    }
  }

  // How often the block was left, where its edges tell.
  static std::optional<uint64_t> left(const Cfg& cfg, const FunctionCounts& counts, uint32_t b) {
    const BlockEnd ends = cfg.blocks[b].ends;
    if (cfg.blocks[b].leaves || (ends != BlockEnd::kConditionalJump && ends != BlockEnd::kJump &&
                                 ends != BlockEnd::kFallThrough))
      return std::nullopt;
    uint64_t out = 0;
    for (const CfgEdge& edge : edges_from(cfg, b)) {
      const Count& count = counts.edges[static_cast<size_t>(&edge - cfg.edges.data())];
      if (!count.is_known()) return std::nullopt;
      out = add_counts(out, count.value);
    }
    return out;
  }

  void ways_out(const Cfg& cfg, const FunctionCounts& counts, uint32_t b, const Instruction& last,
                uint64_t executions) {
    for (const CfgEdge& edge : edges_from(cfg, b)) {
      const uint64_t count = counts.edges[static_cast<size_t>(&edge - cfg.edges.data())].value;
      if (count == 0 || edge.kind == EdgeKind::kFallThrough || edge.kind == EdgeKind::kCallReturn ||
          edge.kind == EdgeKind::kException)
        continue;
      if (last.flow == Flow::kConditionalJump)
        fmt::format_to(into(), "jcnd={}/{} ", count, executions);
      else
        fmt::format_to(into(), "jump={} ", count);
      position(cfg.blocks[edge.to].start, false);
      body_ += '\n';
      position(last.address, false);
      body_ += '\n';
    }
    auto call = std::ranges::lower_bound(counts_.calls, last.address, {}, &CallCount::site);
    for (; call != counts_.calls.end() && call->site == last.address; ++call) {
      if (last.flow == Flow::kConditionalJump) {
        fmt::format_to(into(), "jcnd={}/{} ", call->count, executions);
      } else {
        const auto callee = binary_.flow().functions().at(call->callee);
        fmt::format_to(into(), "cfn={}\ncalls={} ",
                       callee ? escape_for_terminal(binary_.flow().functions()[*callee].label())
                              : fmt::format("{:#x}", call->callee),
                       call->count);
      }
      position(call->callee, false);
      body_ += '\n';
      position(last.address, false);
      // What the callee spent in these calls is not known.
      if (last.flow != Flow::kConditionalJump) body_ += " 0";
      body_ += '\n';
    }
  }

  SourceFrame source(uint64_t address) {
    if (lines_ == nullptr) return {};
    const auto frames = lines_->frames_at(address);
    if (frames.empty()) return {};
    SourceFrame out = frames.front();
    out.file = escape_for_terminal(out.file);
    return out;
  }

  // Address and line. Where the file is another one than before, the line before tells which.
  void position(uint64_t address, bool tell_file) {
    const SourceFrame at = source(address);
    if (tell_file && !at.file.empty() && at.file != file_) {
      file_ = at.file;
      fmt::format_to(into(), "fi={}\n", file_);
    }
    fmt::format_to(into(), "{:#x}", address);
    if (lines_ != nullptr) fmt::format_to(into(), " {}", at.line);
  }

  const ModuleCode& binary_;
  const CodeCounts& counts_;
  DebugInfo* lines_;
  CodeIndex index_;
  bool all_measured_ = true;
  uint64_t total_ = 0;
  std::string file_;
  std::string body_;
};

}  // namespace

std::string write_callgrind(const ModuleCode& binary, const CodeCounts& counts, DebugInfo* lines) {
  return CallgrindWriter(binary, counts, lines).run();
}

}  // namespace twinrun
