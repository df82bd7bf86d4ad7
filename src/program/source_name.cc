// SPDX-License-Identifier: MIT
#include "program/source_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace twinrun {
namespace {

/// "int ns::f<int>(char)" becomes "ns::f<int>": symbols of templates tell what they return.
std::string_view without_result(std::string_view text) {
  constexpr std::string_view kOperator = "operator ";
  size_t end = text.find(kOperator);
  if (end == std::string_view::npos) end = text.size();
  size_t from = 0;
  int depth = 0;
  for (size_t i = 0; i < end; ++i) {
    if (text[i] == '<' || text[i] == '(' || text[i] == '{') ++depth;
    if (text[i] == '>' || text[i] == ')' || text[i] == '}') --depth;
    if (text[i] == ' ' && depth == 0) from = i + 1;
  }
  return text.substr(from);
}

/// "ns::f<int>(char) const" becomes "ns::f<int>".
std::string without_parameters(std::string_view text) {
  constexpr std::string_view kCallOperator = "operator()";
  size_t from = 0;
  if (const size_t found = text.rfind(kCallOperator); found != std::string_view::npos)
    from = found + kCallOperator.size();
  int depth = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && depth > 0) --depth;
    if (text[i] != '(' || depth != 0) continue;
    if (text.substr(i).starts_with("(anonymous namespace)")) continue;
    return std::string(without_result(text.substr(0, i)));
  }
  return std::string(text);
}

}  // namespace

std::string source_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  // The stub that leads to it.
  constexpr std::string_view kStub = "@plt";
  if (symbol.ends_with(kStub))
    return source_name(symbol.substr(0, symbol.size() - kStub.size())) + std::string(kStub);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? without_parameters(text.get()) : symbol;
}

}  // namespace twinrun
