# SPDX-License-Identifier: MIT
# git: commits, branches, a merge and gc with its helpers.
# torture: needs=git
# torture: files=no
# torture: slow=yes
export GIT_AUTHOR_DATE='2024-01-02 03:04:05 +0000' GIT_COMMITTER_DATE='2024-01-02 03:04:05 +0000'
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main r && cd r
for i in 1 2 3 4; do seq $((i * 100)) > f$i; git add f$i; git commit -q -m "commit $i"; done
git checkout -q -b side HEAD~2; echo x > side; git add side; git commit -q -m side; git checkout -q main
git merge -q -m merge side; git gc -q; git fsck 2>&1; git log --format='%H %s' --stat | cat; git count-objects -v | grep -v size
# torture: timeout=120
