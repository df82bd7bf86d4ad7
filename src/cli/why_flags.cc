// SPDX-License-Identifier: MIT
#include "cli/why_flags.h"

#include "cli/command_text.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

namespace twinrun {
namespace {

/// "TO:OFFSET".
struct ByteOf {
  std::string to;
  uint64_t offset = 0;
};
Result<ByteOf> parse_byte(std::string_view flag, const std::string& text, std::string help) {
  const size_t colon = text.rfind(':');
  ByteOf out{text.substr(0, colon), 0};
  const char* end = text.data() + text.size();
  const char* from = colon == std::string::npos ? end : text.data() + colon + 1;
  const auto offset = std::from_chars(from, end, out.offset);
  if (!out.to.empty() && from != end && offset.ec == std::errc() && offset.ptr == end) return out;
  return std::unexpected(Error{
      "C003", fmt::format("{}: '{}' is no byte of an output", flag, text), std::move(help), {}});
}

Result<TargetChoice> parse_output(const std::string& text) {
  const std::string help = "write DESCRIPTOR:OFFSET, as 1:120 for byte 120 of standard output";
  TRY(const ByteOf byte, parse_byte("--output", text, help));
  TargetChoice out{.kind = TargetChoice::Kind::kOutput, .offset = byte.offset};
  const char* end = byte.to.data() + byte.to.size();
  const auto descriptor = std::from_chars(byte.to.data(), end, out.descriptor);
  if (descriptor.ec == std::errc() && descriptor.ptr == end && out.descriptor >= 0) return out;
  return std::unexpected(
      Error{"C003", fmt::format("--output: '{}' is no descriptor", byte.to), help, {}});
}

Result<TargetChoice> parse_wrong(const std::string& text) {
  TRY(ByteOf byte,
      parse_byte("--wrong", text, "write DESCRIPTOR:OFFSET or FILE:OFFSET, as out.txt:120"));
  return TargetChoice{
      .kind = TargetChoice::Kind::kWrong, .to = std::move(byte.to), .offset = byte.offset};
}

}  // namespace

void add_target_flags(FlagSet& app, TargetFlags& flags, OutputFlag output) {
  app.add_option("--at", flags.at, "explain what this place did differently")
      ->type_name("STEP|FILE:LINE|FUNCTION");
  app.add_option("--value", flags.value, "with --at: explain what this is there")
      ->type_name("REGISTER|ADDRESS[:LENGTH]|VARIABLE");
  if (output == OutputFlag::kByte)
    app.add_option("--output", flags.output, "explain this byte of what was written")
        ->type_name("DESCRIPTOR:OFFSET");
  app.add_option("--wrong", flags.wrong, "explain this byte of B, whatever A has written")
      ->type_name("DESCRIPTOR|FILE:OFFSET");
  app.add_flag("--exit", flags.exit, "explain how the runs ended");
}

Result<TargetChoice> target_choice(const TargetFlags& flags) {
  const std::array given = {!flags.at.empty(), !flags.output.empty(), !flags.wrong.empty(),
                            flags.exit};
  if (std::ranges::count(given, true) > 1)
    return fail("C008", "only one of --at, --output, --wrong and --exit can be given");
  if (!flags.value.empty() && flags.at.empty())
    return std::unexpected(
        Error{"C004", "--value needs --at", "say where: --at FILE:LINE --value VARIABLE", {}});
  if (!flags.at.empty())
    return TargetChoice{.kind = TargetChoice::Kind::kPlace, .at = flags.at, .value = flags.value};
  if (!flags.output.empty()) return parse_output(flags.output);
  if (!flags.wrong.empty()) return parse_wrong(flags.wrong);
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
  add("--wrong", flags.wrong);
  return flags.exit ? out + " --exit" : out;
}

/// "all", "none", "N12,N30".
/// Of a list of nodes; empty for all and none.
static Result<std::set<uint32_t>> regions_of(const std::string& text) {
  std::set<uint32_t> out;
  if (text == "all" || text == "none") return out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    uint32_t node = 0;
    const char* const digits = text.data() + std::min(at + 1, end);
    const auto [rest, error] = std::from_chars(digits, text.data() + end, node);
    if (at == end || text[at] != 'N' || error != std::errc() || rest != text.data() + end)
      return std::unexpected(
          Error{"C003",
                fmt::format("--enhance: '{}' is neither all, none nor a list of nodes", text),
                "write nodes as `why --json` numbers them: N12,N30",
                {}});
    out.insert(node);
    at = end + 1;
  }
  return out;
}

void add_why_flags(FlagSet& app, WhyFlags& flags) {
  add_target_flags(app, flags.target);
  app.add_option("--limit", flags.limit, "stop at N nodes (default 20000)")->type_name("N");
  app.add_option("--budget", flags.budget, "stop searching after so long (default 20; 0: never)")
      ->type_name("SECONDS");
  app.add_option(
         "--enhance", flags.enhance,
         "look into these regions that only one run executed: nodes as N12,N30, all or none")
      ->type_name("NODES")
      ->words({"all", "none"});
  app.add_option("--anchor", flags.anchor, "where both begin: start, first-input or a function")
      ->type_name("POINT")
      ->words({"start", "first-input"});
  add_loops_flag(app, flags.loops);
  add_file_flags(app, flags.files);
  app.add_flag("--no-normalization", flags.no_normalization, "compare pointers as numbers");
  app.add_option("--allocator", flags.allocators, "a function that allocates, as for mem")
      ->type_name("NAME[:SIZE[:FREE[:POINTER]]]");
}

Result<WhyOptions> why_options(const WhyFlags& flags) {
  WhyOptions out{.limit = flags.limit,
                 .budget = flags.budget,
                 .anchor = flags.anchor == "start" ? "" : flags.anchor,
                 .loops = loops_of(flags.loops),
                 .normalizes = !flags.no_normalization};
  for (const std::string& text : flags.allocators) {
    TRY(const std::vector<AllocatorRule> rules, parse_allocator(text));
    out.allocators.insert(out.allocators.end(), rules.begin(), rules.end());
  }
  out.enhances = flags.enhance != "none";
  TRY(out.regions, regions_of(flags.enhance));
  TRY(out.target, target_choice(flags.target));
  return out;
}

Result<WhyAnswer> explain_pair(RunPair& runs, WhyOptions options) {
  Progress progress(why_stages());
  options.work = progress.sink();
  return kept_why(runs, options);
}

}  // namespace twinrun
