#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Puts the twinrun of PACKAGE, or that of the release VERSION, into the PATH of the steps that follow.
set -euo pipefail

trouble() {
  echo "::error::$*"
  exit 2
}

package=$PACKAGE
if [[ ! $package && $VERSION ]]; then
  [[ $VERSION =~ ^[0-9][0-9A-Za-z.+~-]*$ ]] || trouble "twinrun-why: this is no version of twinrun: $VERSION"
  name=twinrun-$VERSION-x86_64-linux.tar.gz
  package=$RUNNER_TEMP/$name
  url=$GITHUB_SERVER_URL/$REPOSITORY/releases/download/v$VERSION/$name
  curl --fail --location --silent --show-error --retry 3 --output "$package" "$url" ||
    trouble "twinrun-why: cannot download $url"
fi
case $package in
  '')
    command -v twinrun >/dev/null || trouble "twinrun-why: there is no twinrun in PATH; give package or version"
    ;;
  *.deb)
    # With a slash in front, or apt takes it for a name.
    sudo apt-get install --yes "$(realpath "$package")"
    ;;
  *.tar.gz)
    [[ -f $package ]] || trouble "twinrun-why: there is no file $package"
    mkdir -p "$RUNNER_TEMP/twinrun"
    tar -xf "$package" -C "$RUNNER_TEMP/twinrun" --strip-components=1
    echo "$RUNNER_TEMP/twinrun/bin" >>"$GITHUB_PATH"
    PATH=$RUNNER_TEMP/twinrun/bin:$PATH
    ;;
  *) trouble "twinrun-why: package is neither a .tar.gz nor a .deb: $package" ;;
esac
twinrun doctor || trouble "twinrun-why: this machine cannot record; the log tells why"
