"""The JSON Schema of a rules file, for editors: made from the table of forms.

`scripts/make_schema.py` writes it to `schema.json`. It says what `forms.validate` says as far as a schema can, and what each
key is for. It cannot read formulas.
"""

from __future__ import annotations

from typing import TypeAlias

from tablelaw.spec import forms
from tablelaw.spec.forms import KINDS, RULES, Any, Either, Form, ListShape, MapShape, Shape, Text

Json: TypeAlias = dict[str, object]

_ID = "[A-Za-z_][A-Za-z0-9_-]*"
_NAME = "[A-Za-z_][A-Za-z0-9_]*"
_KEYS = {
    "id": f"^{_ID}$",
    "name": f"^{_NAME}$",
    "header": rf"^\s*{_NAME}\s*(\([\s\S]*\))?\s*$",
    "family": rf"^[A-Za-z_]([A-Za-z0-9_-]|\{{{_NAME}\}})*$",
}
_TEXTS: dict[str, Json] = {
    "family": {"type": "string", "pattern": _KEYS["family"]},
    "text": {"type": ["string", "number", "boolean"]},
    "formula": {"type": ["string", "number", "boolean"]},
    "effect": {"type": "string"},
    "type": {"type": ["string", "integer"]},
    "id": {"type": "string", "pattern": f"^{_ID}$"},
    "name": {"type": "string", "pattern": f"^{_NAME}$"},
    "whole": {"type": "integer"},
    "flag": {"type": "boolean"},
    "any": {"type": ["string", "number", "boolean", "null"]},
}

_DEFS: dict[str, tuple[Shape, str]] = {
    "text": (forms.TEXT, "a sentence in the author's own words"),
    "formula": (forms.FORMULA, "a formula in Python's grammar, such as `score[turn] + pot >= 100`"),
    "effect": (
        forms.EFFECT,
        "assignments, `if` and `for`, one a line; or a list of clauses called, `hand_over()`",
    ),
    "type": (forms.TYPE, "a type, such as `0..5`, `Player`, `map[Player, Points]` or `maybe[Card]`"),
    "id": (forms.IDENT, "letters, digits, `-` and `_`, a letter first"),
    "family-id": (forms.FAMILY, "an id, which may hold a name of the family, such as `{n}`"),
    "flag": (forms.FLAG, "true or false"),
    "whole": (forms.WHOLE, "a whole number"),
    "word": (forms.WORD, "a word or a number"),
    "cite": (forms.CITE, "the printed place that this stands for, `source#place`, or a list of such places"),
    "only": (forms.ONLY, "the option settings under which this exists: `{option: value}`, `{option: [values]}` or a condition"),
    "setting": (forms.SETTING, "a value for each of some options"),
    "position": (forms.VALUES, "values of state variables; what is left out has its initial value"),
    "players": (forms.WHO, "a formula for a player or a set of players, or a list of seats such as `[0]`"),
    "check": (forms.CHECK, "a clause that a move has to keep"),
    "effect-clause": (forms.EFFECT_CLAUSE, "a clause that changes the state"),
    "do": (forms.DO, "what happens: an effect, or a list of effects and clauses that happen in order"),
    "end": (forms.END, "a clause that ends the play where its `when` holds"),
    "option-value": (forms.OPTION_VALUE, "a value of an option"),
    "option": (forms.OPTION, "a choice fixed before play: a reading, an edition, an expansion, a variant or a size to study"),
    "variable": (forms.VARIABLE, "a state variable"),
    "action": (forms.ACTION, "a move of a player, or with `by: table` what happens by itself"),
    "question": (forms.QUESTION, "a question to the rules, of one kind"),
    "scenario": (forms.SCENARIO, "a position, a play from it and what has to hold then"),
    "play-line": (forms.PLAY_LINE, "a move such as `roll -> pips=1`, `...` for any moves, or `{then: [formulas]}`"),
    "illegal": (forms.ILLEGAL, "a move that is not allowed, and the clause that forbids it"),
    "source": (forms.SOURCE, "a rulebook, page or paper that clauses cite"),
}

