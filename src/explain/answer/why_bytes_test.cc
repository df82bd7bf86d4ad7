// SPDX-License-Identifier: MIT
#include "explain/answer/why_bytes.h"

#include <gtest/gtest.h>
#include <xxhash.h>

namespace twinrun {
namespace {

KeptWhy small() {
  KeptWhy out{.a = {1}, .b = {2}, .key = {3, 4}, .warnings = {"no debug information"}};
  WhyReport& report = out.report;
  report.a = {.path = "a.twin", .command = "./prog 1", .end = HowEnded{}, .instructions = 300};
  report.target = {TargetSubject::Kind::kOutputByte, "standard output", 12, {}};
  report.target_b = {TargetValue::Kind::kBytes, {}, "x"};
  report.notes.push_back({.kind = WhyNote::Kind::kNotRecorded, .count = 7});
  report.misuses.push_back({.kind = Misuse::Kind::kOutside,
                            .access = Misuse::Access::kWrite,
                            .node = 0,
                            .at = {.file = "prog.c", .line = 3},
                            .size = 8,
                            .offset = -3,
                            .allocated = NamedInstruction{.file = "prog.c", .line = 2}});
  WhyReport::Node node{.is_target = true, .weight = 0.5};
  node.b = NamedInstruction{.pc = 0x401000, .module = "prog", .file = "prog.c", .line = 3};
  node.more.emplace_back(RunSide::kB, *node.b);
  report.nodes = {node, {.kind = CausalGraph::Node::Kind::kInput}};
  report.nodes[1].source_b = OutsideSource{.call = "read", .value = 65, .offset = 1};
  report.edges.push_back({.from = 0, .to = 1, .name = "x", .value_a = "1", .value_b = "2"});
  report.statements.push_back({.at = *node.b, .nodes = {0}, .suspicion = -1.25});
  report.answer = {{.kind = WhyReport::Line::Kind::kTarget, .finding = 1, .nodes = {0}},
                   {.nodes = {0}, .edge = 0},
                   {.kind = WhyReport::Line::Kind::kAside, .nodes = {0}, .statements = {0}}};
  report.answer[1].between = 1;
  report.left_out = {{.nodes = {0}}};
  report.headline = {WhyReport::Headline::Kind::kInput, 1};
  report.b.says = "too few columns";
  return out;
}

/// As if somebody had made the file on purpose.
void set_checksum(Bytes& bytes) {
  const uint64_t checksum = XXH3_64bits(bytes.data() + 16, bytes.size() - 16);
  std::memcpy(bytes.data() + 8, &checksum, sizeof checksum);
}

TEST(WhyBytes, AreReadAsTheyWereWritten) {
  const KeptWhy before = small();
  const auto after = decode_why(encode_why(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->a, before.a);
  EXPECT_EQ(after->b, before.b);
  EXPECT_EQ(after->key, before.key);
  EXPECT_EQ(after->warnings, before.warnings);
  EXPECT_EQ(after->report.nodes[0].more[0].second.file, "prog.c");
  EXPECT_EQ(after->report.nodes[1].source_b->offset, 1u);
  EXPECT_EQ(after->report.misuses[0].kind, Misuse::Kind::kOutside);
  EXPECT_EQ(after->report.misuses[0].offset, -3);
  EXPECT_EQ(after->report.misuses[0].allocated->line, 2u);
  EXPECT_EQ(after->report.statements[0].suspicion, -1.25);
  EXPECT_EQ(after->report.answer[2].kind, WhyReport::Line::Kind::kAside);
  EXPECT_EQ(after->report.left_out[0].nodes, std::vector<uint32_t>{0});
  EXPECT_EQ(after->report.headline.node, 1u);
  EXPECT_EQ(after->report.b.says, "too few columns");
  EXPECT_EQ(encode_why(*after), encode_why(before));
}

TEST(WhyBytes, EveryTruncationIsRejected) {
  const Bytes whole = encode_why(small());
  for (size_t size = 0; size < whole.size(); ++size) {
    Bytes cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_FALSE(decode_why(cut)) << size;
    if (size < kWhyHeader) continue;
    set_checksum(cut);
    EXPECT_FALSE(decode_why(cut)) << size << " with its checksum";
  }
}

TEST(WhyBytes, EveryFlippedByteIsRejected) {
  const Bytes whole = encode_why(small());
  for (size_t at = 0; at < whole.size(); ++at) {
    Bytes flipped = whole;
    flipped[at] ^= 0xff;
    EXPECT_FALSE(decode_why(flipped)) << at;
  }
}

// With a checksum that fits: it is rejected, or is an answer that can be read and written.
TEST(WhyBytes, EveryByteMadeOnPurposeIsHarmless) {
  const Bytes whole = encode_why(small());
  for (size_t at = kWhyHeader; at < whole.size(); ++at) {
    for (const int value : {0, 1, 2, 7, 0x7f, 0x80, 0xff}) {
      Bytes made = whole;
      made[at] = static_cast<uint8_t>(value);
      set_checksum(made);
      const auto kept = decode_why(made);
      if (!kept) continue;
      const WhyReport& report = kept->report;
      for (const WhyReport::Edge& edge : report.edges)
        EXPECT_LT(std::max(edge.from, edge.to), report.nodes.size());
      size_t left_out = 0;
      for (const WhyReport::Line& line : report.answer) left_out += line.copies + line.between;
      EXPECT_EQ(left_out, report.left_out.size());
      for (const WhyReport::Line& line : report.answer) {
        for (const uint32_t node : line.nodes) EXPECT_LT(node, report.nodes.size());
        for (const uint32_t one : line.statements) EXPECT_LT(one, report.statements.size());
        if (line.edge) {
          EXPECT_LT(*line.edge, report.edges.size());
        }
      }
    }
  }
}

TEST(WhyBytes, TellsWhoseAnswerAFileIs) {
  const KeptWhy kept = small();
  const Bytes bytes = encode_why(kept);
  const auto of = why_file_of(ByteSpan(bytes).first(kWhyHeader));
  ASSERT_TRUE(of);
  EXPECT_EQ(of->a, kept.a);
  EXPECT_EQ(of->b, kept.b);
  EXPECT_FALSE(why_file_of(ByteSpan(bytes).first(kWhyHeader - 1)));
}

}  // namespace
}  // namespace twinrun
