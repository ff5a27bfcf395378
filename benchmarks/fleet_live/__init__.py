"""Many simulated devices and one fleet server: how soon a step is on the console, what a killed server loses."""
