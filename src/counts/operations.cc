// SPDX-License-Identifier: MIT
// Which results a reader computes, and which it takes from the recording. What a block does is
// static, so the executions of each way through each block, times its statements, are the answer;
// only load misses are counted where they happened, by the size of their stream.
#include "counts/operations.h"

#include "counts/profile.h"
#include "trace/ir.h"

#include <algorithm>
#include <map>
#include <utility>

namespace twinrun {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "F64", "D128".
bool names_real_type(std::string_view name) {
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'F' && name[i] != 'D') continue;
    for (const std::string_view size : {"16", "32", "64", "128"}) {
      if (name.substr(i + 1).starts_with(size)) return true;
    }
  }
  return name.find("BCD") != name.npos;
}
/// "32Fx4", "64F0x2".
bool names_real_lanes(std::string_view name) {
  for (size_t i = 1; i + 1 < name.size(); ++i) {
    if (name[i] == 'F' && is_digit(name[i - 1]) &&
        (name[i + 1] == 'x' || name.substr(i + 1).starts_with("0x")))
      return true;
  }
  return false;
}
/// "8x16", "16Sx8", "64x2", "In16_x8".
bool names_lanes(std::string_view name) {
  for (size_t i = 1; i + 1 < name.size(); ++i) {
    if (name[i] != 'x' || !is_digit(name[i + 1])) continue;
    const char before = name[i - 1];
    if (is_digit(before) || before == 'S' || before == 'U' || before == '_') return true;
  }
  return false;
}

bool computes_flags(std::string_view helper) {
  return helper == "amd64g_calculate_condition" || helper == "amd64g_calculate_rflags_all" ||
         helper == "amd64g_calculate_rflags_c";
}

class Counter {
 public:
  explicit Counter(const Dictionary& dictionary, OperationCounts& out,
                   std::map<std::pair<std::string_view, OperationKind>, uint64_t>& logged)
      : dictionary_(dictionary), out_(out), logged_(logged) {}

  void add(const IrStatement& st, uint64_t times) {
    switch (st.tag) {
      case TW_STMT_GET:
      case TW_STMT_GETI: of(OperationKind::kRegister).computed += times; break;
      case TW_STMT_LOAD:
      case TW_STMT_LOADG: of(OperationKind::kLoad).computed += times; break;
      case TW_STMT_CAS:
        of(OperationKind::kLoad).computed += times * (st.dst_high == kNoTemp ? 1 : 2);
        break;
      case TW_STMT_ITE: of(OperationKind::kChoice).computed += times; break;
      case TW_STMT_OP:
        by_class(operation_kind(op_name(st.op)), op_name(st.op), st.cls, times);
        break;
      case TW_STMT_CCALL: {
        const std::string_view name = dictionary_.helper(st.helper);
        by_class(computes_flags(name) ? OperationKind::kFlags : OperationKind::kPureCall, name,
                 st.cls, times);
        break;
      }
      case TW_STMT_DIRTY:
        by_class(OperationKind::kHelperCall, dictionary_.helper(st.helper), TW_CLASS_LOGGED, times);
        break;
      case TW_STMT_IMARK:
      case TW_STMT_PUT:
      case TW_STMT_PUTI:
      case TW_STMT_MOVE:
      case TW_STMT_STORE:
      case TW_STMT_STOREG:
      case TW_STMT_EXIT:
      case TW_STMT_FENCE: break;
    }
  }

 private:
  OperationCount& of(OperationKind kind) { return out_.by_kind[static_cast<size_t>(kind)]; }
  void by_class(OperationKind kind, std::string_view name, uint8_t cls, uint64_t times) {
    OperationCount& count = of(kind);
    switch (cls) {
      case TW_CLASS_COMPUTED: count.computed += times; break;
      case TW_CLASS_LOGGED:
        count.logged += times;
        logged_[{name, kind}] += times;
        break;
      default: count.unneeded += times; break;
    }
  }

  const Dictionary& dictionary_;
  OperationCounts& out_;
  std::map<std::pair<std::string_view, OperationKind>, uint64_t>& logged_;
};

