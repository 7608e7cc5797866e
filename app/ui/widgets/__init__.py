"""Small widgets that know nothing of chats and models."""
