// SPDX-License-Identifier: MIT
#pragma once

#include "run/code_places.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace twinrun {

/// Texts with numbers, each text once.
class NameTable {
 public:
  uint32_t number(const std::string& name);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::string, uint32_t> numbers_;
  std::vector<std::string> names_;
};

/// Stubs, and what the loader does to find where a stub leads.
bool is_on_the_way(const PlacedFunction& function);

/// Names for the functions of a process: as in the source, else "module+0x1234"; "[module]" for
/// code of no function, and "[unknown]" for that of no file.
class FunctionLabels {
 public:
  FunctionLabels(const CodePlaces& places, const MapHistory& maps, NameTable& names)
      : places_(places), maps_(maps), names_(names) {}

  /// Of a function of the places: its number among the names. `address`: some code of it, when
  /// `blocks` blocks of the process had begun.
  uint32_t label(uint32_t function, uint64_t address, uint64_t blocks);

 private:
  static constexpr uint32_t kNotYet = ~0u;

  const CodePlaces& places_;
  const MapHistory& maps_;
  NameTable& names_;
  std::vector<uint32_t> labels_;  // by function
};

}  // namespace twinrun
