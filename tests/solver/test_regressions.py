"""Faults that random games have shown, each as the smallest game that shows it, named after its symptom."""

from __future__ import annotations

from collections import Counter

import pytest
import z3

from tablelaw.solver import evaluate
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.lower import lower
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.symbolic.encode import Encoder, Env
from tablelaw.solver.trace import to_numbers
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Reader
from tablelaw.testing import naive
from tablelaw.testing.games import checked

HEAD = """
tablelaw: 1
game: small
title: Small
players: 2
types: {Num: -1..2, Bit: 0..1, Col: [red, green], Deal: {record: {col: Col}}}
"""


def game_of(text: str) -> Game:
    game, sink = checked(HEAD + text)
    assert game is not None, [item.message for item in sink]
    return game


def agree(game: Game) -> naive.Graph:
    """The generated code (with and without unrolling) and z3 take the evaluator's steps from every reachable position."""
    g = naive.explore(game, 200)
    for unroll in (True, False):
        model, _ = lower(game, unroll=unroll)
        space = Space(model)
        encoder = Encoder(model)
        for state, found in zip(g.states, g.steps, strict=True):
            numbers = to_numbers(game, state)
            out: list[int] = []
            space.successors(space.pack.pack(numbers), out)
            expected = Counter(space.pack.pack(to_numbers(game, s.after)) for s in found if s.after is not None)
            assert Counter(n for n in out if n >= 0) == expected, state
            assert (-1 in out) == any(s.after is None for s in found), state
            row = [z3.BoolVal(bool(n)) if s.truth else z3.IntVal(n) for s, n in zip(model.slots, numbers, strict=True)]
            some = False
            for k, m in enumerate(model.moves):
                solver = z3.Solver()
                solver.add(*encoder.taken(m, Env(row, None, encoder.inputs(m, str(k)))))
                some = some or solver.check() == z3.sat
            assert some == bool(expected), state
            enabled = encoder.enabled(False)
            assert enabled is not None
            if not g.ended(g.number[state]):
                assert z3.is_true(z3.simplify(encoder.term(enabled, Env(row)))) == bool(found), state
    return g


GAMES = {
    "a_parameter_loses_values_when_another_action_has_a_narrower_one": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 2}}
actions:
  first: {by: turn, params: {p: "0..n"}, do: n = 1}
  second: {by: turn, params: {p: "-1..n"}, do: n = p}
""",
    "a_game_without_any_possible_move_is_not_python": """
state: {turn: {type: Player, init: 0}}
actions:
  never: {by: turn, during: false, do: turn = 1}
""",
    "an_end_that_always_holds_does_not_end": """
state: {turn: {type: Player, init: 0}}
actions:
  go: {by: turn, do: turn = after(turn)}
end:
  - {id: at-once, when: true}
""",
    "abs_of_a_fraction_cannot_be_lowered": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: -1}}
actions:
  go:
    by: turn
    require: [{id: small, check: abs(n / 2 - 1) <= 1}, {id: back, check: abs(n / -2) < 1, excepts: small}]
    do: n = n + 1 if n < 2 else -1
""",
    "a_fault_of_the_phase_is_lost_when_the_move_is_impossible": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 0}}
actions:
  go: {by: turn, during: "1 / n > 3 and n > 5", do: n = 1}
""",
    "a_fault_of_a_check_is_lost_behind_a_later_check_of_the_position": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 0}}
actions:
  go:
    by: turn
    params: {p: "{red, green}"}
    require:
      - {id: one, check: p == red or 1 // n == 1}
      - {id: two, check: n > 0}
    do: n = 1
""",
    "a_move_is_taken_although_a_check_has_a_fault": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 0}}
actions:
  fine: {by: turn, do: turn = after(turn)}
  faulty: {by: turn, require: [{id: one, check: 1 // n < 5}], do: turn = after(turn)}
""",
    "a_position_is_left_although_its_end_has_a_fault": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 0}}
actions:
  go: {by: turn, do: turn = after(turn)}
end:
  - {id: done, when: 1 // n == 7}
""",
    "a_draw_from_an_empty_bag_that_was_chosen_is_no_fault": """
state: {turn: {type: Player, init: 0}}
actions:
  go: {by: turn, params: {p: "bag[Col, 1]"}, chance: {d: draw(p)}, do: turn = after(turn)}
""",
    "an_effect_has_a_fault_for_a_draw_that_cannot_come": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 0}, held: {type: "bag[Bit, 2]", init: {1: 1}}}
actions:
  go: {by: turn, chance: {d: draw(held)}, do: n = 1 // d}
""",
    "after_a_number_that_is_no_seat_differs": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: -1}}
actions:
  go:
    by: turn
    do: |
      turn = after(n) if n < 2 else before(n, {0, 1})
      n = n + 1 if n < 2 else -1
""",
    "a_move_by_nobody_at_the_table": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: -1}}
actions:
  go: {by: n, do: n = 0}
