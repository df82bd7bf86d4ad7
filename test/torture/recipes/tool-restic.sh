# SPDX-License-Identifier: MIT
# A Go program: restic makes a repository, backs up and restores.
# torture: needs=restic
# torture: slow=yes
# torture: timeout=300
# torture: files=no
export RESTIC_PASSWORD=x RESTIC_REPOSITORY=$PWD/repo RESTIC_CACHE_DIR=$PWD/cache
mkdir d; seq 2000 > d/a; seq 10 > d/b
restic version | cut -d' ' -f1
restic init -q && restic backup -q d && restic restore -q latest --target out && diff -r d out"$PWD"/d && echo equal
