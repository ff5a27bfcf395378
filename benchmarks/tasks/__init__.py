"""What a guard makes of the recorded tasks of DroidTask, right and wrong, under charters of the instructions alone."""
