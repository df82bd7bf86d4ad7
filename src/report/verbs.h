// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace twinrun {

/// The command line as `twinrun help --json` describes it.
struct VerbFlag {
  std::vector<std::string> names;  // "-o", "--output"
  std::string value;               // "NAME", empty for a switch
  std::string description;
  std::vector<std::string> words = {};  // what the value can be, where that is known
  bool repeats = false;                 // may be there more than once
};
struct Verb {
  std::string name;
  std::string summary;
  std::string operands;
  std::vector<VerbFlag> flags;
  std::vector<Verb> parts;  // verbs of the verb, named in full: "profile convert"
};

std::string verbs_json(const std::vector<Verb>& verbs);

}  // namespace twinrun
