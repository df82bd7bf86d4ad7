// SPDX-License-Identifier: MIT
#include "run/source_position.h"

#include "trace/cursor.h"
#include "trace/maps.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace twinrun {
namespace {

struct Wanted {
  std::string_view place;  // without "#n"
  std::string_view file;   // of a line
  uint32_t line = 0;       // 0: a function
  uint64_t number = 1;     // which execution; 0: the last
};

template <typename T>
bool read_number(std::string_view text, T& out) {
  const auto end = std::from_chars(text.begin(), text.end(), out);
  return !text.empty() && end.ec == std::errc() && end.ptr == text.end();
}

Result<Wanted> parse(std::string_view text) {
  Wanted out{.place = text};
  if (const size_t hash = text.rfind('#'); hash != text.npos) {
    out.place = text.substr(0, hash);
    const std::string_view which = text.substr(hash + 1);
    if (which == "last")
      out.number = 0;
    else if (!read_number(which, out.number) || out.number == 0)
      return fail("V004", "'{}' behind '#' is neither a number from 1 on nor 'last'", which);
  }
  const size_t colon = out.place.rfind(':');
  if (colon != out.place.npos && read_number(out.place.substr(colon + 1), out.line))
    out.file = out.place.substr(0, colon);
  return out;
}

/// Where the function's own code begins, as debuggers have it: at the second row of its line table.
/// At its very first instruction parameters are not yet where the debug information says.
uint64_t behind_prologue(const Function& function, DebugInfo* debug) {
  if (debug == nullptr) return function.address;
  const std::vector<SourceFrame> frames = debug->frames_at(function.address);
  if (frames.empty() || frames[0].line == 0) return function.address;
  constexpr uint64_t kLongest = 256;
  const uint64_t end = function.address + std::min(function.size, kLongest);
  uint64_t next = end;
  for (const uint64_t address : debug->addresses_of_line(frames[0].file, frames[0].line)) {
    if (address > function.address) next = std::min(next, address);
  }
  for (uint64_t address = function.address + 1; address < next; ++address) {
    const std::vector<SourceFrame> there = debug->frames_at(address);
    if (!there.empty() && there[0].line != 0 && there[0].line != frames[0].line) next = address;
  }
  return next < end ? next : function.address;
}

/// Addresses in a file where the place begins: of a line the first one in each function, as
/// debuggers do it.
std::vector<uint64_t> addresses_in(const Wanted& wanted, const ElfSymbols& symbols,
                                   DebugInfo* debug) {
  std::vector<uint64_t> out;
  if (wanted.line == 0) {
    for (const Function& function : symbols.functions()) {
      if (function.name == wanted.place ||
          std::ranges::find(function.aliases, wanted.place) != function.aliases.end())
        out.push_back(behind_prologue(function, debug));
    }
    return out;
  }
  if (debug == nullptr) return out;
  std::set<const Function*> seen;
  for (const uint64_t address : debug->addresses_of_line(wanted.file, wanted.line)) {
    if (seen.insert(symbols.find(address)).second) out.push_back(address);
  }
  return out;
}

/// The same in the address space of a process.
std::set<uint64_t> addresses_of(const Wanted& wanted, Binaries& binaries, const MapHistory& maps) {
  std::set<uint64_t> out;
  std::map<uint32_t, std::vector<uint64_t>> by_file;
  for (const Mapping& mapping : maps.all()) {
    if (mapping.file == Mapping::kNoFile || (mapping.prot & TW_PROT_EXECUTE) == 0) continue;
    const MappedFile& file = maps.files()[mapping.file];
    const ElfSymbols* symbols = binaries.get(file).symbols.get();
    if (symbols == nullptr) continue;
    auto [found, is_new] = by_file.try_emplace(mapping.file);
    if (is_new) found->second = addresses_in(wanted, *symbols, binaries.debug_info(file));
    const auto start = symbols->address_of_offset(mapping.offset);
    if (!start) continue;
    for (const uint64_t address : found->second) {
      const uint64_t there = mapping.start.value + (address - *start);
      if (address >= *start && there < mapping.end.value) out.insert(there);
    }
  }
  return out;
}

/// Executions of one of these addresses in a process, in their order, until `visit` returns false.
Result<void> visit_executions(const std::set<uint64_t>& addresses, const RunProcess& in,
                              const std::function<bool(const Position&)>& visit) {
  const Dictionary& dictionary = in.dictionary();
  // By block: the numbers of the instructions in question.
  std::map<uint32_t, std::vector<uint32_t>> hits;
  for (const BlockDef& def : dictionary.blocks()) {
    uint64_t address = def.address.value;
    for (uint32_t i = 0; i < def.lengths.size(); address += def.lengths[i++]) {
      if (addresses.contains(address)) hits[def.id.value].push_back(i);
    }
  }
  if (hits.empty()) return {};
  BlockCursor cursor(in.reader(), dictionary, in.process(), std::nullopt);
  for (Execution execution;;) {
    TRY(const bool more, cursor.next(execution));
    if (!more) return {};
    const BlockDef* def = dictionary.find(execution.value);
    const auto hit = def == nullptr ? hits.end() : hits.find(def->id.value);
    if (hit == hits.end()) continue;
    for (const uint32_t instruction : hit->second) {
      if (instruction >= execution.instructions) break;
      if (!visit({{in.number()}, execution.thread, {execution.step.value + instruction}}))
        return {};
    }
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789._,") == text.npos;
}

Result<PlaceExecution> find(const Wanted& wanted, Run& run, const Position& defaults,
                            const std::function<bool(const Position&)>& is_preferred) {
  bool exists = false;
  uint64_t executions = 0;
  for (const auto& [number, process] : run.reader().processes()) {
    if (number < defaults.process.value) continue;
    TRY(const auto borrowed, run.borrow(number));
    const std::set<uint64_t> addresses = addresses_of(wanted, run.binaries(), borrowed->maps());
    if (addresses.empty()) continue;
    exists = true;
    uint64_t count = 0;
    std::optional<PlaceExecution> preferred;
    PlaceExecution last;
    TRY_VOID(visit_executions(addresses, *borrowed, [&](const Position& at) {
      last = {at, ++count};
      if (is_preferred && is_preferred(at)) preferred = last;
      return count != wanted.number;
    }));
    if (preferred) return *preferred;
    if (count > 0 && (wanted.number == 0 || count == wanted.number)) return last;
    executions = std::max(executions, count);
  }
  if (executions > 0) {
    return fail("V004", "{} was executed {} time{}", wanted.place, executions,
                executions == 1 ? "" : "s");
  }
  if (exists) return fail("V004", "{} was not executed", wanted.place);
  return std::unexpected(
      Error{"V004",
            fmt::format("there is no {} '{}' here", wanted.line != 0 ? "code for line" : "function",
                        wanted.place),
            "give a step, FILE:LINE or a function; lines need debug information",
            {}});
}

}  // namespace

Result<Position> find_position(std::string_view text, Run& run, const Position& defaults) {
  if (is_number(text)) return parse_position(text, defaults);
  TRY(const Wanted wanted, parse(text));
  TRY(const PlaceExecution found, find(wanted, run, defaults, {}));
  return found.position;
}

Result<PlaceExecution> find_last_position(
    std::string_view text, Run& run, const Position& defaults,
    const std::function<bool(const Position&)>& is_preferred) {
  if (is_number(text)) {
    TRY(const Position at, parse_position(text, defaults));
    return PlaceExecution{at, 0};
  }
  TRY(Wanted wanted, parse(text));
  const bool is_chosen = text.find('#') != text.npos;
  if (!is_chosen) wanted.number = 0;
  return find(wanted, run, defaults,
              is_chosen ? std::function<bool(const Position&)>() : is_preferred);
}

}  // namespace twinrun
