// SPDX-License-Identifier: MIT
#include "paths/path_question.h"

#include "base/suggest.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace twinrun {
namespace {

/// "csv/sum.c" is the end of "/src/csv/sum.c".
bool is_end_of_path(std::string_view end, std::string_view path) {
  return path.ends_with(end) && (path.size() == end.size() || end.starts_with('/') ||
                                 path[path.size() - end.size() - 1] == '/');
}

std::string joined(const std::vector<std::string>& words, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(words.size(), most); ++i) {
    if (i > 0) out += ", ";
    out += words[i];
  }
  if (words.size() > most) out += fmt::format(" and {} more", words.size() - most);
  return out;
}

std::optional<uint64_t> address_of(std::string_view text) {
  uint64_t value = 0;
  if (!text.starts_with("0x")) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<std::vector<uint32_t>> functions_in_source(const PathCode& code, std::string_view file,
                                                  std::string_view name) {
  std::vector<uint32_t> out;
  for (const uint32_t function : code.find(name)) {
    TRY(const PathBody body, code.body(function));
    const bool is_there = std::ranges::any_of(body.blocks, [&](const PathBlock& block) {
      return std::ranges::any_of(block.lines, [&](const PathLine& line) {
        return is_end_of_path(file, code.files[line.file]);
      });
    });
    if (is_there) out.push_back(function);
  }
  return out;
}

}  // namespace

std::string line_text(const PathCode& code, const PathLine& line) {
  return fmt::format("{}:{}", base_name(code.files[line.file]), line.line);
}

Result<uint32_t> find_path_function(const PathCode& code, std::string_view name) {
  std::vector<uint32_t> found = code.find(name);
  const size_t bang = name.find('!');
  const size_t colon = name.rfind(':');
  if (const auto address = address_of(name); found.empty() && address) {
    found = code.at(*address);
  } else if (found.empty() && bang != std::string_view::npos) {
    found = code.find(name.substr(bang + 1));
    std::erase_if(found, [&](uint32_t function) {
      const std::string& path = code.modules[code.functions[function].module].path;
      return base_name(path) != name.substr(0, bang);
    });
  } else if (found.empty() && colon != std::string_view::npos && colon > 0) {
    TRY(found, functions_in_source(code, name.substr(0, colon), name.substr(colon + 1)));
  }
  if (found.empty()) {
    std::vector<std::string> names;
    names.reserve(code.functions.size());
    for (const PathFunction& function : code.functions) names.push_back(function.name);
    Error error{"P011", fmt::format("no function {} was executed", name), {}, {}};
    return std::unexpected(std::move(error).with_help(did_you_mean(name, names)));
  }
  const auto is_program = [&](uint32_t function) {
    return code.modules[code.functions[function].module].is_program;
  };
  if (std::ranges::any_of(found, is_program))
    std::erase_if(found, [&](uint32_t function) { return !is_program(function); });
  if (found.size() == 1) return found[0];
  std::vector<std::string> which;
  for (const uint32_t function : found) {
    const PathFunction& one = code.functions[function];
    which.push_back(
        fmt::format("{:#x} in {}", one.address, base_name(code.modules[one.module].path)));
  }
  Error error{"Q004",
              fmt::format("{} functions are named {}: {}", found.size(), name, joined(which, 4)),
              {},
              {}};
  return std::unexpected(
      std::move(error).with_help("say which one: MODULE!NAME, FILE:NAME or an address"));
}

Result<PathQuestion> PathQuestion::make(const PathCode& code, uint32_t function,
                                        PathPattern pattern) {
  const auto is_line = [](const PathPlace& place) { return place.kind == PathPlace::Kind::kLine; };
  const bool is_of_lines = std::ranges::all_of(pattern.places, is_line);
  if (!is_of_lines && std::ranges::any_of(pattern.places, is_line))
    return fail("Q001", "a path is one of lines or one of blocks and addresses, not of both");
  PathQuestion out(function, std::move(pattern), is_of_lines);
  TRY(out.bodies_[function], code.body(function));
  TRY_VOID(is_of_lines ? out.resolve_lines(code) : out.resolve_blocks(code));
  return out;
}

