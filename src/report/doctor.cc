// SPDX-License-Identifier: MIT
#include "report/doctor.h"

#include "base/escape.h"
#include "report/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace twinrun {
namespace {

std::string_view health_name(Health health) {
  switch (health) {
    case Health::kOk: return "ok";
    case Health::kWarn: return "warn";
    case Health::kFail: return "fail";
  }
  return "unknown";
}

std::string painted(Health health, const Style& style) {
  const std::string word = fmt::format("{:<4}", health_name(health));
  switch (health) {
    case Health::kOk: return style.green(word);
    case Health::kWarn: return style.yellow(word);
    case Health::kFail: return style.red(word);
  }
  return word;
}

}  // namespace

size_t Diagnosis::count(Health health) const {
  return static_cast<size_t>(std::count_if(findings.begin(), findings.end(),
                                           [&](const Finding& f) { return f.health == health; }));
}

std::string diagnosis_text(const Diagnosis& diagnosis, const Style& style) {
  const size_t fails = diagnosis.count(Health::kFail);
  const size_t warnings = diagnosis.count(Health::kWarn);
  std::string out = fails > 0
                        ? fmt::format("this machine cannot record yet: {} of {} checks fail\n",
                                      fails, diagnosis.findings.size())
                        : fmt::format("this machine can record ({} checks, {} warnings)\n",
                                      diagnosis.findings.size(), warnings);
  for (const Finding& finding : diagnosis.findings) {
    out += fmt::format("  {}  {:<10} {}\n", painted(finding.health, style), finding.name,
                       escape_for_terminal(finding.detail));
    if (!finding.fix.empty()) {
      out += fmt::format("        = help: {}\n", escape_for_terminal(finding.fix));
    }
  }
  return out;
}

std::string diagnosis_json(const Diagnosis& diagnosis) {
  Json rows = Json::array();
  for (const Finding& finding : diagnosis.findings) {
    rows.push_back({{"name", finding.name},
                    {"health", health_name(finding.health)},
                    {"detail", finding.detail},
                    {"fix", finding.fix.empty() ? Json() : Json(finding.fix)}});
  }
  return render_json("doctor", 1,
                     {{"able", diagnosis.count(Health::kFail) == 0},
                      {"warnings", diagnosis.count(Health::kWarn)},
                      {"failures", diagnosis.count(Health::kFail)},
                      {"checks", rows}});
}

}  // namespace twinrun
