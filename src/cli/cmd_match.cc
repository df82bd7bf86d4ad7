// SPDX-License-Identifier: MIT
#include "cli/commands.h"
#include "cli/match_flags.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/progress_plans.h"
#include "cli/terminal.h"
#include "match/binary_pair.h"
#include "report/match.h"
#include "report/match_database.h"

#include <charconv>
#include <memory>

namespace twinrun {
namespace {

struct MatchVerbFlags {
  std::string old_path;
  std::string new_path;
  MatchFlags how;
  std::string why;
  std::string output;
  std::string min_strength = "weak";
  size_t limit = 40;
  bool functions = false;
  bool blocks = false;
  bool data = false;
  bool unmatched = false;
  bool force = false;
  bool json = false;
};

struct MatchPlace {
  Side side = Side::kOld;
  uint64_t address = 0;
};

// "0x401000", "new:0x401000", or the name of a function.
Result<MatchPlace> parse_match_place(std::string_view text, const BinaryPair& pair) {
  MatchPlace out;
  if (text.starts_with("new:") || text.starts_with("old:")) {
    out.side = text.starts_with("new:") ? Side::kNew : Side::kOld;
    text.remove_prefix(4);
  }
  if (text.starts_with("0x")) {
    const auto [end, error] =
        std::from_chars(text.data() + 2, text.data() + text.size(), out.address, 16);
    if (error == std::errc() && end == text.data() + text.size()) return out;
    return fail("C003", "--why takes an address (0x...) or a function, not '{}'", text);
  }
  const BinaryShape& shape = out.side == Side::kOld ? pair.old_shape() : pair.new_shape();
  for (const ShapeProcedure& p : shape.procedures())
    if (p.name.symbol == text || p.name.hierarchical == text) {
      out.address = p.address;
      return out;
    }
  return fail("P011", "there is no function {} in {}", text, shape.code().path());
}

Result<int> run_match(const MatchVerbFlags& flags) {
  if (flags.new_path.empty())
    return fail("C004", "which binaries? give the old one and the new one");
  TRY(const MatchOptions options, flags.how.options());
  const auto min_strength = parse_strength(flags.min_strength);
  if (!min_strength)
    return fail("C003", "--min-strength takes exact, strong, fair or weak, not '{}'",
                flags.min_strength);
  if (!flags.output.empty()) {
    TRY_VOID(OutputFile::check(flags.output, flags.force));
  }
  Progress progress(match_stages(), seconds_to_read({flags.old_path, flags.new_path}));
  const WorkSink work = progress.sink();
  work(kReadingBinaries, kUnknownShare);
  TRY(const auto pair, BinaryPair::open(flags.old_path, flags.new_path, flags.how.binaries()));
  const MatchState state = match_binaries(pair->old_shape(), pair->new_shape(), options, work);
  work(kDescribingMatches, kUnknownShare);
  const MatchReport report =
      make_match_report(pair->old_shape(), pair->new_shape(), state, !flags.output.empty());
  progress.finish();
  if (!flags.output.empty()) {
    TRY_VOID(write_match_database(report, flags.output));
  }
  if (!flags.why.empty()) {
    TRY(const MatchPlace place, parse_match_place(flags.why, *pair));
    TRY(const MatchReason reason, explain_match(pair->old_shape(), pair->new_shape(), state, report,
                                                place.side, place.address));
    print_out(flags.json ? match_reason_json(reason)
                         : match_reason_text(reason, report, stdout_style()));
    return kExitSame;
  }
  const MatchView view{.functions = flags.functions,
                       .blocks = flags.blocks,
                       .data = flags.data,
                       .unmatched = flags.unmatched,
                       .limit = flags.json ? 0 : flags.limit,
                       .min_strength = *min_strength};
  print_out(flags.json ? match_json(report, view) : match_text(report, view, stdout_style()));
  return kExitSame;
}

}  // namespace

Action setup_match(FlagSet& app) {
  const auto flags = std::make_shared<MatchVerbFlags>();
  app.add_option("old", flags->old_path, "the old binary");
  app.add_option("new", flags->new_path, "the new binary");
  app.add_flag("--functions", flags->functions, "list the pairs of functions");
  app.add_flag("--blocks", flags->blocks, "list the pairs of basic blocks");
  app.add_flag("--data", flags->data, "list the pairs of data");
  app.add_flag("--unmatched", flags->unmatched, "list what has no partner");
  app.add_option("--why", flags->why,
                 "tell how an address of the old binary (new:0x... of the new one) was matched")
      ->type_name("ADDRESS|FUNCTION");
  app.add_option("-o,--output", flags->output, "write an SQLite database of all pairs")
      ->type_name("FILE");
  app.add_flag("-f,--force", flags->force, "replace the output file");
  app.add_option("--min-strength", flags->min_strength,
                 "list pairs that are at least exact, strong, fair or weak")
      ->type_name("STRENGTH")
      ->words({"exact", "strong", "fair", "weak"});
  app.add_option("--limit", flags->limit, "show N rows of each list; 0: all")->type_name("N");
  flags->how.declare(app);
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_match(*flags); };
}

}  // namespace twinrun
