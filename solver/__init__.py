"""What a game means, and the engines that search it."""
