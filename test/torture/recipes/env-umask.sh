# SPDX-License-Identifier: MIT
# umask, working directory and permissions of new files.
umask; umask 027; touch a; mkdir b; stat -c '%a %n' a b
umask 0; touch c; stat -c '%a' c
cd b && pwd | sed 's,.*/,,' && cd .. && rmdir b && ls
