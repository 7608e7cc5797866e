"""The tables of the history, as steps from one version of the file to the next."""

APPLICATION_ID = 0x4F757470
"""Marks a SQLite file as ours ("Outp")."""

_WORDS = "tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'"

# A message that is still streaming is not searched: its text is written again and again.
_FIRST = f"""
CREATE TABLE chat (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL DEFAULT '',
  has_own_title INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0,
  created REAL NOT NULL,
  changed REAL NOT NULL,
  leaf TEXT NOT NULL DEFAULT '',
  left_out TEXT NOT NULL DEFAULT '',
  unsent TEXT NOT NULL DEFAULT '',
  deleted REAL
);
CREATE TABLE message (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  chat TEXT NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
  parent TEXT REFERENCES message (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  status TEXT NOT NULL,
  created REAL NOT NULL,
  text TEXT NOT NULL,
  sources BLOB NOT NULL,
  details TEXT NOT NULL
);
CREATE INDEX message_by_chat ON message (chat);
CREATE INDEX message_by_parent ON message (parent);
CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE VIRTUAL TABLE chat_words USING fts5 (title, content = 'chat', content_rowid = 'number', {_WORDS});
CREATE TRIGGER chat_added AFTER INSERT ON chat BEGIN
  INSERT INTO chat_words (rowid, title) VALUES (new.number, new.title);
END;
CREATE TRIGGER chat_removed AFTER DELETE ON chat BEGIN
  INSERT INTO chat_words (chat_words, rowid, title) VALUES ('delete', old.number, old.title);
END;
CREATE TRIGGER chat_renamed AFTER UPDATE OF title ON chat WHEN old.title <> new.title BEGIN
  INSERT INTO chat_words (chat_words, rowid, title) VALUES ('delete', old.number, old.title);
  INSERT INTO chat_words (rowid, title) VALUES (new.number, new.title);
END;

CREATE VIRTUAL TABLE message_words USING fts5 (text, content = 'message', content_rowid = 'number', {_WORDS});
CREATE TRIGGER message_added AFTER INSERT ON message WHEN new.status <> 'streaming' BEGIN
  INSERT INTO message_words (rowid, text) VALUES (new.number, new.text);
END;
CREATE TRIGGER message_removed AFTER DELETE ON message WHEN old.status <> 'streaming' BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TRIGGER message_changed AFTER UPDATE OF text, status ON message BEGIN
  INSERT INTO message_words (message_words, rowid, text)
    SELECT 'delete', old.number, old.text WHERE old.status <> 'streaming';
  INSERT INTO message_words (rowid, text) SELECT new.number, new.text WHERE new.status <> 'streaming';
END;
"""

_OPTIONS = "ALTER TABLE chat ADD COLUMN options TEXT NOT NULL DEFAULT '';"

MIGRATIONS: tuple[str, ...] = (_FIRST, _OPTIONS)
"""`MIGRATIONS[i]` turns a file of version i into one of version i + 1; version 0 is an empty file."""
