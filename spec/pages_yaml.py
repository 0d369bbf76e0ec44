"""Pages of the codes `Y`: the file and its YAML."""

from __future__ import annotations

PAGES = (
    (
        "Y101",
        "file cannot be read",
        """
        The file does not exist, is a folder, or may not be read by you.

            tablelaw check rulse.yaml

        Check the spelling of the path: it is taken from the folder in which you are, and the paths under
        `include:` from the folder of the file that includes.
        """,
    ),
    (
        "Y102",
        "file is not UTF-8",
        """
        Rules are written in UTF-8. The place shown holds bytes that mean nothing in it, as when an older
        editor has saved `é` as a single byte.

        Save the file as UTF-8.
        """,
    ),
    (
        "Y103",
        "file is too large",
        """
        A file may have 4 MiB, which is far more than any rulebook.

        Make sure that it is the file you mean; else split it and merge the parts with `include:`.
        """,
    ),
    (
        "Y104",
        "text is no YAML",
        """
        The text cannot be read as YAML from the place shown on, so nothing below it was looked at. The usual
        causes are a text that holds punctuation and is not quoted, a bracket or quote that is not closed, and
        lines that are not indented alike.

            says: One thing: a player must move.      # `: ` inside a text
            check: {p for p in Player if old(p)}      # `{` begins a mapping
            \tdo: pot = 0                             # a tab

        Quote the text, or write it as a block below `|`; indent with spaces.

            says: "One thing: a player must move."
            do: |
              pot = 0
        """,
    ),
    (
        "Y105",
        "key is here twice",
        """
        A mapping has each key once. Many readers of YAML keep the later one silently; a rule would be lost.

            state:
              pot: {type: Points, init: 0}
              pot: {type: Points, init: 5}

        Rename one of them, or put the two together.
        """,
    ),
    (
        "Y106",
        "text unfolds to too much",
        """
        An alias (`*name`) repeats the value marked `&name`. Aliases of aliases grow quickly, and one inside the
        value that it repeats would never end, so the unfolded size of a file has a limit.

            a: &a [1, 2, *a]

        Write the values out; share formulas by `define:`, effects by `effects:`, and files by `include:`.
        """,
    ),
    (
        "Y107",
        "values are nested too deeply",
        """
        Lists and mappings may stand inside each other to a depth of 60.

        Most likely brackets are not closed. Else give the inner part a name of its own under `types:`, `define:`
        or `effects:`.
        """,
    ),
    (
        "Y108",
        "key is no text",
        """
        A key is a single text or number: neither a list nor a mapping nor an alias, nor left out.

            table: {[0, 0]: gate/1}
            check: :pot

        Quote it.

            table: {"(0, 0)": gate/1}
        """,
    ),
    (
        "Y109",
        "tags are not used",
        """
        In YAML a text that begins with `!` is a tag, which would give the next value a special type. Rules have
        no use for tags.

            check: !passed

        Formulas say `not`; quote a text that has to begin with `!`.

            check: not passed
        """,
    ),
    (
        "Y110",
        "more than one document",
        """
        A line of `---` begins a second YAML document in the file. A file holds the rules of one game.

        Take the line away, or split the file and merge its parts with `include:`.
        """,
    ),
    (
        "Y111",
        "nothing in the file",
        """
        The file is empty, or holds only comments.

        The smallest beginning of a game is

            tablelaw: 1
            game: pig
            players: 2
        """,
    ),
    (
        "Y112",
        "number is too long",
        """
        An unquoted text that looks like a number is read as one, exactly, up to 100 characters and powers of
        ten up to 100.

        Write a smaller number; quote it if it is meant as a text.
        """,
    ),
    (
        "Y113",
        "merge keys are not used",
        """
        `<<: *name` is a habit of some YAML readers, not a part of YAML 1.2.

        Write the entries out. Files are merged by `include:`; clauses replace others by `replaces:`.
        """,
    ),
    (
        "Y114",
        "comma splits a text",
        """
        Inside braces a comma ends an entry. What follows it became a key without a value.

            - {id: bank, says: Holding banks points, and ends the turn., check: pot > 0}

        Quote a text that holds a comma, and a formula that begins with a brace.

            - {id: bank, says: "Holding banks points, and ends the turn.", check: pot > 0}
            winners: "{p for p in Player if enough(score[p])}"
        """,
    ),
    (
        "Y115",
        "character is not used in texts",
        """
        The text holds a character that cannot be seen, such as a control character, half of a pair, or the line
        separators that many editors do not show as such. Two texts that look alike would differ.

        Take it away; most often it was pasted along with its neighbours.
        """,
    ),
)
