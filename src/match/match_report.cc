// SPDX-License-Identifier: MIT
#include "match/match_report.h"

#include "match/align_instructions.h"
#include "program/disassembler.h"

#include <algorithm>
#include <map>

namespace twinrun {
namespace {

class ReportMaker {
 public:
  ReportMaker(const BinaryShape& old_shape, const BinaryShape& new_shape, const MatchState& state,
              bool with_instructions)
      : shapes_{&old_shape, &new_shape}, state_(state), with_instructions_(with_instructions) {}

  MatchReport make() {
    for (const Side side : kSides) describe(side);
    out_.matched = {state_.procedures.count(), state_.data.count(), state_.blocks.count()};
    count_rules(Subject::kProcedures, state_.procedures);
    count_rules(Subject::kData, state_.data);
    count_rules(Subject::kBlocks, state_.blocks);
    for (uint32_t p = 0; p < state_.procedures.size(Side::kOld); ++p)
      if (state_.procedures.has(Side::kOld, p)) add_function(p);
    add_data();
    for (const Side side : kSides) add_unmatched(side);
    return std::move(out_);
  }

 private:
  [[nodiscard]] const BinaryShape& shape(Side side) const {
    return *shapes_[static_cast<size_t>(side)];
  }

  [[nodiscard]] uint64_t size(Side side, const ShapeBlock& block) const {
    return shape(side).address_of(block, block.count) - block.start;
  }

  void describe(Side side) {
    auto& binary = out_.binaries[static_cast<size_t>(side)];
    binary.path = shape(side).code().path();
    binary.build_id = hex(shape(side).code().build_id());
    binary.counts = {shape(side).procedures().size(), shape(side).data().size(),
                     shape(side).blocks().size()};
    binary.instructions = shape(side).instruction_count();
  }

  void count_rules(Subject subject, const Pairing& pairs) {
    std::map<std::pair<uint8_t, uint8_t>, RuleCounts> rows;
    for (uint32_t i = 0; i < pairs.size(Side::kOld); ++i) {
      if (!pairs.has(Side::kOld, i)) continue;
      const MatchRule& rule = pairs.rule(i);
      RuleCounts& row = rows[{rule.step, rule.level}];
      row.step = static_cast<StepId>(rule.step);
      if (rule.level != 0) row.level = static_cast<Level>(rule.level - 1);
      ++row.by_strength[static_cast<size_t>(rule.strength)];
    }
    for (const auto& [key, row] : rows)
      if (step_info(row.step).subject == subject) out_.rules.push_back(row);
  }

  void add_function(uint32_t p) {
    const uint32_t q = state_.procedures.partner(Side::kOld, p);
    const ShapeProcedure& old_one = shape(Side::kOld).procedures()[p];
    const ShapeProcedure& new_one = shape(Side::kNew).procedures()[q];
    MatchedFunction row{.old_address = old_one.address,
                        .new_address = new_one.address,
                        .old_name = old_one.name.symbol,
                        .new_name = new_one.name.symbol,
                        .rule = rule_words(state_.procedures.rule(p)),
                        .blocks = {old_one.block_count, new_one.block_count},
                        .instructions = {old_one.instructions, new_one.instructions}};
    for (uint32_t i = 0; i < old_one.block_count; ++i) {
      const uint32_t a = old_one.first_block + i;
      const uint32_t b = state_.blocks.partner(Side::kOld, a);
      if (b == kNoMatch) continue;
      ++row.matched_blocks;
      add_block(a, b);
    }
    out_.functions.push_back(std::move(row));
  }

  void add_block(uint32_t a, uint32_t b) {
    const ShapeBlock& old_block = shape(Side::kOld).blocks()[a];
    const ShapeBlock& new_block = shape(Side::kNew).blocks()[b];
    const auto number = static_cast<uint32_t>(out_.blocks.size());
    out_.blocks.push_back({.old_address = old_block.start,
                           .new_address = new_block.start,
                           .function = static_cast<uint32_t>(out_.functions.size()),
                           .rule = rule_words(state_.blocks.rule(a)),
                           .instructions = {old_block.count, new_block.count},
                           .sizes = {size(Side::kOld, old_block), size(Side::kNew, new_block)}});
    if (!with_instructions_) return;
    const auto old_addresses = addresses(Side::kOld, old_block);
    const auto new_addresses = addresses(Side::kNew, new_block);
    for (const auto& [i, j] : align_instructions(shape(Side::kOld).instructions_of(old_block),
                                                 shape(Side::kNew).instructions_of(new_block)))
      out_.instructions.push_back({old_addresses[i], new_addresses[j], number});
  }

  [[nodiscard]] std::vector<uint64_t> addresses(Side side, const ShapeBlock& block) const {
    std::vector<uint64_t> out;
    uint64_t at = block.start;
    for (const ShapeInstruction& in : shape(side).instructions_of(block)) {
      out.push_back(at);
      at += in.length;
    }
    return out;
  }

  void add_data() {
    for (uint32_t a = 0; a < state_.data.size(Side::kOld); ++a) {
      const uint32_t b = state_.data.partner(Side::kOld, a);
      if (b == kNoMatch) continue;
      const ShapeData& old_data = shape(Side::kOld).data()[a];
      const ShapeData& new_data = shape(Side::kNew).data()[b];
      out_.data.push_back({old_data.address,
                           new_data.address,
                           rule_words(state_.data.rule(a)),
                           {old_data.size, new_data.size}});
    }
  }

