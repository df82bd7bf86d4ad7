// SPDX-License-Identifier: MIT
#include "run/symbols.h"

#include "base/files.h"
#include "base/text.h"
#include "run/module_address.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {

std::string_view ResolvedAddress::module_name() const { return base_name(module); }

const Binaries::Binary& Binaries::get(const MappedFile& file) {
  const auto key = std::pair(file.path, file.build_id);
  const auto it = binaries_.find(key);
  if (it != binaries_.end()) return it->second;
  return binaries_.emplace(key, load(file)).first->second;
}

const Reader::PackedEntry* Binaries::packed(const MappedFile& file, FileKind kind) const {
  for (const Reader::PackedEntry& entry : reader_.packed())
    if (entry.file.kind == kind && entry.file.path == file.path &&
        entry.file.build_id == file.build_id)
      return &entry;
  return nullptr;
}

Result<const ModuleCode*> Binaries::module(const MappedFile& file) {
  const auto key = std::pair(file.path, file.build_id);
  auto it = modules_.find(key);
  if (it == modules_.end()) it = modules_.emplace(key, load_module(file)).first;
  if (!it->second) return std::unexpected(it->second.error());
  return it->second->get();
}

Result<std::unique_ptr<ModuleCode>> Binaries::load_module(const MappedFile& file) {
  const Binary& binary = get(file);
  if (!binary.symbols) return fail("P010", "{}: {}", file.path, binary.note);
  const auto load = [&]() -> Result<CodeImage> {
    const Reader::PackedEntry* entry = packed(file, FileKind::kBinary);
    if (entry == nullptr) return CodeImage::from_file(file.path);
    TRY(const Bytes bytes, reader_.packed_contents(*entry));
    return CodeImage::from_memory(bytes);
  };
  TRY(CodeImage image, load());
  return std::make_unique<ModuleCode>(std::move(image), binary.symbols, cache_);
}

std::vector<std::string> Binaries::warnings() const {
  std::vector<std::string> out;
  for (const auto& [key, binary] : binaries_) {
    if (!binary.symbols)
      out.push_back(fmt::format("{}: {}; addresses instead of names", key.first, binary.note));
  }
  for (const auto& [key, info] : debug_infos_) {
    if (!info) continue;
    for (const DebugNote& note : info->notes()) {
      // Most libraries come without; nobody wants to read that each time.
      const bool is_library = key.first.find(".so") != std::string::npos;
      if (note.kind == DebugNote::Kind::kNoDebugInfo && is_library) continue;
      out.push_back(fmt::format("{}: {}", note.path.empty() ? key.first : note.path, note.message));
    }
  }
  return out;
}

bool Binaries::read(const MappedFile& file, uint64_t offset, bool zero_behind,
                    std::span<uint8_t> out) {
  const Binary& binary = get(file);
  if (!binary.symbols || file.build_id.empty()) return false;
  const auto [found, is_new] = contents_.try_emplace({file.path, file.build_id});
  if (is_new) {
    const Reader::PackedEntry* entry = packed(file, FileKind::kBinary);
    if (auto bytes = entry != nullptr ? reader_.packed_contents(*entry) : read_file(file.path))
      found->second = std::move(*bytes);
  }
  const Bytes& bytes = found->second;
  if (bytes.empty()) return false;
  for (size_t i = 0; i < out.size(); ++i) {
    const uint64_t at = offset + i;
    const bool is_behind =
        at >= bytes.size() || (zero_behind && !binary.symbols->address_of_offset(at));
    out[i] = is_behind ? uint8_t{0} : bytes[at];
  }
  return true;
}

Binaries::Binary Binaries::load(const MappedFile& file) const {
  Binary out;
  std::shared_ptr<ElfSymbols> own;
  const auto adopt = [&](Result<ElfSymbols> symbols) {
    if (!symbols) {
      out.note = symbols.error().message;
      return;
    }
    own = std::make_shared<ElfSymbols>(std::move(*symbols));
    out.symbols = own;
  };
  if (const auto* entry = packed(file, FileKind::kBinary)) {
    const auto bytes = reader_.packed_contents(*entry);
    if (bytes) adopt(ElfSymbols::from_memory(*bytes));
    out.packed = true;
  } else {
    adopt(ElfSymbols::from_file(file.path));
    if (out.symbols && !file.build_id.empty() && out.symbols->build_id() != file.build_id) {
      out.symbols.reset();
      out.note = "the file has changed since it was recorded (another build id)";
    }
  }
  if (!out.symbols || out.symbols->has_symtab()) return out;
  if (const auto* entry = packed(file, FileKind::kDebug)) {
    const auto bytes = reader_.packed_contents(*entry);
    if (!bytes) return out;
    if (const auto debug = ElfSymbols::from_memory(*bytes)) own->add_debug(*debug);
    out.debug_file = "packed";
    return out;
  }
  const std::string path = find_debug_file(
      {file.path, out.symbols->build_id(), out.symbols->debug_link()}, debug_directories_);
  if (path.empty()) return out;
  const auto debug = ElfSymbols::from_file(path);
  if (debug && debug->build_id() == out.symbols->build_id()) {
    own->add_debug(*debug);
    out.debug_file = path;
  }
  return out;
}

