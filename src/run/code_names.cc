// SPDX-License-Identifier: MIT
#include "run/code_names.h"

namespace twinrun {

bool CodeNames::is_named(CodeNode node, std::string_view name) const {
  return space_.function_has_name(node, name);
}

SourcePlace CodeNames::at(CodeNode node, ModuleAddr address) {
  SourcePlace out;
  if (node == CodeSpace::kNone) return out;
  out.address = address;
  out.function = space_.function_name(node);
  const MappedFile* file = space_.file(node);
  if (file == nullptr) return out;
  out.module = file->path;
  DebugInfo* info = space_.binaries(node)->debug_info(*file);
  if (info == nullptr) return out;
  const std::vector<SourceFrame> frames = info->frames_at(address.value);
  if (frames.empty() || frames[0].line == 0) return out;
  out.file = frames[0].file;
  out.line = frames[0].line;
  return out;
}

}  // namespace twinrun
