// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "base/work.h"
#include "trace/reader.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

/// One broken invariant. Numbers that make no sense for it are zero.
struct Violation {
  std::string check;  // stable name of the invariant, e.g. "successor"
  uint32_t process = 0;
  uint32_t segment = 0;  // number in the process
  uint32_t thread = 0;
  uint64_t block = 0;  // number in the process
  std::string text;
};

struct VerifyReport {
  std::vector<Violation> violations;         // the first ones of each check
  std::map<std::string, uint64_t> failures;  // all of them, by check
  uint64_t frames = 0;
  uint64_t segments = 0;
  uint64_t blocks = 0;
  uint64_t instructions = 0;
  uint64_t definitions = 0;
  uint64_t events = 0;
  uint64_t misses = 0;
  uint64_t raw_bytes = 0;
  uint64_t regenerated_blocks = 0;       // computed again from the recorded values
  uint64_t states = 0;                   // register states that the computation was compared with
  uint64_t loads_compared = 0;           // with what was stored at their addresses before
  uint64_t processes_with_io_uring = 0;  // whose loads were compared up to its first use only

  [[nodiscard]] bool ok() const { return failures.empty(); }
  /// Keeps at most kShownPerCheck of each check.
  void add(Violation violation);
  static constexpr uint64_t kShownPerCheck = 10;
};

// What verify() tells of itself (base/work.h).
inline constexpr std::string_view kChecking = "checking";
inline constexpr std::string_view kComputingAgain = "computing values again";

/// Checks every invariant of a recording, then computes all values again (verify_values): checksums
/// and order of frames, the index against a scan, definitions and their IR, ids, successors of
/// blocks, the call stack's replay, counts, events and their order, miss positions and sizes, sizes
/// of opaque results, register states. Damage that keeps parts from being read is a violation too.
VerifyReport verify(const Reader& reader, const WorkSink& work = {});

/// The checks of one process (verify_process.cc). `progress` takes the instructions of all
/// processes that were checked.
void verify_process(const Reader& reader, const Process& process, VerifyReport& report,
                    const std::function<void(uint64_t)>& progress);

/// Computes the values of one process again (verify_values.cc). `progress` takes those of this
/// process.
void verify_values(const Reader& reader, const Process& process, VerifyReport& report,
                   const std::function<void(uint64_t)>& progress);

}  // namespace twinrun
