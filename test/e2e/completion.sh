# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# check_completion SHELL: what a person at a terminal gets of it. The scripts completion-SHELL.sh share this.
check_completion() {
  local shell=$1
  command -v "$shell" >/dev/null || skip "no $shell"
  twinrun completion "$shell" >script
  "$shell" -n script
  mkdir -p "$XDG_DATA_HOME/twinrun" dir
  touch -d 2020-01-01 "$XDG_DATA_HOME/twinrun/mine.twin"
  touch -d 2020-01-02 "$XDG_DATA_HOME/twinrun/other.twin"
  touch -d 2020-01-03 "$XDG_DATA_HOME/twinrun/with blank.twin"
  # What no shell may take for more than a name.
  touch -d 2020-01-04 "$XDG_DATA_HOME/twinrun/a\$(touch made)b.twin"
  printf '#!/bin/sh\n' >tool
  chmod +x tool
  touch data.txt

  # TYPED | the words that may come in place of the last one
  cat >cases <<'EOT'
twinrun rec|record
twinrun --ver|--version
twinrun record --contr|--control-flow-only
twinrun record -o na --max|--max-size
twinrun record --wait a|all
twinrun record --max-size |
twinrun record ./too|./tool
twinrun record -q -o x ./tool data.|data.txt
twinrun record --timeout 5 -- ./tool data.|data.txt
twinrun record -o x -- twinrun doct|doctor
twinrun record -- twinrun doct|doctor
twinrun record -- ./too|./tool
twinrun record twinrun rm mi|mine
twinrun record --json data.|data.txt
twinrun export --format d|dot
twinrun export --format=pe|--format=perfetto
twinrun export --limit |
twinrun paths --scheme i|index
twinrun align --pair-loops n|number
twinrun align --anchor f|first-input
twinrun calls --allocator x --alloc|--allocations --allocator
twinrun match ./too|./tool
twinrun match --min-strength s|strong
twinrun profile conv|convert
twinrun profile convert --bin|--binary
twinrun profile convert --format perf|perf-script
twinrun profile merge --output-format l|llvm
twinrun profile convert data.|data.txt
twinrun rm mi|mine
twinrun rm @|@ @1 @2 @3
twinrun rm @1|@1
twinrun why @1 ot|other
twinrun why --format ju|junit
twinrun show D1 oth|other
twinrun info ./data.|./data.txt
twinrun cfg --in mi|mine
twinrun help doc|doctor
twinrun help profile me|merge
twinrun completion f|fish
twinrun nonsense |
EOT
  cut -d '|' -f 1 cases >typed
  # All there is, verb by verb: the declarations that parse it are told by help.
  twinrun help --json >help.json
  python3 - <<'PY' >everything
import json
verbs = json.load(open("help.json"))["verbs"]
print("twinrun |" + " ".join(v["name"] for v in verbs))
for verb in verbs + [part for v in verbs for part in v.get("parts", [])]:
    flags = [name for flag in verb["flags"] for name in flag["names"] if name.startswith("--")]
    print(f"twinrun {verb['name']} --|" + " ".join(flags))
    for flag in verb["flags"]:
        if flag["words"]: print(f"twinrun {verb['name']} {flag['names'][-1]} |" + " ".join(flag["words"]))
PY
  (($(wc -l <everything) > 40)) || fail "help --json tells too little"
  cat cases everything >all
  cut -d '|' -f 1 all >typed
  python3 "$TWINRUN_SOURCE/test/e2e/press_tab.py" "$shell" script <typed >got
  paste -d '|' all got | python3 -c '
import json, sys
bad = 0
for line in sys.stdin:
    typed, expected, got = line.rstrip("\n").split("|")
    # zsh puts the "=" behind flags that take a value there; the verbs stand among the flags of the program itself.
    got = [word.removesuffix("=") for word in json.loads(got) if typed != "twinrun " or word[0] != "-"]
    if got != expected.split() if typed == "twinrun " else sorted(got) != sorted(expected.split()):
        print(f"{typed!r}: {got} instead of {expected.split()}")
        bad = 1
sys.exit(bad)' || fail "completion of $shell"
  printf 'twinrun rm \ntwinrun rm w\ntwinrun rm a\n' >typed
  rm -rf "$shell-home"
  python3 "$TWINRUN_SOURCE/test/e2e/press_tab.py" "$shell" script <typed >got
  cat >expected <<'EOT'
["a$(touch made)b", "with blank", "other", "mine"]
["with blank"]
["a$(touch made)b"]
EOT
  same got expected
  [[ ! -e made ]] || fail "the name of a recording was executed"
}
