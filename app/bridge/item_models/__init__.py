"""Lists for views: rows are frozen values, found under `ROW`; texts for screen readers are whole sentences."""
