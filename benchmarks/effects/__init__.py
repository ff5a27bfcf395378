"""Touches of recorded screens that people labelled: what would a finger do there?"""
