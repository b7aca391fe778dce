"""`refrank completion`: what real shells offer after the first letters of a word."""

import shutil
import subprocess

import pytest

from tests.cli.command_line import run

OFFERS = [  # the line so far, and what may come
    ("refrank tr", {"train", "trace"}),
    ("refrank train gb", {"gbrt"}),
    ("refrank train gbrt --initial ", {"mean", "zero"}),
    ("refrank train gbrt rows.txt --max-d", {"--max-depth"}),
    ("refrank train rf --max-", {"--max-features"}),
    ("refrank train ls rows.txt --n-l", {"--n-leaves"}),
    ("refrank conform jud", {"judge"}),
    ("refrank evaluate rows.txt --spec yah", {"yahoo"}),
    ("refrank data check --unlabelled d", {"drop"}),
]
ASK_BASH = 'COMP_WORDS=($LINE); [[ $LINE == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); '
ASK = {
    "bash": 'eval "$SCRIPT"\nwhile read -r LINE; do LINE=${LINE%.}; '
    + ASK_BASH
    + 'COMPREPLY=(); _refrank; echo "${COMPREPLY[@]}"; done',
    "fish": "echo $SCRIPT | source\nwhile read -l line; echo (complete -C (string sub -e -1 -- $line) | cut -f 1); end",
}


@pytest.mark.parametrize("shell", ASK)
def test_a_shell_offers_what_may_come(capsys, tmp_path, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    code, script, errors = run(capsys, "completion", shell)
    assert (code, errors) == (0, [])
    environment = {"SCRIPT": "\n".join(script), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    (tmp_path / "refrank").write_text("")
    lines = "".join(f"{line}.\n" for line, _ in OFFERS)
    words = [program, *(["--noprofile", "--norc"] if shell == "bash" else ["--no-config"]), "-c", ASK[shell]]
    asked = subprocess.run(
        words, input=lines, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert asked.stderr == ""
    assert [{*line.split()} for line in asked.stdout.splitlines()] == [offers for _, offers in OFFERS]


def test_zsh_reads_the_script_of_bash(capsys, tmp_path):
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("zsh is not installed")
    _, script, _ = run(capsys, "completion", "zsh")
    ask = 'eval "$SCRIPT"; emulate ksh; COMP_WORDS=(refrank conform ""); COMP_CWORD=2; _refrank; echo ${COMPREPLY[@]}'
    environment = {"SCRIPT": "\n".join(script), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    asked = subprocess.run([program, "-f", "-c", ask], env=environment, capture_output=True, text=True, timeout=60)
    assert asked.stderr == ""
    assert {"diff", "judge", "kernel"} <= {*asked.stdout.split()}
