"""What those need who look after an installation: dead letters, its state of health, backups."""
