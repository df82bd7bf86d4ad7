// SPDX-License-Identifier: MIT
#include "program/module_code.h"

#include "base/files.h"
#include "program/debug_files.h"
#include "program/instruction.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace twinrun {
namespace {

// What a file's facts are made of: they are taken for this code only, whatever its build id says.
class Fingerprint {
 public:
  Fingerprint() : state_(XXH3_createState()) { XXH3_64bits_reset(state_); }
  ~Fingerprint() { XXH3_freeState(state_); }
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;

  void add(ByteSpan bytes) {
    add(bytes.size());
    XXH3_64bits_update(state_, bytes.data(), bytes.size());
  }
  void add(std::string_view text) {
    add(ByteSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  }
  void add(uint64_t number) { XXH3_64bits_update(state_, &number, sizeof number); }
  [[nodiscard]] uint64_t value() const { return XXH3_64bits_digest(state_); }

 private:
  XXH3_state_t* state_;
};

// Edges of other kinds say which calls returned, which concerns all functions.
bool has_only_indirect_jumps(const CodeImage& image, std::span<const ObservedEdge> edges) {
  const Decoder decoder;
  return std::ranges::all_of(edges, [&](const ObservedEdge& edge) {
    if (edge.from == ObservedEdge::kElsewhere || edge.to == ObservedEdge::kElsewhere) return false;
    const auto from = decoder.decode(image.at(edge.from), edge.from);
    return from && from->flow == Flow::kIndirectJump;
  });
}

}  // namespace

ModuleCode::ModuleCode()
    : image_(std::make_shared<CodeImage>()), symbols_(std::make_shared<ElfSymbols>()) {}

ModuleCode::ModuleCode(CodeImage image, std::shared_ptr<const ElfSymbols> symbols,
                       ModuleCache cache)
    : image_(std::make_shared<CodeImage>(std::move(image))),
      symbols_(std::move(symbols)),
      cache_(std::move(cache)) {}

ModuleCode::ModuleCode(std::string path, CodeImage image, std::vector<FrameRange> frames)
    : path_(std::move(path)),
      image_(std::make_shared<CodeImage>(std::move(image))),
      symbols_(std::make_shared<ElfSymbols>()),
      frames_(std::move(frames)) {}

Result<ModuleCode> ModuleCode::open(const std::string& path) { return open(path, Options{}); }

Result<ModuleCode> ModuleCode::open(const std::string& path, const Options& options) {
  TRY(const Bytes bytes, read_file(path));
  ModuleCode out;
  out.path_ = path;
  out.has_names_ = !options.hide_names;
  out.cache_ = ModuleCache::of_user();
  TRY_VOID(out.load(bytes, path));
  return out;
}

Result<ModuleCode> ModuleCode::open_memory(ByteSpan bytes, const Options& options) {
  ModuleCode out;
  out.has_names_ = !options.hide_names;
  TRY_VOID(out.load(bytes, {}));
  return out;
}

Result<void> ModuleCode::load(ByteSpan bytes, const std::string& debug_for) {
  const auto in_file = [&](Error error) {
    return std::unexpected(path_.empty() ? std::move(error)
                                         : std::move(error).in(fmt::format("in {}", path_)));
  };
  auto code = CodeImage::from_memory(bytes);
  if (!code) return in_file(std::move(code).error());
  auto names = ElfSymbols::from_memory(bytes);
  if (!names) return in_file(std::move(names).error());
  if (code->code_sections().empty()) return in_file({"P001", "the file holds no code", {}, {}});
  if (!debug_for.empty() && !names->has_symtab())
    if (const std::string debug_path = find_debug_file(
            {debug_for, names->build_id(), names->debug_link()}, system_debug_directories());
        !debug_path.empty())
      if (const auto debug = ElfSymbols::from_file(debug_path);
          debug && debug->build_id() == names->build_id())
        names->add_debug(*debug);
  image_ = std::make_shared<CodeImage>(std::move(*code));
  symbols_ = std::make_shared<ElfSymbols>(std::move(*names));
  return {};
}

const std::vector<FrameRange>& ModuleCode::frames() const {
  if (!frames_) frames_ = read_eh_frame(*image_);
  return *frames_;
}

std::shared_ptr<const FunctionTable> ModuleCode::functions(std::span<const uint64_t> called) const {
  const ElfSymbols* names = has_names_ ? symbols_.get() : nullptr;
  if (!functions_)
    functions_ = std::make_shared<FunctionTable>(FunctionTable::make(*image_, names, frames()));
  std::vector<uint64_t> more;
  for (const uint64_t address : called)
    if (!functions_->find(address)) more.push_back(address);
  // The slots of stubs tell of them, and know better where they end.
  std::erase_if(more, [&](uint64_t address) {
    return std::ranges::any_of(image_->sections(), [&](const CodeImage::Section& section) {
      return section.executable && section.name.starts_with(".plt") && address >= section.address &&
             address - section.address < section.size;
    });
  });
  if (more.empty()) return functions_;
  return std::make_shared<FunctionTable>(FunctionTable::make(*image_, names, frames(), more));
}

ModuleCache::Key ModuleCode::key() const {
  Fingerprint out;
  for (const CodeImage::Region& region : image_->regions()) {
    out.add(region.address);
    out.add(uint64_t{region.executable} << 1 | uint64_t{region.writable});
    out.add(ByteSpan(region.bytes));
  }
  for (const CodeImage::Section& section : image_->sections()) {
    out.add(std::string_view(section.name));
    out.add(section.address);
    out.add(section.size);
  }
  for (const CodeFunction& f : functions()->all()) {
    out.add(f.address);
    out.add(f.size);
    out.add(uint64_t{f.parent} << 2 | uint64_t{f.is_stub} << 1 | uint64_t{f.is_piece});
    out.add(std::string_view(f.name));
    for (const std::string& alias : f.aliases) out.add(std::string_view(alias));
  }
  return {build_id(), out.value()};
}

const ControlFlow& ModuleCode::flow() const {
  if (flow_) return *flow_;
  const bool is_cached = cache_.is_on() && !build_id().empty();
  const ModuleCache::Key key = is_cached ? this->key() : ModuleCache::Key{};
  if (const auto stored = is_cached ? cache_.load(key) : std::nullopt)
    if (auto facts = FlowFacts::decode(*stored, functions()->size()))
      flow_ = ControlFlow::resume(image_, *functions(), frames(), std::move(*facts));
  if (!flow_) {
    flow_ = ControlFlow::explore(image_, *functions(), frames());
    if (is_cached) cache_.store(key, flow_->facts().encode());
  }
  return *flow_;
}

ControlFlow ModuleCode::flow(ObservedCode observed) const {
  const auto table = functions(observed.called);
  if (!has_only_indirect_jumps(*image_, observed.edges))
    return ControlFlow::build(*image_, *table, frames(), observed.edges);
  if (observed.edges.empty() && table == functions_) return flow();
  return flow().with(*table, frames(), std::move(observed.edges));
}

}  // namespace twinrun
