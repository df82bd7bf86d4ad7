#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tarball.sh SOURCE OUT: the tarball works below a path with blanks, on a system that has none of the libraries but
# the C library's, by an ordinary user, as docs/install.md and its own README.md say.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
source=$1 out=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-tarball.XXXXXX")
trap 'rm -rf "$work"' EXIT

make_system "$work/root" zsh fish
place="/home/user/a place with blanks"
mkdir "$work/root$place"
cp "$out"/twinrun-*.tar.gz "$work/root$place"
name=$(basename "$out"/twinrun-*.tar.gz .tar.gz)

commands_of "$source/docs/install.md" Tarball >"$work/page"
grep -qF "$name/bin/twinrun doctor" "$work/page" || fail "docs/install.md does not say how to use it"
{
  cat "$work/page"
  cat <<EOT
\$ [[ \$(id -u) == 1000 || \$(wc -l </proc/self/uid_map) == 1 ]]
\$ ! ls /usr/lib/x86_64-linux-gnu/libZydis* /usr/lib/x86_64-linux-gnu/libfmt*
\$ cd $name && grep -q "glibc 2.36" README.md && ls -R share/man/man1/twinrun-why.1 share/doc/twinrun/licences/libdw.so.1
# mv $name moved && ./moved/bin/twinrun doctor | grep "$place/moved/libexec/twinrun"
\$ PATH=\$PWD/moved/bin:\$PATH; bash -c 'source <(twinrun completion bash); complete -p twinrun'
\$ PATH=\$PWD/moved/bin:\$PATH; zsh -fc 'autoload -U compinit; compinit -D; source <(twinrun completion zsh) && [[ -n \$_comps[twinrun] ]]'
\$ PATH=\$PWD/moved/bin:\$PATH; fish -c 'twinrun completion fish | source; complete -C "twinrun recor"' | grep "^record"
EOT
} >"$work/commands"
follow "$work/root" "$place" "$work/commands"
