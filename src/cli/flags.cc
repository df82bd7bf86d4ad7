// SPDX-License-Identifier: MIT
#include "cli/flags.h"

#include <CLI/CLI.hpp>

namespace twinrun {

Flag* Flag::type_name(const std::string& name) {
  option_->type_name(name);
  type_ = name;
  return this;
}

Flag* Flag::required() {
  option_->required();
  return this;
}

Flag* Flag::expected(int values) {
  option_->expected(values);
  return this;
}

Flag* Flag::one_at_a_time() {
  option_->allow_extra_args(false);
  return this;
}

Flag* Flag::take_all() {
  option_->take_all();
  return this;
}

Flag* Flag::hidden() {
  option_->group("");
  return this;
}

Flag* Flag::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return this;
}

Flag* Flag::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return this->words(words);
}

Flag* Flag::words(std::vector<std::string> words) {
  words_ = std::move(words);
  return this;
}

FlagSet::FlagSet() : app_(std::make_unique<CLI::App>()) {}

FlagSet::~FlagSet() = default;

Flag* FlagSet::keep(CLI::Option* option) { return &flags_.emplace_back(option); }

Flag* FlagSet::add_option(const std::string& names, std::string& value,
                          const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Flag* FlagSet::add_option(const std::string& names, std::vector<std::string>& value,
                          const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Flag* FlagSet::add_option(const std::string& names, uint32_t& value,
                          const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Flag* FlagSet::add_option(const std::string& names, std::optional<uint32_t>& value,
                          const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Flag* FlagSet::add_option(const std::string& names, uint64_t& value,
                          const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Flag* FlagSet::add_option(const std::string& names, double& value, const std::string& description) {
  return keep(app_->add_option(names, value, description));
}

Flag* FlagSet::add_flag(const std::string& names, bool& value, const std::string& description) {
  return keep(app_->add_flag(names, value, description));
}

}  // namespace twinrun
