# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of packages share: a small Debian system to install them into, and the commands of docs/install.md.
# The system has nothing in it but packages that are installed here, so that no test needs a mirror: Debian's minimal
# ones and what a package depends on.

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# make_system DIR DEPENDENCIES [PACKAGE...]: a system of the files and the package database of what is installed here;
# with TWINRUN_TEST_ALL=1 one that is made from a mirror.
make_system() {
  if [[ ${TWINRUN_TEST_ALL:-0} == 1 && $EUID == 0 ]]; then
    system_from_mirror "$@"
  else
    system_from_here "$@"
  fi
  local root=$1
  [[ -s $root/etc/passwd ]] || echo 'root:x:0:0::/root:/bin/bash' >"$root/etc/passwd"
  [[ -s $root/etc/group ]] || echo 'root:x:0:' >"$root/etc/group"
  echo 'user:x:1000:1000::/home/user:/bin/bash' >>"$root/etc/passwd"
  echo 'user:x:1000:' >>"$root/etc/group"
  mkdir -p "$root"/{proc,dev,tmp,root,run} "$root/home/user"
  # Without a mirror and without questions, by root, which is the only one there.
  rm -f "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/*
  echo 'APT::Get::Assume-Yes "true"; APT::Sandbox::User "root"; Dpkg::Use-Pty "0";' >"$root/etc/apt/apt.conf"
  chmod 1777 "$root/tmp"
}

# system_from_mirror DIR DEPENDENCIES [PACKAGE...]
system_from_mirror() {
  local root=$1 names
  # "libdw1 (>= 0.171), libc6" without the versions.
  names=$(printf '%s, ' "${@:2}" | sed -E 's/\([^)]*\)//g; s/[ ,]+/,/g; s/,$//')
  mmdebstrap --quiet --variant=minbase --include="$names" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"
}

# system_from_here DIR DEPENDENCIES [PACKAGE...]
system_from_here() {
  local root=$1 here packages
  shift
  here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
  packages=$(python3 "$here/closure.py" "$@")
  mkdir -p "$root/usr"/{bin,sbin,lib,lib64} "$root/etc" "$root/var/lib/dpkg/info"
  ln -s usr/bin usr/sbin usr/lib usr/lib64 "$root"
  # What debootstrap would copy, by the lists of the packages; documents are left out as in small images.
  # shellcheck disable=SC2086
  dpkg-query -L $packages | grep -vE '^/usr/share/(doc|man|info|locale|zoneinfo)/|^/\.$|^(diverted|package diverts)' |
    sort -u | sed 's|^/||' >"$root/files"
  tar -C / --no-recursion --ignore-failed-read -T "$root/files" -c 2>/dev/null |
    tar -C "$root" --keep-directory-symlink -x
  # shellcheck disable=SC2086
  dpkg-query -s $packages >"$root/var/lib/dpkg/status"
  local package
  for package in $packages; do
    cp /var/lib/dpkg/info/"$package"[.:]* "$root/var/lib/dpkg/info/"
  done
  cp /var/lib/dpkg/info/format "$root/var/lib/dpkg/info/"
  mkdir -p "$root"/var/lib/apt/lists/partial "$root"/var/cache/apt/archives/partial "$root"/var/log/apt "$root/etc/apt"
}

# follow DIR DIRECTORY FILE: follows the command lines of the file in the system, below that directory (follow.sh). Who
# may not become another user here does it in a user namespace, where root has an ordinary user's rights and stands
# for one.
follow() {
  local root=$1 directory=$2
  local -a unshare=(unshare --mount) become=(setpriv --reuid 1000 --regid 1000 --clear-groups)
  if ((EUID != 0)); then
    unshare=(unshare --mount --map-root-user)
    become=()
  fi
  "${unshare[@]}" true 2>/dev/null || {
    echo "skipped: no right to make a mount namespace"
    exit 77
  }
  cp "$(dirname "${BASH_SOURCE[0]}")/follow.sh" "$3" "$root"
  ((EUID != 0)) || chown -R 1000:1000 "$root/home/user"
  "${unshare[@]}" bash -euo pipefail -c '
    mount --rbind /proc "$0/proc"
    mount --rbind /dev "$0/dev"
    exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 TERM=dumb \
    bash -euo pipefail /follow.sh "$directory" "/$(basename "$3")" "${become[@]}"
}

# commands_of FILE HEADING: the commands in the indented blocks below the heading of this name, with their prompts:
# "# " for root, "$ " for anyone.
commands_of() {
  sed -n "/^## $2\$/,/^## /p" "$1" | sed -nE 's/^    ([#$] .*)$/\1/p'
}
