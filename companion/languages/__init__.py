"""The six languages as data, and the loader that checks them whole."""
