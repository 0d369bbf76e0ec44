"""Pages of the codes `Q` and `L`: questions, options, and what is allowed and looks like a mistake."""

from __future__ import annotations

PAGES = (
    (
        "Q101",
        "question asks one thing",
        """
        A question has exactly one of the keys that say what is asked.

            questions:
              safe: {always: pot >= 0, reach: pot == 9}

        Make one question of each.

            questions:
              safe: {always: pot >= 0}
              rich: {reach: pot == 9}
        """,
    ),
    (
        "Q102",
        "family of questions",
        """
        `for:` gives the numbers of a family of questions, each name a range; `{n}` in the name of the
        family and in its texts stands for the number. A family has at most 200 questions.

            "city-of-{n}": {for: {n: many}, reach: laid == n}

        Write a range, and `{n}` in the name.

            "city-of-{n}": {for: {n: 2..9}, reach: laid == n}
        """,
    ),
    (
        "Q103",
        "question is not complete",
        """
        A key of the question has a value that its kind does not take, or one is missing.

            progress: no
            count: moves                     # how many?

        The message says what the kind takes.

            progress: true
            count: moves
            depth: 5
        """,
    ),
    (
        "Q104",
        "no such scenario",
        """
        `possible` names a scenario that is not declared.

            example-2: {possible: exmaple-2}

        Correct the name, or add the scenario under `scenarios:`.
        """,
    ),
    (
        "Q105",
        "expectation is not understood",
        """
        `expect` is a verdict (`holds`, `fails`, `unknown`), a value, `{approximately, within}`, or a list
        of `{only, is}` of which the first that fits counts.

            expect: [{edition: es, holds: true}]

        Write the list with `only` and `is`.

            expect: [{only: {edition: es}, is: holds}, {is: fails}]
        """,
    ),
    (
        "Q106",
        "no such clause",
        """
        `by` of an illegal move names the clause that forbids it, and there is none of that id.

            illegal: [{move: roll, by: rol-on}]

        Correct the id.
        """,
    ),
    (
        "Q107",
        "not a move",
        """
        A line of a play names an action, its parameters and what is drawn.

            play: [rol, "take(number=2)", "hold -> pips=1"]

        Write the action as it is declared; what is drawn stands after `->`, and only where the action
        draws.

            play: [roll, "take(n=2)", "roll -> pips=1"]
        """,
    ),
    (
        "Q113",
        "question about all layouts reads something else",
        """
        `some-layout`, `every-layout` and `count: layouts` speak of all connected layouts of some pieces,
        reachable or not. Such a layout comes from no play and lies nowhere in particular: other variables have
        no value, nobody has moved, and the layout moved along the grid is the same one.

            corner-taken: {some-layout: "(0, 0) in table and turn == 0", of: table, size: 3}

        Speak of the squares of the layout and what lies on them. The `contact` of the pieces has to ask the same
        of both sides, for nobody says which piece was laid first.

            corner-laid: {some-layout: "any(table[c].face == corner for c in table)", of: table, size: 3}
        """,
    ),
    (
        "Q114",
        "symmetry that the rules do not have",
        """
        `up_to` counts layouts as one that differ by being moved, turned or mirrored; moving is always divided
        out. It is refused where the rules tell such layouts apart: pieces that are not turned, a board that is
        longer than wide, a piece without its mirror image, a formula that names a direction.

            bends:
              count: layouts
              size: 3
              where: any(table[c].arrow == N for c in table)
              up_to: rotation

        Leave that symmetry out, or say the same without a direction.

            bends:
              count: layouts
              size: 3
              where: any(table[c].arrow != none for c in table)
              up_to: rotation
        """,
    ),
    (
        "Q120",
        "evidence cannot be read",
        """
        `recheck` reads a folder that `check` wrote with `--evidence`: an `index.json` and the files it names.
        A file is missing, or is not what was written.

            tablelaw recheck examples/nim nowhere

        Write the evidence anew.

            tablelaw check examples/nim --evidence proofs
            tablelaw recheck examples/nim proofs
        """,
    ),
    (
        "Q121",
        "evidence is of other rules",
        """
        Evidence belongs to the very text of the rules that it was made for; the rules file, or one that it
        includes, has been changed since.

        Ask again, and write the evidence anew.

            tablelaw check examples/nim --evidence proofs
        """,
    ),
    (
        "Q122",
        "evidence is refused",
        """
        The evidence does not show what it claims: a legal step leads out of a set of states, an invariant is
        not kept by a move, a strategy has a gap. Files that were changed by hand come to this; evidence that
        was just written never should.

        Ask again with `--evidence`. If that is refused as well, two tellings of the rules disagree: report it
        with the rules file.
        """,
    ),
    (
        "Q123",
        "nothing was written in that form",
        """
        `check --evidence DIR --export prism` writes the chain of each `odds` and `expected` question, for a
        model checker such as Storm to solve. Some have none that such a program reads: a game in which two
        sides decide is neither a Markov chain nor a decision process, and what cannot be answered here may
        not have a chain at all.

            tablelaw check examples/pig --question first-player --evidence out --export prism

        Ask how likely it is when players follow a list of moves, or choose all moves alike (`play: uniform`).

            steady:
              odds: 0 in winners()
              play: [{hold: pot >= 20}, roll, hold]

        A chain of many thousand states is written with `--export drn`, one state after the other, which Storm
        reads as well.

        The other forms have files for some answers alone, too: `itf` for those that show a play, `smtlib` where
        z3 was asked, `smt2` where a proof rests on a formula that holds in every position. A game that was
        looked at position by position has none of these proofs. `index.json` in the folder says what each
        answer has.
        """,
    ),
    (
        "Q126",
        "nothing to compare by",
        """
        Two rules files are compared by the names that both use: the same moves, by action and parameters, must
        be open, and variables of one name must hold the same. These two share neither a variable nor an action.

            actions: {roll: {by: turn, …}}        # in one file
            actions: {throw: {by: turn, …}}       # in the other

        Give the same things the same names in both.
        """,
    ),
    (
        "Q127",
        "fixture cannot be read",
        """
        `conform --fixtures` reads a file of JSON Lines: one object a line, each with its `game`, `options`,
        `players` and `play`. The line is no JSON, is about another game, or has a move that this game does
        not know.

            {"game": "nim", "options": {}, "players": 2, "play": ["take(heap=9)"]}

        Write the file anew from these rules.

            tablelaw fixtures examples/nim --out nim.jsonl
        """,
    ),
    (
        "Q128",
        "program cannot be compared with",
        """
        `conform` starts a program and speaks with it in lines of JSON. The program could not be started, or it
        answered the request `new` with `unsupported`: it does not play this game, these options, this number
        of players, or from this position.

            tablelaw conform examples/connect -- python engine.py

        Look whether the command runs by itself; or name options that the program plays.

            tablelaw conform examples/connect --option columns=7 --option rows=6 --option line=4 -- python engine.py
        """,
    ),
    (
        "Q301",
        "option has no such values",
        """
        An option lists its values, each once, or is a range of whole numbers; its default is one of them.

            seats: {kind: study, values: 1-6, default: 3}

        Write the range with two dots, or list the values.

            seats: {kind: study, values: 1..6, default: 3}
        """,
    ),
    (
        "Q302",
        "options do not go together",
        """
        `constraints:`, or the `only` of a value, forbid this setting.

            constraints: ["option('edition') == 'second' or option('scoring') == 'plain'"]

        Choose other values; the defaults themselves must go together.
        """,
    ),
    (
        "Q129",
        "no cluster to work on",
        """
        `--cluster` gives the work to other processes by Dask. It is not installed here, no scheduler answers
        at the address, no worker is connected to it, or a worker would not give the same answers: it has
        another version of tablelaw, of Python or of a library, or a C compiler where this machine has none.

            tablelaw check examples/nim --cluster tcp://nobody:8786

        Install the same on all machines, start a scheduler and workers, and name the scheduler; or use
        processes of this machine.

            pip install 'tablelaw[cluster]'
            tablelaw check examples/nim --cluster local:2
        """,
    ),
    (
        "L101",
        "implication never applies",
        """
        The left side of `not a or b`, of a leads-to, or of an `always` of that form is true in no position
        that can come up, so the question holds without saying anything.

            questions:
              nine-lives: {always: not lives > 9 or ended()}      # lives never pass 9

        Check the left side; ask with `reach` whether it can be true.
        """,
    ),
    (
        "L102",
        "check forbids nothing",
        """
        The rule is kept by every move that the other rules leave, in every position that can come up, so no
        move is illegal because of it.

            - {id: within-the-pot, check: n <= pot, says: …}      # another rule says so already

        Perhaps it repeats another rule, or its formula is weaker than the sentence it stands for. If the
        rulebook does say the same twice, cite both places in one clause.
        """,
    ),
    (
        "L103",
        "action never happens",
        """
        In no position that can come up is the action open with all its checks passed.

            bonus:
              by: turn
              during: pot > 100                                   # the pot never passes 60

        Check `during` and the rules under `require:`; ask with `reach` for a position in which it should be
        open.
        """,
    ),
    (
        "L104",
        "clause changes nothing",
        """
        The game without this clause has the same positions and the same plays.

            - {id: empty-hand, when: hand == 0, do: hand = 0}

        Check its condition and its effect, or cite its sentence among the remarks if it decides nothing.
        """,
    ),
    (
        "L105",
        "option changes nothing",
        """
        Under all values of the option the game has the same plays.

            bonus: {kind: reading, values: {early: …, late: …}, default: early}

        Let a clause depend on it by `only` or `option('…')`; or the readings make no difference, which is
        worth saying in its `question`.
        """,
    ),
    (
        "L106",
        "order of table actions",
        """
        Two actions of the table are enabled in the same position, and the outcome depends on which comes
        first. The rulebook does not say.

            refill: {by: table, during: deck > 0, …}
            reshuffle: {by: table, during: hand < 5, …}

        Say in `during` when each is due, so that only one of them is, or make an option of the two orders.
        """,
    ),
    (
        "L107",
        "declared and never used",
        """
        A definition, a type or a constant that no clause, variable, question or scenario uses.

            constants: {LIMIT: 12}

        Use it, or take it away. A name that is nearly the same and is used instead may be a slip.
        """,
    ),
    (
        "L108",
        "clause cites no source",
        """
        The game names its sources, and this clause says of no place in them where it comes from.

            - {id: pig-out, says: A one ends the turn., when: pips == 1, do: pot = 0}

        Add `cite: source#place`; for a rule of your own, make it the clause of an option of the kind
        `variant`.

            - {id: pig-out, says: A one ends the turn., cite: np#1, when: pips == 1, do: pot = 0}
        """,
    ),
    (
        "L109",
        "source cited that the game does not name",
        """
        A citation is written `source#place`, and the source is one of those under `sources:`.

            sources: {sheet: {title: The sheet}}
            end:
              - {id: full, says: The sheet is full., cite: shet#5, when: crosses == 9}

        Mend the name, or name the source.

            end:
              - {id: full, says: The sheet is full., cite: sheet#5, when: crosses == 9}
        """,
    ),
    (
        "L110",
        "odd side of a face",
        """
        One half of a side belongs to a part and the other to none; or what a side shows may lie against no
        other side of any face. The rules allow both, and mostly a half or a side has been left out, or listed
        too often.

            faces:
              gate: {city: [[N]], field: [[En, Es, Se, Sw, Ws]]}       # `Wn` is left over
              wall: {city: [[N]], field: [[Nw, Ne, En, Es, Se, Sw, Ws, Wn]]}    # field on the side of the city

        List each side and half once, with the part that reaches it.

            faces:
              gate: {city: [[N]], field: [[En, Es, Se, Sw, Ws, Wn]]}
              wall: {city: [[N]], field: [[En, Es, Se, Sw, Ws, Wn]]}
        """,
    ),
)