_SAYS: dict[str, str] = {
    "/tablelaw": "the version of the language, 1",
    "/game": "the id of the game",
    "/title": "the name of the game as people write it",
    "/says": "a few words about this file",
    "/players": "how many play: `2`, or `2..5`",
    "/include": "rules files that this one builds on",
    "/sources": "what the clauses cite",
    "/options": "choices fixed before play",
    "/constraints": "formulas on options that settings have to keep",
    "/types": "types by name: a range, a list of names, names with attributes, or `{record: {field: type}}`",
    "/constants": "numbers, lists and maps by name",
    "/pieces": "pieces of boards that grow (not read by this version)",
    "/state": "the state variables: all that a position is made of",
    "/define": "formulas by name, with parameters: `enough(n in Points): n >= 100`",
    "/effects": "lists of clauses by name, called from a `do`",
    "/actions": "the moves, and what happens by itself",
    "/end": "clauses that end the play, read in order",
    "/remarks": "sentences of the rulebook that decide nothing",
    "/questions": "what is asked of the rules",
    "/scenarios": "examples that the rules have to agree with",
    "by": "the player who chooses, such as `turn`; `table` for what happens by itself",
    "during": "the phase in which the action exists",
    "params": "what is chosen: each name with a type, a set, a bag or a range",
    "require": "the rules of the move",
    "chance": "what is drawn: `die(6)`, `roll(n, Face)`, `draw(bag)`, `one_of({a: 1/3, b: 2/3})`",
    "says": "in the author's own words",
    "init": "the value at the start; one value fills a whole map; `{any: set}` makes each value a start",
    "check": "what has to hold for the move to be legal",
    "when": "when this clause takes effect",
    "winners": "the set of players who win",
    "excepts": "the id of the check that does not bind where this one holds",
    "replaces": "the id of the earlier clause that this one stands in for",
    "proposed": "in force only where a question names it",
    "question": "what is to be decided, as a question",
    "values": "`1..6`, a list, or each value with what it means",
    "default": "the value unless another is asked for",
    "expect": "`holds`, `fails`, `unknown`, a value, `{approximately, within}`, a list of `{only, is}`; by number in a family",
    "for": "the numbers of a family, such as `{n: 2..9}`",
    "under": "options: the question is asked for each of their values",
    "options": "the setting under which this is asked or played",
    "players": "the number of players",
    "given": "the position to start from",
    "where": "only the states in which this holds are looked at",
    "within": "a number of steps",
    "depth": "a number of moves",
    "measure": "a figure that never rises and falls again and again: it may help a proof",
    "exactly-when": "the players can force the goal just when this holds, asked of every state",
    "goal": "what they want to come true",
    "play": "the moves in order",
    "then": "what has to hold afterwards",
    "legal": "moves that have to be legal in the position reached",
    "illegal": "moves that must not be legal, with the clause that forbids each",
    "a question/play": "how those choose who are not asked about: `best`, `worst`, `uniform`, or moves in order of liking",
    "a question/who": "the players whose figure it is",
    "players and a goal/who": "the players who want it: `[0]`, or `turn`",
    "a leads-to/when": "whenever this holds …",
    "a leads-to/then": "… this holds then or later",
    "an illegal move/by": "the clause that forbids it",
    "a formula/is": "the formula itself",
}

_SPECIAL: dict[str, Json] = {
    "progress": {"const": True},
    "terminates": {"enum": [True, "almost-surely"]},
    "count": {"enum": ["states", "plays", "moves", "layouts"]},
}
"""Kinds of question whose value is a word."""


def json_schema() -> Json:
    """Give the JSON Schema (draft 2020-12) of a rules file."""
    body = _form(RULES, top=True)
    body.pop("required", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tablelaw rules file",
        **body,
        # NOTE(include): a file that includes others may leave to them what a whole game needs
        "anyOf": [{"required": list(RULES.required)}, {"required": ["include"]}],
        "$defs": {name: {**_body(shape), "description": says} for name, (shape, says) in _DEFS.items()},
    }


def _schema(shape: Shape) -> Json:
    """Give the schema of a shape: a reference if it has a name."""
    for name, (known, _) in _DEFS.items():
        if known is shape:
            return {"$ref": f"#/$defs/{name}"}
    return _body(shape)


def _body(shape: Shape) -> Json:
    if isinstance(shape, Text):
        return {"enum": list(shape.among)} if shape.among else dict(_TEXTS[shape.of])
    if isinstance(shape, ListShape):
        return {"type": "array", "items": _schema(shape.of)}
    if isinstance(shape, MapShape):
        return _free(shape)
    if isinstance(shape, Either):
        options = [_schema(option) for option in shape.options]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if isinstance(shape, Form):
        return _form(shape)
    assert isinstance(shape, Any)
    return {}


def _free(shape: MapShape) -> Json:
    """Give the schema of a mapping with free keys."""
    pattern = _KEYS.get(shape.keys)
    if pattern is None:
        return {"type": "object", "additionalProperties": _schema(shape.of)}
    return {"type": "object", "patternProperties": {pattern: _schema(shape.of)}, "additionalProperties": False}


def _form(shape: Form, *, top: bool = False) -> Json:
    """Give the schema of a mapping with fixed keys."""
    properties: dict[str, Json] = {}
    for key, inner in shape.keys.items():
        found = _schema(inner)
        says = _SAYS.get("/" + key) if top else _SAYS.get(f"{shape.says}/{key}", _SAYS.get(key))
        if shape is forms.QUESTION and key in KINDS:
            found = {**_SPECIAL.get(key, found)}
            says = KINDS[key]
        properties[key] = {**found, "description": says or inner.says} if "$ref" not in found or says else found
    out: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    if shape.required:
        out["required"] = list(shape.required)
    if shape is forms.QUESTION:
        out["oneOf"] = [{"required": [kind]} for kind in KINDS]
    return out
