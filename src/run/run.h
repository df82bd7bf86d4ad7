// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/called_addresses.h"
#include "run/code_places.h"
#include "run/module_address.h"
#include "run/observed_jumps.h"
#include "run/symbols.h"
#include "trace/block.h"
#include "trace/maps.h"
#include "trace/reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace twinrun {

class Run;

/// One process of a recording, opened once: what it executed and what was mapped when.
///
/// Modules above this one compute more about a process (its values, its allocations). Each keeps
/// that here as a facet, so that it is computed once and lives as long as the run does.
class RunProcess {
 public:
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;

  [[nodiscard]] Run& run() const { return run_; }
  [[nodiscard]] const Reader& reader() const { return reader_; }
  [[nodiscard]] Binaries& binaries() const { return binaries_; }
  [[nodiscard]] const Process& process() const { return process_; }
  [[nodiscard]] uint32_t number() const { return process().info.number; }
  [[nodiscard]] const Dictionary& dictionary() const { return dictionary_; }
  [[nodiscard]] const MapHistory& maps() const { return maps_; }
  /// The file that it executes; without a path: not known.
  [[nodiscard]] const MappedFile& program() const { return program_; }
  [[nodiscard]] CodePlaces& places() {
    if (!places_) places_.emplace(binaries(), maps_, called_);
    return *places_;
  }
  /// Where its direct calls and its indirect jumps went: what a run adds to the code of binaries.
  [[nodiscard]] CalledAddresses& called() { return called_; }
  Result<std::span<const ObservedJump>> jumps();
  [[nodiscard]] Symbolizer& symbolizer() { return symbolizer_; }
  /// What was at the address when so many blocks had begun.
  [[nodiscard]] ModuleAddress module_address(Addr address, uint64_t blocks) const {
    return twinrun::module_address(binaries_, maps_, address, blocks);
  }

  /// The facet of that type, made on first use by `Facet::make(RunProcess&)`, which returns a
  /// Result<std::unique_ptr<Facet>>.
  template <typename Facet>
  Result<Facet*> facet() {
    std::shared_ptr<void>& slot = facets_[&kFacet<Facet>];
    if (slot == nullptr) {
      TRY(std::unique_ptr<Facet> made, Facet::make(*this));
      slot = std::move(made);
    }
    return static_cast<Facet*>(slot.get());
  }

 private:
  friend class Run;
  /// Its address names the type.
  template <typename Facet>
  static constexpr char kFacet = 0;

  RunProcess(Run& run, const Process& process, Dictionary dictionary, MapHistory maps);

  Run& run_;
  const Reader& reader_;
  Binaries& binaries_;
  const Process& process_;
  Dictionary dictionary_;
  MapHistory maps_;
  MappedFile program_;
  CalledAddresses called_;
  std::optional<std::vector<ObservedJump>> jumps_;
  std::optional<CodePlaces> places_;
  Symbolizer symbolizer_;
  std::map<const char*, std::shared_ptr<void>> facets_;
};

/// One recording, opened once: its file, its binaries, and its processes as they are asked for.
class Run {
 public:
  static Result<std::unique_ptr<Run>> open(
      const std::string& path, DebugDirectories debug_directories = system_debug_directories());
  explicit Run(std::unique_ptr<Reader> reader,
               DebugDirectories debug_directories = system_debug_directories())
      : reader_(std::move(reader)), binaries_(*reader_, std::move(debug_directories)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] const Reader& reader() const { return *reader_; }
  /// See Reader::keep_blocks().
  void keep_blocks(uint64_t most_bytes) { reader_->keep_blocks(most_bytes); }
  [[nodiscard]] Binaries& binaries() { return binaries_; }
  [[nodiscard]] const Binaries& binaries() const { return binaries_; }
  /// Stays open as long as the run does. T008 when there is no such process.
  Result<RunProcess*> process(uint32_t number);
  struct LoanEnd {
    bool closes = false;
    void operator()(RunProcess* lent) const {
      if (closes) lent->run().processes_.erase(lent->number());
    }
  };
  using Loan = std::unique_ptr<RunProcess, LoanEnd>;
  /// The same for those who look at one process after the other: it is closed when the loan ends,
  /// unless it was open before, so that memory does not follow the number of processes.
  Result<Loan> borrow(uint32_t number);

 private:
  std::unique_ptr<Reader> reader_;
  Binaries binaries_;
  std::map<uint32_t, std::unique_ptr<RunProcess>> processes_;
};

}  // namespace twinrun
