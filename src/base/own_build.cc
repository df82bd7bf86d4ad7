// SPDX-License-Identifier: MIT
#include "base/own_build.h"

#include <elf.h>
#include <link.h>

namespace twinrun {

Bytes own_build_id() {
  Bytes out;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE) continue;
          // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers.
          ByteReader in({reinterpret_cast<const uint8_t*>(info->dlpi_addr + segment.p_vaddr),
                         segment.p_memsz});
          const auto padded = [](uint32_t size) { return (size + 3u) & ~3u; };
          while (!in.at_end() && !in.failed()) {
            const auto name = in.fixed<uint32_t>();
            const auto size = in.fixed<uint32_t>();
            const auto type = in.fixed<uint32_t>();
            in.take(padded(name));
            const ByteSpan id = in.take(padded(size));
            if (type == NT_GNU_BUILD_ID) *static_cast<Bytes*>(to) = {id.begin(), id.end()};
          }
        }
        return 1;  // the program itself comes first
      },
      &out);
  return out;
}

}  // namespace twinrun
