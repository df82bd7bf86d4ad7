// SPDX-License-Identifier: MIT
#include "program/binary_code.h"

#include <utility>

namespace twinrun {

Result<BinaryCode> BinaryCode::open(const std::string& path) { return open(path, Options{}); }

Result<BinaryCode> BinaryCode::open(const std::string& path, const Options& options) {
  BinaryCode out;
  out.path = path;
  TRY(out.image, CodeImage::from_file(path));
  TRY(out.symbols, ElfSymbols::from_file(path));
  if (!out.symbols.has_symtab())
    if (const std::string debug_path =
            find_debug_file(path, out.symbols.build_id(), out.symbols.debug_link());
        !debug_path.empty())
      if (const auto debug = ElfSymbols::from_file(debug_path);
          debug && debug->build_id() == out.symbols.build_id())
        out.symbols.add_debug(*debug);
  if (out.image.code_sections().empty()) return fail("P001", "{} holds no code", path);
  out.frames = read_eh_frame(out.image);
  out.flow = ControlFlow::build(
      out.image,
      FunctionTable::make(out.image, options.hide_names ? nullptr : &out.symbols, out.frames),
      out.frames);
  return out;
}

}  // namespace twinrun
