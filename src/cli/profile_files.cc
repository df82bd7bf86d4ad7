// SPDX-License-Identifier: MIT
#include "cli/profile_files.h"

#include "base/files.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/output_file.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "counts/flow.h"
#include "profile/count_code.h"
#include "profile/read_profile.h"
#include "profile/recorded_counts.h"
#include "profile/write_profile.h"
#include "program/debug_info.h"
#include "run/executable_files.h"
#include "run/symbols.h"
#include "trace/reader.h"

#include <fmt/ranges.h>

#include <filesystem>

namespace twinrun {
namespace {

constexpr std::string_view kRecordingFormat = "recording";

const std::vector<std::string>& in_formats() {
  static const std::vector<std::string> kNames{
      "callgrind", "fdata", "preagg", "perf-script", "autofdo", std::string(kRecordingFormat)};
  return kNames;
}

const std::vector<std::string>& out_formats() {
  static const std::vector<std::string> kNames{"fdata", "preagg", "callgrind", "llvm", "json"};
  return kNames;
}

Result<void> check_format(const std::string& name, const std::vector<std::string>& known,
                          std::string_view flag) {
  if (std::ranges::find(known, name) != known.end()) return {};
  std::string help = did_you_mean(name, known);
  if (help.empty()) help = fmt::format("there is {}", fmt::join(known, ", "));
  return std::unexpected(
      Error{"C003", fmt::format("{} takes no '{}'", flag, name), std::move(help), {}});
}

// The module of a recording that the binary is: by its build id, or without one by its path.
Result<MappedFile> module_of(const std::vector<MappedFile>& files, const ModuleCode& binary,
                             const std::string& recording) {
  for (const MappedFile& file : files)
    if (!binary.build_id().empty() && file.build_id == binary.build_id()) return file;
  std::error_code ignored;
  for (const MappedFile& file : files) {
    const bool is_same_file = std::filesystem::equivalent(file.path, binary.path(), ignored);
    if (is_same_file && binary.build_id().empty() && file.build_id.empty()) return file;
    if (is_same_file || base_name(file.path) == base_name(binary.path()))
      return fail("F004", "{} executed another build of {}", recording, binary.path());
  }
  return fail("F005", "{} does not execute {}", recording, binary.path());
}

Result<AddressProfile> read_recording(const ModuleCode& binary, const std::string& path) {
  TRY(const auto run, Run::open(path));
  const Reader& reader = run->reader();
  std::vector<uint32_t> processes;
  for (const auto& [number, process] : reader.processes()) processes.push_back(number);
  TRY(const std::vector<MappedFile> files, executable_files(reader, processes));
  TRY(const MappedFile file, module_of(files, binary, path));
  TRY(const ExecutedFlow flow, executed_flow(*run, processes, file.path));
  if (reader.is_prefix())
    print_note(fmt::format("the recording is a prefix: {}", reader.prefix_note()));
  return recorded_counts(flow);
}

struct ReadProfile {
  AddressProfile profile;
  std::string format;
};

Result<ReadProfile> read_text(const ProfiledBinary& binary, const std::string& path,
                              const ProfileInFlags& flags) {
  TRY(const Bytes bytes, read_file(path));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto format =
      flags.format.empty() ? detect_profile_format(text) : parse_profile_format(flags.format);
  if (!format)
    return std::unexpected(Error{"F001",
                                 fmt::format("{} is no profile of a known format", path),
                                 fmt::format("there is {}", fmt::join(in_formats(), ", ")),
                                 {}});
  const ProfileSubject subject{binary.code, binary.names, flags.object};
  auto profile = read_profile(text, *format, subject);
  if (!profile)
    return std::unexpected(std::move(profile).error().in(
        fmt::format("in {}, read as {}", path, profile_format_name(*format))));
  return ReadProfile{std::move(*profile), std::string(profile_format_name(*format))};
}

bool is_recording(const std::string& path, const ProfileInFlags& flags) {
  if (!flags.format.empty()) return flags.format == kRecordingFormat;
  std::error_code ignored;
  return looks_like_recording(path) || !std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

void add_profile_in_flags(FlagSet& app, ProfileInFlags& flags) {
  app.add_option("--binary", flags.binary, "the ELF file that the profiles are of")
      ->type_name("FILE");
  add_profile_format_flags(app, flags);
}

void add_profile_format_flags(FlagSet& app, ProfileInFlags& flags) {
  app.add_option(
         "--format", flags.format,
         fmt::format("of the profiles: {}; by default found out", fmt::join(in_formats(), ", ")))
      ->type_name("FORMAT")
      ->words(in_formats());
  app.add_option("--object", flags.object,
                 "how the profiles call the binary, when its file has another name now")
      ->type_name("NAME");
}

void add_profile_out_flags(FlagSet& app, ProfileOutFlags& flags) {
  app.add_option("-o,--output", flags.output, "where to write; by default standard output")
      ->type_name("FILE");
  app.add_option("--output-format", flags.format,
                 fmt::format("the format to write: {}; by default by the name of the file",
                             fmt::join(out_formats(), ", ")))
      ->type_name("FORMAT")
      ->words(out_formats());
  app.add_flag("--force", flags.force, "replace the file if it exists");
  app.add_flag("--json", flags.json, "tell what was done as JSON");
}

Result<ProfiledBinary> ProfiledBinary::open(const std::string& path) {
  if (path.empty()) return fail("C004", "which binary is it of? give --binary");
  return open(path, {});
}

Result<ProfiledBinary> ProfiledBinary::open(const std::string& path,
                                            const ModuleCode::Options& options) {
  ProfiledBinary out;
  TRY(out.code, ModuleCode::open(path, options));
  TRY(out.names, BoltNames::open(out.code));
  return out;
}

Result<LoadedProfile> load_profile(const ProfiledBinary& binary, const std::string& path,
                                   const ProfileInFlags& flags) {
  if (!flags.format.empty()) TRY_VOID(check_format(flags.format, in_formats(), "--format"));
  ReadProfile read;
  if (is_recording(path, flags)) {
    TRY(const std::string recording, resolve_recording(path));
    read.format = kRecordingFormat;
    TRY(read.profile, read_recording(binary.code, recording));
  } else {
    TRY(read, read_text(binary, path, flags));
  }
  CountedCode counted = count_code(binary.code, read.profile);
  if (auto fits = check_fit(binary.code, read.profile, counted.fit); !fits)
    return std::unexpected(std::move(fits).error().in(fmt::format("in {}", path)));
  return LoadedProfile{std::move(counted.counts), {path, read.format, counted.fit}};
}

Result<std::string> profile_out_format(const ProfileOutFlags& flags) {
  if (!flags.format.empty()) {
    TRY_VOID(check_format(flags.format, out_formats(), "--output-format"));
    return flags.format;
  }
  const std::string_view name = base_name(flags.output);
  if (name.ends_with(".fdata")) return "fdata";
  if (name.ends_with(".preagg")) return "preagg";
  if (name.starts_with("callgrind.out") || name.ends_with(".callgrind")) return "callgrind";
  if (name.ends_with(".afdo") || name.ends_with(".prof")) return "llvm";
  if (name.ends_with(".json")) return "json";
  return std::unexpected(Error{"C004",
                               "in which format? give --output-format",
                               fmt::format("there is {}", fmt::join(out_formats(), ", ")),
                               {}});
}

Result<void> save_profile(const ProfiledBinary& binary, const CodeCounts& counts,
                          std::vector<ProfileSummary::Input> inputs, const std::string& format,
                          const ProfileOutFlags& flags,
                          const std::optional<CarriedCounts>& carried) {
  std::string text;
  if (format == "fdata") {
    text = write_fdata(binary.code, binary.names, counts);
  } else if (format == "preagg") {
    text = write_preaggregated(binary.code, counts);
  } else if (format == "json") {
    text = profile_counts_json(binary.code, counts);
  } else {
    TRY(DebugInfo lines, DebugInfo::open_file(binary.code.path()));
    if (format == "llvm") {
      TRY(text, write_llvm(binary.code, counts, lines));
    } else {
      text = write_callgrind(binary.code, counts, &lines);
    }
  }
  if (flags.output.empty()) {
    print_out(text);
    return {};
  }
  TRY(const auto file, OutputFile::create(flags.output, flags.force));
  file->write(text);
  TRY_VOID(file->finish());
  ProfileSummary summary = summarize(binary.code, counts);
  summary.inputs = std::move(inputs);
  summary.carried = carried;
  summary.output = flags.output;
  summary.output_format = format;
  print_out(flags.json ? profile_json(summary) : profile_text(summary, stdout_style()));
  return {};
}

}  // namespace twinrun
