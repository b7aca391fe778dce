"""Texts in the LETOR format: what the kernel reads, and with a damage, what is refused."""

from hypothesis import strategies as st

DIGITS = st.text("0123456789", min_size=1, max_size=40) | st.text("0123456789", min_size=1, max_size=6)
EXPONENTS = st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 45))


@st.composite
def numbers(draw):
    """A decimal: sign, digits with a point anywhere or nowhere, exponent."""
    digits = draw(DIGITS)
    place = draw(st.none() | st.integers(0, len(digits)))
    text = digits if place is None else f"{digits[:place]}.{digits[place:]}"
    return draw(st.sampled_from(["", "", "+", "-"])) + text + draw(st.just("") | EXPONENTS)


BLANKS = st.sampled_from([" ", " ", "\t", "  ", " \t "])
COMMENTS = st.just("") | st.text("ab# :\té\x00\r", max_size=6).map("#{}".format)


@st.composite
def lines(draw):
    """A line in the common form, among them sparse ones, some without features, some without data."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(["", " \t", "# heading", "  #", "\r"]))
    label = draw(st.sampled_from(["0", "1", "4", "+2", "-0", "003", "9007199254740992"]))
    query = draw(st.integers(-(10**17), 10**17) | st.integers(0, 9) | st.sampled_from([2**63, "q_1", "7a", "\xe9"]))
    features = draw(st.dictionaries(st.integers(1, 12), numbers(), max_size=12))
    items = [label, f"qid:{query}", *(f"{index}:{features[index]}" for index in sorted(features))]
    line = draw(st.sampled_from(["", " "])) + items[0] + "".join(draw(BLANKS) + item for item in items[1:])
    return line + draw(st.sampled_from(["", " ", "\t\r"])) + draw(COMMENTS)


@st.composite
def files(draw):
    """A text of such lines."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return (
        newline.join(draw(st.lists(lines(), min_size=1, max_size=8))) + draw(st.sampled_from(["", newline]))
    ).encode()


@st.composite
def damaged_files(draw):
    """A text with a few bytes in the place of others."""
    content = draw(files())
    place, n_removed = draw(st.integers(0, len(content))), draw(st.integers(0, 3))
    rare = st.sampled_from([b"\x00", b"_", b":", b"\x0b", b"#", b"inf", b"-1", b"1e999", b"\n"])
    return content[:place] + draw(st.binary(max_size=2) | rare) + content[place + n_removed :]
