// Connect Four as the npm package `connect-four` plays it (`npm install connect-four`), for `tablelaw conform`.
'use strict';
const readline = require('readline');
let Game = null;
try {
  Game = require('connect-four');
} catch (missing) {
  // said when a play is to begin
}

let game = null;
let seat = 0;

function legal() {
  if (game.ended) return [];
  return [...Array(game.cols).keys()].filter((c) => game.validMove(c)).map((c) => `drop(column=${c})`);
}

function answer(asked) {
  switch (asked.do) {
    case 'new':
      if (!Game) return { unsupported: 'the package `connect-four` is not installed' };
      if (asked.game !== 'connect' || asked.options.line !== '4') return { unsupported: 'it plays lines of four' };
      if (asked.position) return { unsupported: 'it begins with an empty board' };
      game = new Game({ rows: Number(asked.options.rows), cols: Number(asked.options.columns) });
      seat = 0;
      return { ok: true };
    case 'legal':
      return { moves: legal() };
    case 'play':
      if (!legal().includes(`drop(column=${asked.args.column})`)) return { illegal: 'not a valid move' };
      game.play(`seat ${seat}`, asked.args.column);
      seat = 1 - seat;
      return { ok: true };
    case 'outcome':
      return { ended: game.ended, winners: game.winner ? [Number(game.winner.slice(5))] : [] };
    default:
      return { error: `what is ${asked.do}?` };
  }
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  if (asked.do === 'quit') process.exit(0);
  process.stdout.write(JSON.stringify(answer(asked)) + '\n');
});
