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
