// SPDX-License-Identifier: MIT
#include "base/suggest.h"
#include "cli/commands.h"
#include "cli/store.h"
#include "cli/terminal.h"
#include "counts/flow.h"
#include "counts/function_flow.h"
#include "program/module_code.h"
#include "report/cfg.h"
#include "run/executable_files.h"
#include "trace/reader.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <memory>

namespace twinrun {
namespace {

constexpr size_t kBlocksShown = 18;

struct CfgFlags {
  std::string function;
  std::string in = "@";
  bool all = false;
  bool calls = false;
  bool dot = false;
  bool json = false;
};

bool is_elf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[4] = {};
  return in.read(magic, sizeof magic) && std::string_view(magic, 4) ==
                                             "\x7f"
                                             "ELF";
}

std::optional<uint64_t> parse_address(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Whole functions of that name, or the one that holds the address.
std::vector<uint32_t> find_functions(const FunctionTable& table, const std::string& wanted) {
  std::vector<uint32_t> out;
  if (const auto address = parse_address(wanted)) {
    if (const auto found = table.find(*address)) out.push_back(*found);
  } else {
    out = table.named(wanted);
  }
  for (uint32_t& f : out) f = table.whole(f);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Error no_function(const std::string& wanted, const std::string& where,
                  const std::vector<std::string>& names) {
  Error out{"P011", fmt::format("there is no function {} in {}", wanted, where), {}, {}};
  out.help = did_you_mean(wanted, names);
  return out;
}

void print_flow(const CfgFlags& flags, const FunctionFlow& flow) {
  if (flags.json)
    print_out(cfg_json(flow));
  else if (flags.dot)
    print_out(cfg_dot(flow));
  else if (flags.calls)
    print_out(cfg_calls_text(flow, stdout_style()));
  else
    print_out(cfg_text(flow, flags.all ? 0 : kBlocksShown, stdout_style()));
}

Result<int> run_on_binary(const CfgFlags& flags) {
  TRY(const ModuleCode binary, ModuleCode::open(flags.in));
  const ControlFlow& control = binary.flow();
  const auto found = find_functions(control.functions(), flags.function);
  if (found.empty()) {
    std::vector<std::string> names;
    for (const CodeFunction& f : control.functions().all()) names.push_back(f.name);
    return std::unexpected(no_function(flags.function, flags.in, names));
  }
  FunctionFlow flow = function_flow(control, found[0], nullptr);
  flow.module = flags.in;
  if (auto info = DebugInfo::open_file(flags.in)) add_lines(flow, *info);
  for (size_t i = 1; i < found.size(); ++i)
    flow.others.push_back(fmt::format("{:#x}", control.functions()[found[i]].address));
  print_flow(flags, flow);
  return kExitSame;
}

// The modules to look into: for an address the program itself, for a name all that have it.
Result<std::vector<MappedFile>> modules_with(const Reader& reader,
                                             const std::vector<uint32_t>& processes,
                                             Binaries& binaries, const std::string& function) {
  TRY(std::vector<MappedFile> files, executable_files(reader, processes));
  if (parse_address(function)) {
    if (files.size() > 1) files.resize(1);
    return files;
  }
  std::vector<std::string> names;
  std::vector<MappedFile> out;
  for (const MappedFile& file : files) {
    const auto& symbols = binaries.get(file).symbols;
    if (!symbols) continue;
    bool found = false;
    for (const Function& f : symbols->functions()) {
      names.push_back(f.name);
      found |= f.name == function || std::ranges::binary_search(f.aliases, function);
    }
    if (found) out.push_back(file);
  }
  if (out.empty()) return std::unexpected(no_function(function, "the recorded modules", names));
  return out;
}

Result<int> run_on_recording(const CfgFlags& flags) {
  TRY(const std::string path, resolve_recording(flags.in));
  TRY(const auto run, Run::open(path));
  const Reader& reader = run->reader();
  std::vector<uint32_t> processes;
  for (const auto& [number, process] : reader.processes()) processes.push_back(number);
  Binaries& binaries = run->binaries();
  TRY(const auto files, modules_with(reader, processes, binaries, flags.function));
  std::vector<std::pair<uint64_t, FunctionFlow>> found;  // with the executed blocks
  std::string note;
  for (const MappedFile& file : files) {
    TRY(const ExecutedFlow executed, executed_flow(*run, processes, file.path));
    const ModuleFlow module = module_flow(binaries, file, executed);
    if (!module.from_file) note = module.note;
    for (const uint32_t f : find_functions(module.flow.functions(), flags.function)) {
      FunctionFlow flow = function_flow(module.flow, f, &executed);
      flow.module = file.path;
      if (module.from_file)
        if (DebugInfo* info = binaries.debug_info(file)) add_lines(flow, *info);
      uint64_t count = 0;
      for (const auto& block : flow.blocks) count += block.count.value_or(0);
      found.emplace_back(count, std::move(flow));
    }
  }
  if (found.empty()) return std::unexpected(no_function(flags.function, path, {}));
  std::ranges::stable_sort(found, std::greater(), [](const auto& f) { return f.first; });
  FunctionFlow& best = found[0].second;
  for (size_t i = 1; i < found.size(); ++i)
    best.others.push_back(
        fmt::format("{:#x} in {}", found[i].second.entry, found[i].second.module));
  print_flow(flags, best);
  if (!note.empty()) print_note(fmt::format("only executed code is known: {}", note));
  if (reader.is_prefix())
    print_note(fmt::format("the recording is a prefix: {}", reader.prefix_note()));
  return kExitSame;
}

}  // namespace

Action setup_cfg(FlagSet& app) {
  const auto flags = std::make_shared<CfgFlags>();
  app.add_option("function", flags->function, "its name, or an address in it (0x...)");
  app.add_option("--in", flags->in, "an ELF file, or a recording; by default the newest recording")
      ->type_name("BINARY|RECORDING");
  app.add_flag("-a,--all", flags->all, "show all blocks");
  app.add_flag("--calls", flags->calls, "whom it calls and who calls it, instead of its blocks");
  app.add_flag("--dot", flags->dot, "print a graph for Graphviz");
  app.add_flag("--json", flags->json, "print JSON");
  return [flags](const Words&) -> Result<int> {
    if (flags->function.empty()) return fail("C004", "which function? give its name");
    if (flags->dot && flags->json) return fail("C008", "--dot and --json cannot be given together");
    return is_elf(flags->in) ? run_on_binary(*flags) : run_on_recording(*flags);
  };
}

}  // namespace twinrun
