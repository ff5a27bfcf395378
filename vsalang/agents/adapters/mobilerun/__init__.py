"""mobilerun (formerly droidrun): its driver behind the guard, its actions, and the states of its helper app."""