DebugInfo* Binaries::debug_info(const MappedFile& file) {
  const auto key = std::pair(file.path, file.build_id);
  const auto known = debug_infos_.find(key);
  if (known != debug_infos_.end()) return known->second.get();
  auto& slot = debug_infos_[key];
  const Binary& binary = get(file);
  if (!binary.symbols) return nullptr;
  // Of a packed file without a build id nobody knows whether the other has the same.
  if (binary.packed && file.build_id.empty()) {
    slot = open_debug_info(file);
    return slot.get();
  }
  const auto [shared, is_new] = shared_->try_emplace(key);
  if (is_new) shared->second = open_debug_info(file);
  slot = shared->second;
  return slot.get();
}

std::shared_ptr<DebugInfo> Binaries::open_debug_info(const MappedFile& file) const {
  const DebugInfo::Options options{debug_directories_};
  const auto open = [&]() -> Result<DebugInfo> {
    const Reader::PackedEntry* binary = packed(file, FileKind::kBinary);
    if (binary == nullptr) return DebugInfo::open_file(file.path, options);
    TRY(const Bytes bytes, reader_.packed_contents(*binary));
    const Reader::PackedEntry* separate = packed(file, FileKind::kDebug);
    if (separate == nullptr) return DebugInfo::open_memory(bytes, file.path, options);
    TRY(const Bytes debug, reader_.packed_contents(*separate));
    return DebugInfo::open_memory(bytes, debug);
  };
  auto opened = open();
  return opened ? std::make_shared<DebugInfo>(std::move(*opened)) : nullptr;
}

ResolvedAddress Symbolizer::resolve(Addr address, uint64_t blocks) {
  ResolvedAddress place;
  const ModuleAddress found = module_address(binaries_, maps_, address, blocks);
  if (found.file == nullptr) {
    if (found.mapping != nullptr) place.module_offset = address.value - found.mapping->start.value;
    return place;
  }
  place.module = found.file->path;
  place.module_offset = found.address.value;
  if (!found.is_in_elf) return place;
  if (const Function* function = found.binary->symbols->find(found.address.value)) {
    place.function = function->name;
    place.function_address = {function->address};
    place.offset = found.address.value - function->address;
  }
  return place;
}

bool is_system_file(std::string_view path) {
  if (path.starts_with("/usr/local/")) return false;
  for (const std::string_view directory : {"/usr/", "/lib", "/bin/", "/sbin/"})
    if (path.starts_with(directory)) return true;
  return false;
}

bool is_system_source(std::string_view file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/");
}

ResolvedAddress Symbolizer::resolve_line(Addr address, uint64_t blocks) {
  return resolve_frame(address, blocks, Frames::kInnermost);
}

ResolvedAddress Symbolizer::resolve_own_line(Addr address, uint64_t blocks) {
  return resolve_frame(address, blocks, Frames::kOwn);
}

ResolvedAddress Symbolizer::resolve_frame(Addr address, uint64_t blocks, Frames which) {
  ResolvedAddress place = resolve(address, blocks);
  if (place.module.empty()) return place;
  const auto [found, is_new] = lines_.try_emplace({place.module, place.module_offset, which});
  Line& line = found->second;
  if (is_new) {
    const Mapping* mapping = maps_.find(address, blocks);
    if (DebugInfo* debug = binaries_.debug_info(maps_.files()[mapping->file])) {
      const std::vector<SourceFrame> frames = debug->frames_at(place.module_offset);
      const auto own = std::ranges::find_if(
          frames, [](const SourceFrame& frame) { return !is_system_source(frame.file); });
      const bool has_own = which == Frames::kOwn && own != frames.end();
      if (!frames.empty()) {
        const SourceFrame& frame = has_own ? *own : frames[0];
        line = {frame.file, frame.line, is_system_source(frame.file)};
      }
    }
  }
  place.file = line.file;
  place.line = line.line;
  place.is_system = line.is_system;
  return place;
}

}  // namespace twinrun