/// Executions of a block that end in front of a statement: of one variant, or cut by a signal.
struct Executions {
  uint64_t times = 0;
  uint32_t variant = ~0u;    // side exits passed; ~0: all
  uint32_t completed = ~0u;  // instructions
};

void count_block(const IrBlock& ir, const Executions& executions, Counter& counter) {
  uint32_t exits = 0;
  uint32_t begun = 0;
  for (const IrStatement& st : ir.statements) {
    if (st.tag == TW_STMT_IMARK && begun++ == executions.completed) return;
    if (st.tag == TW_STMT_EXIT && st.makes_variant && exits++ == executions.variant) return;
    counter.add(st, executions.times);
  }
}

}  // namespace

const char* operation_kind_name(OperationKind kind) {
  switch (kind) {
    case OperationKind::kRegister: return "register reads";
    case OperationKind::kLoad: return "loads";
    case OperationKind::kInteger: return "integer";
    case OperationKind::kFlags: return "flags";
    case OperationKind::kVector: return "vector integer";
    case OperationKind::kFloat: return "floating point";
    case OperationKind::kChoice: return "choices";
    case OperationKind::kPureCall: return "pure calls";
    case OperationKind::kHelperCall: return "helper calls";
  }
  return "?";
}

OperationKind operation_kind(std::string_view name) {
  if (names_real_type(name) || names_real_lanes(name)) return OperationKind::kFloat;
  const bool is_vector = names_lanes(name) || name.find("V128") != name.npos ||
                         name.find("V256") != name.npos || name.starts_with("SHA");
  return is_vector ? OperationKind::kVector : OperationKind::kInteger;
}

Result<OperationCounts> count_operations(const Reader& reader,
                                         const std::vector<uint32_t>& processes) {
  if (!reader.has_values()) {
    return std::unexpected(Error{
        "V001", "the recording has no values", "record again without --control-flow-only", {}});
  }
  OperationCounts out;
  std::map<std::pair<std::string, OperationKind>, uint64_t> logged;
  for (const uint32_t number : processes) {
    const Process* process = reader.process(number);
    if (process == nullptr) return fail("T008", "there is no process {}", number);
    TRY(const Dictionary dictionary, reader.dictionary(number));
    TRY(const BlockProfile profile, block_profile(reader, *process, dictionary));
    std::map<std::pair<std::string_view, OperationKind>, uint64_t> logged_here;
    Counter counter(dictionary, out, logged_here);
    for (const BlockDef& block : dictionary.blocks()) {
      if (!block.has_ir()) continue;
      TRY(const IrBlock ir, decode_ir(block.ir));
      for (uint32_t variant = 0; variant < block.variants; ++variant) {
        const BlockProfile::Entry& entry = profile.by_value[block.id.value + variant];
        if (entry.whole + entry.arrivals == 0) continue;
        const bool is_last = variant + 1 == block.variants;
        count_block(ir, {.times = entry.whole + entry.arrivals, .variant = is_last ? ~0u : variant},
                    counter);
      }
    }
    for (const auto& [what, times] : profile.partial) {
      TRY(const IrBlock ir, decode_ir(dictionary.find(what.first)->ir));
      count_block(ir, {.times = times, .completed = what.second}, counter);
    }
    OperationCount& loads = out.by_kind[static_cast<size_t>(OperationKind::kLoad)];
    for (const uint32_t frame : process->segments)
      loads.logged += reader.frames()[frame].segment.stream[TW_STREAM_MISS_POS].raw_size / 4;
    for (const auto& [key, count] : logged_here)
      logged[{std::string(key.first), key.second}] += count;
  }
  OperationCount& loads = out.by_kind[static_cast<size_t>(OperationKind::kLoad)];
  loads.computed -= std::min(loads.computed, loads.logged);
  for (const auto& [key, count] : logged) out.logged.push_back({key.first, key.second, count});
  std::stable_sort(
      out.logged.begin(), out.logged.end(),
      [](const LoggedOperation& a, const LoggedOperation& b) { return a.count > b.count; });
  return out;
}

}  // namespace twinrun
