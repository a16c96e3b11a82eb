import { defineError, formatExact, visibleLine } from "#ground/base"
import { LONGEST_SHOWN_UNITS, MOST_DISTILLED_A_SESSION, MOST_FILES } from "./limits.ts"

export const MemoryUnknown = defineError<{ id: string }>()("MEMORY_NOT_FOUND", {
  family: "not-found",
  message: (it) => `No memory has the id ${shown(it.id)}.`,
  hint: () => "Search first, or run `qm memory` to list all memories and unreadable files.",
})

export const MemoryInvalid = defineError<{ field: string; wrong: string }>()(
  "MEMORY_INVALID_INPUT",
  {
    family: "invalid",
    message: (it) => `The ${it.field} of the memory ${it.wrong}.`,
    hint: (it) => `Correct the ${it.field} and record it again.`,
  },
)

export const TextTooLong = defineError<{ field: string; length: number; most: number }>()(
  "MEMORY_TEXT_TOO_LONG",
  {
    family: "invalid",
    message: (it) =>
      `The ${it.field} has ${formatExact(it.length)} characters; the limit is ${formatExact(it.most)}.`,
    hint: () => "Shorten it to what helps next time; cite code instead of quoting it.",
  },
)

export const FeedbackEmpty = defineError<{ id: string }>()("MEMORY_NOTHING_SAID", {
  family: "invalid",
  message: (it) => `The feedback on ${shown(it.id)} has neither a verdict nor an outcome.`,
  hint: () => "Pass verdict helpful or unhelpful, or outcome succeeded or failed, or both.",
})

export const CiteUnknown = defineError<{ cite: string }>()("MEMORY_CITE_UNKNOWN", {
  family: "invalid",
  message: (it) => `The memory cites ${shown(it.cite)}, which is not in the repository.`,
  hint: () =>
    "Cite existing code as path or path#symbol relative to the root, or omit the citation.",
})

export const OwnText = defineError<Record<never, never>>()("MEMORY_OWN_TEXT", {
  family: "invalid",
  message: () => "The text contains a memory that qm added to your context.",
  hint: () =>
    "Describe what you learned in your own words. To rate the existing memory, call memory_feedback.",
})

export const TooManyDistilled = defineError<{ session: string }>()("MEMORY_TOO_MANY", {
  family: "conflict",
  message: (it) =>
    `Session ${shown(it.session)} has recorded ${MOST_DISTILLED_A_SESSION} memories, which is the limit.`,
  hint: () => "Record no more in this session; memory_search finds those already recorded.",
})

export const MemoryFull = defineError<Record<never, never>>()("MEMORY_FULL", {
  family: "full",
  message: () => `There are ${formatExact(MOST_FILES)} memory files, which is the limit.`,
  hint: () =>
    "List them with `qm memory`, then delete files that you no longer need from .qm/memory.",
})

export const OnlyAPerson = defineError<{ id: string; what: string }>()("MEMORY_ONLY_A_PERSON", {
  family: "denied",
  message: (it) => `Only a user may ${it.what} ${shown(it.id)}.`,
  hint: () => "Ask the user to do it in the console or with `qm memory`, and continue without it.",
})

export const AlreadySuperseded = defineError<{ id: string; by: string | null }>()(
  "MEMORY_SUPERSEDED",
  {
    family: "conflict",
    message: (it) =>
      `${shown(it.id)} was superseded${it.by === null ? "" : ` by ${shown(it.by)}`}.`,
    hint: () => "Use the memory that replaced it.",
  },
)

export const FileChanged = defineError<{ file: string; problem: string }>()("MEMORY_FILE_CHANGED", {
  family: "conflict",
  message: (it) => `${shown(it.file)} was changed in the meantime: ${it.problem}.`,
  hint: () => "Repair the file by hand, then try again; nothing was written.",
})

export const FolderUnusable = defineError<{ folder: string; what: string }>()(
  "MEMORY_FOLDER_UNUSABLE",
  {
    family: "conflict",
    message: (it) => `${shown(it.folder)} is a ${it.what}; a folder for memories is needed there.`,
    hint: () =>
      "Replace it with a folder; symlinks are not followed, because they may lead outside.",
  },
)

export const MemoryBusy = defineError<Record<never, never>>()("MEMORY_BUSY", {
  family: "unavailable",
  message: () => "Another process is writing to the memories of this repository.",
  hint: () => "Try again in a few seconds; nothing was written.",
})

/** For foreign text: one line, no invisible characters, truncated. */
function shown(text: string): string {
  return visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
}
