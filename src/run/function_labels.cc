// SPDX-License-Identifier: MIT
#include "run/function_labels.h"

#include "base/text.h"

#include <fmt/format.h>

namespace twinrun {

uint32_t NameTable::number(const std::string& name) {
  const auto [found, is_new] = numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return found->second;
}

uint32_t FunctionLabels::label(uint32_t function, uint64_t address, uint64_t blocks) {
  if (function == CodePlaces::kUnknown) {
    const Mapping* mapping = maps_.find({address}, blocks);
    if (mapping == nullptr || mapping->file == Mapping::kNoFile) return names_.number("[unknown]");
    return names_.number(fmt::format("[{}]", base_name(maps_.files()[mapping->file].path)));
  }
  if (labels_.size() <= function) labels_.resize(function + 1, kNotYet);
  if (labels_[function] != kNotYet) return labels_[function];
  const PlacedFunction& there = places_.function(function);
  std::string name = source_name(there);
  if (name.empty() && there.file != nullptr)
    name = fmt::format("{}+{:#x}", base_name(there.file->path), there.address.value);
  if (name.empty()) name = "[unknown]";
  return labels_[function] = names_.number(name);
}

bool is_on_the_way(const PlacedFunction& function) {
  return function.is_stub || function.name.starts_with("_dl_runtime_resolve");
}

}  // namespace twinrun
