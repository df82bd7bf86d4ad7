# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# git, as it is installed, with a branch that points nowhere.
needs_recorder
git --version >version 2>/dev/null || skip "no git"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
git init -q -b main repository
cd repository || fail "no repository"
git -c user.name=me -c user.email=me@example.org commit -q --allow-empty -m first
twinrun record -q -o fine -- git --no-pager log --oneline >../said
echo 0123 >.git/refs/heads/main
status 128 twinrun record -q -o broken -- git --no-pager log --oneline >../said 2>&1
status 1 twinrun why fine broken >../out
begins ../out ".git/refs/heads/main, line 1" "your current branch appears to be broken"
