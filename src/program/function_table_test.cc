// SPDX-License-Identifier: MIT
#include "program/function_table.h"

#include "base/files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace twinrun {
namespace {

struct Own {
  CodeImage image;
  ElfSymbols symbols;
  std::vector<FrameRange> frames;
};
Own own() {
  auto image = CodeImage::from_file("/proc/self/exe");
  auto symbols = ElfSymbols::from_file("/proc/self/exe");
  EXPECT_TRUE(image && symbols);
  auto frames = read_eh_frame(*image);
  return {std::move(*image), std::move(*symbols), std::move(frames)};
}

void expect_disjoint(const FunctionTable& table) {
  uint64_t end = 0;
  for (uint32_t i = 0; i < table.size(); ++i) {
    ASSERT_GE(table[i].address, end) << table[i].label();
    ASSERT_GT(table[i].size, 0u) << table[i].label();
    end = table[i].end();
    ASSERT_EQ(table.at(table[i].address), i);
    ASSERT_EQ(table.find(end - 1), i);
  }
}

TEST(FunctionTable, SymbolsFramesAndCallsDoNotOverlap) {
  const Own o = own();
  const FunctionTable table = FunctionTable::make(o.image, &o.symbols, o.frames);
  expect_disjoint(table);
  EXPECT_GT(table.size(), 100u);
  EXPECT_FALSE(table.find(0).has_value());
}

TEST(FunctionTable, TheLastSymbolWithoutASizeReachesToTheEndOfItsSection) {
  const Own o = own();
  const CodeImage::Section* fini = o.image.section(".fini");
  ASSERT_NE(fini, nullptr);
  const FunctionTable table = FunctionTable::make(o.image, &o.symbols, o.frames);
  const auto found = table.at(fini->address);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(table[*found].name, "_fini");
  EXPECT_EQ(table[*found].size, fini->size);
}

TEST(FunctionTable, FramesFindTheFunctionsOfAStrippedBinary) {
  const Own o = own();
  const FunctionTable whole = FunctionTable::make(o.image, &o.symbols, o.frames);
  const FunctionTable stripped = FunctionTable::make(o.image, nullptr, o.frames);
  expect_disjoint(stripped);
  size_t found = 0;
  size_t all = 0;
  size_t stubs = 0;
  for (const CodeFunction& f : whole.all()) {
    // The start files of the C library have functions without frames.
    if (f.source != FunctionSource::kSymbol) continue;
    ++all;
    const auto same = stripped.at(f.address);
    found += same ? 1 : 0;
    if (!f.is_stub || f.name == "resolve@plt") continue;
    ++stubs;
    ASSERT_TRUE(same.has_value()) << f.name;
    EXPECT_EQ(stripped[*same].name, f.name);
  }
  EXPECT_GE(found * 100, all * 98) << found << " of " << all;
  EXPECT_GT(stubs, 5u);
}

TEST(FunctionTable, ObservedCallsFillGapsOnly) {
  CodeImage image;
  image.add({0x1000, Bytes(0x100, 0x90), true, false});
  const FrameRange frame{.start = 0x1020, .size = 0x10};
  const std::vector<uint64_t> called{0x1000, 0x1028, 0x1040, 0x1060, 0x2000};
  const FunctionTable table = FunctionTable::make(image, nullptr, std::span(&frame, 1), called);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_EQ(table[0].end(), 0x1020u);
  EXPECT_EQ(table[0].source, FunctionSource::kObserved);
  EXPECT_EQ(table[1].source, FunctionSource::kFrame);
  EXPECT_EQ(table[2].end(), 0x1060u);
  EXPECT_EQ(table[3].end(), 0x1100u);
  EXPECT_EQ(table[3].label(), "0x1060");
}

TEST(FunctionTable, ColdPartsHaveAParent) {
  EXPECT_EQ(cold_part_of("f.cold"), "f");
  EXPECT_EQ(cold_part_of("f.cold.12"), "f");
  EXPECT_EQ(cold_part_of("f.part.0.cold"), "f.part.0");
  EXPECT_FALSE(cold_part_of("f.part.0").has_value());
  EXPECT_FALSE(cold_part_of(".cold").has_value());
  EXPECT_FALSE(cold_part_of("f.1").has_value());
  EXPECT_FALSE(cold_part_of("").has_value());
}

TEST(FunctionTable, PartsAreLinkedWithoutCycles) {
  CodeImage image;
  image.add({0x1000, Bytes(0x100, 0x90), true, false});
  FunctionTable table =
      FunctionTable::make(image, nullptr, {}, std::vector<uint64_t>{0x1000, 0x1010, 0x1020});
  EXPECT_TRUE(table.link(1, 0));
  EXPECT_TRUE(table.link(2, 1));
  EXPECT_FALSE(table.link(0, 2));
  EXPECT_FALSE(table.link(1, 2));
  EXPECT_EQ(table.whole(2), 0u);
  EXPECT_EQ(table.parts(0), (std::vector<uint32_t>{0, 1, 2}));
}

TEST(CodeImage, KeepsWhatCameFirst) {
  CodeImage image;
  image.add({0x1010, Bytes(0x10, 1), true, false});
  image.add({0x1000, Bytes(0x40, 2), false, true});
  EXPECT_EQ(image.at(0x1000).size(), 0x10u);
  EXPECT_EQ(image.at(0x1010)[0], 1);
  EXPECT_EQ(image.at(0x1018).size(), 8u);
  EXPECT_EQ(image.at(0x1020)[0], 2);
  EXPECT_TRUE(image.at(0x1040).empty());
  EXPECT_TRUE(image.is_executable(0x101f));
  EXPECT_FALSE(image.is_executable(0x1020));
  EXPECT_EQ(image.code_sections().size(), 1u);
  image.add({0x1100, Bytes(0x10, 3), true, false});
  image.add({0x90000, Bytes(0x10, 3), true, false});
  ASSERT_EQ(image.code_sections().size(), 2u);
  EXPECT_EQ(image.code_sections()[0].size, 0x100u);
}

TEST(CodeImage, ForeignFilesAreRefused) {
  EXPECT_EQ(CodeImage::from_memory(Bytes{'n', 'o'}).error().code, "P001");
  EXPECT_EQ(CodeImage::from_file("/nonexistent").error().code, "P002");
}

TEST(EhFrame, DamagedFilesDoNotCrash) {
  const Bytes original = *read_file("/proc/self/exe");
  const auto image = CodeImage::from_memory(original);
  ASSERT_TRUE(image.has_value());
  const CodeImage::Section* section = image->section(".eh_frame");
  ASSERT_NE(section, nullptr);
  // In this file the section stands at the offset that is its address.
  ASSERT_LT(section->address + section->size, original.size());
  std::mt19937 random(13);
  size_t read = 0;
  for (int i = 0; i < 60; ++i) {
    Bytes bytes = original;
    for (int n = 0; n < 30; ++n)
      bytes[section->address + random() % std::min<uint64_t>(section->size, 4000)] ^= random();
    const auto damaged = CodeImage::from_memory(bytes);
    ASSERT_TRUE(damaged.has_value());
    const auto frames = read_eh_frame(*damaged);
    for (const FrameRange& range : frames) read += read_call_sites(*damaged, range).size();
    expect_disjoint(FunctionTable::make(*damaged, nullptr, frames));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace twinrun
