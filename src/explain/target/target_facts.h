// SPDX-License-Identifier: MIT
#pragma once

#include "align/run_pair.h"
#include "kernel/how_ended.h"

#include <cstdint>
#include <string>

namespace twinrun {

// What is told about a target, as facts: report/why_words.h makes sentences of them.

/// What a target is about.
struct TargetSubject {
  enum class Kind : uint8_t {
    kExitStatus,
    kEndOfProgram,
    kEndOfRecording,  // nobody knows how the program would have gone on
    kOutputByte,
    kDivergence,  // the first one
    // Of a place that the user asked about.
    kExecution,
    kUses,  // all that it uses
    kValue,
  };
  Kind kind = Kind::kDivergence;
  std::string name;     // of the output, or of the place
  uint64_t number = 0;  // of the byte, or of the place's execution; 0: the name is a step of B
  std::string value;    // kValue: as the user wrote it
};

/// What one of the runs had there.
struct TargetValue {
  enum class Kind : uint8_t {
    kUntold,
    kNothing,  // it has written less
    kEnd,
    kBytes,
    kExecuted,
    kNotExecuted,
    kText,
  };
  Kind kind = Kind::kUntold;
  HowEnded end;      // kEnd
  std::string text;  // kBytes: what was written, not escaped; kText: the value, empty: not known
};

/// In what the runs do not differ.
struct Sameness {
  enum class Kind : uint8_t {
    kAll,       // nothing that a user sees, nor control flow
    kSubject,   // what the user asked about
    kEnds,      // they ended alike
    kNotEnded,  // neither ended by itself
  };
  Kind kind = Kind::kAll;
  TargetSubject what;       // kSubject
  TargetValue a;            // kNotEnded
  TargetValue b;            // all but kAll
  std::string instruction;  // kUses: which executes with the same values
};

/// What the user should know beside the answer.
struct WhyNote {
  enum class Kind : uint8_t {
    kValueOfOneRun,  // `what` has a value in the run of `side` only
    kOnlyNoise,      // `what` differs because of time, process numbers or random bytes
    kOnlyNames,      // or because of how the input files are called
    kNotRecorded,    // so many values came from what was not recorded
    kFewAligned,     // the runs are so different that little is certain
    kPartlyChecked,  // so many pointers were not followed when that was looked for
    kNotChecked,     // nobody looked for misuse of memory, because of what `what` is called
  };
  Kind kind = Kind::kNotRecorded;
  TargetSubject what;
  RunSide side = RunSide::kA;
  uint64_t count = 0;
};

}  // namespace twinrun
