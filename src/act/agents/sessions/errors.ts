import { defineError } from "#ground/base"

export const SessionFileMissing = defineError<{ path: string }>()("AGENTS_SESSION_FILE_MISSING", {
  family: "not-found",
  message: (it) => `There is no session file at ${it.path}.`,
  hint: () => "Give the path of a session.jsonl that Quartermaster wrote.",
})

export const SessionFileForeign = defineError<{ path: string; reason: string }>()(
  "AGENTS_SESSION_FILE_FOREIGN",
  {
    family: "invalid",
    message: (it) => `${it.path} is no session of Quartermaster: ${it.reason}.`,
    hint: () => "A host's own transcript is read by its session id instead; list those first.",
  },
)

export const SessionFileNewer = defineError<{ path: string; version: number; ours: number }>()(
  "AGENTS_SESSION_FILE_NEWER",
  {
    family: "invalid",
    message: (it) =>
      `${it.path} has session format ${it.version}; this version reads up to ${it.ours}.`,
    hint: () => "Update Quartermaster, or export the session again with this version.",
  },
)

export const SessionFileCorrupt = defineError<{ path: string; line: number; reason: string }>()(
  "AGENTS_SESSION_FILE_CORRUPT",
  {
    family: "invalid",
    message: (it) => `Line ${it.line} of ${it.path} is no message: ${it.reason}.`,
    hint: (it) => `Nothing was imported. Export the session again, or take line ${it.line} out.`,
  },
)

export const SessionFileTooLarge = defineError<{ path: string; limit: string }>()(
  "AGENTS_SESSION_FILE_TOO_LARGE",
  {
    family: "invalid",
    message: (it) => `${it.path} holds more than ${it.limit}.`,
    hint: () => "Nothing was imported. Cut lines from its end until it is below that.",
  },
)

export const TranscriptUnreadable = defineError<{ path: string; reason: string }>()(
  "AGENTS_TRANSCRIPT_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The host's transcript ${it.path} cannot be read: ${it.reason}.`,
    hint: () => "List the host's sessions again; it may have been moved or deleted.",
  },
)
