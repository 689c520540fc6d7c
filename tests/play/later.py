"""Time that a test lets pass, for whoever asks the table to do something later."""

import heapq


class Later:
    """The table's timer, and a narrator that writes down: a test lets the time pass."""

    def __init__(self, evening):
        self.evening, self.now, self.said, self._due = evening, 0.0, [], []

    def later(self, seconds, work):
        timer = Timer(self.now + seconds, work)
        heapq.heappush(self._due, timer)
        return timer

    def remark(self, line):
        self.said.append((self.now, line.key, line.text))

    def go(self, seconds):
        """Let so many seconds pass."""
        end = self.now + seconds
        while self._due and self._due[0].due <= end:
            timer = heapq.heappop(self._due)
            self.now = timer.due
            if not timer.cancelled:
                timer.work()
        self.now = end


class Timer:
    def __init__(self, due, work):
        self.due, self.work, self.cancelled = due, work, False

    def __lt__(self, other):
        return self.due < other.due

    def cancel(self):
        self.cancelled = True
