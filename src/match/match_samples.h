// SPDX-License-Identifier: MIT
// Binaries for tests, made of machine code.
#pragma once

#include "match/binary_shape.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace twinrun {

/// Functions one behind the other from 0x1000 on, each at a multiple of 16; data from 0x8000 on.
struct SampleBinary {
  static constexpr uint64_t kCode = 0x1000;
  static constexpr uint64_t kData = 0x8000;

  explicit SampleBinary(const std::vector<Bytes>& functions, Bytes data = {}) {
    std::vector<FrameRange> frames;
    CodeImage::Region code{.address = kCode, .bytes = {}, .executable = true};
    for (const Bytes& function : functions) {
      while (code.bytes.size() % 16 != 0) code.bytes.push_back(0xcc);
      frames.push_back({.start = code.end(), .size = function.size()});
      code.bytes.insert(code.bytes.end(), function.begin(), function.end());
    }
    CodeImage image;
    image.add(std::move(code));
    if (!data.empty()) image.add({.address = kData, .bytes = std::move(data)});
    binary = ModuleCode("", std::move(image), std::move(frames));
    shape = BinaryShape::make(binary);
  }
  SampleBinary(const SampleBinary&) = delete;
  SampleBinary& operator=(const SampleBinary&) = delete;

  ModuleCode binary;
  BinaryShape shape;
};

}  // namespace twinrun
