// SPDX-License-Identifier: MIT
// LLVM's sample profiles count lines, relative to the line that their function is declared in, and
// nest what was inlined under the line of its call. A line of one copy of a function was executed
// as often as the most executed of its instructions; copies (clones, template instances of one
// name) add up. Discriminators are left out: what a compiler makes of several blocks in one line
// differs from one to the next.
#include "base/escape.h"
#include "profile/address_profile.h"
#include "profile/code_index.h"
#include "profile/write_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace twinrun {
namespace {

// A function, or a copy of one that was inlined.
struct LineSamples {
  struct Line {
    uint64_t count = 0;
    std::map<std::string, uint64_t> callees;
  };
  std::map<uint32_t, Line> lines;  // by offset
  std::map<std::pair<uint32_t, std::string>, LineSamples> inlined;
  uint64_t entries = 0;

  [[nodiscard]] uint64_t total() const {
    uint64_t out = 0;
    for (const auto& [offset, line] : lines) out = add_counts(out, line.count);
    for (const auto& [site, callee] : inlined) out = add_counts(out, callee.total());
    return out;
  }

  void add(const LineSamples& more) {
    entries = add_counts(entries, more.entries);
    for (const auto& [offset, line] : more.lines) {
      Line& mine = lines[offset];
      mine.count = add_counts(mine.count, line.count);
      for (const auto& [name, count] : line.callees)
        mine.callees[name] = add_counts(mine.callees[name], count);
    }
    for (const auto& [site, callee] : more.inlined) inlined[site].add(callee);
  }

  void print(std::string& out, size_t depth) const {
    const std::string indent(depth, ' ');
    for (const auto& [offset, line] : lines) {
      fmt::format_to(std::back_inserter(out), "{}{}: {}", indent, offset, line.count);
      for (const auto& [name, count] : line.callees)
        fmt::format_to(std::back_inserter(out), " {}:{}", name, count);
      out += '\n';
    }
    for (const auto& [site, callee] : inlined) {
      fmt::format_to(std::back_inserter(out), "{}{}: {}:{}\n", indent, site.first, site.second,
                     callee.total());
      callee.print(out, depth + 1);
    }
  }
};

std::string frame_name(const SourceFrame& frame) {
  return escape_for_terminal(frame.linkage_name.empty() ? frame.function : frame.linkage_name);
}

// As LLVM counts: 16 bits, and lines before the declaration wrap around.
uint32_t line_offset(const SourceFrame& frame) { return (frame.line - frame.declared) & 0xffff; }

class LlvmWriter {
 public:
  LlvmWriter(const ModuleCode& binary, const CodeCounts& counts, DebugInfo& lines)
      : binary_(binary), counts_(counts), lines_(lines), index_(binary) {}

  Result<std::string> run() {
    for (const FunctionCounts& f : counts_.functions) function(f);
    if (functions_.empty() && !counts_.functions.empty())
      return fail("F006", "{} has no debug information, so that lines cannot be counted",
                  binary_.path());
    std::vector<std::pair<uint64_t, std::string_view>> order;
    for (const auto& [name, samples] : functions_)
      if (const uint64_t total = samples.total(); total > 0) order.emplace_back(total, name);
    std::ranges::stable_sort(order, std::greater(), [](const auto& row) { return row.first; });
    std::string out;
    for (const auto& [total, name] : order) {
      const LineSamples& samples = functions_.find(name)->second;
      fmt::format_to(std::back_inserter(out), "{}:{}:{}\n", name, total, samples.entries);
      samples.print(out, 1);
    }
    return out;
  }

 private:
  void function(const FunctionCounts& counts) {
    const Cfg& cfg = binary_.flow().cfg(counts.function);
    std::string name;
    LineSamples samples;
    for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
      if (counts.blocks[b].value == 0) continue;
      for (const Instruction& instruction : index_.instructions({counts.function, b})) {
        const auto frames = lines_.frames_at(instruction.address);
        if (frames.empty() || frame_name(frames.back()).empty()) continue;
        name = frame_name(frames.back());
        add(samples, frames, instruction, counts.blocks[b].value);
      }
    }
    if (name.empty()) return;
    samples.entries = counts.entries.value;
    functions_[name].add(samples);
  }

  void add(LineSamples& function, const std::vector<SourceFrame>& frames,
           const Instruction& instruction, uint64_t count) {
    LineSamples* at = &function;
    for (size_t i = frames.size(); i-- > 0;) {
      if (frames[i].line == 0 || frames[i].declared == 0) return;
      if (i > 0) at = &at->inlined[{line_offset(frames[i]), frame_name(frames[i - 1])}];
    }
    LineSamples::Line& line = at->lines[line_offset(frames[0])];
    line.count = std::max(line.count, count);
    auto call = std::ranges::lower_bound(counts_.calls, instruction.address, {}, &CallCount::site);
    for (; call != counts_.calls.end() && call->site == instruction.address; ++call)
      if (const std::string callee = callee_name(call->callee); !callee.empty())
        line.callees[callee] = add_counts(line.callees[callee], call->count);
  }

  std::string callee_name(uint64_t address) {
    if (const auto frames = lines_.frames_at(address);
        !frames.empty() && !frame_name(frames.back()).empty())
      return frame_name(frames.back());
    const auto found = binary_.flow().functions().at(address);
    if (!found) return {};
    const std::string& name = binary_.flow().functions()[*found].name;
    return name.substr(0, name.find('@'));
  }

  const ModuleCode& binary_;
  const CodeCounts& counts_;
  DebugInfo& lines_;
  CodeIndex index_;
  std::map<std::string, LineSamples, std::less<>> functions_;
};

}  // namespace

Result<std::string> write_llvm(const ModuleCode& binary, const CodeCounts& counts,
                               DebugInfo& lines) {
  return LlvmWriter(binary, counts, lines).run();
}

}  // namespace twinrun
