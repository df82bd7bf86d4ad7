// SPDX-License-Identifier: MIT
// probe_frames FILE: for each hexadecimal address on standard input the frames, innermost first, as
// llvm-symbolizer --functions=short prints them.
#include "program/debug_info.h"

#include <cstdio>
#include <iostream>
#include <string>

using namespace twinrun;

int main(int count, char** words) {
  if (count != 2) return 2;
  auto info = DebugInfo::open_file(words[1]);
  if (!info) {
    std::fprintf(stderr, "%s\n", info.error().message.c_str());
    return 2;
  }
  const auto or_unknown = [](const std::string& text) {
    return text.empty() ? "??" : text.c_str();
  };
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto frames = info->frames_at(std::stoull(line, nullptr, 16));
    if (frames.empty()) std::printf("??\n??:0:0\n");
    for (const SourceFrame& frame : frames)
      std::printf("%s\n%s:%u:%u\n", or_unknown(frame.function), or_unknown(frame.file), frame.line,
                  frame.column);
    std::printf("\n");
  }
  for (const DebugNote& note : info->notes())
    std::fprintf(stderr, "note: %s: %s\n", note.path.c_str(), note.message.c_str());
  return 0;
}
