// SPDX-License-Identifier: MIT
// A small binary for the tests of this module: a loop that calls.
#pragma once

#include "profile/address_profile.h"
#include "profile/bolt_names.h"
#include "profile/read_profile.h"
#include "program/module_code.h"

namespace twinrun {

/// f calls g once more than its loop turns:
///   1000 xor eax, eax      A
///   1002 call 1020         B
///   1007 test edi, edi     C
///   1009 je 1011
///   100b dec edi           D
///   100d jmp 1002
///   1011 ret               E
///   1020 add eax, 1        g
///   1023 ret
inline ModuleCode sample_binary() {
  Bytes bytes{0x31, 0xc0, 0xe8, 0x19, 0,    0,    0,    0x85, 0xff,
              0x74, 0x06, 0xff, 0xcf, 0xeb, 0xf3, 0x90, 0x90, 0xc3};
  bytes.resize(0x20, 0x90);
  for (const uint8_t byte : {0x83, 0xc0, 0x01, 0xc3}) bytes.push_back(byte);
  CodeImage image;
  image.add({0x1000, bytes, true, false});
  return {"/bin/sample",
          std::move(image),
          {{.start = 0x1000, .size = 0x12}, {.start = 0x1020, .size = 4}}};
}

inline BoltNames sample_names(const ModuleCode& binary) {
  return BoltNames::make({{.name = "f", .address = 0x1000, .size = 0x12, .is_function = true},
                          {.name = "g",
                           .file = "a.c",
                           .address = 0x1020,
                           .size = 4,
                           .is_local = true,
                           .is_function = true}},
                         binary.flow().functions());
}

/// What an exact profiler sees of f, entered `entries` times, whose loop turns `turns` times in
/// all.
inline AddressProfile sample_profile(uint64_t entries, uint64_t turns) {
  AddressProfile out;
  out.is_exact = true;
  out.has_every_instruction = true;
  out.has_every_branch = true;
  out.add_hits(0x1000, entries);
  for (const uint64_t at : {0x1002, 0x1007, 0x1009, 0x1020, 0x1023})
    out.add_hits(at, entries + turns);
  for (const uint64_t at : {0x100b, 0x100d}) out.add_hits(at, turns);
  out.add_hits(0x1011, entries);
  out.add_branch(0x1002, 0x1020, entries + turns);
  out.add_branch(0x1009, 0x1011, entries);
  out.add_branch(0x100d, 0x1002, turns);
  out.normalize();
  return out;
}

}  // namespace twinrun