""",
    "none_of_a_name_that_a_bag_cannot_hold_makes_another_position": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 2}, held: {type: "bag[Bit, 1]", init: {1: 1}}}
actions:
  go: {by: turn, do: "held[n] = 0"}
  down: {by: turn, do: n = n - 1 if n > -1 else 2}
""",
    "a_parameter_that_is_a_list_cannot_be_lowered": """
state: {turn: {type: Player, init: 0}, row: {type: "list[Col, 2]", init: [red]}}
actions:
  go: {by: turn, params: {p: "{row}"}, do: row += green if size(p) < 2 else red}
""",
    "z3_reads_an_input_that_only_a_bound_mentions": """
state: {turn: {type: Player, init: 0}}
actions:
  go: {by: turn, params: {p: "bag[Col, 1]"}, require: [{id: greens, check: "p[green] == 1"}], do: turn = after(turn)}
""",
    "exclusive_or_of_negative_numbers_is_refused_by_z3": """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: -1}}
actions:
  go: {by: turn, require: [{id: xor, check: "n ^ -2 != -2"}], do: n = n + 1 if n < 2 else (n ^ -3) % 3}
""",
}


@pytest.mark.parametrize("name", GAMES)
def test_engines_agree_where(name: str) -> None:
    agree(game_of(GAMES[name]))


def test_old_times_counts_the_last_step() -> None:
    game = game_of("""
state: {turn: {type: Player, init: 0}}
actions:
  go: {by: turn, do: turn = after(turn)}
questions:
  behind: {always: actor == none or times('go') == old(times('go')) + 1 or times('go') > 3}
  never-equal: {never: actor != none and times('go') == old(times('go')) and times('go') < 4}
""")
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    for q in game.document.questions.values():
        asked = reader.question(q)
        assert asked is not None
        assert Explicit(game).ask(asked, Budget()).verdict == "holds"


@pytest.mark.parametrize(("during", "number"), [("spin", "0"), ("spin and n < 2", "infinite")])
def test_counting_moves_ends_although_the_table_acts_for_ever(during: str, number: str) -> None:
    game = game_of(f"""
state: {{turn: {{type: Player, init: 0}}, spin: {{type: bool, init: false}}, n: {{type: Num, init: 0}}}}
actions:
  start: {{by: turn, do: spin = true}}
  turns: {{by: table, during: {during}, params: {{p: "1..2"}}, do: n = 2 if p == 2 else 1 - n if n < 2 else 1}}
questions:
  many: {{count: moves, depth: 2}}
""")
    asked = Reader(game, Diagnostics(), evaluate.starts(game)[0]).question(game.document.questions["many"])
    assert asked is not None
    assert Explicit(game).ask(asked, Budget()).value == number


ASKED = {
    "a_play_is_shown_past_a_move_whose_draw_has_a_fault": (
        "holds",
        """
state: {turn: {type: Player, init: 0}, held: {type: "bag[Col, 2]", init: {red: 0}}}
actions:
  faulty: {by: turn, chance: {d: draw(held)}, do: turn = 1}
  fine: {by: turn, do: turn = after(turn)}
questions:
  q: {reach: turn == 1}
""",
    ),
    "a_play_is_shown_although_its_end_has_a_fault": (
        "holds",
        """
state: {turn: {type: Player, init: 0}, n: {type: Num, init: 1}}
actions:
  go: {by: turn, do: n = 0}
end:
  - {id: done, when: 1 // n == 7}
questions:
  q: {reach: n == 0}
""",
    ),
    "the_actor_inside_can_is_not_who_moved": (
        "holds",
        """
state: {turn: {type: Player, init: 0}}
actions:
  go: {by: turn, require: [{id: seat, check: actor >= 0}], do: turn = after(turn)}
questions:
  q: {always-after: {when: can(go), then: turn == 1}}
""",
    ),
}


@pytest.mark.parametrize("name", ASKED)
def test_search_answers_where(name: str) -> None:
    verdict, text = ASKED[name]
    game = game_of(text)
    asked = Reader(game, Diagnostics(), evaluate.starts(game)[0]).question(game.document.questions["q"])
    assert asked is not None
    assert Explicit(game).ask(asked, Budget()).verdict == verdict


def test_a_check_that_reads_no_parameter_is_lowered_once() -> None:
    game = game_of("""
state:
  turn: {type: Player, init: 0}
  board: {type: "map[0..39, 0..4]", init: 0}
actions:
  go:
    by: turn
    params: {c: 0..39}
    require:
      - {id: pairs, check: "not any(board[x] == board[y] and board[x] > 3 for x in board for y in board if x < y)"}
    do: board[c] += 1
""")
    model, low = lower(game, unroll=True)
    assert len(model.moves) == 40
    assert len(low.kept) < 200


def test_an_index_that_can_lie_below_and_above_a_list_is_held_within_it() -> None:
    """The bounds of the clamped index were not seen where it could leave the list on both sides; z3 then found no item."""
    agree(
        game_of("""
constants: {ROW: [2, 0]}
state: {turn: {type: Player, init: 0}, a: {type: Num, init: 0}, b: {type: Num, init: 1}}
actions:
  go:
    by: turn
    params: {n: Num}
    do: |
        a = ROW[b * n] if b * n in {0, 1} else n
        b = ROW[a] if 0 <= a <= 1 else 0
""")
    )
