import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

/** The index of memory files can be rebuilt from them; state that must not be in git cannot. */
export const memories: Migration = {
  number: 8,
  name: "memories",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE memory_files (
      root ${text} NOT NULL,
      file ${text} NOT NULL,
      stamp ${text} NOT NULL,
      problem ${text},
      body ${text},
      PRIMARY KEY (root, file)
    )${strict}`,
    sql`CREATE TABLE memory_uses (
      root ${text} NOT NULL,
      memory ${text} NOT NULL,
      uses ${integer} NOT NULL,
      used_at ${integer} NOT NULL,
      PRIMARY KEY (root, memory)
    )${strict}`,
    // Latest feedback per session (hashed id); one vote per session.
    sql`CREATE TABLE memory_says (
      root ${text} NOT NULL,
      memory ${text} NOT NULL,
      speaker ${text} NOT NULL,
      verdict ${text},
      outcome ${text},
      PRIMARY KEY (root, memory, speaker)
    )${strict}`,
    // One writer of files at a time, across processes and servers.
    sql`CREATE TABLE memory_locks (
      root ${text} NOT NULL PRIMARY KEY,
      owner ${text} NOT NULL,
      held_until ${integer} NOT NULL
    )${strict}`,
  ],
}
