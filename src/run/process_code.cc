// SPDX-License-Identifier: MIT
#include "run/process_code.h"

namespace twinrun {

Result<std::unique_ptr<ProcessCode>> ProcessCode::open(const Reader& reader, Binaries& binaries,
                                                       uint32_t number) {
  const Process* process = reader.process(number);
  if (process == nullptr) return fail("T008", "there is no process {}", number);
  auto out = std::make_unique<ProcessCode>();
  TRY(out->dictionary, reader.dictionary(number));
  TRY(out->maps, map_history(reader, number));
  out->code = {&reader, &binaries, process, &out->dictionary, &out->maps};
  // The kernel maps the program before anything else.
  for (const MappedFile& file : out->maps.files()) {
    if (!file.executable) continue;
    out->program = file;
    break;
  }
  return out;
}

}  // namespace twinrun
