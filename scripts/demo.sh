#!/bin/sh
# What `make demo` shows: disputes about a dice game, answered. `make` puts .venv/bin first on PATH.
set -eu
cd "$(dirname "$0")/.."
rules=examples/carcassonne-dice/rules.yaml
COLUMNS=${COLUMNS:-80}
export COLUMNS

# dispute STATUS HEADING COMMAND… : 0 is legal and as expected, 1 illegal or a finding; any other status ends the demo
dispute() {
  wanted=$1
  printf '\n== %s\n\n$ tablelaw' "$2"
  shift 2
  for word; do
    case $word in
      *[!A-Za-z0-9_./=-]*) printf " '%s'" "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  status=0
  tablelaw "$@" || status=$?
  if [ "$status" -ne "$wanted" ]; then
    printf 'demo: exit status %s, not %s\n' "$status" "$wanted" >&2
    exit 1
  fi
}

echo "Carcassonne: The Dice Game — what people dispute, asked of the two pages of its rules."

dispute 1 "May the dice of a city be put together anew in the same turn?" \
  why $rules --at '{rolls: 2, ready: 0, shown: {knight: 1}, table: {"(0, 0)": corner/0}, passed: 7}' --move rebuild
dispute 1 "May a white side lie beside a black one?" \
  why $rules --at '{rolls: 2, ready: 0, shown: {cap: 1}, table: {"(0, 0)": corner/0}, passed: 7}' \
  --move 'build(face=cap, cell=(1, 0), rotation=1)'
dispute 1 "May I roll a fourth time?" \
  why $rules --at '{rolls: 3, ready: 0, shown: {cap: 2}, passed: 7}' --move roll
dispute 1 "May I keep a knight when I have two?" \
  why $rules --at '{rolls: 3, ready: 0, kept: 2, passed: 7}' --move keep-knight
dispute 0 "A closed city and three knights: may I still choose the knight?" \
  why $rules --at '{rolls: 3, ready: 0, kept: 3, table: {"(0, 0)": cap/1, "(1, 0)": tee/3, "(1, -1)": cap/2, "(2, 0)": cap/3}, passed: 2}' --move keep-knight
dispute 0 "Must I score what I could?" \
  why $rules --at '{rolls: 1, ready: 0, table: {"(0, 0)": cap/1, "(1, 0)": tee/3, "(1, -1)": cap/2, "(2, 0)": cap/3}, passed: 5}' --move pass-without-scoring
dispute 0 "Exactly 42, or at least 42? Do several closed cities all score?" \
  check $rules --question exactly-forty-two --question more-than-forty-two \
  --question forty-one-is-not-enough --question two-closed-cities
dispute 0 "May a player hold several knights? And nine catapults while another player holds one?" \
  check $rules --quick --question one-held-knight --question nine-catapults-while-a-knight-is-held
dispute 0 "Is a knight needed to score a city?" \
  check $rules --quick --question no-knight-needed
dispute 0 "Can nine dice be doubled? One page says no: the claim is asked as it stands." \
  check $rules --quick --question sk-claim-nine-doubled --option knight-die=rolled
dispute 0 "And if the kept knight stays out of the roll?" \
  check $rules --quick --question sk-claim-nine-doubled --option knight-die=aside
dispute 0 "Can play go on for ever, and who keeps it going?" \
  check $rules --quick --question ends

dispute 0 "How likely are nine catapults in one turn, for a player who does everything for them? And three knights?" \
  check $rules --quick --option catapult-win=turn --question nine-catapults-odds --question three-knights-odds

echo
echo "All disputes, with the question that asks each: examples/carcassonne-dice/README.md"
echo "Look around by hand: .venv/bin/tablelaw play $rules --seed 1"
