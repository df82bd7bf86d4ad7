// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace twinrun {

/// A flag or an operand of a verb. What changes it returns it, so that calls chain.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  /// How help calls the value.
  Flag* type_name(const std::string& name);
  Flag* required();
  /// So many values each time.
  Flag* expected(int values);
  /// One value each time, but the flag may be there more than once.
  Flag* one_at_a_time();
  Flag* take_all();
  /// Not in help, and no hint at a mistyped flag.
  Flag* hidden();
  Flag* between(double least, double most);
  Flag* one_of(const std::vector<std::string>& words);
  /// What the value can be, for completion; whoever takes the value checks it.
  Flag* words(std::vector<std::string> words);

  [[nodiscard]] const CLI::Option* option() const { return option_; }
  [[nodiscard]] const std::string& shown_type() const { return type_; }
  [[nodiscard]] const std::vector<std::string>& known_words() const { return words_; }

 private:
  CLI::Option* option_;
  std::string type_;  // CLI11 would add to it what a check accepts
  std::vector<std::string> words_;
};

/// The flags and operands of a verb. CLI11 is behind this, and in the few files that parse and
/// describe flags: each file that sees it takes several seconds longer to compile.
class FlagSet {
 public:
  FlagSet();
  ~FlagSet();
  FlagSet(const FlagSet&) = delete;
  FlagSet& operator=(const FlagSet&) = delete;

  /// Parsing writes to `value`. "-o,--output" is a flag with a value, "name" an operand.
  Flag* add_option(const std::string& names, std::string& value, const std::string& description);
  Flag* add_option(const std::string& names, std::vector<std::string>& value,
                   const std::string& description);
  Flag* add_option(const std::string& names, uint32_t& value, const std::string& description);
  Flag* add_option(const std::string& names, std::optional<uint32_t>& value,
                   const std::string& description);
  Flag* add_option(const std::string& names, uint64_t& value, const std::string& description);
  Flag* add_option(const std::string& names, double& value, const std::string& description);
  /// Has no value: true when given.
  Flag* add_flag(const std::string& names, bool& value, const std::string& description);

  /// All that were added, in order.
  [[nodiscard]] const std::deque<Flag>& flags() const { return flags_; }

  [[nodiscard]] CLI::App& app() { return *app_; }
  [[nodiscard]] const CLI::App& app() const { return *app_; }

 private:
  Flag* keep(CLI::Option* option);

  std::unique_ptr<CLI::App> app_;
  std::deque<Flag> flags_;
};

}  // namespace twinrun
