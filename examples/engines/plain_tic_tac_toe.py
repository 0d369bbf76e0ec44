"""Tic-tac-toe for `tablelaw conform`, in the Python that comes with Python: a line of JSON asks, a line of JSON answers."""

import json
import sys

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
board, turn = [None] * 9, 0


def won(seat):
    return any(all(board[s] == seat for s in line) for line in LINES)


def ended():
    return won(0) or won(1) or None not in board


def answer(asked):
    global board, turn
    match asked["do"]:
        case "new":
            if asked["game"] != "tic-tac-toe":
                return {"unsupported": f"this plays tic-tac-toe and not {asked['game']}"}
            given = asked.get("position", {"turn": 0, "board": {}})
            board, turn = [given["board"].get(str(s)) for s in range(9)], given["turn"]
            return {"ok": True}
        case "legal":
            return {"moves": [] if ended() else [f"mark(square={s})" for s in range(9) if board[s] is None]}
        case "play":
            square = asked["args"]["square"]
            if ended() or board[square] is not None:
                return {"illegal": "that square is marked, or the game is over"}
            board[square], turn = turn, 1 - turn
            return {"ok": True}
        case "outcome":
            position = {"turn": turn, "board": {str(s): board[s] for s in range(9)}}
            return {"ended": ended(), "winners": [p for p in (0, 1) if won(p)], "position": position}
    return {"error": f"what is {asked['do']}?"}


for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "quit":
        break
    print(json.dumps(answer(asked)), flush=True)
