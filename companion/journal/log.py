"""SQLite's write-ahead log, read for what SQLite itself passes over in silence. Source: sqlite.org/fileformat2."""

from __future__ import annotations

import struct


def commits_passed_over(log: bytes, sound_frames: int) -> int | None:
    """Return how many transactions stand in a write-ahead log after its last sound frame; None when nothing does.

    The file goes on after the last sound frame with frames of the time before the last checkpoint, which have other
    salts. A frame that shares a salt with the header was written since: it was cut short, or is damaged.
    """
    header, frame_header = 32, 24
    if len(log) <= header:
        return None
    magic, _, page, _, salt_1, salt_2, sum_1, sum_2 = struct.unpack(">8I", log[:header])
    if magic not in {0x377F0682, 0x377F0683} or _log_checksum(log[:24], big=bool(magic & 1)) != (sum_1, sum_2):
        # No transaction can be believed after a damaged header.
        return 2
    passed_over = [
        size
        for size, one, two in (
            struct.unpack(">III", log[at + 4 : at + 16])
            for at in range(header + max(sound_frames, 0) * (page + frame_header), len(log) - 16, page + frame_header)
        )
        if one == salt_1 or two == salt_2
    ]
    return sum(1 for size in passed_over if size) if passed_over else None


def _log_checksum(content: bytes, *, big: bool) -> tuple[int, int]:
    """Return SQLite's checksum of a write-ahead log's header (fileformat2, section 4.2)."""
    words = struct.unpack(f"{'>' if big else '<'}{len(content) // 4}I", content)
    one = two = 0
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two
