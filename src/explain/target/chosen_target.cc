// SPDX-License-Identifier: MIT
#include "explain/target/chosen_target.h"

#include "base/text.h"
#include "explain/target/output_bytes.h"
#include "kernel/how_ended.h"
#include "run/source_position.h"
#include "trace/cursor.h"
#include "values/past_state.h"
#include "values/subject.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace twinrun {
namespace {

constexpr size_t kInstructionsMost = 8;         // of a line that are explained
constexpr uint64_t kBlocksOfLineMost = 200000;  // with those of what it calls

/// An instruction of both runs.
struct Pair {
  ProcessView* view_a = nullptr;
  ProcessView* view_b = nullptr;
  Position position_a;
  Position position_b;
  InstructionAt a;
  InstructionAt b;
};

class PlaceChooser {
 public:
  PlaceChooser(RunPair& runs, PointerMatcher& pointers, const TargetChoice& choice)
      : runs_(runs), pointers_(pointers), values_(pointers), choice_(choice) {}

  Result<ChosenTargets> run() {
    TRY_VOID(find_place());
    const auto there = runs_.counterpart(side_, place_.position);
    if (!there) {
      add_only();
      return std::move(out_);
    }
    const Position& a = side_ == RunSide::kA ? place_.position : *there;
    const Position& b = side_ == RunSide::kA ? *there : place_.position;
    TRY(const Pair pair, pair_at(a, b));
    if (choice_.value.empty()) {
      TRY_VOID(add_line(pair));
    } else {
      TRY_VOID(add_value(pair));
    }
    return std::move(out_);
  }

 private:
  /// In the second run, or else in the first.
  Result<void> find_place() {
    Result<PlaceExecution> found = find_in(RunSide::kB);
    if (!found) {
      Result<PlaceExecution> in_a = find_in(RunSide::kA);
      if (!in_a) return std::unexpected(std::move(found).error());
      side_ = RunSide::kA;
      found = std::move(in_a);
    }
    place_ = *found;
    is_step_ = place_.number == 0;
    const std::string name = choice_.at.substr(0, choice_.at.find('#'));
    what_ = {TargetSubject::Kind::kExecution, is_step_ ? choice_.at : name, place_.number, {}};
    return {};
  }

  Result<PlaceExecution> find_in(RunSide side) {
    Run& run = runs_.run(side);
    Position defaults;
    const auto& processes = run.reader().processes();
    if (!processes.empty()) defaults.process = {processes.begin()->first};
    TRY(const PlaceExecution found,
        find_last_position(choice_.at, run, defaults, [&](const Position& at) {
          return runs_.counterpart(side, at).has_value();
        }));
    // A step can be given that the run does not come to.
    TRY(ProcessView* const view, view_of(run, found.position.process.value));
    TRY_VOID(view->values->find(found.position.thread, found.position.step));
    return found;
  }

  /// One of the runs does not come here, or not at this moment.
  void add_only() {
    using Executed = TargetValue::Kind;
    const bool is_a = side_ == RunSide::kA;
    Target target{.kind = Target::Kind::kPlace,
                  .what = what_,
                  .value_a = {is_a ? Executed::kExecuted : Executed::kNotExecuted, {}, {}},
                  .value_b = {is_a ? Executed::kNotExecuted : Executed::kExecuted, {}, {}}};
    (is_a ? target.difference.a : target.difference.b) = place_.position;
    out_.targets.push_back(std::move(target));
    if (!choice_.value.empty())
      out_.notes.push_back({.kind = WhyNote::Kind::kValueOfOneRun,
                            .what = about(TargetSubject::Kind::kValue),
                            .side = side_});
  }

  /// The place, or what is asked of it.
  [[nodiscard]] TargetSubject about(TargetSubject::Kind kind) const {
    return {kind, what_.name, what_.number, choice_.value};
  }

  Result<Pair> pair_at(const Position& a, const Position& b) {
    Pair out{.position_a = a, .position_b = b};
    TRY(out.view_a, view_of(runs_.a(), a.process.value));
    TRY(const auto found_a, out.view_a->values->find(a.thread, a.step));
    out.a = {found_a.block, found_a.instruction};
    TRY(out.view_b, view_of(runs_.b(), b.process.value));
    TRY(const auto found_b, out.view_b->values->find(b.thread, b.step));
    out.b = {found_b.block, found_b.instruction};
    return out;
  }

  // ---- a line ----

