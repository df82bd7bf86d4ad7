// SPDX-License-Identifier: MIT
// two_builds A B OTHER: A and B are runs of one build, OTHER does the same as B in a build whose
// functions are the same but stand elsewhere. With an identity of the two builds, A and OTHER must
// correspond step by step as A and B do.
#include "align/run_pair.h"
#include "opened.h"

#include <cstdio>
#include <map>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

const MappedFile& program_of(Run& run) {
  return must(run.process(run.reader().processes().begin()->first))->program();
}

/// The functions of a run's program. One without a name is known by the one in front of it.
std::map<std::string, CodeFunction> functions_of(Run& run) {
  std::map<std::string, CodeFunction> out;
  const FunctionTable& table = must(run.binaries().module(program_of(run)))->flow().functions();
  std::string name;
  for (uint32_t i = 0; i < table.size(); ++i) {
    name = table[i].name.empty() ? name + "'" : table[i].name;
    out[name] = table[i];
    // Code of no function belongs to the one in front of it.
    out[name].size =
        i + 1 < table.size() ? table[i + 1].address - table[i].address : table[i].size + 16;
  }
  return out;
}

/// Functions of one name, byte by byte.
std::vector<CodeIdentity::Pair> same_functions(Run& a, Run& b) {
  const auto in_b = functions_of(b);
  std::vector<CodeIdentity::Pair> out;
  for (const auto& [name, function] : functions_of(a)) {
    const auto there = in_b.find(name);
    if (there == in_b.end()) continue;
    for (uint64_t i = 0; i < std::min(function.size, there->second.size); ++i)
      out.push_back({{function.address + i}, {there->second.address + i}, 0.5});
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  RunPair one(must(Run::open(argv[1])), must(Run::open(argv[2])));
  auto run_a = must(Run::open(argv[1]));
  auto run_b = must(Run::open(argv[3]));
  const MappedFile program_a = program_of(*run_a);
  const MappedFile program_b = program_of(*run_b);
  CodeIdentity identity;
  identity.add(program_a, program_b, same_functions(*run_a, *run_b));
  RunPair two(std::move(run_a), std::move(run_b), std::move(identity));
  if (one.run(RunSide::kB).reader().instructions() != two.b().reader().instructions()) {
    std::printf("the builds do not execute the same\n");
    return 2;
  }
  const auto& expected = must(one.align())->threads;
  const auto& found = must(two.align())->threads;
  uint64_t wrong = 0;
  uint64_t aligned = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    for (const AlignedRegion& region : expected[i].regions) {
      for (uint64_t step = region.a.from; step < region.a.to; ++step) {
        Position at = expected[i].a;
        at.step = {step};
        const auto there = one.counterpart(RunSide::kA, at);
        if (there == two.counterpart(RunSide::kA, at) &&
            (!there || two.counterpart(RunSide::kB, *there) == at)) {
          aligned += there.has_value();
          continue;
        }
        if (wrong++ < 3) std::printf("step %lu corresponds to another step\n", step);
      }
    }
    if (found[i].aligned != expected[i].aligned ||
        found[i].regions.size() != expected[i].regions.size())
      ++wrong;
  }
  std::printf("%lu steps correspond, %lu are wrong\n", aligned, wrong);
  return wrong == 0 && aligned > 0 ? 0 : 1;
}
