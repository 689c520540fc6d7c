"""A loudspeaker on a clock of its own that gives what was heard as samples: the narrator, listened to offline."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from companion.narrator import levels
from companion.narrator.sound import SAMPLE_RATE, Track


@dataclass
class _Sound:
    track: Track
    samples: np.ndarray
    begins: float
    loop: bool
    ends: float = np.inf


@dataclass
class Tape:
    """Notes what is played, stopped and turned, and mixes it as the mixer does."""

    clock: object
    trouble: str = ""
    sounds: list[_Sound] = field(default_factory=list)
    turns: dict = field(default_factory=lambda: {track: [(0.0, 1.0, 0.0)] for track in Track})

    def play(self, clip, track, *, loop=False):
        self.stop(track)
        self.sounds.append(_Sound(track, levels.read_wav(clip.path), self.clock.now(), loop))

    def stop(self, track):
        for sound in self.sounds:
            if sound.track is track:
                sound.ends = min(sound.ends, self.clock.now())

    def turn_to(self, step):
        raise AssertionError(f"the narrator turns nothing to {step}")

    def set_volume(self, track, volume, fade_seconds=0.0):
        self.turns[track].append((self.clock.now(), volume, fade_seconds))

    def close(self):
        """Nothing to give back."""

    def voices(self):
        """Return when each line began and ended (seconds on the clock)."""
        return [
            (sound.begins, min(sound.ends, sound.begins + len(sound.samples) / SAMPLE_RATE))
            for sound in self.sounds
            if sound.track is Track.VOICE
        ]

    def mix(self, begin, end, tracks=tuple(Track)):
        """Return what could be heard of some tracks between two times, as samples."""
        total = np.zeros(round((end - begin) * SAMPLE_RATE))
        times = begin + np.arange(len(total)) / SAMPLE_RATE
        for sound in self.sounds:
            if sound.track not in tracks:
                continue
            place = round((sound.begins - begin) * SAMPLE_RATE)
            last = len(total) if sound.loop else min(len(total), place + len(sound.samples))
            last = min(last, round((min(sound.ends, end) - begin) * SAMPLE_RATE))
            first = max(0, place)
            if first < last:
                heard = np.resize(sound.samples, last - place)[first - place :]
                total[first:last] += heard * self._gains(sound.track, times[first:last])
        return total

    def _gains(self, track, times):
        points = [(0.0, 1.0)]
        for at, volume, fade in self.turns[track]:
            now = float(np.interp(at, *zip(*points, strict=True)))
            # A turn without a fade is done when it is asked for.
            points = [point for point in points if point[0] < at - 1e-6] or [(0.0, 1.0)]
            points += [(at, now), (at + fade, volume)] if fade else [(at - 1e-6, now), (at, volume)]
        return np.interp(times, *zip(*points, strict=True))


def find(clip, mix):
    """Return where a clip's samples stand in a recording (seconds), and how like it that place is, 0 to 1."""
    size = 1 << (len(mix) + len(clip)).bit_length()
    match = np.fft.irfft(np.fft.rfft(mix, size) * np.conj(np.fft.rfft(clip, size)), size)[: len(mix)]
    place = int(np.argmax(match))
    there = mix[place : place + len(clip)]
    like = match[place] / (np.linalg.norm(there) * np.linalg.norm(clip[: len(there)]) + 1e-12)
    return place / SAMPLE_RATE, float(like)
