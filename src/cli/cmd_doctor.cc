// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/places.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "record/record.h"
#include "report/doctor.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace twinrun {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kFewBytes = 64 * kMiB;        // below this a recording soon stops
constexpr uint64_t kSomeBytes = 1024 * kMiB;     // below this a long one does
constexpr uint64_t kEnoughMemory = 8192 * kMiB;  // address space a recorded program may take
constexpr uint64_t kEnoughFiles = 64;

Finding ok(std::string name, std::string detail) {
  return {std::move(name), Health::kOk, std::move(detail), ""};
}
Finding warn(std::string name, std::string detail, std::string fix) {
  return {std::move(name), Health::kWarn, std::move(detail), std::move(fix)};
}
Finding bad(std::string name, std::string detail, std::string fix) {
  return {std::move(name), Health::kFail, std::move(detail), std::move(fix)};
}

Finding check_machine() {
  utsname names{};
  uname(&names);
  const std::string detail = fmt::format("{}, Linux {}", names.machine, names.release);
  if (std::string_view(names.machine) == "x86_64") return ok("machine", detail);
  return bad("machine", detail, "record on an x86-64 machine");
}

std::string first_line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The recorder contains Valgrind's core: nothing else of Valgrind is needed to record.
Finding check_recorder(const std::string& tool_dir) {
  const std::string tool = tool_dir + "/twinrun-amd64-linux";
  const std::string fix =
      "install twinrun again; the recorder belongs in libexec/twinrun beside bin";
  if (access(tool.c_str(), X_OK) != 0) {
    return bad("recorder", fmt::format("{}: {}", tool, std::strerror(errno)), fix);
  }
  const std::string ours = fmt::format("valgrind-{}", kValgrindVersion);
  const std::string its = first_line_of(tool_dir + "/valgrind-version");
  if (its != ours) {
    return bad("recorder",
               fmt::format("{} contains {}, but this twinrun was built with {}", tool,
                           its.empty() ? "an unknown core" : its, ours),
               fix);
  }
  return ok("recorder", fmt::format("{}, with the core of {}", tool, its));
}

Finding check_shared_memory() {
  const size_t size = 1 << 20;
  const int fd = memfd_create("twinrun-doctor", MFD_CLOEXEC);
  void* memory = MAP_FAILED;
  if (fd >= 0 && ftruncate(fd, size) == 0) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  const int why = errno;
  if (memory != MAP_FAILED) munmap(memory, size);
  if (fd >= 0) close(fd);
  if (memory != MAP_FAILED) return ok("memory", "shared memory works");
  return bad("memory", fmt::format("no shared memory: {}", std::strerror(why)),
             "allow memfd_create in this container");
}

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? "unlimited" : format_size(limit);
}

Finding check_limits() {
  rlimit memory{};
  rlimit file{};
  rlimit files{};
  getrlimit(RLIMIT_AS, &memory);
  getrlimit(RLIMIT_FSIZE, &file);
  getrlimit(RLIMIT_NOFILE, &files);
  const std::string detail =
      fmt::format("address space {}, file size {}, {} open files", limit_text(memory.rlim_cur),
                  limit_text(file.rlim_cur), files.rlim_cur);
  if (memory.rlim_cur < kEnoughMemory) return warn("limits", detail, "ulimit -v unlimited");
  if (file.rlim_cur < kSomeBytes) return warn("limits", detail, "ulimit -f unlimited");
  if (files.rlim_cur < kEnoughFiles) return warn("limits", detail, "ulimit -n 1024");
  return ok("limits", detail);
}

Finding check_store() {
  const Result<std::string> directory = store_directory();
  if (!directory) return bad("store", directory.error().message, directory.error().help);
  // The first recording makes the store; until then its nearest existing parent decides.
  fs::path there = *directory;
  std::error_code status;
  while (!fs::exists(there, status) && there.has_relative_path()) there = there.parent_path();
  if (access(there.c_str(), W_OK | X_OK) != 0) {
    return bad("store", fmt::format("{} is not writable: {}", there.string(), std::strerror(errno)),
               "set XDG_DATA_HOME to a writable directory");
  }
  struct statvfs space{};
  if (statvfs(there.c_str(), &space) != 0) {
    return warn("store", fmt::format("{}: {}", there.string(), std::strerror(errno)),
                "set XDG_DATA_HOME to another directory");
  }
  const uint64_t free_bytes = uint64_t{space.f_bavail} * space.f_frsize;
  const std::string detail = fmt::format("{}, {} free", *directory, format_size(free_bytes));
  const std::string fix = "make room (twinrun ls, twinrun rm) or set XDG_DATA_HOME";
  if (free_bytes < kFewBytes) return bad("store", detail, fix);
  if (free_bytes < kSomeBytes) return warn("store", detail, fix);
  return ok("store", detail);
}

/// The proof of it all: records true(1) into a directory of its own.
Finding check_trial(const std::string& tool_dir) {
  std::error_code status;
  fs::path pattern = fs::temp_directory_path(status) / "twinrun-doctor.XXXXXX";
  std::string directory = pattern.string();
  if (status || mkdtemp(directory.data()) == nullptr) {
    return bad("trial", fmt::format("cannot make {}: {}", pattern.string(), std::strerror(errno)),
               "set TMPDIR to a writable directory");
  }
  RecordOptions options;
  options.command = {"/bin/true"};
  options.output_path = directory + "/trial.twin";
  options.quiet = true;
  options.tool_dir = tool_dir;
  const Result<RecordOutcome> outcome = record(options);
  fs::remove_all(directory, status);
  if (!outcome) return bad("trial", outcome.error().message, outcome.error().help);
  if (outcome->exit_status != 0 || !outcome->complete || outcome->instructions == 0) {
    return bad("trial",
               fmt::format("recording /bin/true gave status {} and {} instructions",
                           outcome->exit_status, outcome->instructions),
               "report this with the output of twinrun doctor --json");
  }
  return ok("trial", fmt::format("recorded /bin/true, {} instructions",
                                 format_count(outcome->instructions)));
}

Result<int> run_doctor(bool json) {
  TRY(const std::string tool_dir, tool_directory());
  Diagnosis diagnosis{{check_machine(), check_recorder(tool_dir), check_shared_memory(),
                       check_limits(), check_store()}};
  if (diagnosis.count(Health::kFail) == 0) diagnosis.findings.push_back(check_trial(tool_dir));
  print_out(json ? diagnosis_json(diagnosis) : diagnosis_text(diagnosis, stdout_style()));
  return diagnosis.count(Health::kFail) == 0 ? kExitSame : kExitTrouble;
}

}  // namespace

Action setup_doctor(FlagSet& app) {
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print JSON");
  return [json](const Words&) { return run_doctor(*json); };
}

}  // namespace twinrun
