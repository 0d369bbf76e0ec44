"""The loop that the adapters of this folder share: a line of JSON asks an engine, a line of JSON answers."""

import json
import sys


class Refused(Exception):
    """The move is not legal."""


class NotPlayed(Exception):
    """The engine does not play this game, or not so."""


def serve(begin):
    """Answer until `quit`. `begin(asked)` makes an engine with `legal()`, `play(asked)` and `outcome()`."""
    engine = None
    for line in sys.stdin:
        asked = json.loads(line)
        match asked["do"]:
            case "quit":
                return
            case "new":
                try:
                    if "position" in asked:
                        raise NotPlayed("it begins at the start alone")
                    engine, said = begin(asked), {"ok": True}
                except NotPlayed as why:
                    said = {"unsupported": str(why)}
                except ModuleNotFoundError as why:
                    said = {"unsupported": f"the package `{why.name}` is not installed"}
            case "legal":
                said = {"moves": engine.legal()}
            case "play":
                try:
                    engine.play(asked)
                    said = {"ok": True}
                except Refused as why:
                    said = {"illegal": str(why)}
            case "outcome":
                said = engine.outcome()
            case _:
                said = {"error": f"what is {asked['do']}?"}
        print(json.dumps(said), flush=True)
