// SPDX-License-Identifier: MIT
#include "calls/call_values.h"

#include "program/calling_convention.h"
#include "program/value_format.h"

namespace twinrun {
namespace {

constexpr FormatOptions kShort{.most_elements = 8, .most_characters = 40, .levels = 1};

}  // namespace

const CallValues::Known& CallValues::known(const PlacedFunction& function) {
  const auto [found, is_new] = known_.try_emplace({function.file, function.address});
  if (is_new && function.file != nullptr) {
    found->second.info = binaries_.debug_info(*function.file);
    if (found->second.info != nullptr)
      found->second.signature = found->second.info->signature_at(function.address.value);
  }
  return found->second;
}

std::optional<std::vector<NamedValue>> CallValues::arguments(const PlacedFunction& function,
                                                             CallMoment moment) {
  const Known& there = known(function);
  if (!there.signature) return std::nullopt;
  moment.bias = function.bias;
  std::vector<NamedValue> out;
  const ArgumentPlaces places = argument_places(*there.signature, moment.sp(), moment);
  for (size_t i = 0; i < there.signature->parameters.size(); ++i) {
    const Variable& variable = there.signature->parameters[i].variable;
    NamedValue& value = out.emplace_back();
    value.name = variable.name;
    if (!moment.is_known) continue;
    Location location = there.info->locate(variable, function.address.value, moment);
    // Code without optimization describes the place where the first instructions will have put it;
    // at the entry it still is where the convention says, which can be memory, too.
    if (location.kind == Location::Kind::kMemory) location = places.parameters[i];
    value.value = format_object(*variable.type, location, moment, kShort);
  }
  return out;
}

std::string CallValues::result(const PlacedFunction& function, CallMoment moment) {
  const Known& there = known(function);
  if (!there.signature || !moment.is_known) return {};
  const Type& type = *there.signature->result;
  if (!size_of(stripped(type))) return {};  // void, or not described
  moment.bias = function.bias;
  return format_object(type, result_place(*there.signature, moment), moment, kShort);
}

}  // namespace twinrun
