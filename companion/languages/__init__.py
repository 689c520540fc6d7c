"""The languages of the box, one data file each, and the loader that checks them whole.

A new language is one new file here: copy `en.toml`, whose head explains the format.
"""

from companion.languages.loader import Language, LanguageError, Step, VoiceSettings, codes, known, load, read

__all__ = ["Language", "LanguageError", "Step", "VoiceSettings", "codes", "known", "load", "read"]
