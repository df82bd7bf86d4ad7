// SPDX-License-Identifier: MIT
#include "record/program.h"

#include "record/record.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace twinrun {
namespace {

/// Symbols that a sanitizer's run-time library must define, by sanitizer.
struct Sanitizer {
  std::string_view symbol;  // with the zeros around it in a string table
  std::string_view name;
};
using namespace std::string_view_literals;
constexpr std::array kSanitizers = {Sanitizer{"\0__asan_init\0"sv, "AddressSanitizer"},
                                    Sanitizer{"\0__tsan_init\0"sv, "ThreadSanitizer"},
                                    Sanitizer{"\0__msan_init\0"sv, "MemorySanitizer"},
                                    Sanitizer{"\0__hwasan_init\0"sv, "HWAddressSanitizer"}};

std::unexpected<Error> not_executable(std::string message, std::string help) {
  return std::unexpected(
      Error{std::string(kErrorNotExecutable), std::move(message), std::move(help), {}});
}

Result<std::string> look_up(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  const std::string searched(rest);
  std::optional<std::string> not_permitted;
  while (true) {
    const size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    const std::string candidate = fmt::format("{}/{}", directory.empty() ? "." : directory, name);
    struct stat info{};
    if (stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      if (access(candidate.c_str(), X_OK) == 0) return candidate;
      if (!not_permitted) not_permitted = candidate;
    }
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (not_permitted) return *not_permitted;
  return std::unexpected(Error{std::string(kErrorNotFound),
                               fmt::format("no program '{}' in PATH", name),
                               fmt::format("give its path, or extend PATH={}", searched),
                               {}});
}

std::string_view machine_name(uint16_t machine) {
  switch (machine) {
    case EM_386: return "32-bit x86";
    case EM_AARCH64: return "64-bit ARM";
    case EM_ARM: return "32-bit ARM";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "64-bit PowerPC";
    case EM_S390: return "s390";
    default: return "another architecture";
  }
}

/// The names of the symbols that the program takes from, or offers to, its libraries; static
/// programs: all that it has.
std::string_view symbol_names(std::string_view file) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  const auto section = [&](uint64_t index) -> std::optional<Elf64_Shdr> {
    const uint64_t at = header->e_shoff + index * sizeof(Elf64_Shdr);
    if (index >= header->e_shnum || at > file.size() || file.size() - at < sizeof(Elf64_Shdr)) {
      return std::nullopt;
    }
    Elf64_Shdr out;
    std::memcpy(&out, file.data() + at, sizeof out);
    return out;
  };
  std::string_view best;
  for (uint32_t i = 0; i < header->e_shnum; ++i) {
    const auto symbols = section(i);
    if (!symbols) break;
    if (symbols->sh_type != SHT_DYNSYM && (symbols->sh_type != SHT_SYMTAB || !best.empty()))
      continue;
    const auto names = section(symbols->sh_link);
    if (!names || names->sh_offset > file.size()) continue;
    best = file.substr(names->sh_offset, names->sh_size);
    if (symbols->sh_type == SHT_DYNSYM) break;
  }
  return best;
}

/// The x86-64-v4 bit of the note that says which instructions the program cannot do without.
bool needs_avx512(std::string_view file) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  if (header->e_phentsize != sizeof(Elf64_Phdr)) return false;
  for (size_t i = 0; i < header->e_phnum; ++i) {
    const uint64_t at = header->e_phoff + i * sizeof(Elf64_Phdr);
    if (at > file.size() || file.size() - at < sizeof(Elf64_Phdr)) return false;
    Elf64_Phdr segment;
    std::memcpy(&segment, file.data() + at, sizeof segment);
    if (segment.p_type != PT_GNU_PROPERTY || segment.p_offset > file.size()) continue;
    // One note named GNU of type 5, holding (type, size, data) properties padded to eight bytes.
    std::string_view note = file.substr(segment.p_offset, segment.p_filesz);
    if (note.size() < 16) continue;
    note.remove_prefix(16);
    while (note.size() >= 12) {
      uint32_t type = 0;
      uint32_t size = 0;
      uint32_t bits = 0;
      std::memcpy(&type, note.data(), 4);
      std::memcpy(&size, note.data() + 4, 4);
      std::memcpy(&bits, note.data() + 8, 4);
      constexpr uint32_t kIsaNeeded = 0xc0008002;
      constexpr uint32_t kV4 = 1u << 3;
      if (type == kIsaNeeded && size == 4 && (bits & kV4) != 0) return true;
      const uint64_t whole = 8 + ((uint64_t{size} + 7) & ~uint64_t{7});
      if (whole > note.size()) break;
      note.remove_prefix(whole);
    }
  }
  return false;
}

