// SPDX-License-Identifier: MIT
#include "program/elf_symbols.h"

#include "base/files.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <random>

extern "C" __attribute__((noinline)) int elf_symbols_test_marker(int x) { return x * 3 + 1; }

namespace twinrun {
namespace {

Bytes own_binary() { return *read_file("/proc/self/exe"); }

TEST(ElfSymbols, FindsFunctionsByAddress) {
  const auto symbols = ElfSymbols::from_file("/proc/self/exe");
  ASSERT_TRUE(symbols.has_value()) << symbols.error().message;
  const Function* marker = nullptr;
  for (const Function& f : symbols->functions())
    if (f.name == "elf_symbols_test_marker") marker = &f;
  ASSERT_NE(marker, nullptr);
  EXPECT_GT(marker->size, 0u);
  EXPECT_EQ(symbols->find(marker->address), marker);
  EXPECT_EQ(symbols->find(marker->address + marker->size - 1), marker);
  EXPECT_NE(symbols->find(marker->address + marker->size), marker);
  EXPECT_EQ(symbols->find(0), nullptr);
  EXPECT_EQ(elf_symbols_test_marker(1), 4);
}

TEST(ElfSymbols, FunctionsAreSortedAndDoNotOverlap) {
  const auto symbols = ElfSymbols::from_file("/proc/self/exe");
  ASSERT_TRUE(symbols.has_value());
  ASSERT_GT(symbols->functions().size(), 10u);
  uint64_t end = 0;
  for (const Function& f : symbols->functions()) {
    EXPECT_GE(f.address, end) << f.name;
    end = f.address + f.size;
  }
}

TEST(ElfSymbols, NamesTheStubsOfSharedFunctions) {
  const auto symbols = ElfSymbols::from_file("/proc/self/exe");
  ASSERT_TRUE(symbols.has_value());
  size_t stubs = 0;
  for (const Function& f : symbols->functions()) stubs += f.name.ends_with("@plt") ? 1 : 0;
  EXPECT_GT(stubs, 5u);
}

TEST(ElfSymbols, OffsetsAndBuildIdAreThoseOfTheFile) {
  const auto symbols = ElfSymbols::from_file("/proc/self/exe");
  ASSERT_TRUE(symbols.has_value());
  EXPECT_EQ(symbols->address_of_offset(0), 0u);
  EXPECT_FALSE(symbols->address_of_offset(1ull << 60).has_value());
  const uint64_t address = symbols->functions().back().address;
  const auto offset = symbols->offset_of_address(address);
  ASSERT_TRUE(offset.has_value());
  EXPECT_EQ(symbols->address_of_offset(*offset), address);
  EXPECT_FALSE(symbols->offset_of_address(1ull << 60).has_value());
  EXPECT_TRUE(symbols->has_symtab());
}

TEST(ElfSymbols, ForeignFilesAreRefused) {
  EXPECT_EQ(ElfSymbols::from_memory(Bytes{'n', 'o'}).error().code, "P001");
  EXPECT_EQ(ElfSymbols::from_file("/nonexistent").error().code, "P002");
  EXPECT_EQ(ElfSymbols::from_file("/dev/null").error().code, "P002");
}

TEST(ElfSymbols, DamagedFilesDoNotCrash) {
  const Bytes original = own_binary();
  std::mt19937 random(11);
  for (int i = 0; i < 40; ++i) {
    Bytes bytes(original.begin(), original.begin() + std::min<size_t>(original.size(), 1 << 20));
    for (int n = 0; n < 20; ++n) bytes[random() % (i % 2 == 0 ? 4096 : bytes.size())] ^= random();
    const auto symbols = ElfSymbols::from_memory(bytes);
    if (symbols) {
      EXPECT_LT(symbols->functions().size(), 1'000'000u);
    }
  }
}

}  // namespace
}  // namespace twinrun
