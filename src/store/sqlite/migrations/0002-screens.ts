/** What screens remember: small states by name, and the lines people typed. Neither is part of a conversation. */
export const sql = `
CREATE TABLE states (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE inputs (
  id INTEGER PRIMARY KEY,
  folder TEXT,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inputs_by_folder ON inputs (folder, id);

-- A conversation is known by the first thing somebody said in it.
CREATE INDEX messages_said ON messages (session_id, id) WHERE kind = 'user';
`;
