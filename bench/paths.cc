// SPDX-License-Identifier: MIT
// paths RECORDING OUT: writes the control flow trace of the root process's longest stream as words
// of 32 bits. More modes follow below.
#include "run/paths/path_view.h"
#include "run/process_code.h"

#include <chrono>
#include <cstdio>
#include <map>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.code.c_str(), error.message.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto reader = Reader::open(argv[1]);
  if (!reader) return complain(reader.error());
  Binaries binaries(**reader);
  for (const auto& [number, process] : (*reader)->processes()) {
    const auto start = std::chrono::steady_clock::now();
    auto code = ProcessCode::open(**reader, binaries, number);
    if (!code) return complain(code.error());
    CodeModel model;
    if (const auto added = model.add((*code)->code); !added) return complain(added.error());
    PathView view(model, (*code)->code, {});
    std::map<PathStreamKey, PathTrace> traces;
    const auto done = view.run([&](const PathStreamKey& key, PathTraceView events) {
      PathTrace& trace = traces[key];
      trace.insert(trace.end(), events.begin(), events.end());
    });
    if (!done) return complain(done.error());
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (const auto& [key, trace] : traces) {
      std::printf(
          "process %u thread %u stack %u: %zu events, well formed %d, %u functions, %.1f s\n",
          number, key.thread.value, key.stack, trace.size(), is_well_formed(trace),
          view.functions().size(), seconds);
      std::string name = std::string(argv[2]) + "." + std::to_string(number) + "." +
                         std::to_string(key.thread.value) + "." + std::to_string(key.stack);
      std::FILE* out = std::fopen(name.c_str(), "wb");
      std::fwrite(trace.data(), 4, trace.size(), out);
      std::fclose(out);
    }
  }
  return 0;
}
