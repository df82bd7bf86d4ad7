#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# deb.sh SOURCE OUT: the Debian package installs into a small system, with nothing there but what it says it depends
# on and the shells that completions are for, and does there what docs/install.md says, by an ordinary user.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
source=$1 out=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/twinrun-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT
deb=$(echo "$out"/twinrun_*.deb)

make_system "$work/root" "$(dpkg-deb -f "$deb" Depends)" zsh fish bash-completion
cp "$out"/twinrun*.deb "$work/root/home/user"
# The action of GitHub asks for root by sudo, who is root there already.
cp "$source/.github/actions/twinrun-why/install.sh" "$work/root/root"
printf '#!/bin/sh\nexec "$@"\n' >"$work/root/usr/bin/sudo"
chmod 755 "$work/root/usr/bin/sudo"

commands_of "$source/docs/install.md" "Debian package" >"$work/page"
grep -q "^# apt-get remove twinrun" "$work/page" || fail "docs/install.md does not say how to remove it"
{
  grep -v "^# apt-get remove" "$work/page"
  # What the page does not say in commands.
  cat <<'EOT'
$ [[ $(id -u) == 1000 || $(wc -l </proc/self/uid_map) == 1 ]]
$ twinrun show D1 good bad | grep status
$ man=/usr/share/man/man1 && [[ $(ls $man/twinrun*.gz | wc -l) -gt 20 ]] && zcat $man/twinrun-why.1.gz | grep -q "EXIT STATUS"
# [[ -s /usr/share/doc/twinrun/copyright && -s /usr/share/doc/twinrun/changelog.Debian.gz ]]
# [[ -d /usr/lib/debug/.build-id ]]
$ bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader twinrun; complete -p twinrun'
$ zsh -fc 'autoload -U compinit; compinit -D; [[ $_comps[twinrun] == _twinrun ]] && autoload +X _twinrun'
$ [[ $(fish -c 'complete -C "twinrun recor"') == record* ]]
EOT
  grep "^# apt-get remove" "$work/page"
  cat <<'EOT'
# ! command -v twinrun && [[ ! -e /usr/libexec/twinrun && ! -e /usr/share/doc/twinrun ]]
$ [[ -s ~/.local/share/twinrun/good.twin ]]
# PACKAGE=$(echo twinrun_*.deb) VERSION= bash ~/install.sh && command -v twinrun
EOT
} >"$work/commands"
follow "$work/root" /home/user "$work/commands"
