"""The Compare page: the same question with speculation off and on, side by side."""
