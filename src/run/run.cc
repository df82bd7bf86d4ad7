// SPDX-License-Identifier: MIT
#include "run/run.h"

#include <algorithm>

namespace twinrun {

RunProcess::RunProcess(Run& run, const Process& process, Dictionary dictionary, MapHistory maps)
    : run_(run),
      reader_(run.reader()),
      binaries_(run.binaries()),
      process_(process),
      dictionary_(std::move(dictionary)),
      maps_(std::move(maps)),
      called_(run.binaries(), maps_, dictionary_),
      symbolizer_(run.binaries(), maps_) {
  // The kernel maps the program before anything else.
  const auto first = std::ranges::find_if(maps_.files(), &MappedFile::executable);
  if (first != maps_.files().end()) program_ = *first;
}

Result<std::span<const ObservedJump>> RunProcess::jumps() {
  if (!jumps_) {
    TRY(jumps_, observed_jumps(reader_, process_, dictionary_));
  }
  return *jumps_;
}

Result<std::unique_ptr<Run>> Run::open(const std::string& path,
                                       DebugDirectories debug_directories) {
  TRY(auto reader, Reader::open(path));
  return std::make_unique<Run>(std::move(reader), std::move(debug_directories));
}

Result<RunProcess*> Run::process(uint32_t number) {
  const auto found = processes_.find(number);
  if (found != processes_.end()) return found->second.get();
  const Process* process = reader_->process(number);
  if (process == nullptr) return fail("T008", "there is no process {}", number);
  TRY(Dictionary dictionary, reader_->dictionary(number));
  TRY(MapHistory maps, map_history(*reader_, number));
  std::unique_ptr<RunProcess> made(
      new RunProcess(*this, *process, std::move(dictionary), std::move(maps)));
  return processes_.emplace(number, std::move(made)).first->second.get();
}

Result<Run::Loan> Run::borrow(uint32_t number) {
  const bool was_open = processes_.contains(number);
  TRY(RunProcess* const opened, process(number));
  return Loan(opened, {.closes = !was_open});
}

}  // namespace twinrun
