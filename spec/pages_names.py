"""Pages of the codes `R` and `T`: names and types."""

from __future__ import annotations

PAGES = (
    (
        "R204",
        "unknown name",
        """
        The name is not declared in this game, or not under the options that are looked at.

            check: size(hnad[p]) > 0

        Correct it, or declare it: variables under `state:`, types and their names under `types:`, numbers
        under `constants:`, formulas under `define:`, lists of clauses under `effects:`. What uses a name
        that has an `only` needs the same `only`.
        """,
    ),
    (
        "R205",
        "name of several types",
        """
        Two types list this name, and the place does not tell which is meant.

            types: {Card: [king, queen], Piece: [king, pawn]}
            when: any(x == king for x in {king})

        Write the type before the name.

            when: any(x == king for x in {Piece.king})
        """,
    ),
    (
        "R206",
        "not a value of the option",
        """
        The option has other values than this.

            only: {edition: third}

        Write one of its values, or add the value under `options:`.
        """,
    ),
    (
        "R207",
        "has no meaning here",
        """
        `old`, `times`, `ended` and `winners` ask for the play so far: questions and scenarios may ask,
        rules may not, as they read the position alone; so neither may a definition that a rule uses.
        `actor` is known where a player acts, `who` in a `force`.

            require:
              - {id: not-twice, check: "times('roll') == 0"}

        Keep what the rule needs in a variable.

            state: {rolled: {type: bool, init: false}}
            require:
              - {id: not-twice, check: not rolled}
        """,
    ),
    (
        "R208",
        "defined by itself",
        """
        A definition, a type, a list of clauses or a `can` leads back to itself, so it has no meaning. The
        message shows the circle.

            define:
              safe(p in Player): not danger(p)
              danger(p in Player): not safe(p)

        Define one of them by the position alone.
        """,
    ),
    (
        "R209",
        "no such option",
        """
        An `only`, a setting or `option('…')` names an option that is not declared.

            only: {editon: second}

        Correct the name, or declare it under `options:`.
        """,
    ),
    (
        "R210",
        "unknown type",
        """
        The text names no type.

            state: {score: {type: Pionts}}

        Types are `bool`, `Player`, ranges such as `0..5`, names declared under `types:`, and `map[K, V]`,
        `set[K]`, `bag[K, n]`, `list[T, n]`, `maybe[T]`. A list of names is declared under `types:` first.

            types: {Points: 0..100}
            state: {score: {type: "map[Player, Points]"}}
        """,
    ),
    (
        "R211",
        "name is taken",
        """
        The name is built in, or declared as something else already.

            state: {players: {type: 0..4}}

        Choose another name.

            state: {still_in: {type: 0..4}}
        """,
    ),
    (
        "R212",
        "no layout here",
        """
        A formula about layouts, in a game that declares no pieces, or about parts, where the pieces have
        none.

            check: cell in frontier(table)       # and no `pieces:`

        Declare the pieces, and a variable that holds what is laid.

            pieces: {Tile: {parts: {road: {at: sides}}, faces: {bend: {road: [[N, E]]}}}}
            state: {table: {type: "layout[Tile, 80]", init: {}}}
        """,
    ),
    (
        "T101",
        "wrong kind of value",
        """
        The place needs a value of one type, and the formula gives another.

            check: pot                       # a number, where true or false is needed
            by: score[turn] > 0              # true or false, where a player is needed

        Write a formula of that type.

            check: pot > 0
        """,
    ),
    (
        "T102",
        "operator does not go with these values",
        """
        The values on the two sides of an operator, or the value that a built-in takes, are of kinds that do
        not go together.

            hand == knight                   # a bag is compared with a name
            {knight} + {cap}                 # sets are joined by `|`

        Compare like with like.

            hand[knight] == 1
            {knight, cap}
        """,
    ),
    (
        "T103",
        "quoted text",
        """
        Names stand for themselves in formulas. Only values of options are quoted.

            when: face == 'knight'

        Write the bare name.

            when: face == knight
        """,
    ),
    (
        "T104",
        "not known before play",
        """
        Bounds of types, starts, weights, options and `only` are fixed before play, so they cannot depend on
        the position.

            types: {Points: 0..pot}

        Use numbers, constants, `players` and options.

            constants: {LIMIT: 100}
            types: {Points: 0..LIMIT}
        """,
    ),
    (
        "T105",
        "type is no value",
        """
        A type stands where one of its values is needed.

            check: Player == turn

        Walk over it, or ask whether a value is in it.

            check: any(p == turn for p in Player)
        """,
    ),
    (
        "T106",
        "has no value",
        """
        A formula known before play cannot be reckoned: it divides by zero, takes an item that is not there,
        or makes a number that is too long.

            constants: {POINTS: [0, 1, 3]}
            check: POINTS[3] > 0

        Mend the numbers.
        """,
    ),
    (
        "T107",
        "too many values",
        """
        What is counted, walked over, chosen from or drawn must be small enough to go through one by one,
        and a position small enough to be kept.

            state: {seen: {type: "set[map[Player, 0..100]]"}}
            chance: {got: "roll(n, Face)"}   # `n` has no bound

        Use a smaller type; keep a number in a variable with a range.
        """,
    ),
    (
        "T108",
        "not a range or number of elements",
        """
        A range is two whole numbers, the smaller first; the number of elements of a bag or list, and the
        `count` of a name, are whole numbers from 0; an enumeration has at least one name.

            types: {Points: 100..0}

        Write the bounds in order.

            types: {Points: 0..100}
        """,
    ),
    (
        "T109",
        "several starts",
        """
        A variable with `init: {any: …}` has no single start to which `reset` could bring it back.

            state: {dealer: {type: Player, init: {any: Player}}}
            do: reset(dealer)

        Assign the value that is meant.
        """,
    ),
    (
        "T110",
        "name has a meaning already",
        """
        A parameter or a draw is called like something else in this game, or a `do` assigns to something
        that is no variable.

            params: {turn: Player}           # `turn` is a variable
            do: pips = 3                     # `pips` was drawn

        Give it a name of its own; assign to variables of `state:`.
        """,
    ),
    (
        "T111",
        "weights do not add up to 1",
        """
        The chances of `one_of` are all that can happen, so they add up to 1.

            chance: {coin: "one_of({heads: 1/2, tails: 1/3})"}

        Mend the fractions, or add what is missing.

            chance: {coin: "one_of({heads: 1/2, tails: 1/2})"}
        """,
    ),
    (
        "T112",
        "value lies outside",
        """
        A value known before play is not one of its type: a number outside its range, a bag with too many
        elements.

            state: {pot: {type: 0..9, init: 10}}

        Mend the value or the type.
        """,
    ),
    (
        "T113",
        "layout is not written so",
        """
        A layout is a list of squares with faces, or a picture: a row a line, a word for each square, `.` for
        an empty one. A word is a face with its quarter turns, or a character such as `│` or `└` where
        exactly one piece looks so. The first word is the square (0, 0), unless a line above it gives another.

            given:
              table: {"0, 0": gate/5}

        Write squares as `"(x, y)"`, x east and y south, and 0 to 3 quarter turns; or draw it.

            given:
              table: |
                (-1, 0)
                gate/1 road/1 .
                .      bend   road/1
        """,
    ),
    (
        "T114",
        "pieces may not touch",
        """
        Two pieces of a position lie side by side, and the rule of contact allows that in neither order.

            table: |
              straight/1 straight/0      # a road that ends at the side of another

        Turn one of them, move it, or leave it out. If the rulebook allows it, the mistake is in `contact:`.

            table: |
              straight/1 straight/1
        """,
    ),
    (
        "T115",
        "a part that is not there",
        """
        A position names a part of a piece, and no piece lies there, or it has no such part.

            table: {"(0, 0)": straight/1}      # a road from east to west
            standing: {"Figure(owner=0, part=part((0, 0), road, N))": 1}

        Name a part of a piece that lies. A part may be named by any of the sides that it joins.

            table: {"(0, 0)": straight/1}
            standing: {"Figure(owner=0, part=part((0, 0), road, E))": 1}
        """,
    ),
)
