"""Blocks of the chapters: each is highlighted as what it is, a session of Python or of a shell, or as text."""

COMMANDS = ("$ ", "pip ", "python ", "refrank ", "scripts/", "bash ", "export ", "git ", "apt-get ")


def choose_lexer(text: str) -> str:
    """Return the name of the lexer of a block without a language.

    >>> [choose_lexer(text) for text in ("gain\\n>>> 1 + 1", "$ refrank trace softmax", "refrank bench", "a  b")]
    ['pycon', 'console', 'console', 'text']
    """
    if text.startswith(">>> ") or "\n>>> " in text:
        return "pycon"
    return "console" if text.startswith(COMMANDS) else "text"
