// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "run/symbols.h"
#include "trace/position.h"
#include "trace/reader.h"

#include <memory>
#include <string>
#include <vector>

namespace twinrun {

/// The two recordings of a command that compares.
class RecordingPair {
 public:
  /// By their names, as in resolve_recording().
  static Result<std::unique_ptr<RecordingPair>> open(const std::string& a, const std::string& b);

  [[nodiscard]] const Reader& a() const { return *a_; }
  [[nodiscard]] const Reader& b() const { return *b_; }
  [[nodiscard]] Binaries& binaries_a() { return binaries_a_; }
  [[nodiscard]] Binaries& binaries_b() { return binaries_b_; }

  /// In which positions of both are unambiguous.
  [[nodiscard]] PositionForm form() const;
  /// What is to be said behind the output: warnings, and that a recording lacks its end.
  void print_notes() const { print_notes(binaries_a_.warnings()); }
  /// With warnings that are known already.
  void print_notes(const std::vector<std::string>& warnings) const;

 private:
  RecordingPair(std::unique_ptr<Reader> a, std::unique_ptr<Reader> b)
      : a_(std::move(a)), b_(std::move(b)), binaries_a_(*a_), binaries_b_(*b_) {}

  std::unique_ptr<Reader> a_;
  std::unique_ptr<Reader> b_;
  Binaries binaries_a_;
  Binaries binaries_b_;
};

}  // namespace twinrun
