import { sql } from "../sql.ts"
import type { Migration } from "./migration.ts"

/** Transcripts of all hosts: figures per session and model call, and their text for search. */
export const sessions: Migration = {
  number: 15,
  name: "sessions",
  statements: ({ integer, real, text, strict }, dialect) => [
    sql`CREATE TABLE sessions (
      id ${text} NOT NULL PRIMARY KEY,
      host ${text} NOT NULL,
      title ${text} NOT NULL,
      cwd ${text},
      repository ${text},
      branch ${text},
      version ${text},
      started_at ${integer},
      ended_at ${integer},
      turns ${integer} NOT NULL,
      window_tokens ${integer}
    )${strict}`,
    sql`CREATE INDEX sessions_by_end ON sessions (ended_at)`,
    // The position is committed with the rows it covers, so no line is lost or stored twice.
    sql`CREATE TABLE session_files (
      file ${text} NOT NULL PRIMARY KEY,
      session ${text} NOT NULL,
      agent ${text} NOT NULL,
      inode ${text} NOT NULL,
      size_bytes ${integer} NOT NULL,
      modified_at ${integer} NOT NULL,
      position ${integer} NOT NULL,
      head ${text} NOT NULL,
      state ${text} NOT NULL,
      problem ${text}
    )${strict}`,
    sql`CREATE INDEX session_files_by_session ON session_files (session)`,
    sql`CREATE TABLE session_calls (
      session ${text} NOT NULL,
      call_key ${text} NOT NULL,
      file ${text} NOT NULL,
      agent ${text} NOT NULL,
      model ${text} NOT NULL,
      at ${integer} NOT NULL,
      position ${integer} NOT NULL,
      turn ${integer} NOT NULL,
      input ${integer} NOT NULL,
      output ${integer} NOT NULL,
      cache_read ${integer} NOT NULL,
      cache_write ${integer} NOT NULL,
      cache_write_hour ${integer} NOT NULL,
      usd ${real},
      prices ${text} NOT NULL,
      PRIMARY KEY (session, call_key)
    )${strict}`,
    sql`CREATE INDEX session_calls_by_key ON session_calls (call_key, session)`,
    sql`CREATE INDEX session_calls_by_time ON session_calls (at)`,
    sql`CREATE INDEX session_calls_by_file ON session_calls (file)`,
    sql`CREATE TABLE session_compactions (
      file ${text} NOT NULL,
      position ${integer} NOT NULL,
      session ${text} NOT NULL,
      agent ${text} NOT NULL,
      at ${integer} NOT NULL,
      turn ${integer} NOT NULL,
      cause ${text} NOT NULL,
      tokens_before ${integer},
      tokens_after ${integer},
      PRIMARY KEY (file, position)
    )${strict}`,
    sql`CREATE INDEX session_compactions_by_session ON session_compactions (session)`,
    sql`CREATE TABLE session_paths (
      file ${text} NOT NULL,
      path ${text} NOT NULL,
      session ${text} NOT NULL,
      reads ${integer} NOT NULL,
      edits ${integer} NOT NULL,
      PRIMARY KEY (file, path)
    )${strict}`,
    sql`CREATE INDEX session_paths_by_session ON session_paths (session)`,
    sql`CREATE TABLE session_lines (
      id ${integer} NOT NULL PRIMARY KEY,
      session ${text} NOT NULL,
      file ${text} NOT NULL,
      agent ${text} NOT NULL,
      turn ${integer} NOT NULL,
      at ${integer} NOT NULL,
      role ${text} NOT NULL,
      tool ${text},
      size_bytes ${integer} NOT NULL,
      tokens ${integer} NOT NULL,
      body ${text} NOT NULL
    )${strict}`,
    sql`CREATE INDEX session_lines_by_session ON session_lines (session, id)`,
    sql`CREATE INDEX session_lines_by_file ON session_lines (file)`,
    ...(dialect === "sqlite"
      ? [
          sql`CREATE VIRTUAL TABLE session_words USING fts5(
            words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 0'
          )`,
        ]
      : [
          sql`CREATE TABLE session_words (
            line ${integer} NOT NULL PRIMARY KEY,
            words TSVECTOR NOT NULL
          )`,
          sql`CREATE INDEX session_words_by_word ON session_words USING GIN (words)`,
        ]),
  ],
}