  /// The instructions of the line's execution that begins at the place, without those of what it
  /// calls: until the same frame is in another line.
  Result<std::vector<Position>> instructions_of_line() {
    std::vector<Position> out{place_.position};
    if (is_step_) return out;
    Run& run = runs_.run(side_);
    TRY(ProcessView* const view, view_of(run, place_.position.process.value));
    const Dictionary& dictionary = view->values->dictionary();
    BlockCursor cursor(run.reader(), dictionary, view->process(), place_.position.thread);
    TRY(const bool is_there, cursor.seek(place_.position.thread, place_.position.step));
    if (!is_there) return out;
    std::optional<std::pair<std::string, uint32_t>> line;
    int depth = 0;
    Execution execution;
    for (uint64_t blocks = 0; blocks < kBlocksOfLineMost; ++blocks) {
      TRY(const bool more, cursor.next(execution));
      const BlockDef* def = more ? dictionary.find(execution.value) : nullptr;
      if (def == nullptr) break;
      for (uint32_t i = 0; depth == 0 && i < execution.instructions; ++i) {
        const uint64_t step = execution.step.value + i;
        if (step < place_.position.step.value) continue;
        const ResolvedAddress here =
            view->symbolizer.resolve_line({address_of(*def, i)}, execution.block);
        std::pair<std::string, uint32_t> at{here.file, here.line};
        if (!line) line = at;
        if (at != *line || at.second == 0) return out;
        if (step != place_.position.step.value)
          out.push_back({place_.position.process, place_.position.thread, {step}});
      }
      if (execution.partial || execution.instructions < def->instructions()) continue;
      if (def->jump == TW_JUMP_CALL) ++depth;
      if (def->jump == TW_JUMP_RETURN && --depth < 0) break;
    }
    return out;
  }

  Result<bool> uses_differ(const Pair& pair) {
    const BlockOf a{pair.view_a, pair.a.block};
    const BlockOf b{pair.view_b, pair.b.block};
    TRY(const bool same_code, ValuePairs::is_same_code(a, b));
    std::vector<DifferentOperand> operands;
    if (same_code && pair.a.instruction == pair.b.instruction) {
      TRY(auto statements, ValuePairs::all_of(a, pair.a.instruction));
      TRY(operands, values_.differences(a, b, std::move(statements)));
    } else {
      TRY(operands, values_.by_encoding(a, pair.a.instruction, b, pair.b.instruction));
    }
    // Those whose bytes are the same are not followed.
    return std::ranges::any_of(operands, [](const DifferentOperand& operand) {
      return operand.kind == Dependence::Kind::kValue || operand.is_other_block ||
             operand.a.bytes.empty() || operand.a.bytes != operand.b.bytes;
    });
  }

  Result<void> add_line(const Pair& first) {
    TRY(const std::vector<Position> positions, instructions_of_line());
    std::vector<Target> found;
    for (const Position& own : positions) {
      const auto there = runs_.counterpart(side_, own);
      if (!there) break;
      const bool is_a = side_ == RunSide::kA;
      TRY(const Pair pair, pair_at(is_a ? own : *there, is_a ? *there : own));
      TRY(const bool differs, uses_differ(pair));
      if (!differs) continue;
      Target target{.kind = Target::Kind::kPlace, .what = about(TargetSubject::Kind::kUses)};
      target.difference = {.a = pair.position_a, .b = pair.position_b, .uses = true};
      found.push_back(std::move(target));
    }
    if (found.empty()) {
      TRY(const NamedInstruction at, first.view_b->namer.row(first.b));
      out_.same = {.kind = Sameness::Kind::kSubject,
                   .what = about(TargetSubject::Kind::kUses),
                   .instruction = at.text};
      return {};
    }
    // What comes last uses what was computed before it.
    std::ranges::reverse(found);
    if (found.size() > kInstructionsMost) found.resize(kInstructionsMost);
    out_.targets = std::move(found);
    return {};
  }

  // ---- a value ----

  Result<Subject> subject_in(RunSide side, ProcessView& view, const InstructionAt& at) {
    auto subject = parse_subject(choice_.value, view, at);
    if (subject) return *subject;
    Error error = subject.error();
    error.message += side == RunSide::kA ? " (in A)" : " (in B)";
    return std::unexpected(std::move(error));
  }

  static Result<UsedValue> used(ProcessView& view, const InstructionAt& at,
                                const Subject& subject) {
    UsedValue out{subject.where, {}, {}};
    TRY(out.bytes, bytes_of(view, subject, at));
    TRY(const SubjectWriters writers, writers_of(view, subject, at));
    out.writers = writers.bytes;
    if (writers.unseen) {
      TRY(const Moment moment, moment_before(view, {at.block, *writers.unseen}));
      out.writers = {{0,
                      subject.size,
                      {.kind = LastWriter::Kind::kStatement,
                       .block = at.block,
                       .statement = moment.statement}}};
    }
    return out;
  }

