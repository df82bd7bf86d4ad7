// SPDX-License-Identifier: MIT
#include "run/executable_files.h"

#include <set>

namespace twinrun {

Result<std::vector<MappedFile>> executable_files(const Reader& reader,
                                                 const std::vector<uint32_t>& processes) {
  std::vector<MappedFile> out;
  std::set<MappedFile> seen;
  for (const uint32_t number : processes) {
    TRY(const MapHistory maps, map_history(reader, number));
    for (const MappedFile& file : maps.files())
      if (file.executable && seen.insert(file).second) out.push_back(file);
  }
  return out;
}

}  // namespace twinrun
