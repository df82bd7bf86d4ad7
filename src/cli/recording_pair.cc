// SPDX-License-Identifier: MIT
#include "cli/recording_pair.h"

#include "cli/store.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {

Result<std::unique_ptr<RecordingPair>> RecordingPair::open(const std::string& a,
                                                           const std::string& b) {
  TRY(const std::string path_a, resolve_recording(a));
  TRY(const std::string path_b, resolve_recording(b));
  TRY(auto reader_a, Reader::open(path_a));
  TRY(auto reader_b, Reader::open(path_b));
  return std::unique_ptr<RecordingPair>(
      new RecordingPair(std::move(reader_a), std::move(reader_b)));
}

PositionForm RecordingPair::form() const {
  return std::max(shortest_form(*a_), shortest_form(*b_));
}

void RecordingPair::print_notes(const std::vector<std::string>& warnings) const {
  // Names are taken from the binaries of the first run.
  print_warnings(warnings);
  for (const Reader* reader : {a_.get(), b_.get()})
    if (reader->is_prefix())
      print_note(fmt::format("{} is a prefix: {}", reader->path(), reader->prefix_note()));
}

}  // namespace twinrun
