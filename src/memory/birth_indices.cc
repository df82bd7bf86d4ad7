// SPDX-License-Identifier: MIT
#include "memory/birth_indices.h"

#include "calls/index_walk.h"

namespace twinrun {

Result<void> BirthIndices::add(uint32_t process) {
  while (!processes_.contains(process)) {
    TRY(RunProcess* const opened, run_.process(process));
    TRY_VOID(space_.add(*opened));
    const ProcessInfo& info = opened->process().info;
    processes_.emplace(process, opened);
    if (info.origin != TW_ORIGIN_FORK || run_.reader().process(info.parent) == nullptr) break;
    process = info.parent;
  }
  return {};
}

IndexSource BirthIndices::source() const {
  return [this](uint32_t process, std::span<const BlockMoment> moments,
                const std::function<void(size_t, const StructuralIndex&)>& tell) -> Result<void> {
    const auto found = processes_.find(process);
    if (found == processes_.end()) return {};
    const ProcessMarks* marks = nullptr;
    if (marks_ != nullptr)
      if (const auto of_process = marks_->find(process); of_process != marks_->end())
        marks = &of_process->second;
    return indices_at(CodeModel(space_, *found->second, marks), moments, tell);
  };
}

MemoryTexts::NodePlace node_places(const CodeSpace& space) {
  return [&space](CodeNode node) -> std::optional<CodePlace> {
    if (node == CodeSpace::kNone || node >= space.size()) return std::nullopt;
    const MappedFile* file = space.file(node);
    return CodePlace{file == nullptr ? MappedFile{} : *file, space.node(node).last};
  };
}

}  // namespace twinrun
