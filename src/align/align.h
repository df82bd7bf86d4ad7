// SPDX-License-Identifier: MIT
#pragma once

#include "align/align_threads.h"
#include "align/branch_values.h"
#include "base/result.h"
#include "base/work.h"
#include "run/code_names.h"
#include "run/iteration_marks.h"
#include "run/symbols.h"
#include "trace/position.h"
#include "trace/reader.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace twinrun {

class RunPair;

/// Where two runs part: behind the last instruction that both executed.
struct Divergence {
  enum class Kind : uint8_t {
    kBranch,     // it went different ways
    kCall,       // it called, or jumped to, different functions
    kEnd,        // one of the runs ends there
    kInterrupt,  // a signal, an exception, or a thread's start
  };
  Kind kind = Kind::kBranch;
  Position a;  // that instruction
  Position b;
  SourcePlace at;
  SourcePlace to_a;  // unless that run ends
  SourcePlace to_b;
  StepRange only_a;  // what each then executed by itself
  StepRange only_b;
  uint64_t depth = 0;
  // Of a comparison in front of a branch: the operands, as far as they are known.
  BranchValues values_a;
  BranchValues values_b;
};

/// How often the runs part at a place, and for how long.
struct DivergencePlace {
  SourcePlace at;
  uint64_t count = 0;
  uint64_t only_a = 0;  // instructions
  uint64_t only_b = 0;
  bool is_library = false;  // not in the program itself
};

/// How times round a loop correspond: by their number, or by what is done in them.
enum class PairLoops : uint8_t { kNumber, kContent };

/// One thread of each run.
struct ThreadAlignment {
  // 0: the other run has no such one.
  Position a;  // process and thread
  Position b;
  uint64_t steps_a = 0;
  uint64_t steps_b = 0;
  bool is_anchored = false;  // both came to the anchor
  uint64_t before_a = 0;     // in front of it
  uint64_t before_b = 0;
  uint64_t aligned = 0;
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  uint64_t divergences = 0;
  PairLoops loops = PairLoops::kNumber;  // what their iterations were paired by
  std::string note;                      // why nothing was aligned
  std::vector<AlignedRegion> regions;    // as far as they were wanted
};

struct AlignReport {
  struct Side {
    std::string path;
    uint64_t instructions = 0;
    std::string prefix_note;  // the recording lacks its end
  };
  Side a;
  Side b;
  std::vector<ThreadAlignment> threads;
  std::vector<Divergence> divergences;  // the first ones, as far as they were wanted
  std::vector<DivergencePlace> places;  // most instructions first; empty unless wanted
  uint64_t aligned = 0;
  uint64_t only_a = 0;
  uint64_t only_b = 0;
  uint64_t divergence_count = 0;
  uint64_t ignored = 0;           // divergences at places that the user does not want to see
  std::array<RunMarks, 2> marks;  // by side: what makes their indices correspond

  [[nodiscard]] bool is_same() const { return only_a == 0 && only_b == 0; }
};

// What it tells of itself (base/work.h).
inline constexpr std::string_view kAligning = "aligning";
inline constexpr std::string_view kPairing = "pairing what loops do";
inline constexpr std::string_view kAgain = "aligning again";

struct AlignOptions {
  std::string anchor;                // empty: the start; "first-input", or a function
  bool anchors_some = false;         // threads that do not come to it are aligned from their start
  bool regions = false;              // keep them
  uint32_t divergences = 10;         // keep so many
  bool places = true;                // sum divergences up by places, and name those
  bool only_program = false;         // only divergences in the program itself; others are counted
  std::vector<std::string> ignored;  // places, as ignore_line() writes them
  std::optional<ThreadNo> thread;
  std::optional<ProcessId> process;  // of the first run
  PairLoops loops = PairLoops::kContent;
  WorkSink work;  // stages kAligning, and where runs part in loops kPairing and kAgain
};

/// Aligns two runs of one program: processes by where their parents made them, threads
/// by the order of their creation. A001 for different programs, A002 for different builds, A003 for
/// an anchor that a run does not come to, or with `anchors_some`, no thread of both. Where runs
/// part in loops, they are aligned a second time with iterations paired by content, and the better
/// alignment is told.
Result<AlignReport> align(const RunPair& runs, const AlignOptions& options);

/// The operands of the comparisons in front of the first `most` branches among the divergences that
/// the report keeps. What cannot be told is not said.
void tell_branch_values(const RunPair& runs, AlignReport& report, uint32_t most);

/// "function@module", or "file.c:12": what a file of places to ignore has on its lines.
std::string ignore_line(const SourcePlace& place);

}  // namespace twinrun