Result<void> check_elf(const std::string& path, std::string_view file) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  if (file.size() < sizeof(Elf64_Ehdr) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != EM_X86_64) {
    const uint16_t machine =
        file.size() < sizeof(Elf32_Ehdr) ? uint16_t{EM_NONE} : header->e_machine;
    return not_executable(fmt::format("{} is built for {}", path, machine_name(machine)),
                          "only x86-64 programs can be recorded: build it for x86-64");
  }
  const std::string_view names = symbol_names(file);
  for (const Sanitizer& sanitizer : kSanitizers) {
    if (names.find(sanitizer.symbol) == std::string_view::npos) continue;
    return std::unexpected(Error{"R006",
                                 fmt::format("{} is built with {}, whose shadow memory lies where "
                                             "the recorder does",
                                             path, sanitizer.name),
                                 "build it without -fsanitize=; 'undefined' alone is fine",
                                 {}});
  }
  if (needs_avx512(file)) {
    return std::unexpected(
        Error{"R005",
              fmt::format("{} needs AVX-512 instructions, which the recorder does not know", path),
              "build it with -march=x86-64-v3 or less",
              {}});
  }
  return {};
}

}  // namespace

Result<Program> find_program(const std::string& name) {
  TRY(const std::string path, look_up(name));
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    const std::string_view code =
        errno == ENOENT || errno == ENOTDIR ? kErrorNotFound : kErrorNotExecutable;
    return std::unexpected(Error{std::string(code),
                                 fmt::format("cannot run {}: {}", path, std::strerror(errno)),
                                 "check the path of the program",
                                 {}});
  }
  if (S_ISDIR(info.st_mode)) {
    return not_executable(fmt::format("{} is a directory", path), "name a program in it");
  }
  if (access(path.c_str(), X_OK) != 0) {
    return not_executable(fmt::format("{} is not executable", path),
                          fmt::format("chmod +x {}", path));
  }
  if ((info.st_mode & (S_ISUID | S_ISGID)) != 0 ||
      getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    return not_executable(fmt::format("{} runs with rights that are not yours (set-user-id, "
                                      "set-group-id or file capabilities)",
                                      path),
                          "record it as the user it changes to, from a copy without them");
  }
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return not_executable(fmt::format("cannot read {}: {}", path, std::strerror(errno)),
                          "the recorder must read a program to run it: chmod +r");
  }
  const size_t size = static_cast<size_t>(info.st_size);
  void* mapped = size == 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) {
    return not_executable(fmt::format("{} is empty or cannot be mapped", path),
                          "check that it is a program");
  }
  const std::string_view file(static_cast<const char*>(mapped), size);
  Result<void> checked;
  if (file.starts_with(ELFMAG)) {
    checked = check_elf(path, file);
  } else if (!file.starts_with("#!")) {
    checked = not_executable(fmt::format("{} is neither an ELF program nor a #! script", path),
                             fmt::format("name its interpreter: twinrun record sh {}", path));
  }
  const bool is_script = file.starts_with("#!");
  munmap(mapped, size);
  if (!checked) return std::unexpected(std::move(checked).error());
  return Program{path, is_script};
}

}  // namespace twinrun
