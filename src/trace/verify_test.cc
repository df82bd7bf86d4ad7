// SPDX-License-Identifier: MIT
#include "trace/verify.h"

#include "format/registers.h"
#include "trace/trace_builder.h"

#include <gtest/gtest.h>

namespace twinrun {
namespace {

VerifyReport verify_bytes(ByteSpan bytes) {
  const auto reader = Reader::open_memory(bytes);
  CHECK(reader.has_value()) << reader.error().message;
  return verify(**reader);
}

std::string first_text(const VerifyReport& report) {
  return report.violations.empty() ? ""
                                   : report.violations[0].check + ": " + report.violations[0].text;
}

// A recording of one process with one segment, which `fill` makes.
template <typename Fill>
VerifyReport verify_segment(Fill fill, uint64_t features = 0) {
  const TempDir dir;
  auto writer =
      Writer::create({.final_path = dir.file("x.twin"), .reserve = WriterOptions::kNoReserve},
                     {.features = features});
  CHECK(writer.has_value());
  CHECK((*writer)->recording({}).has_value());
  CHECK((*writer)
            ->begin_process({.number = 1,
                             .origin = TW_ORIGIN_ROOT,
                             .state_size = 192,
                             .registers = {{"RIP", reg::kRip, 8}}})
            .has_value());
  SegmentBuilder segment;
  segment.begin_chunk();
  segment.event(TW_EVENT_THREAD_START, {1, 0});
  segment.event(TW_EVENT_THREAD_SWITCH, {1});
  segment.event(TW_EVENT_STATE, {1, TW_STATE_CHUNK}, Bytes(192));
  segment.event(TW_EVENT_CALLS, {1, 0});
  fill(segment);
  const auto written = segment.write(**writer, 1);
  CHECK(written.has_value()) << written.error().message;
  CHECK((*writer)->end_process(1, {.how = EndKind::kExited}).has_value());
  CHECK((*writer)->finish({}).has_value());
  const Bytes bytes = read_whole_file(dir.file("x.twin"));
  return verify_bytes(bytes);
}

const BlockSpec kNop = {.address = 0x1000, .lengths = {1}};
const BlockSpec kAfterNop = {.address = 0x1001, .lengths = {1}};

TEST(Verify, TheSmallRecordingIsRight) {
  const VerifyReport report = verify_bytes(small_recording());
  EXPECT_TRUE(report.ok()) << first_text(report);
  EXPECT_EQ(report.segments, 3u);
  EXPECT_EQ(report.blocks, 21u);
  EXPECT_EQ(report.instructions, 34u);
}

TEST(Verify, EveryPrefixOfARightRecordingIsRight) {
  const Bytes bytes = small_recording();
  for (size_t size = sizeof(TwFileHeader); size < bytes.size(); size += 5) {
    const VerifyReport report = verify_bytes(ByteSpan(bytes).first(size));
    EXPECT_TRUE(report.ok()) << size << " " << first_text(report);
  }
}

TEST(Verify, DamageIsAViolation) {
  Bytes bytes = small_recording();
  const auto reader = Reader::open_memory(bytes);
  const FrameEntry& frame = (*reader)->frames()[(*reader)->process(1)->segments[1]];
  bytes[frame.offset + sizeof(TwFrameHeader) + frame.size - 1] ^= 1;
  const VerifyReport report = verify_bytes(bytes);
  EXPECT_EQ(report.failures.count("segment"), 1u);
  EXPECT_EQ(report.failures.count("scan"), 1u);
}

TEST(Verify, AnImpossibleSuccessorIsSeen) {
  const auto fill = [](uint32_t second) {
    return [second](SegmentBuilder& s) {
      s.define(1, kNop);
      s.define(2, kAfterNop);
      s.define(3, {.address = 0x2000, .lengths = {1}});
      s.run({1, second});
    };
  };
  EXPECT_TRUE(verify_segment(fill(2)).ok());
  EXPECT_EQ(verify_segment(fill(3)).failures.count("successor"), 1u);
}

TEST(Verify, ASignalMayLeadAnywhere) {
  const VerifyReport report = verify_segment([](SegmentBuilder& s) {
    s.define(1, kNop);
    s.define(3, {.address = 0x2000, .lengths = {1}});
    s.run(1);
    s.event(TW_EVENT_SIGNAL, {1, 10, 0, 0x1001, TW_SIGNAL_HANDLED, 0, 0});
    s.run(3);
  });
  EXPECT_TRUE(report.ok()) << first_text(report);
}

TEST(Verify, ANewProgramCounterMayLeadAnywhere) {
  const auto fill = [](uint64_t offset) {
    return [offset](SegmentBuilder& s) {
      s.define(1, kNop);
      s.define(3, {.address = 0x2000, .lengths = {1}});
      s.run(1);
      ByteWriter word;
      word.varint(offset);
      word.fixed<uint64_t>(0x2000);
      s.event(TW_EVENT_STATE_DELTA, {1}, word.bytes());
      s.run(3);
    };
  };
  const VerifyReport report = verify_segment(fill(reg::kRip));
  EXPECT_TRUE(report.ok()) << first_text(report);
  EXPECT_EQ(verify_segment(fill(reg::kRax)).failures.count("successor"), 1u);
}

TEST(Verify, EachKindOfJumpHasItsSuccessors) {
  struct Case {
    Bytes code;
    uint64_t target;
    bool possible;
    uint32_t jump = TW_JUMP_BORING;
  };
  for (const Case& c : {
           Case{{0xeb, 0x10}, 0x1012, true},
           Case{{0xeb, 0x10}, 0x1002, false},
           Case{{0x75, 0x10}, 0x1012, true},
           Case{{0x75, 0x10}, 0x1002, true},
           Case{{0x75, 0x10}, 0x1003, false},
           Case{{0xe9, 0xfb, 0xff, 0xff, 0xff}, 0x1000, true},
           Case{{0xe8, 0x0b, 0, 0, 0}, 0x1010, true, TW_JUMP_CALL},
           Case{{0xe8, 0x0b, 0, 0, 0}, 0x1005, false, TW_JUMP_CALL},
           Case{{0x0f, 0x84, 0x0a, 0, 0, 0}, 0x1010, true},
           Case{{0x0f, 0x84, 0x0a, 0, 0, 0}, 0x1011, false},
           Case{{0xff, 0xe0}, 0x7777, true},
           Case{{0xc3}, 0x7777, true, TW_JUMP_RETURN},
           Case{{0xf2, 0xeb, 0x10}, 0x1013, true},
           Case{{0x0f, 0x05}, 0x1002, true, TW_JUMP_SYSCALL},
           Case{{0x0f, 0x05}, 0x1003, false, TW_JUMP_SYSCALL},
       }) {
    const VerifyReport report = verify_segment([&](SegmentBuilder& s) {
      s.define(1, {.address = 0x1000,
                   .lengths = {static_cast<uint8_t>(c.code.size())},
                   .jump = c.jump,
                   .code = c.code});
      s.define(2, {.address = c.target, .lengths = {1}, .jump = TW_JUMP_OTHER});
      s.run(1);
      if (c.jump == TW_JUMP_CALL) s.event(TW_EVENT_STACK, {TW_STACK_CALL, 0x7000});
      if (c.jump == TW_JUMP_RETURN) s.event(TW_EVENT_STACK, {TW_STACK_RETURN, 0x7000});
      s.run(2);
    });
    EXPECT_EQ(report.ok(), c.possible)
        << testing::PrintToString(c.code) << " -> " << c.target << " " << first_text(report);
  }
}

// call at 0x1000 to 0x2000, which returns; the loop around it jumps back.
void define_calls(SegmentBuilder& s) {
  s.define(
      1,
      {.address = 0x1000, .lengths = {5}, .jump = TW_JUMP_CALL, .code = {0xe8, 0xfb, 0x0f, 0, 0}});
  s.define(2, {.address = 0x2000, .lengths = {1}, .jump = TW_JUMP_RETURN, .code = {0xc3}});
  s.define(3, {.address = 0x1005, .lengths = {2}, .code = {0xeb, 0xf9}});
  s.define(
      4,
      {.address = 0x2000, .lengths = {6}, .jump = TW_JUMP_CALL, .code = {0xff, 0x15, 0, 0, 0, 0}});
  s.define(5, {.address = 0x2006, .lengths = {1}, .jump = TW_JUMP_RETURN, .code = {0xc3}});
  s.define(6, {.address = 0x3000, .lengths = {1}, .jump = TW_JUMP_RETURN, .code = {0xc3}});
}

TEST(Verify, CallsAndReturnsAreReplayed) {
  const VerifyReport report = verify_segment([](SegmentBuilder& s) {
    define_calls(s);
    s.run(1);
    s.event(TW_EVENT_STACK, {TW_STACK_CALL, 0x7ff8});  // nothing below it: no prediction next time
    s.run(4);
    s.event(TW_EVENT_STACK, {TW_STACK_CALL, 0x7fe0});  // now block 4 is predicted: -0x18
    s.run({6, 5, 3, 1});
    s.event(TW_EVENT_STACK, {TW_STACK_CALL, 0x7ff8});
    s.run({4, 6, 5, 3});
  });
  EXPECT_TRUE(report.ok()) << first_text(report);
}

TEST(Verify, AMissingStackPointerIsSeen) {
  EXPECT_EQ(verify_segment([](SegmentBuilder& s) {
              define_calls(s);
              s.run({1, 2});
            }).failures.count("stack"),
            1u);
  EXPECT_EQ(verify_segment([](SegmentBuilder& s) {
              define_calls(s);
              s.run(2);
            }).failures.count("stack"),
            1u);
}

TEST(Verify, ANeedlessStackEventIsSeen) {
  EXPECT_EQ(verify_segment([](SegmentBuilder& s) {
              define_calls(s);
              s.run(1);
              s.event(TW_EVENT_STACK, {TW_STACK_CALL, 0x7ff8});
              s.run(2);
              s.event(TW_EVENT_STACK, {TW_STACK_RETURN, 0x8000});
            }).failures.count("stack"),
            1u);
}

TEST(Verify, CallRingsMustFitTheReplay) {
  const auto fill = [](uint64_t sp) {
    return [sp](SegmentBuilder& s) {
      define_calls(s);
      s.run(1);
      s.event(TW_EVENT_STACK, {TW_STACK_CALL, 0x7ff8});
      s.event(TW_EVENT_CALLS, {1, 1, sp, 1});
      s.run(2);
    };
  };
  EXPECT_TRUE(verify_segment(fill(0x7ff8)).ok());
  EXPECT_EQ(verify_segment(fill(0x7ff0)).failures.count("calls"), 1u);
}

TEST(Verify, SystemCallsAndResultsBelongTogether) {
  const auto fill = [](uint64_t result) {
    return [result](SegmentBuilder& s) {
      s.define(1,
               {.address = 0x1000, .lengths = {2}, .jump = TW_JUMP_SYSCALL, .code = {0x0f, 0x05}});
      s.run(1);
      s.event(TW_EVENT_SYSCALL, {1, 39, 0, 0, 0, 0, 0, 0});
      s.event(TW_EVENT_SYSCALL_RESULT, {1, result, 7});
    };
  };
  EXPECT_TRUE(verify_segment(fill(39)).ok());
  EXPECT_EQ(verify_segment(fill(40)).failures.count("syscall"), 1u);
}

TEST(Verify, ThreadsMustBeStarted) {
  const VerifyReport report = verify_segment([](SegmentBuilder& s) {
    s.define(1, kNop);
    s.event(TW_EVENT_THREAD_SWITCH, {5});
    s.event(TW_EVENT_CALLS, {5, 0});
    s.run(1);
  });
  EXPECT_EQ(report.failures.count("thread"), 1u);
}

TEST(Verify, RegisterStatesHaveTheirSize) {
  EXPECT_EQ(verify_segment([](SegmentBuilder& s) {
              s.event(TW_EVENT_STATE, {1, TW_STATE_CHECKPOINT}, Bytes(15));
            }).failures.count("state"),
            1u);
  EXPECT_EQ(verify_segment([](SegmentBuilder& s) {
              s.event(TW_EVENT_STATE_DELTA, {1, 185}, Bytes(8));
            }).failures.count("state"),
            1u);
}

// t0 = load(0x5000); t1 = helper 1 (logged); goto 0x1001
Bytes load_ir() {
  ByteWriter ir;
  ir.varint(2);
  ir.raw(Bytes{TW_I32, TW_I64});
  ir.varint(3);
  ir.raw(Bytes{TW_STMT_IMARK, TW_STMT_LOAD, 0, TW_I64 << 1 | 1});
  ir.varint(0x5000);
  ir.raw(Bytes{TW_STMT_CCALL, 1, TW_CLASS_LOGGED, 1, 0});
  ir.varint(TW_I64 << 1 | 1);
  ir.varint(0x1001);
  return ir.take();
}

void define_load(SegmentBuilder& s) {
  s.define_helper(1, "helper");
  s.define(1, {.address = 0x1000, .lengths = {1}, .ir = load_ir()});
}

TEST(Verify, MissesAndOpaqueResultsFitTheIr) {
  const auto check = [](uint32_t load, size_t miss_size, size_t opaque_size) {
    return verify_segment(
        [&](SegmentBuilder& s) {
          define_load(s);
          s.run(1);
          s.miss(load, Bytes(miss_size));
          s.opaque(Bytes(opaque_size));
        },
        TW_FEATURE_VALUES);
  };
  EXPECT_TRUE(check(0, 4, 8).ok()) << first_text(check(0, 4, 8));
  EXPECT_EQ(check(0, 8, 8).failures.count("miss"), 1u);
  EXPECT_EQ(check(1, 4, 8).failures.count("miss"), 1u);
  EXPECT_EQ(check(0, 4, 7).failures.count("opaque"), 1u);
}

TEST(Verify, MalformedIrIsSeen) {
  for (size_t cut = 1; cut < load_ir().size(); ++cut) {
    const VerifyReport report = verify_segment(
        [&](SegmentBuilder& s) {
          Bytes ir = load_ir();
          ir.resize(ir.size() - cut);
          s.define_helper(1, "helper");
          s.define(1, {.address = 0x1000, .lengths = {1}, .ir = ir});
        },
        TW_FEATURE_VALUES);
    EXPECT_EQ(report.failures.count("ir"), 1u) << cut;
  }
  EXPECT_EQ(verify_segment(
                [&](SegmentBuilder& s) {
                  s.define(1, {.address = 0x1000, .lengths = {1}, .ir = load_ir()});
                },
                TW_FEATURE_VALUES)
                .failures.count("ir"),
            1u)
      << "the helper is not defined";
}

TEST(Verify, ValuesNeedAStateInEachChunk) {
  const VerifyReport report = verify_segment(
      [](SegmentBuilder& s) {
        define_load(s);
        s.event(TW_EVENT_THREAD_START, {2, 1});
        s.event(TW_EVENT_THREAD_SWITCH, {2});
        s.event(TW_EVENT_CALLS, {2, 0});
        s.run(1);
        s.opaque(Bytes(8));
      },
      TW_FEATURE_VALUES);
  EXPECT_EQ(report.failures.count("state"), 1u);
}

}  // namespace
}  // namespace twinrun
