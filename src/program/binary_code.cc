// SPDX-License-Identifier: MIT
#include "program/binary_code.h"

#include "base/files.h"

#include <utility>

namespace twinrun {

Result<BinaryCode> BinaryCode::open(const std::string& path) { return open(path, Options{}); }

Result<BinaryCode> BinaryCode::open(const std::string& path, const Options& options) {
  TRY(const Bytes bytes, read_file(path));
  BinaryCode out;
  out.path = path;
  TRY_VOID(out.load(bytes));
  if (!out.symbols.has_symtab())
    if (const std::string debug_path =
            find_debug_file(path, out.symbols.build_id(), out.symbols.debug_link());
        !debug_path.empty())
      if (const auto debug = ElfSymbols::from_file(debug_path);
          debug && debug->build_id() == out.symbols.build_id())
        out.symbols.add_debug(*debug);
  out.explore(options);
  return out;
}

Result<BinaryCode> BinaryCode::open_memory(ByteSpan bytes, const Options& options) {
  BinaryCode out;
  TRY_VOID(out.load(bytes));
  out.explore(options);
  return out;
}

Result<void> BinaryCode::load(ByteSpan bytes) {
  const auto in_file = [&](Error error) {
    return std::unexpected(path.empty() ? std::move(error)
                                        : std::move(error).in(fmt::format("in {}", path)));
  };
  auto code = CodeImage::from_memory(bytes);
  if (!code) return in_file(std::move(code).error());
  image = std::move(*code);
  auto names = ElfSymbols::from_memory(bytes);
  if (!names) return in_file(std::move(names).error());
  symbols = std::move(*names);
  if (image.code_sections().empty()) return in_file({"P001", "the file holds no code", {}, {}});
  return {};
}

void BinaryCode::explore(const Options& options) {
  frames = read_eh_frame(image);
  flow = ControlFlow::build(
      image, FunctionTable::make(image, options.hide_names ? nullptr : &symbols, frames), frames);
}

}  // namespace twinrun
