"""Whether what is not known on a screen ever takes duty away: cases of real and simulated screens, and their judge."""
