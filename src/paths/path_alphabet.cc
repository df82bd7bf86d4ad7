// SPDX-License-Identifier: MIT
#include "paths/path_alphabet.h"

#include <algorithm>
#include <tuple>

namespace twinrun {
namespace {

constexpr size_t kMostStates = 20000;

bool contains(const std::vector<uint32_t>& sorted, uint32_t number) {
  return std::ranges::binary_search(sorted, number);
}

}  // namespace

uint32_t PathAlphabet::class_of(const std::vector<uint32_t>& places) {
  const auto [it, is_new] = class_numbers_.try_emplace(places, classes());
  if (is_new) class_places_.push_back(places);
  return it->second;
}

uint32_t PathAlphabet::kind(const std::vector<uint32_t>& classes) {
  const auto [it, is_new] = kind_numbers_.try_emplace(classes, kinds());
  if (is_new) kind_classes_.push_back(classes);
  return it->second;
}

bool PathAlphabet::fits(const PathPattern& pattern, uint32_t position, uint32_t cls) const {
  const uint32_t place = pattern.positions[position];
  return place == PathPattern::kAnything || contains(class_places_[cls], place);
}

PathPositions next_positions(const PathPattern& pattern, const PathAlphabet& alphabet,
                             const PathPositions& from, uint32_t cls, bool starts) {
  PathPositions out;
  const auto add = [&](const std::vector<uint32_t>& positions) {
    for (const uint32_t position : positions)
      if (alphabet.fits(pattern, position, cls)) out.push_back(position);
  };
  if (starts) add(pattern.first);
  for (const uint32_t position : from) add(pattern.follow[position]);
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

bool has_last(const PathPattern& pattern, const PathPositions& positions) {
  return std::ranges::any_of(positions,
                             [&](uint32_t position) { return contains(pattern.last, position); });
}

Result<PathTable> make_path_table(const PathPattern& pattern, const PathAlphabet& alphabet) {
  // A state: the positions, the class that was last (of lines), and whether a path has ended.
  using State = std::tuple<PathPositions, uint32_t, bool>;
  std::map<State, int32_t> numbers;
  std::vector<State> states;
  const auto number_of = [&](State state) {
    const auto [it, is_new] =
        numbers.try_emplace(std::move(state), static_cast<int32_t>(states.size()));
    if (is_new) states.push_back(it->first);
    return it->second;
  };
  number_of({{}, 0, false});
  PathTable table;
  table.kinds = alphabet.kinds();
  for (size_t s = 0; s < states.size(); ++s) {
    if (states.size() > kMostStates) {
      Error error{"Q003", "looking for this path takes too many states", {}, {}};
      return std::unexpected(std::move(error).with_help("ask for parts of it"));
    }
    table.accepts.push_back(std::get<2>(states[s]) ? 1 : 0);
    for (uint32_t kind = 0; kind < alphabet.kinds(); ++kind) {
      auto [positions, last, ended] = states[s];
      ended = false;
      for (const uint32_t cls : alphabet.classes_of(kind)) {
        if (alphabet.is_of_lines() && cls != 0 && cls == last) continue;
        positions = next_positions(pattern, alphabet, positions, cls, true);
        ended = ended || has_last(pattern, positions);
        if (alphabet.is_of_lines()) last = cls;
      }
      table.next.push_back(number_of({std::move(positions), last, ended}));
    }
  }
  return table;
}

}  // namespace twinrun
