// Tic-tac-toe for `tablelaw conform`, in plain JavaScript for Node: a line of JSON asks, a line of JSON answers.
'use strict';
const readline = require('readline');

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
let board = Array(9).fill(null);
let turn = 0;

const won = (seat) => LINES.some((line) => line.every((s) => board[s] === seat));
const ended = () => won(0) || won(1) || !board.includes(null);

function answer(asked) {
  switch (asked.do) {
    case 'new': {
      if (asked.game !== 'tic-tac-toe') return { unsupported: `this plays tic-tac-toe and not ${asked.game}` };
      const given = asked.position || { turn: 0, board: {} };
      board = [...Array(9).keys()].map((s) => given.board[s] ?? null);
      turn = given.turn;
      return { ok: true };
    }
    case 'legal':
      return { moves: ended() ? [] : [...Array(9).keys()].filter((s) => board[s] === null).map((s) => `mark(square=${s})`) };
    case 'play': {
      const { square } = asked.args;
      if (ended() || board[square] !== null) return { illegal: 'that square is marked, or the game is over' };
      board[square] = turn;
      turn = 1 - turn;
      return { ok: true };
    }
    case 'outcome':
      return { ended: ended(), winners: [0, 1].filter(won), position: { turn, board: { ...board } } };
    default:
      return { error: `what is ${asked.do}?` };
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  if (asked.do === 'quit') process.exit(0);
  process.stdout.write(JSON.stringify(answer(asked)) + '\n');
});
