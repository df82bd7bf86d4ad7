// SPDX-License-Identifier: MIT
#include "align/diff_stat.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "report/diff.h"
#include "trace/reader.h"

#include <memory>

namespace twinrun {
namespace {

struct DiffFlags {
  std::string a;
  std::string b;
  uint32_t limit = DiffView{}.limit;
  bool stat = false;
  bool only_exe = false;
  bool no_values = false;
  bool json = false;
};

Result<int> run_diff(const DiffFlags& flags) {
  TRY(const std::string path_a, resolve_recording(flags.a));
  TRY(const std::string path_b, resolve_recording(flags.b));
  TRY(const auto a, Reader::open(path_a));
  TRY(const auto b, Reader::open(path_b));
  const size_t limit = flags.limit == 0 ? ~size_t{0} : flags.limit;
  Progress progress("comparing values", a->instructions());
  DiffOptions options{.values = !flags.no_values,
                      .progress = [&](uint64_t done) { progress.update(done); }};
  options.align.divergences = 0;
  Binaries binaries_a(*a);
  Binaries binaries_b(*b);
  TRY(const DiffStat stat, diff_stat(*a, binaries_a, *b, binaries_b, options));
  progress.finish();
  const DiffView view{limit, flags.only_exe};
  print_out(flags.json ? diff_json(stat, view) : diff_text(stat, view));
  print_warnings(binaries_a.warnings());
  for (const auto* reader : {a.get(), b.get()})
    if (reader->is_prefix())
      print_note(fmt::format("{} is a prefix: {}", reader->path(), reader->prefix_note()));
  return stat.is_same() ? kExitSame : kExitDifferent;
}

}  // namespace

Run setup_diff(CLI::App& app) {
  const auto flags = std::make_shared<DiffFlags>();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  app.add_flag("--stat", flags->stat, "by function: the default");
  app.add_flag("--only-exe", flags->only_exe, "show functions of the program itself only");
  app.add_flag("--no-values", flags->no_values, "compare control flow only: faster");
  app.add_option("--limit", flags->limit, "show N functions; 0: all")->type_name("N");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) { return run_diff(*flags); };
}

}  // namespace twinrun
