# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Profiles that are malformed, or of something else, and commands that make no sense.
cat >a.c <<'C'
int f(int x) { return x > 3 ? x : -x; }
int main(int n, char **v) { (void)v; return f(n); }
C
sed 's/-x/x * x * 77 + 1/; s/f(n)/f(n) + f(n * 5)/' a.c >b.c
cc -O1 -fno-inline -Wl,--build-id -o a a.c
cc -O1 -fno-inline -Wl,--build-id -o b b.c
echo "1 main 0 1 f 0 0 3" >good
twinrun profile convert --binary a --format fdata --output-format fdata - </dev/null >/dev/null 2>err && fail "no error"
echo "1 main 0 1" >cut.fdata
status 2 twinrun profile convert --binary a --format fdata cut.fdata --output-format json 2>err
has err "error[F002]: line 1: " "in cut.fdata, read as fdata"
printf '1 nowhere 0 1 f 0 0 30\n1 nowhere 0 1 nobody 0 0 5\n' >names.fdata
status 2 twinrun profile convert --binary a names.fdata --output-format json 2>err
has err "error[F004]" "100.0% of its counts"
echo hello >hello
status 2 twinrun profile convert --binary a hello --output-format json 2>err
has err "error[F001]" "callgrind, fdata"
: >empty
status 2 twinrun profile convert --binary a --format preagg empty --output-format json 2>err
has err "error[F005]"
status 2 twinrun profile convert --binary missing good --output-format json 2>err
has err "error[P002]"
status 2 twinrun profile convert good --output-format json 2>err
has err "error[C004]" "--binary"
status 2 twinrun profile convert --binary a good 2>err
has err "error[C004]" "--output-format"
status 2 twinrun profile convert --binary a good --output-format jsn 2>err
has err "error[C003]" "did you mean 'json'?"
status 2 twinrun profile convert --binary a good --format fdta --output-format json 2>err
has err "error[C003]" "did you mean 'fdata'?"
status 2 twinrun profile score --binary a good 2>err
has err "error[C004]"
touch there.json
status 2 twinrun profile convert --binary a good -o there.json 2>err
has err "error[S009]"
# Of another build of the program, as the profile itself says.
echo "0 [unknown] 0 1 f 0 0 3" >entries
twinrun profile convert --binary a entries --output-format callgrind >a.callgrind
twinrun profile convert --binary a a.callgrind --output-format fdata >again
same entries again
status 2 twinrun profile convert --binary b --object a a.callgrind --output-format json 2>err
has err "error[F004]: the profile is of another binary: its build id is"
# Parts of the verb: help and hints know them.
status 2 twinrun profile 2>err
has err "error[C004]" "convert, merge, score"
status 2 twinrun profile convrt 2>err
has err "error[C001]" "did you mean 'convert'?"
status 2 twinrun profile convert --bnary a 2>err
has err "error[C002]: profile convert has no flag" "did you mean '--binary'?"
twinrun help profile convert >one
twinrun profile convert --help >two
same one two
has one "usage: twinrun profile convert" "man twinrun-profile"
twinrun help --json >help.json
json help.json '[p["name"] for v in d["verbs"] if v["name"] == "profile" for p in v["parts"]][:1] == ["profile migrate"]'
