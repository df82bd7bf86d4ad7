# SPDX-License-Identifier: MIT
"""press_tab.py bash|zsh|fish SCRIPT: types command lines into a shell that has read the completion script, as a person
at a terminal does, and asks for all completions. Reads the lines from standard input and prints for each a line of
JSON: what came in place of its last word."""

import json
import os
import pathlib
import pty
import select
import subprocess
import sys
import time

# ^T puts all completions there are into the line; what is then there is told by the command `words` in front of it.
BASH = """
unset HISTFILE; PS1='$ '
bind 'set completion-query-items 0' ; bind 'set page-completions off' ; bind '"\\C-t": insert-completions'
[[ ! -e /usr/share/bash-completion/bash_completion ]] || . /usr/share/bash-completion/bash_completion
. {script}
words() {{ printf '%s\\n' "$@" >{answer}.part; mv {answer}.part {answer}; }}
"""
ZSH = """
unset HISTFILE; PS1='$ '; setopt no_beep interactive_comments
autoload -U compinit; compinit -D -u
fpath=({directory} $fpath); autoload -U _twinrun; compdef _twinrun twinrun
zle -C all-matches complete-word _generic
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' old-matches true
zstyle ':completion:all-matches:*' insert true
bindkey -e; bindkey '^T' all-matches
words() {{ print -rl -- "$@" >{answer}.part; mv {answer}.part {answer}; }}
"""


class Terminal:
    def __init__(self, argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(argv[0], argv, {**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null", "COLUMNS": "4000"})

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def drain(self):
        while select.select([self.fd], [], [], 0)[0]:
            os.read(self.fd, 65536)

    def answer(self, path):
        for _ in range(4000):
            self.drain()
            if path.exists():
                text = path.read_text()
                path.unlink()
                return text.split("\n")[:-1]
            time.sleep(0.005)
        sys.exit("press_tab.py: the shell does not answer")


def ask_terminal(shell, script, lines):
    directory = pathlib.Path.cwd() / f"{shell}-home"
    directory.mkdir()
    answer = directory / "answer"
    settings = {"script": script.resolve(), "directory": directory, "answer": answer}
    if shell == "bash":
        (directory / "rc").write_text(BASH.format(**settings))
        terminal = Terminal(["bash", "--noprofile", "--rcfile", str(directory / "rc"), "-i"])
    else:
        (directory / "_twinrun").write_text(script.read_text())
        (directory / ".zshrc").write_text(ZSH.format(**settings))
        os.environ["ZDOTDIR"] = str(directory)
        terminal = Terminal(["zsh", "-i"])
    terminal.type("words ready\n")
    terminal.answer(answer)
    for line in lines:
        terminal.type(line + "\x14\x01words \x05\n")
        yield terminal.answer(answer)[len(line.split(" ")) - 1 :]


def ask_fish(script, lines):
    for line in lines:
        out = subprocess.run(
            ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line],
            stdout=subprocess.PIPE, text=True, check=True).stdout
        yield [row.split("\t")[0] for row in out.splitlines()]


shell, script = sys.argv[1], pathlib.Path(sys.argv[2])
lines = sys.stdin.read().split("\n")[:-1]
for words in ask_fish(script, lines) if shell == "fish" else ask_terminal(shell, script, lines):
    print(json.dumps([word for word in words if word]), flush=True)
