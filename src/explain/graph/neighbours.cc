// SPDX-License-Identifier: MIT
// Pointers that were never set. A run that dies of a NULL pointer did nothing wrong where that was
// written, often by clearing all of a structure, and what should have set it does not exist. But
// when what lies before and behind it in memory was both written later, by one function, that is
// where it was forgotten.
//
// Of values that are merely old the same can be said, and was: on bugs that nobody had in mind it
// was wrong each time. So the second run must have died of a bad address, and the word be NULL.
#include "explain/graph/slice_align.h"

#include "base/text.h"
#include "values/past_memory.h"
#include "values/past_state.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace twinrun {
namespace {

constexpr uint64_t kWord = 8;

/// The last instruction that wrote to the word, or to a member in it, at or after `since`; nothing
/// when there is none.
Result<std::optional<LastWriter>> writer_since(const BlockOf& reader, uint64_t word,
                                               BlockAt since) {
  TRY(const BlockFlow* flow, reader.view->slicer.flow_at(reader.at));
  const Moment at{reader.at, static_cast<uint32_t>(flow->ir.statements.size())};
  TRY(const auto writers, reader.view->slicer.writers().memory(
                              at, word, kWord, LastWriters::Search::kStores, since.segment));
  std::optional<LastWriter> out;
  for (const BytesWritten& bytes : writers) {
    if (bytes.writer.kind != LastWriter::Kind::kStatement) continue;
    if (!out || out->block < bytes.writer.block) out = bytes.writer;
  }
  return out && since < out->block ? out : std::nullopt;
}

/// Whether a word is zero when the instruction is reached.
bool is_null(const InstructionOf& reader, uint64_t word) {
  std::array<uint8_t, kWord> bytes{};
  PastMemory memory(*reader.view, {reader.at.block, 0});
  return memory.read(word, bytes) && std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}

/// The kernel maps the program before anything else.
std::string_view program_of(const ProcessView& view) {
  const auto& files = view.maps.files();
  return files.empty() ? std::string_view() : base_name(files[0].path);
}

}  // namespace

/// Of those that wrote beside a pointer: both when one function wrote on both sides, else the later
/// one, which had the structure in hand last. Tables that the loader and libraries fill are not the
/// program's to forget.
Result<std::vector<InstructionOf>> SliceAlign::forgetful_writers(
    const InstructionOf& reader, const std::optional<LastWriter>& before,
    const std::optional<LastWriter>& behind) {
  struct Found {
    InstructionOf at;
    uint64_t function = 0;
  };
  std::vector<Found> found;
  for (const auto* writer : {&before, &behind}) {
    if (!*writer) continue;
    TRY(const BlockFlow* flow, reader.view->slicer.flow_at((*writer)->block));
    TRY(const InstructionOf at,
        instruction_of(*reader.view,
                       {(*writer)->block, flow->instruction_of[(*writer)->statement]}));
    TRY(const NamedInstruction name, at.view->namer.row(at.at));
    if (name.module == program_of(*at.view)) found.push_back({at, name.pc - name.offset});
  }
  if (found.size() == 2 && found[0].function != found[1].function)
    found.erase(
        std::ranges::min_element(found, {}, [](const Found& one) { return one.at.at.block; }));
  std::vector<InstructionOf> out;
  out.reserve(found.size());
  for (const Found& one : found) out.push_back(one.at);
  return out;
}

void SliceAlign::note_old_words(const Slice& slice, const std::vector<uint32_t>& number,
                                const InstructionOf& from) {
  const auto note = [&](uint32_t node, uint64_t where, std::optional<BlockAt> written) {
    if (old_words_.size() == options_.old_words || !known_words_.insert(where / kWord).second)
      return;
    // Its neighbours would belong to other variables, which come and go.
    const Mapping* there =
        from.view->maps.find({where}, from.view->number_of(slice.nodes[node].block));
    if (there == nullptr || there->kind == TW_MAP_STACK) return;
    old_words_.push_back({number[node],
                          {from.view, slice.nodes[node], {}},
                          where / kWord * kWord,
                          written.value_or(BlockAt{})});
  };
  for (const Dependence& edge : slice.edges) {
    if (edge.kind == Dependence::Kind::kMemory && edge.size <= kWord)
      note(edge.from, edge.where, slice.nodes[edge.to].block);
  }
  for (const SliceInput& input : slice.inputs) {
    if (input.node != ~0u && input.in_memory && input.size <= kWord &&
        input.writer.kind != LastWriter::Kind::kOutside)
      note(input.node, input.where, std::nullopt);
  }
}

Result<void> SliceAlign::add_neighbours() {
  if (!fault_ || fault_->first != RunSide::kB) return {};
  // The latest first, so that what is computed for one serves the next.
  std::ranges::stable_sort(old_words_, std::greater(),
                           [](const OldWord& old) { return old.reader.at.block; });
  uint64_t searched = 0;
  for (const OldWord& old : old_words_) {
    TRY(const Registers registers, registers_before(*old.reader.view, old.reader.at));
    uint64_t sp = 0;
    if (!registers.knows(reg::kRsp, sizeof sp)) continue;
    std::memcpy(&sp, registers.bytes.data() + reg::kRsp, sizeof sp);
    // Neighbours on the stack belong to other variables, which come and go.
    if (is_on_stack(old.word, sp) || !is_null(old.reader, old.word)) continue;
    if (searched > options_.old_segments) break;
    const LastWriters& search = old.reader.view->slicer.writers();
    const uint64_t begun = search.segments_searched();
    TRY(const auto before, writer_since(block_of(old.reader), old.word - kWord, old.written));
    TRY(const auto behind, writer_since(block_of(old.reader), old.word + kWord, old.written));
    searched += search.segments_searched() - begun;
    TRY(const auto writers, forgetful_writers(old.reader, before, behind));
    for (const InstructionOf& writer : writers) {
      TRY(const uint32_t node, single_node(RunSide::kB, writer, nullptr));
      out_.nodes[node].is_beside = true;
      add_edge({.from = old.node, .to = node});
    }
  }
  return {};
}

}  // namespace twinrun
