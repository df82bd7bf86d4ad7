// SPDX-License-Identifier: MIT
#include "cli/record_from.h"

#include "base/suggest.h"
#include "program/module_code.h"
#include "program/source_name.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace twinrun {
namespace {

/// What a script is run by; else the program itself.
std::string executable_of(const std::string& program) {
  std::ifstream in(program, std::ios::binary);
  std::string line;
  if (!in || !std::getline(in, line) || !line.starts_with("#!")) return program;
  const size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return program;
  return line.substr(begin, line.find_first_of(" \t", begin) - begin);
}

std::string output_of(std::vector<std::string> words) {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  std::string out;
  std::array<char, 4096> buffer;
  while (failed == 0) {
    const ssize_t got = read(ends[0], buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    out.append(buffer.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  if (failed == 0) waitpid(pid, nullptr, 0);
  return out;
}

/// The libraries that a program starts with: only its loader knows where it finds them.
std::vector<std::string> libraries_of(const std::string& path, const ModuleCode& code) {
  const CodeImage::Section* interpreter = code.image().section(".interp");
  if (interpreter == nullptr) return {};
  const ByteSpan bytes = code.image().at(interpreter->address);
  const std::string loader(bytes.begin(), std::ranges::find(bytes, uint8_t{0}));
  std::vector<std::string> out;
  // "	libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x7f...)"; the loader stands alone.
  const std::string text = output_of({loader, "--list", path});
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t begin = line.find('/');
    const size_t behind = line.rfind(" (0x");
    if (begin == std::string::npos || behind == std::string::npos || behind < begin) continue;
    out.push_back(line.substr(begin, behind - begin));
  }
  return out;
}

std::optional<uint64_t> address_of(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Search {
 public:
  explicit Search(std::string function) : function_(std::move(function)) {}

  /// Adds those of one file.
  Result<void> look_into(const std::string& path, const ModuleCode& code) {
    std::vector<uint64_t> found;
    if (const auto address = address_of(function_)) {
      const auto table = code.functions();
      if (const auto index = table->find(*address))
        found.push_back((*table)[table->whole(*index)].address);
    } else {
      for (const Function& function : code.symbols().functions())
        if (is_wanted(function)) found.push_back(function.address);
    }
    struct stat info{};
    if (stat(path.c_str(), &info) != 0)
      return fail("P002", "cannot read {}: {}", path, std::strerror(errno));
    for (const uint64_t address : found)
      if (const auto offset = code.symbols().offset_of_address(address))
        places_.push_back({info.st_dev, info.st_ino, *offset});
    return {};
  }

  [[nodiscard]] bool has_found() const { return !places_.empty(); }
  [[nodiscard]] const std::vector<FunctionPlace>& places() const { return places_; }
  [[nodiscard]] std::string suggestion() const { return did_you_mean(function_, names_); }

 private:
  bool is_wanted(const Function& function) {
    if (function.name.ends_with("@plt")) return false;
    const auto is_it = [&](const std::string& symbol) {
      names_.push_back(source_name(symbol));
      return symbol == function_ || names_.back() == function_;
    };
    return is_it(function.name) || std::ranges::any_of(function.aliases, is_it);
  }

  std::string function_;
  std::vector<FunctionPlace> places_;
  std::vector<std::string> names_;
};

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

Result<std::vector<FunctionPlace>> find_function_places(const std::string& program,
                                                        const std::string& name) {
  const size_t bang = name.find('!');
  const std::string module = bang == std::string::npos ? "" : name.substr(0, bang);
  const bool is_path = module.find('/') != std::string::npos;
  Search search(bang == std::string::npos ? name : name.substr(bang + 1));
  const std::string path = is_path ? module : executable_of(program);
  TRY(const ModuleCode code, ModuleCode::open(path));
  const bool any_module = module.empty();
  bool is_there = is_path || any_module || module == file_name(path);
  if (is_there) TRY_VOID(search.look_into(path, code));
  const bool wants_libraries = any_module ? !address_of(name) : !is_there;
  if (!search.has_found() && wants_libraries) {
    for (const std::string& library : libraries_of(path, code)) {
      if (!any_module && file_name(library) != module) continue;
      is_there = true;
      // One that cannot be read has no function that anybody could name.
      if (const auto other = ModuleCode::open(library)) TRY_VOID(search.look_into(library, *other));
    }
  }
  if (search.has_found()) return search.places();
  if (!is_there) {
    return std::unexpected(Error{"P011",
                                 fmt::format("{} does not start with a library {}", path, module),
                                 "a library that is loaded later is named by its path",
                                 {}});
  }
  std::string help = search.suggestion();
  if (help.empty())
    help = "twinrun info --functions RECORDING lists those that a whole recording has";
  return std::unexpected(
      Error{"P011", fmt::format("there is no function {} in {}", name, path), help, {}});
}

}  // namespace twinrun
