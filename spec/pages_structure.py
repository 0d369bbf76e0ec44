"""Pages of the codes `S` and `E`: the form of a rules file, the grammar of formulas."""

from __future__ import annotations

PAGES = (
    (
        "S201",
        "unknown key",
        """
        The forms of a rules file have fixed keys, and this is none of them. Most often it is misspelt, or
        indented so that it belongs to something else.

            roll:
              bye: turn

        Write the key as the message suggests; see that it stands below what it belongs to.

            roll:
              by: turn
        """,
    ),
    (
        "S202",
        "key is missing",
        """
        A form lacks a key that it cannot do without. It is looked for when all included files are put
        together.

            - {says: Holding banks points., check: pot > 0}

        Add the key.

            - {id: something-to-hold, says: Holding banks points., check: pot > 0}
        """,
    ),
    (
        "S203",
        "another kind of value is expected",
        """
        A list stands where keys with values are expected, or a single value where a list is, and so on.

            params: [Heap, 1..7]

        Write the value in the form that the message names.

            params: {from_heap: Heap, n: 1..7}
        """,
    ),
    (
        "S204",
        "value is missing",
        """
        A key has nothing behind it.

            check:

        Write the value, or leave the key out.

            check: pot > 0
        """,
    ),
    (
        "S205",
        "value is not one of those allowed",
        """
        The place takes one of a few words, `true` or `false`, or a whole number.

            players: two
            options: {target-met: {kind: interpretation}}

        Write a value that the message names.

            players: 2
            options: {target-met: {kind: reading}}
        """,
    ),
    (
        "S206",
        "not a name or id",
        """
        Names in formulas (variables, types, constants, parameters, arguments, fields) are letters, digits
        and `_`, a letter first, and no word of the grammar such as `from` or `in`. Ids of clauses, options,
        actions, questions and scenarios may have hyphens as well.

            params: {from: Heap}
            end: [{id: last object, when: heap == 0}]

        Choose another name.

            params: {from_heap: Heap}
            end: [{id: last-object, when: heap == 0}]
        """,
    ),
    (
        "S207",
        "another version of the language",
        """
        The first key of a rules file says for which version of the language it is written. This program
        reads version 1.

            tablelaw: 2

        Write `tablelaw: 1`, or use a program that reads the other version.
        """,
    ),
    (
        "S301",
        "stands twice",
        """
        Ids of clauses are unique in a game, across all included files; so are names of formulas, lists of
        clauses, questions, and the keys of a map. What comes later never changes what stands before in
        silence.

            - {id: roll-on, check: pot < 20}
            - {id: roll-on, check: rolls < 3}

        Rename one of them; or, if the later one is meant to take the place of the earlier, say so, with its
        own `only` if it does so under some options.

            - {id: roll-on, replaces: roll-on, only: {edition: new}, check: rolls < 3}
        """,
    ),
    (
        "S302",
        "no such clause",
        """
        `replaces` and `excepts` name a clause by its id, and there is none that could be meant: a clause is
        replaced after it has been given, by one of the same list (a check by a check of the same action), and
        only a `check` can be excepted.

            - {id: joker, excepts: matching-colour, check: card == joker}

        Check the spelling of the id, and that the other clause stands earlier or in an included file.

            - {id: match-colour, check: colour[card] == colour[top]}
            - {id: joker, excepts: match-colour, check: card == joker}
        """,
    ),
    (
        "S303",
        "files include each other",
        """
        A file includes itself, by itself or by way of others, or more than 50 files are included.

            include: [base.yaml]        # in base.yaml

        Take one of the `include:` lines away. A file that two others include is read once.
        """,
    ),
    (
        "S401",
        "pieces are not declared so",
        """
        Pieces list their kinds of part with where these reach (`sides`, `halves` or `inside`), and their
        faces with the parts on each. A part lists the sides (or halves) that it joins: N, E, S, W, or Nw,
        Ne, En, Es, Se, Sw, Ws, Wn. Of one kind no two parts of a face share a side.

            parts: {road: {at: sides}}
            faces:
              bend: {raod: [[N, E]]}           # no such kind of part
              fork: {road: [[N, E], [E, W]]}   # E stands in two parts

        Write each part as a list of its sides; parts that do not touch inside the piece are lists of their
        own. If a face has alternatives, exactly one of them exists under each setting.

            parts: {road: {at: sides}}
            faces:
              bend: {road: [[N, E]]}
              fork: {road: [[N, E, W]]}
        """,
    ),
    (
        "S402",
        "pieces can touch nothing",
        """
        The rule of contact is false for every two sides that the faces have, so no piece could ever be
        laid beside another.

            contact: mine != mine

        Compare the kinds shown by the side that is laid, `mine`, with those of the side it meets, `theirs`.

            contact: mine == theirs
        """,
    ),
    (
        "E101",
        "too large or nested too deeply",
        """
        A formula, an effect or a type is longer or deeper than the program reads, or it grows so when all
        the definitions that it calls are written out: a definition that calls another twice, which calls a
        third twice, doubles each time.

            define:
              a(): b() + b()
              b(): c() + c()

        Give inner parts names under `define:` or `types:`, call fewer definitions inside each other, and
        keep in a variable what is used often.
        """,
    ),
    (
        "E102",
        "not a formula or effect",
        """
        The text does not follow the grammar of formulas, which is that of Python.

            check: pot = 0
            when: not (a and b
            do: if pot > 9: pot = 0 else: pot = 1

        Formulas compare with `==`, join with `and`, `or`, `not`, and choose with `x if c else y`. In a
        `do`, each statement has a line of its own. Between the brackets of YAML a comma ends a text, so a
        formula that holds one is quoted.

            check: pot == 0
            then: ["size({a, b}) == 2"]
        """,
    ),
    (
        "E103",
        "not part of the language",
        """
        Python has this, formulas and effects do not: they hold no loops without an end, no texts, no
        decimal numbers, no functions of their own.

            check: x ** 2 < 0.5

        The message says what to write instead.

            check: x * x < 1/2
        """,
    ),
    (
        "E104",
        "wrong arguments",
        """
        A built-in, a definition, a list of clauses or a record is called with other arguments than it
        takes.

            define:
              enough(n in Points): n >= TARGET
            check: enough()

        Give the arguments in order, or by name.

            check: enough(score[turn])
        """,
    ),
)