Result<uint32_t> PathQuestion::place_function(const PathCode& code, const PathPlace& place) {
  if (place.function.empty()) return function_;
  TRY(const uint32_t function, find_path_function(code, place.function));
  if (!bodies_.contains(function)) {
    TRY(bodies_[function], code.body(function));
  }
  return function;
}

Result<void> PathQuestion::resolve_blocks(const PathCode& code) {
  for (const PathPlace& place : pattern_.places) {
    TRY(const uint32_t function, place_function(code, place));
    const std::vector<PathBlock>& blocks = bodies_.at(function).blocks;
    uint64_t block = place.number;
    if (place.kind == PathPlace::Kind::kAddress)
      block = static_cast<uint64_t>(std::ranges::find_if(blocks,
                                                         [&](const PathBlock& b) {
                                                           return b.address <= place.number &&
                                                                  place.number < b.end;
                                                         }) -
                                    blocks.begin());
    if (block >= blocks.size()) {
      const std::string& name = code.functions[function].name;
      if (place.kind == PathPlace::Kind::kBlock)
        return fail("Q005", "{} has no block {}: they are b0 to b{}", name, place.text,
                    blocks.size() - 1);
      return fail("Q005", "{} is in no block of {}", place.text, name);
    }
    resolved_.emplace_back(function, static_cast<uint32_t>(block));
  }
  for (const auto& [function, body] : bodies_) {
    std::vector<uint32_t>& kinds = kinds_[function];
    for (uint32_t b = 0; b < body.blocks.size(); ++b) {
      std::vector<uint32_t> places;
      for (uint32_t i = 0; i < resolved_.size(); ++i)
        if (resolved_[i] == std::pair(function, b)) places.push_back(i);
      kinds.push_back(alphabet_.kind({alphabet_.class_of(places)}));
    }
  }
  return {};
}

Result<void> PathQuestion::resolve_lines(const PathCode& code) {
  for (const PathPlace& place : pattern_.places) {
    TRY(const uint32_t function, place_function(code, place));
    const std::string& name = code.functions[function].name;
    std::set<PathLine> lines;
    std::set<PathLine> found;
    for (const PathBlock& block : bodies_.at(function).blocks)
      lines.insert(block.lines.begin(), block.lines.end());
    for (const PathLine& line : lines)
      if (line.line == place.number &&
          (place.file.empty() || is_end_of_path(place.file, code.files[line.file])))
        found.insert(line);
    if (lines.empty()) {
      Error error{"Q005", fmt::format("no source lines of {} are known", name), {}, {}};
      return std::unexpected(std::move(error).with_help(
          "its binary has no debug information; ask by blocks (b4) or addresses (0x1163)"));
    }
    if (found.empty()) {
      std::vector<std::string> near;
      near.reserve(lines.size());
      for (const PathLine& line : lines) near.push_back(line_text(code, line));
      return fail("Q005", "no code of {} is of line {}; it has {}", name, place.text,
                  joined(near, 12));
    }
    if (found.size() > 1) {
      std::vector<std::string> which;
      which.reserve(found.size());
      for (const PathLine& line : found) which.push_back(line_text(code, line));
      Error error{"Q006",
                  fmt::format("{} has several lines {}: {}", name, place.text, joined(which, 6)),
                  {},
                  {}};
      return std::unexpected(std::move(error).with_help("name the file, too"));
    }
    resolved_.emplace_back(function, 0);
    resolved_lines_.push_back(*found.begin());
  }
  for (const auto& [function, body] : bodies_) {
    std::vector<uint32_t>& kinds = kinds_[function];
    for (const PathBlock& block : body.blocks) {
      std::vector<uint32_t> classes;
      for (const PathLine& line : block.lines) {
        std::vector<uint32_t> places;
        for (uint32_t i = 0; i < resolved_.size(); ++i)
          if (resolved_[i].first == function && resolved_lines_[i] == line) places.push_back(i);
        const uint32_t cls = alphabet_.class_of(places);
        // Other lines are one as good as several.
        if (classes.empty() || classes.back() != cls) classes.push_back(cls);
      }
      kinds.push_back(alphabet_.kind(classes));
    }
  }
  return {};
}

