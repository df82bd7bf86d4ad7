# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# An installation works from anywhere, with its man pages and completion scripts.
[[ -f $TWINRUN_BUILD/cmake_install.cmake ]] || skip "no build tree"
cmake --install "$TWINRUN_BUILD" --prefix "$PWD/prefix" >install.log 2>&1 || {
  cat install.log >&2
  fail "cmake --install"
}
prefix/bin/twinrun --version
for verb in record ls rm doctor; do [[ -s prefix/share/man/man1/twinrun-$verb.1 ]]; done
[[ -s prefix/share/bash-completion/completions/twinrun ]]
[[ -s prefix/share/zsh/site-functions/_twinrun ]]
[[ -s prefix/share/fish/vendor_completions.d/twinrun.fish ]]
needs_recorder
mv prefix moved
moved/bin/twinrun doctor >out || { cat out >&2; fail "doctor"; }
has out "$PWD/moved/libexec/twinrun"
ln -s "$PWD/moved/bin/twinrun" link
status 5 ./link record -q -o five -- sh -c 'exit 5'
