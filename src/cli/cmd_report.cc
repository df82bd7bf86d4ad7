// SPDX-License-Identifier: MIT
#include "base/escape.h"
#include "cli/commands.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "cli/why_flags.h"
#include "explain/page_data.h"
#include "report/page.h"
#include "trace/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace twinrun {
namespace {

struct ReportFlags {
  std::string a;
  std::string b;
  std::string output;
  bool force = false;
  bool no_normalization = false;
  TargetFlags target;
  bool json = false;
};

Error exists(const std::string& path) {
  return {"S009", fmt::format("{} exists already", path), "--force replaces it", {}};
}

Result<void> check_output(const std::string& path, bool force) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode)) return fail("S005", "{} exists and is no regular file", path);
  if (!force) return std::unexpected(exists(path));
  return {};
}

/// Nobody sees a half-written file: it gets its name when it is complete. Like a recording it holds
/// what the program read, so that only its owner may read it.
Result<void> write_output(const std::string& path, std::string_view text, bool force) {
  const auto trouble = [&](const std::string& temporary) {
    const int reason = errno;
    if (!temporary.empty()) unlink(temporary.c_str());
    return fail("S010", "cannot write {}: {}", path, std::strerror(reason));  // NOLINT
  };
  std::string temporary = path + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return trouble("");
  for (size_t done = 0; done < text.size();) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const auto out = trouble(temporary);
      close(fd);
      return out;
    }
    done += static_cast<size_t>(n);
  }
  if (close(fd) != 0) return trouble(temporary);
  // Somebody may have made the file since it was looked for.
  int status =
      force ? -1 : renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
  if (status != 0 && !force && errno == EEXIST) {
    unlink(temporary.c_str());
    return std::unexpected(exists(path));
  }
  // Not all file systems know that call.
  if (status != 0) status = rename(temporary.c_str(), path.c_str());
  if (status != 0) return trouble(temporary);
  return {};
}

Result<int> run_report(const ReportFlags& flags) {
  if (flags.output.empty() && !flags.json)
    return std::unexpected(
        Error{"C004", "report needs a file to write", "twinrun report A B -o FILE.html", {}});
  TRY(const std::string path_a, resolve_recording(flags.a));
  TRY(const std::string path_b, resolve_recording(flags.b));
  TRY(const auto a, Reader::open(path_a));
  TRY(const auto b, Reader::open(path_b));
  // Before the work, not after it.
  if (!flags.json) TRY_VOID(check_output(flags.output, flags.force));
  Binaries binaries_a(*a);
  Binaries binaries_b(*b);
  PageOptions options;
  options.why.normalizes = !flags.no_normalization;
  TRY(options.why.target, target_choice(flags.target));
  TRY(const PageData data, page_data(*a, binaries_a, *b, binaries_b, options));
  if (flags.json) {
    print_out(page_json(data, {}));
  } else {
    const std::string page = page_html(data, {});
    TRY_VOID(write_output(flags.output, page, flags.force));
    print_out(escape_for_terminal(flags.output) + "\n");
  }
  print_warnings(binaries_a.warnings());
  return data.why.outcome == WhyReport::Outcome::kDifferent ? kExitDifferent : kExitSame;
}

}  // namespace

Run setup_report(CLI::App& app) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("a", flags->a, "the first recording")->required();
  app.add_option("b", flags->b, "the second recording")->required();
  app.add_option("-o,--output", flags->output, "the file to write")->type_name("FILE");
  app.add_flag("--force", flags->force, "replace an existing file");
  add_target_flags(app, flags->target, OutputFlag::kNone);
  app.add_flag("--no-normalization", flags->no_normalization, "compare pointers as numbers");
  app.add_flag("--json", flags->json, "print the page's data as JSON and write no page");
  return [flags](const Words&) { return run_report(*flags); };
}

}  // namespace twinrun
