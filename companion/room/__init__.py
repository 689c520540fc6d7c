"""Lets the room play along: tells a household's MQTT broker what everybody at the table sees anyway.

moments.py  what may be told, worked out from two snapshots    broker.py  how it gets to the broker
"""
