"""The phone pages and everything else that is served on the network."""
