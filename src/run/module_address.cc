// SPDX-License-Identifier: MIT
#include "run/module_address.h"

namespace twinrun {

ModuleAddress module_address(Binaries& binaries, const MapHistory& maps, Addr address,
                             uint64_t blocks) {
  ModuleAddress out{.address = {address.value}};
  out.mapping = maps.find(address, blocks);
  if (out.mapping == nullptr || out.mapping->file == Mapping::kNoFile) return out;
  out.file = &maps.files()[out.mapping->file];
  out.binary = &binaries.get(*out.file);
  out.address = {out.mapping->offset + (address.value - out.mapping->start.value)};
  if (!out.binary->symbols) return out;
  if (const auto in_elf = out.binary->symbols->address_of_offset(out.address.value)) {
    out.address = {*in_elf};
    out.is_in_elf = true;
  }
  return out;
}

std::string_view module_key(const MappedFile& file) {
  if (file.build_id.empty()) return file.path;
  return {reinterpret_cast<const char*>(file.build_id.data()), file.build_id.size()};
}

}  // namespace twinrun
