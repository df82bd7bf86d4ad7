# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# zsh and fish accept their scripts where they are installed; all flags are in them everywhere.
for shell in zsh fish; do
  twinrun completion $shell >script.$shell
  if command -v $shell >/dev/null; then $shell -n script.$shell; fi
  has script.$shell control-flow-only max-size dry-run
done
has script.zsh "#compdef twinrun"
has script.fish "complete -c twinrun"
