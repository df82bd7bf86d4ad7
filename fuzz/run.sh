#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh [SECONDS [RUNS [TARGET]]]: builds each fuzzer, or one, with clang, ASan and UBSan and runs it
# for SECONDS (60), or with RUNS for that many executions. New inputs go to build/fuzz/<target>, findings to
# build/fuzz/<target>-findings; the corpus in the tree is left alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60} runs=${2:--1} target=${3:-*}
build=build/fuzz
mkdir -p "$build"
sanitizers=fuzzer-no-link,address,undefined
flags=(-std=c++23 -O1 -g -fno-omit-frame-pointer -DFMT_HEADER_ONLY -Isrc -I.
  "-fsanitize=$sanitizers" -fno-sanitize-recover=all)
libs=(-lzstd -lxxhash -lelf -ldw -lZydis)
objects=()
shopt -s globstar
for source in src/trace/**/*.cc src/program/*.cc src/base/*.cc src/match/*.cc \
  src/paths/path_{archive_reader,archive_walk,automaton,clock,code,event,grams,index,index_file}.cc \
  src/paths/path_{index_groups,pattern}.cc src/profile/read_*.cc \
  src/profile/{address_profile,bolt_names,code_index,count_code,count_complete,count_sampled}.cc \
  src/profile/{counted_flow,profile_text,write_bolt,write_callgrind}.cc; do
  [[ $source == *_test.cc ]] && continue
  object=$build/$(tr / _ <<<"${source%.cc}").o
  objects+=("$object")
  if [[ ! -f $object || -n $(find src/trace src/program src/base src/match src/paths src/profile format -newer "$object" -print -quit) ]]; then
    clang++-19 "${flags[@]}" -c "$source" -o "$object"
  fi
done
for source in fuzz/${target}_fuzz.cc; do
  name=$(basename "$source" _fuzz.cc)
  clang++-19 "${flags[@]}" -fsanitize=fuzzer "$source" "${objects[@]}" "${libs[@]}" -o "$build/$name.fuzzer"
  mkdir -p "$build/$name" "$build/$name-findings"
  echo "== $name"
  "$build/$name.fuzzer" -max_total_time="$seconds" -runs="$runs" -max_len=65536 -rss_limit_mb=3000 \
    -timeout=20 -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/$name-findings/" \
    "$build/$name" "fuzz/corpus/$name"
done