  void add_unmatched(Side side) {
    const BinaryShape& s = shape(side);
    for (uint32_t p = 0; p < s.procedures().size(); ++p) {
      const ShapeProcedure& procedure = s.procedures()[p];
      if (!state_.procedures.has(side, p)) {
        out_.unmatched.push_back({side, Subject::kProcedures, procedure.address,
                                  procedure.instructions, procedure.name.symbol});
        continue;
      }
      for (uint32_t i = 0; i < procedure.block_count; ++i) {
        const uint32_t block = procedure.first_block + i;
        if (!state_.blocks.has(side, block))
          out_.unmatched.push_back({side, Subject::kBlocks, s.blocks()[block].start,
                                    s.blocks()[block].count, procedure.name.symbol});
      }
    }
    for (uint32_t d = 0; d < s.data().size(); ++d)
      if (!state_.data.has(side, d))
        out_.unmatched.push_back({side, Subject::kData, s.data()[d].address, s.data()[d].size, ""});
  }

  std::array<const BinaryShape*, 2> shapes_;
  const MatchState& state_;
  bool with_instructions_;
  MatchReport out_;
};

std::vector<std::string> block_text(const BinaryShape& shape, const ShapeBlock& block) {
  const Disassembler disassembler;
  std::vector<std::string> out;
  uint64_t at = block.start;
  for (const ShapeInstruction& in : shape.instructions_of(block)) {
    out.push_back(
        fmt::format("{:x}  {}", at, disassembler.text(shape.code().image().at(at), Addr{at})));
    at += in.length;
  }
  return out;
}

void add_code(MatchReason& reason, const BinaryShape& old_shape, const BinaryShape& new_shape,
              const ShapeBlock& old_block, const ShapeBlock& new_block) {
  const auto old_text = block_text(old_shape, old_block);
  const auto new_text = block_text(new_shape, new_block);
  size_t i = 0;
  size_t j = 0;
  const auto rest = [&](size_t end_i, size_t end_j) {
    while (i < end_i) reason.code.push_back({old_text[i++], "", false});
    while (j < end_j) reason.code.push_back({"", new_text[j++], false});
  };
  for (const auto& [a, b] : align_instructions(old_shape.instructions_of(old_block),
                                               new_shape.instructions_of(new_block))) {
    rest(a, b);
    reason.code.push_back({old_text[i++], new_text[j++], true});
  }
  rest(old_text.size(), new_text.size());
}

}  // namespace

RuleWords rule_words(const MatchRule& rule) {
  return {match_steps()[rule.step].name,
          rule.level == 0 ? std::string_view() : levels()[rule.level - 1].name, rule.strength};
}

MatchReport make_match_report(const BinaryShape& old_shape, const BinaryShape& new_shape,
                              const MatchState& state, bool with_instructions) {
  return ReportMaker(old_shape, new_shape, state, with_instructions).make();
}

Result<MatchReason> explain_match(const BinaryShape& old_shape, const BinaryShape& new_shape,
                                  const MatchState& state, const MatchReport& report, Side side,
                                  uint64_t address) {
  const BinaryShape& shape = side == Side::kOld ? old_shape : new_shape;
  MatchReason out{.side = side, .address = address};
  const auto address_of = [&](const auto& row) {
    return side == Side::kOld ? row.old_address : row.new_address;
  };
  const auto block = shape.block_around(address);
  if (!block) {
    const auto data = shape.data_around(address);
    if (!data)
      return fail("M002", "{:#x} is neither code nor data of {}", address, shape.code().path());
    const auto it = std::ranges::find(report.data, shape.data()[*data].address, address_of);
    if (it != report.data.end()) out.data = *it;
    return out;
  }
  const ShapeBlock& found = shape.blocks()[*block];
  const ShapeProcedure& procedure = shape.procedures()[found.procedure];
  out.name = procedure.name.symbol;
  const auto function = std::ranges::find(report.functions, procedure.address, address_of);
  if (function != report.functions.end()) out.function = *function;
  const auto row = std::ranges::find(report.blocks, found.start, address_of);
  if (row == report.blocks.end()) {
    for (std::string& text : block_text(shape, found))
      out.code.push_back(side == Side::kOld ? MatchReason::Line{std::move(text), "", false}
                                            : MatchReason::Line{"", std::move(text), false});
    return out;
  }
  out.block = *row;
  const uint32_t old_number =
      side == Side::kOld ? *block : state.blocks.partner(Side::kNew, *block);
  const uint32_t new_number = state.blocks.partner(Side::kOld, old_number);
  const BlockHasher old_hasher(old_shape, state, Side::kOld);
  const BlockHasher new_hasher(new_shape, state, Side::kNew);
  for (const LevelInfo& level : levels())
    if (old_hasher.hash(old_number, level.level) == new_hasher.hash(new_number, level.level))
      out.equal_levels.push_back(level.name);
  add_code(out, old_shape, new_shape, old_shape.blocks()[old_number],
           new_shape.blocks()[new_number]);
  return out;
}

}  // namespace twinrun
