// SPDX-License-Identifier: MIT
// Arbitrary text as a profile of a small binary, in every format; what can be read is held against
// the code, written again and read once more.
#include "base/check.h"
#include "profile/count_code.h"
#include "profile/profile_samples.h"
#include "profile/write_profile.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace twinrun;

namespace {

struct Sample {
  ModuleCode binary = sample_binary();
  BoltNames names = sample_names(binary);
};

// No block has more than it was said to have: counts of what does not fit are left out.
void again(const Sample& sample, const ProfileSubject& subject, const CodeCounts& counts) {
  for (const auto& [format, text] :
       {std::pair(ProfileFormat::kFdata, write_fdata(sample.binary, sample.names, counts)),
        std::pair(ProfileFormat::kPreaggregated, write_preaggregated(sample.binary, counts)),
        std::pair(ProfileFormat::kCallgrind, write_callgrind(sample.binary, counts, nullptr))}) {
    const auto profile = read_profile(text, format, subject);
    CHECK(profile.has_value()) << profile.error().message;
    CHECK(count_code(sample.binary, *profile).fit.misfit == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Sample sample;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(detect_profile_format(text));
  const ProfileSubject subject{sample.binary, sample.names, {}};
  for (const ProfileFormat format :
       {ProfileFormat::kCallgrind, ProfileFormat::kFdata, ProfileFormat::kPreaggregated,
        ProfileFormat::kPerfScript, ProfileFormat::kAutofdo}) {
    const auto profile = read_profile(text, format, subject);
    if (!profile) {
      CHECK(!profile.error().code.empty());
      continue;
    }
    const CountedCode counted = count_code(sample.binary, *profile);
    CHECK(counted.fit.misfit <= counted.fit.weight);
    static_cast<void>(check_fit(sample.binary, *profile, counted.fit));
    again(sample, subject, counted.counts);
  }
  return 0;
}
