"""The games that were played on this box: read from its journal, summed up, and forgotten on request.

games.py  one game at a time, out of the journal    summary.py  what finished games come to    kept.py  summaries, kept
"""

from companion.history.games import PastGame, newest_game, past_games
from companion.history.kept import Habits, History
from companion.history.summary import Summary, Sums, sums

__all__ = ["Habits", "History", "PastGame", "Summary", "Sums", "newest_game", "past_games", "sums"]
