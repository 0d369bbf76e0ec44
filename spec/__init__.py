"""From the author's text to a checked game; knows no solver."""
