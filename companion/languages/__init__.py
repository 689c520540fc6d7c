"""The languages of the box, one data file each, and the loader that checks them whole.

A new language is one new file here: copy `en.toml`, whose head explains the format.
"""

from companion.languages.loader import (
    FOLDER,
    Language,
    LanguageError,
    Step,
    VoiceSettings,
    codes,
    faults,
    known,
    load,
    read,
    untranslated,
)

__all__ = [
    "FOLDER",
    "Language",
    "LanguageError",
    "Step",
    "VoiceSettings",
    "codes",
    "faults",
    "known",
    "load",
    "read",
    "untranslated",
]
