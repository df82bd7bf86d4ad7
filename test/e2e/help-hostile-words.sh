# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Words of the user or of files never reach a terminal unescaped.
escape=$(printf '\033')
status 2 twinrun "${escape}[31mred" 2>err
not grep -q "$escape" err
has err '\x1b[31mred'
status 2 twinrun rm $'a\nb\u202e' 2>err
has err 'a\nb\u{202e}'
not twinrun record -- "./${escape}[2Jno-such" 2>err
not grep -q "$escape" err
