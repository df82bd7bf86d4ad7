// SPDX-License-Identifier: MIT
#include "history/value_set.h"

#include <gtest/gtest.h>

#include <rapidcheck.h>

#include <random>
#include <set>
#include <vector>

namespace twinrun {
namespace {

ValueSet set_of(const std::vector<uint64_t>& values) {
  ValueSet out;
  for (const uint64_t value : values) out.add(value);
  return out;
}

std::vector<uint64_t> random_values(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> out(count);
  for (uint64_t& value : out) value = random();
  return out;
}

TEST(ValueSet, KeepsEachValueOnceUpToItsLimit) {
  EXPECT_TRUE(rc::check([](const std::vector<uint64_t>& values) {
    const std::set<uint64_t> each(values.begin(), values.end());
    const ValueSet set = set_of(values);
    RC_ASSERT(std::ranges::equal(set.values(), each));
    RC_ASSERT(set.size() == each.size());
    for (const uint64_t value : values) RC_ASSERT(set.may_have(value));
  }));
}

TEST(ValueSet, HasNoRelationToNothing) {
  EXPECT_EQ(relation(ValueSet{}, set_of({1})), SetRelation::kNone);
  EXPECT_EQ(relation(ValueSet{}, ValueSet{}), SetRelation::kNone);
}

TEST(ValueSet, ComparesWhateverTheOrderAndCount) {
  const ValueSet few = set_of({5, 3, 5, 3, 9});
  EXPECT_EQ(relation(few, set_of({9, 5, 3})), SetRelation::kEqual);
  EXPECT_EQ(relation(few, set_of({3, 9, 5, 7})), SetRelation::kSubset);
  EXPECT_EQ(relation(few, set_of({3, 9})), SetRelation::kSuperset);
  EXPECT_EQ(relation(few, set_of({3, 9, 8})), SetRelation::kNone) << "too few to be near";
}

TEST(ValueSet, IsNearWithTwoValuesMoreOnEitherSide) {
  const ValueSet five = set_of({1, 2, 3, 4, 5});
  EXPECT_EQ(relation(five, set_of({1, 2, 3, 6, 7})), SetRelation::kNear);
  EXPECT_EQ(relation(five, set_of({1, 2, 6, 7, 8})), SetRelation::kNone);
  EXPECT_EQ(relation(five, set_of({1, 2, 3, 6})), SetRelation::kNone);
}

// The naive answer is that of std::set. A sketch may only err towards a relation.
TEST(ValueSet, NeverDeniesARelation) {
  EXPECT_TRUE(rc::check([](uint64_t seed) {
    std::mt19937_64 random(seed);
    const std::vector<uint64_t> pool = random_values(3000, seed);
    const auto pick = [&](size_t count) {
      std::vector<uint64_t> out = pool;
      std::shuffle(out.begin(), out.end(), random);
      out.resize(count);
      return out;
    };
    const std::vector<uint64_t> more = pick(random() % 3000 + 1);
    std::vector<uint64_t> less = more;
    std::shuffle(less.begin(), less.end(), random);
    less.resize(random() % more.size() + 1);
    const ValueSet a = set_of(less);
    const ValueSet b = set_of(more);
    const auto found = relation(a, b);
    RC_ASSERT(found == SetRelation::kSubset || found == SetRelation::kEqual);
    if (less.size() == more.size()) RC_ASSERT(found == SetRelation::kEqual);
    std::vector<uint64_t> again = more;
    std::shuffle(again.begin(), again.end(), random);
    RC_ASSERT(relation(b, set_of(again)) == SetRelation::kEqual);
  }));
}

TEST(ValueSet, TellsLargeSetsApart) {
  size_t claimed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<uint64_t> values = random_values(2000, seed);
    const ValueSet a = set_of(values);
    EXPECT_TRUE(a.is_sketch());
    EXPECT_NEAR(static_cast<double>(a.size()), 2000, 500);
    // A tenth of the values is another one.
    for (size_t i = 0; i < values.size(); i += 10) values[i] = ~values[i];
    if (relation(a, set_of(values)) != SetRelation::kNone) ++claimed;
  }
  EXPECT_EQ(claimed, 0u);
}

TEST(ValueSet, KnowsThatMoreIsNoSubsetOfLess) {
  const std::vector<uint64_t> many = random_values(5000, 1);
  const ValueSet some = set_of({many.begin(), many.begin() + 400});
  EXPECT_EQ(relation(set_of(many), some), SetRelation::kSuperset);
  EXPECT_EQ(relation(some, set_of(many)), SetRelation::kSubset);
}

}  // namespace
}  // namespace twinrun
