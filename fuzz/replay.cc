// SPDX-License-Identifier: MIT
// Runs a fuzz target once on each given file, so that corpora are tests in every build.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    std::ifstream in(names[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot open %s\n", names[i]);
      return 2;
    }
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%d inputs\n", count - 1);
  return count > 1 ? 0 : 2;
}