const std::vector<uint32_t>& PathQuestion::kinds(uint32_t function) const {
  static const std::vector<uint32_t> kNone;
  const auto it = kinds_.find(function);
  return it == kinds_.end() ? kNone : it->second;
}

std::optional<PathQuery> PathQuestion::plain() const {
  if (alphabet_.is_of_lines() || crosses_functions() || !pattern_.is_plain()) return std::nullopt;
  PathQuery out{function_, {}};
  for (const auto& [function, block] : resolved_) out.blocks.push_back(block);
  return out;
}

std::string PathQuestion::block_text(uint32_t block) const { return fmt::format("b{}", block); }

std::string PathQuestion::impossible(const PathCode& code) const {
  const PathBody& own = body();
  if (crosses_functions() || !code.functions[function_].has_graph) return {};
  if (std::ranges::any_of(own.blocks, &PathBlock::is_open)) return {};
  if (const auto path = plain()) {
    for (size_t i = 0; i + 1 < path->blocks.size(); ++i) {
      const std::vector<uint32_t>& next = own.blocks[path->blocks[i]].next;
      if (std::ranges::find(next, path->blocks[i + 1]) != next.end()) continue;
      std::vector<std::string> others;
      others.reserve(next.size());
      for (const uint32_t block : next) others.push_back(block_text(block));
      return fmt::format(
          "there is no edge from {} to {}; {}", block_text(path->blocks[i]),
          block_text(path->blocks[i + 1]),
          others.empty()
              ? "the function ends there"
              : fmt::format("behind {} comes {}", block_text(path->blocks[i]), joined(others, 8)));
    }
    return {};
  }
  // What can be executed with what has been seen: blocks with sets of positions.
  const auto table = make_path_table(pattern_, alphabet_);
  if (!table) return {};
  const std::vector<uint32_t>& of_blocks = kinds(function_);
  std::set<std::pair<uint32_t, int32_t>> seen;
  std::vector<std::pair<uint32_t, int32_t>> open;
  const auto visit = [&](uint32_t block, int32_t state) {
    const int32_t next = table->next[static_cast<size_t>(state) * table->kinds + of_blocks[block]];
    if (seen.emplace(block, next).second) open.emplace_back(block, next);
    return table->accepts[static_cast<size_t>(next)] != 0;
  };
  // A function can be entered, or gone on in, anywhere.
  for (uint32_t b = 0; b < own.blocks.size(); ++b)
    if (visit(b, 0)) return {};
  while (!open.empty()) {
    const auto [block, state] = open.back();
    open.pop_back();
    for (const uint32_t next : own.blocks[block].next)
      if (visit(next, state)) return {};
  }
  if (!pattern_.is_plain() || !alphabet_.is_of_lines())
    return "no edges of the function lead along it";
  // Which of its steps is none.
  for (uint32_t i = 0; i + 1 < pattern_.places.size(); ++i) {
    std::set<PathLine> behind;
    bool follows = false;
    const auto step = [&](const PathLine& from, const PathLine& to) {
      if (from != resolved_lines_[i] || to == from) return;
      behind.insert(to);
      follows = follows || to == resolved_lines_[i + 1];
    };
    for (const PathBlock& block : own.blocks) {
      for (size_t k = 0; k + 1 < block.lines.size(); ++k) step(block.lines[k], block.lines[k + 1]);
      for (const uint32_t next : block.next)
        if (!block.lines.empty() && !own.blocks[next].lines.empty())
          step(block.lines.back(), own.blocks[next].lines.front());
    }
    if (follows) continue;
    std::vector<std::string> others;
    others.reserve(behind.size());
    for (const PathLine& line : behind) others.push_back(line_text(code, line));
    return fmt::format(
        "there is no edge from {} to {}; {}", pattern_.places[i].text, pattern_.places[i + 1].text,
        others.empty()
            ? "the function ends there"
            : fmt::format("behind {} comes {}", pattern_.places[i].text, joined(others, 8)));
  }
  return "no edges of the function lead along it";
}

}  // namespace twinrun
