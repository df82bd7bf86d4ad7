// SPDX-License-Identifier: MIT
// What `twinrun match` says: pairs in the order of the old binary, and what has no partner.
#pragma once

#include "match/match_options.h"
#include "match/matcher.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twinrun {

/// How a pair was found, in words.
struct RuleWords {
  std::string_view step;
  std::string_view level;  // empty: none
  Strength strength = Strength::kNone;
};
RuleWords rule_words(const MatchRule& rule);

struct MatchedFunction {
  uint64_t old_address = 0;
  uint64_t new_address = 0;
  std::string old_name;  // empty: none
  std::string new_name;
  RuleWords rule;
  std::array<uint32_t, 2> blocks{};        // old, new
  std::array<uint32_t, 2> instructions{};  // old, new
  uint32_t matched_blocks = 0;
};

struct MatchedBlock {
  uint64_t old_address = 0;
  uint64_t new_address = 0;
  uint32_t function = 0;  // in the list of matched functions
  RuleWords rule;
  std::array<uint32_t, 2> instructions{};
  std::array<uint64_t, 2> sizes{};  // bytes
};

struct MatchedData {
  uint64_t old_address = 0;
  uint64_t new_address = 0;
  RuleWords rule;
  std::array<uint64_t, 2> sizes{};
};

struct MatchedInstruction {
  uint64_t old_address = 0;
  uint64_t new_address = 0;
  uint32_t block = 0;  // in the list of matched blocks
};

/// Something without a partner.
struct UnmatchedThing {
  Side side = Side::kOld;
  Subject subject = Subject::kProcedures;
  uint64_t address = 0;
  uint64_t size = 0;  // instructions; of data, bytes
  std::string name;   // of its function
};

/// One row of the summary: pairs that one rule found.
struct RuleCounts {
  StepId step = StepId::kName;
  std::optional<Level> level;
  std::array<uint64_t, 5> by_strength{};  // indexed by Strength
};

struct MatchReport {
  struct Binary {
    std::string path;
    std::string build_id;              // hex; empty: none
    std::array<uint64_t, 3> counts{};  // by Subject
    uint64_t instructions = 0;
  };
  std::array<Binary, 2> binaries;
  std::array<uint64_t, 3> matched{};  // by Subject
  std::vector<RuleCounts> rules;
  std::vector<MatchedFunction> functions;
  std::vector<MatchedBlock> blocks;
  std::vector<MatchedData> data;
  std::vector<MatchedInstruction> instructions;
  std::vector<UnmatchedThing> unmatched;
};

/// With instructions: those of matched blocks are aligned, by opcode, in order.
MatchReport make_match_report(const BinaryShape& old_shape, const BinaryShape& new_shape,
                              const MatchState& state, bool with_instructions = false);

/// What `--why` tells about one address.
struct MatchReason {
  Side side = Side::kOld;
  uint64_t address = 0;
  std::optional<MatchedFunction> function;
  std::optional<MatchedBlock> block;
  std::optional<MatchedData> data;
  std::string name;                            // of its function
  std::vector<std::string_view> equal_levels;  // on which the two blocks have one hash value
  struct Line {
    std::string old_text;  // empty: only on the other side
    std::string new_text;
    bool is_same = false;
  };
  std::vector<Line> code;  // of the block, or of both
};

/// M002 when the address is neither code nor data of the binary.
Result<MatchReason> explain_match(const BinaryShape& old_shape, const BinaryShape& new_shape,
                                  const MatchState& state, const MatchReport& report, Side side,
                                  uint64_t address);

}  // namespace twinrun
