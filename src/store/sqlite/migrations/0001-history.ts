/** Everything the first version keeps. */
export const sql = `
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  folder TEXT,
  title TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_folder ON sessions (folder, updated_at);
CREATE INDEX sessions_by_time ON sessions (updated_at);

CREATE TABLE agents (
  uuid TEXT PRIMARY KEY,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  parent_uuid TEXT REFERENCES agents (uuid),
  fork_message_id INTEGER REFERENCES messages (id),
  name TEXT,
  status TEXT NOT NULL,
  provider TEXT,
  model TEXT,
  thinking_level TEXT,
  owner TEXT,
  data TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_by_session ON agents (session_id, created_at);
CREATE INDEX agents_by_parent ON agents (parent_uuid) WHERE parent_uuid IS NOT NULL;
CREATE INDEX agents_by_owner ON agents (owner) WHERE owner IS NOT NULL;

CREATE TABLE messages (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  agent_uuid TEXT NOT NULL REFERENCES agents (uuid),
  kind TEXT NOT NULL,
  content TEXT,
  data TEXT,
  version INTEGER NOT NULL,
  target_id INTEGER REFERENCES messages (id),
  provider TEXT,
  model TEXT,
  input_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  output_tokens INTEGER,
  thinking_tokens INTEGER,
  cost_usd REAL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_agent ON messages (agent_uuid, id);
CREATE INDEX messages_by_session ON messages (session_id, id);
-- What decides which entries are in force, and what sets an agent up: few among many.
CREATE INDEX messages_jumps ON messages (agent_uuid, id) WHERE kind IN ('clear', 'rewind', 'compact');
CREATE INDEX messages_marks ON messages (agent_uuid, id) WHERE kind = 'mark';
CREATE INDEX messages_settings ON messages (agent_uuid, id)
  WHERE kind IN ('system', 'pin', 'unpin', 'model', 'toolset');
-- Tokens and money are added up from this index alone.
CREATE INDEX messages_spent ON messages (
  agent_uuid, created_at, provider, model,
  input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, cost_usd
) WHERE provider IS NOT NULL;

CREATE VIEW searchable AS
  SELECT id, substr(content, 1, CASE kind WHEN 'tool_result' THEN 16384 ELSE 65536 END) AS content
  FROM messages
  WHERE content IS NOT NULL
    AND kind IN ('user', 'assistant', 'tool_result', 'mail', 'compact', 'capture', 'command');
CREATE VIRTUAL TABLE messages_search USING fts5 (
  content, content = 'searchable', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER messages_searchable AFTER INSERT ON messages BEGIN
  INSERT INTO messages_search (rowid, content) SELECT id, content FROM searchable WHERE id = new.id;
END;

CREATE TABLE mail (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  from_uuid TEXT,
  to_uuid TEXT NOT NULL REFERENCES agents (uuid),
  content TEXT NOT NULL,
  data TEXT,
  created_at INTEGER NOT NULL,
  read_at INTEGER
) STRICT;
CREATE INDEX mail_unread ON mail (to_uuid, id) WHERE read_at IS NULL;
CREATE INDEX mail_by_session ON mail (session_id, id);

CREATE TABLE checkpoints (
  agent_uuid TEXT NOT NULL REFERENCES agents (uuid),
  message_uuid TEXT NOT NULL,
  seq INTEGER NOT NULL,
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (agent_uuid, message_uuid, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  bytes BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE processes (
  uuid TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  started TEXT NOT NULL,
  heartbeat_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
