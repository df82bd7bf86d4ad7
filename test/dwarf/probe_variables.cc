// SPDX-License-Identifier: MIT
// probe_variables FILE PID BIAS TLS: reads lines "reg N VALUE", then "at PC" (all hexadecimal, PC
// of the running program), and answers with the variables in scope, one line each:
//
//   var NAME|TYPE|memory ADDRESS or -|VALUE
//
// then with names for random memory that variables and their pointers lead to:
//
//   name ADDRESS SIZE TEXT|where TEXT leads when it is resolved
//
// and "end". Memory is that of the process PID, which must stand still.
#include "program/debug_info.h"
#include "program/naming.h"
#include "program/value_format.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

using namespace twinrun;

namespace {

struct Process : ValueSource {
  int memory_file = -1;
  uint64_t bias = 0;
  uint64_t tls = 0;
  std::map<unsigned, uint64_t> regs;

  [[nodiscard]] std::optional<uint64_t> reg(unsigned number) const override {
    const auto it = regs.find(number);
    return it == regs.end() ? std::nullopt : std::optional(it->second);
  }
  [[nodiscard]] bool memory(uint64_t address, std::span<uint8_t> out) const override {
    return address < (uint64_t{1} << 63) &&
           pread(memory_file, out.data(), out.size(), static_cast<off_t>(address)) ==
               static_cast<ssize_t>(out.size());
  }
  [[nodiscard]] std::optional<uint64_t> tls_address(uint64_t offset) const override {
    return tls + offset;
  }
  [[nodiscard]] uint64_t load_bias() const override { return bias; }
};

void answer(DebugInfo& info, const Process& process, uint64_t pc, std::mt19937_64& random) {
  std::set<std::string> names;
  std::vector<std::pair<uint64_t, uint64_t>> objects;  // address, size
  for (const Variable& variable : info.variables_at(pc)) {
    if (!names.insert(variable.name).second) continue;
    const Location location = info.locate(variable, pc, process);
    const uint64_t size = size_of(*variable.type).value_or(0);
    std::string where = "-";
    if (location.kind == Location::Kind::kMemory) {
      where = fmt::format("{:x}", location.address);
      objects.emplace_back(location.address, size);
    }
    const std::string value = format_object(*variable.type, location, process);
    std::printf("var %s|%s|%s|%s\n", variable.name.c_str(), type_name(*variable.type).c_str(),
                where.c_str(), value.c_str());
    const Type& bare = stripped(*variable.type);
    const ReadBytes read = read_location(location, 8, process);
    if (bare.kind == TypeKind::kPointer && read.bytes)
      objects.emplace_back(ByteReader(*read.bytes).fixed<uint64_t>(),
                           size_of(info.complete(*bare.target)).value_or(0));
  }
  for (int i = 0; i < 12 && !objects.empty(); ++i) {
    const auto& [base, width] = objects[random() % objects.size()];
    const uint64_t size = uint64_t{1} << random() % 4;
    if (width < size) continue;
    const uint64_t address = base + random() % (width / size) * size;
    const auto name = name_memory(info, pc, process, address, size);
    if (!name) {
      std::printf("name %lx %lu -|-\n", address, size);
      continue;
    }
    const auto back = resolve_expression(info, pc, process, *name);
    std::printf(
        "name %lx %lu %s|%s\n", address, size, name->c_str(),
        !back ? back.error().message.c_str() : fmt::format("{:x}", back->location.address).c_str());
  }
  std::printf("end\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 2;
  auto info = DebugInfo::open_file(words[1]);
  if (!info) return 2;
  Process process;
  process.memory_file = open((std::string("/proc/") + words[2] + "/mem").c_str(), O_RDONLY);
  process.bias = std::stoull(words[3], nullptr, 16);
  process.tls = std::stoull(words[4], nullptr, 16);
  if (process.memory_file < 0) return 2;
  std::mt19937_64 random(5);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string verb;
    uint64_t a = 0;
    uint64_t b = 0;
    in >> verb >> std::hex >> a >> b;
    if (verb == "reg") process.regs[static_cast<unsigned>(a)] = b;
    if (verb == "at") answer(*info, process, a - process.bias, random);
  }
  return 0;
}