  static Result<PointerMatcher::At> moment_of(ProcessView& view, const InstructionAt& at) {
    TRY(const SegmentSteps* segment, view.values->steps(at.block.segment));
    PointerMatcher::At out{view.process().info.number,
                           {segment->thread_of(at.block.ordinal)},
                           view.number_of(at.block),
                           0};
    TRY(const Registers registers, registers_before(view, at));
    if (registers.knows(reg::kRsp, sizeof out.sp))
      std::memcpy(&out.sp, registers.bytes.data() + reg::kRsp, sizeof out.sp);
    return out;
  }

  /// Pointers that mean the same are made equal.
  Result<void> normalize(const Pair& pair, const Bytes& a, Bytes& b) {
    TRY(const PointerMatcher::At at_a, moment_of(*pair.view_a, pair.a));
    TRY(const PointerMatcher::At at_b, moment_of(*pair.view_b, pair.b));
    for (size_t i = 0; i + sizeof(uint64_t) <= std::min(a.size(), b.size());
         i += sizeof(uint64_t)) {
      uint64_t word_a = 0;
      uint64_t word_b = 0;
      std::memcpy(&word_a, a.data() + i, sizeof word_a);
      std::memcpy(&word_b, b.data() + i, sizeof word_b);
      TRY(const bool same, pointers_.is_same(at_a, word_a, at_b, word_b));
      if (same) std::memcpy(b.data() + i, &word_a, sizeof word_a);
    }
    return {};
  }

  /// Empty when it is not known.
  static std::string value_text(const Subject& subject, const Bytes& bytes) {
    if (!subject.value.empty()) return subject.value;
    if (bytes.empty()) return {};
    uint64_t number = 0;
    if (bytes.size() > sizeof number) {
      constexpr size_t kShown = 32;
      std::string out;
      for (const uint8_t byte : std::span(bytes).first(std::min(bytes.size(), kShown)))
        out += fmt::format("{:02x}", byte);
      return bytes.size() > kShown ? out + "..." : out;
    }
    std::memcpy(&number, bytes.data(), bytes.size());
    return number < 10 ? fmt::format("{}", number) : fmt::format("{:#x}", number);
  }

  Result<void> add_value(const Pair& pair) {
    TRY(const Subject subject_b, subject_in(RunSide::kB, *pair.view_b, pair.b));
    TRY(const Subject subject_a, subject_in(RunSide::kA, *pair.view_a, pair.a));
    DifferentOperand operand{
        .kind = subject_b.in_memory ? Dependence::Kind::kMemory : Dependence::Kind::kRegister,
        .size = std::min(subject_a.size, subject_b.size)};
    if (subject_a.in_memory != subject_b.in_memory)
      return fail("V003", "'{}' is in memory in one of the runs only", choice_.value);
    TRY(operand.a, used(*pair.view_a, pair.a, subject_a));
    TRY(operand.b, used(*pair.view_b, pair.b, subject_b));
    const TargetValue value_a{TargetValue::Kind::kText, {}, value_text(subject_a, operand.a.bytes)};
    const TargetValue value_b{TargetValue::Kind::kText, {}, value_text(subject_b, operand.b.bytes)};
    TRY_VOID(normalize(pair, operand.a.bytes, operand.b.bytes));
    const TargetSubject what = about(TargetSubject::Kind::kValue);
    if (!operand.a.bytes.empty() && operand.a.bytes == operand.b.bytes) {
      out_.same = {.kind = Sameness::Kind::kSubject, .what = what, .b = value_b};
      return {};
    }
    Target target{
        .kind = Target::Kind::kValue, .what = what, .value_a = value_a, .value_b = value_b};
    target.difference = {.a = pair.position_a, .b = pair.position_b};
    target.difference.operands.push_back(std::move(operand));
    out_.targets.push_back(std::move(target));
    return {};
  }

