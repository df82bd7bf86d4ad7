// SPDX-License-Identifier: MIT
#include "cli/why_flags.h"

#include "cli/command_text.h"
#include "cli/progress.h"

#include <charconv>
#include <utility>

namespace twinrun {
namespace {

Result<TargetChoice> parse_output(const std::string& text) {
  TargetChoice out{.kind = TargetChoice::Kind::kOutput};
  const char* end = text.data() + text.size();
  const auto descriptor = std::from_chars(text.data(), end, out.descriptor);
  bool good = descriptor.ec == std::errc() && out.descriptor >= 0 && descriptor.ptr != end &&
              *descriptor.ptr == ':';
  if (good) {
    const auto offset = std::from_chars(descriptor.ptr + 1, end, out.offset);
    good = offset.ec == std::errc() && offset.ptr == end;
  }
  if (good) return out;
  return std::unexpected(Error{"C003",
                               fmt::format("--output: '{}' is no byte of an output", text),
                               "write DESCRIPTOR:OFFSET, as 1:120 for byte 120 of standard output",
                               {}});
}

}  // namespace

void add_target_flags(CLI::App& app, TargetFlags& flags, OutputFlag output) {
  app.add_option("--at", flags.at, "explain what this place did differently")
      ->type_name("STEP|FILE:LINE|FUNCTION");
  app.add_option("--value", flags.value, "with --at: explain what this is there")
      ->type_name("REGISTER|ADDRESS[:LENGTH]|VARIABLE");
  if (output == OutputFlag::kByte)
    app.add_option("--output", flags.output, "explain this byte of what was written")
        ->type_name("DESCRIPTOR:OFFSET");
  app.add_flag("--exit", flags.exit, "explain how the runs ended");
}

Result<TargetChoice> target_choice(const TargetFlags& flags) {
  const int given =
      (flags.at.empty() ? 0 : 1) + (flags.output.empty() ? 0 : 1) + (flags.exit ? 1 : 0);
  if (given > 1) return fail("C008", "only one of --at, --output and --exit can be given");
  if (!flags.value.empty() && flags.at.empty())
    return std::unexpected(
        Error{"C004", "--value needs --at", "say where: --at FILE:LINE --value VARIABLE", {}});
  if (!flags.at.empty())
    return TargetChoice{.kind = TargetChoice::Kind::kPlace, .at = flags.at, .value = flags.value};
  if (!flags.output.empty()) return parse_output(flags.output);
  return TargetChoice{.kind = flags.exit ? TargetChoice::Kind::kExit : TargetChoice::Kind::kNone};
}

std::string target_words(const TargetFlags& flags) {
  std::string out;
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) out += fmt::format(" {} {}", flag, shell_word(value));
  };
  add("--at", flags.at);
  add("--value", flags.value);
  add("--output", flags.output);
  return flags.exit ? out + " --exit" : out;
}

void add_why_flags(CLI::App& app, WhyFlags& flags) {
  add_target_flags(app, flags.target);
  app.add_option("--limit", flags.limit, "stop at N nodes (default 400)")->type_name("N");
  app.add_flag("--no-normalization", flags.no_normalization, "compare pointers as numbers");
  app.add_option("--allocator", flags.allocators, "a function that allocates, as for mem")
      ->type_name("NAME[:SIZE[:FREE[:POINTER]]]");
}

Result<WhyOptions> why_options(const WhyFlags& flags) {
  WhyOptions out{.limit = flags.limit, .normalizes = !flags.no_normalization};
  for (const std::string& text : flags.allocators) {
    TRY(const std::vector<AllocatorRule> rules, parse_allocator(text));
    out.allocators.insert(out.allocators.end(), rules.begin(), rules.end());
  }
  TRY(out.target, target_choice(flags.target));
  return out;
}

Result<WhyReport> explain_pair(RecordingPair& runs, WhyOptions options) {
  Progress aligning("aligning", runs.a().blocks());
  Progress explaining("nodes of the graph", Progress::kUnknown);
  options.progress = [&](uint64_t done) { aligning.update(done); };
  options.explained = [&](uint64_t nodes) {
    aligning.finish();
    explaining.update(nodes);
  };
  return why(runs.a(), runs.binaries_a(), runs.b(), runs.binaries_b(), options);
}

}  // namespace twinrun