  RunPair& runs_;
  PointerMatcher& pointers_;
  ValuePairs values_;
  const TargetChoice& choice_;
  RunSide side_ = RunSide::kB;  // whose execution of the place it is
  PlaceExecution place_;
  bool is_step_ = false;
  TargetSubject what_;
  ChosenTargets out_;
};

// ---- a byte of the output ----

Result<ChosenTargets> choose_output(RunPair& runs, const TargetChoice& choice) {
  std::array<uint64_t, 2> longest{};
  for (const auto& [number_a, number_b] : process_pairs(runs)) {
    Run& run_a = runs.run(RunSide::kA);
    Run& run_b = runs.run(RunSide::kB);
    TRY(const auto outputs_a, outputs_of(run_a.reader(), *run_a.reader().process(number_a)));
    TRY(const auto outputs_b, outputs_of(run_b.reader(), *run_b.reader().process(number_b)));
    const Output a = joined_output(outputs_a, choice.descriptor);
    const Output b = joined_output(outputs_b, choice.descriptor);
    longest = {std::max(longest[0], a.size), std::max(longest[1], b.size)};
    const OutputByte of_a = output_byte(a, choice.offset);
    const OutputByte of_b = output_byte(b, choice.offset);
    if (of_a.piece == nullptr && of_b.piece == nullptr) continue;
    ChosenTargets out;
    const TargetSubject what{
        TargetSubject::Kind::kOutputByte, output_name(a, b), choice.offset, {}};
    if (of_a.piece != nullptr && of_b.piece != nullptr && of_a.byte() == of_b.byte()) {
      out.same = {.kind = Sameness::Kind::kSubject,
                  .what = what,
                  .b = {TargetValue::Kind::kBytes, {}, {static_cast<char>(of_b.byte())}}};
      return out;
    }
    Target target{.kind = Target::Kind::kOutput,
                  .what = what,
                  .value_a = of_a.told(),
                  .value_b = of_b.told()};
    if (of_a.piece != nullptr) {
      TRY(target.difference.a, end_of_block(run_a, number_a, of_a.piece->block));
    }
    if (of_b.piece != nullptr) {
      TRY(target.difference.b, end_of_block(run_b, number_b, of_b.piece->block));
    }
    if (of_a.piece != nullptr && of_b.piece != nullptr) {
      target.difference.place = ValuePairs::Place{true, of_a.piece->address + of_a.skip,
                                                  of_b.piece->address + of_b.skip, 1};
    }
    out.targets.push_back(std::move(target));
    return out;
  }
  return std::unexpected(
      Error{"V006",
            fmt::format("there is no byte {} of what was written to descriptor {}", choice.offset,
                        choice.descriptor),
            fmt::format("A has written {} bytes there, B {}; they are counted from 0", longest[0],
                        longest[1]),
            {}});
}

Result<ChosenTargets> choose_wrong(RunPair& runs, const TargetChoice& choice) {
  Run& run = runs.run(RunSide::kB);
  for (const auto& [number, process] : run.reader().processes()) {
    TRY(const auto outputs, outputs_of(run.reader(), process));
    for (const Output& output : outputs) {
      const bool is_number = std::to_string(output.descriptor) == choice.to;
      const bool is_file = output.name == choice.to || output.name.ends_with("/" + choice.to);
      if (!is_number && !is_file) continue;
      const Output all = is_number ? joined_output(outputs, output.descriptor) : output;
      const OutputByte at = output_byte(all, choice.offset);
      if (at.piece == nullptr) continue;
      Target target{
          .kind = Target::Kind::kOutput,
          .what = {TargetSubject::Kind::kOutputByte, output_name(all, all), choice.offset, {}},
          .value_b = at.told()};
      TRY(target.difference.b, end_of_block(run, number, at.piece->block));
      target.difference.wrong = BytesOf{true, at.piece->address + at.skip, 1};
      ChosenTargets out;
      out.targets.push_back(std::move(target));
      return out;
    }
  }
  return fail("V006", "B has written no byte {} to {}", choice.offset, choice.to);
}

// ---- the end ----

Result<ChosenTargets> choose_exit(RunPair& runs) {
  ChosenTargets out;
  const Process* a = root_process(runs.run(RunSide::kA).reader());
  const Process* b = root_process(runs.run(RunSide::kB).reader());
  if (a == nullptr || b == nullptr) return fail("T008", "a recording has no process");
  TRY(const HowEnded how_a, how_ended(runs.run(RunSide::kA).reader(), *a));
  TRY(const HowEnded how_b, how_ended(runs.run(RunSide::kB).reader(), *b));
  TRY(auto target, end_target(runs, a->info.number, b->info.number));
  if (target)
    out.targets.push_back(std::move(*target));
  else
    out.same = {
        .kind = how_a.text == how_b.text ? Sameness::Kind::kEnds : Sameness::Kind::kNotEnded,
        .a = {TargetValue::Kind::kEnd, how_a, {}},
        .b = {TargetValue::Kind::kEnd, how_b, {}}};
  return out;
}

}  // namespace

Result<ChosenTargets> choose_targets(RunPair& runs, PointerMatcher& pointers,
                                     const TargetChoice& choice) {
  switch (choice.kind) {
    case TargetChoice::Kind::kPlace: return PlaceChooser(runs, pointers, choice).run();
    case TargetChoice::Kind::kOutput: return choose_output(runs, choice);
    case TargetChoice::Kind::kWrong: return choose_wrong(runs, choice);
    case TargetChoice::Kind::kExit: return choose_exit(runs);
    case TargetChoice::Kind::kNone: break;
  }
  return ChosenTargets{};
}

}  // namespace twinrun
