import { defineError, formatExact, visibleLine } from "#ground/base"
import { LONGEST_SHOWN_UNITS, MOST_DISTILLED_A_SESSION, MOST_FILES } from "./limits.ts"

export const MemoryUnknown = defineError<{ id: string }>()("MEMORY_NOT_FOUND", {
  family: "not-found",
  message: (it) => `There is no memory ${shown(it.id)}.`,
  hint: () => "Search for it first; `qm memory` lists all, and files that could not be read.",
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
      `The ${it.field} has ${formatExact(it.length)} characters; at most ${formatExact(it.most)} are kept.`,
    hint: () => "Say what is worth knowing next time in fewer words; cite code instead of quoting.",
  },
)

export const NothingSaid = defineError<{ id: string }>()("MEMORY_NOTHING_SAID", {
  family: "invalid",
  message: (it) => `Nothing was said about ${shown(it.id)}: no verdict and no outcome.`,
  hint: () => "Give verdict helpful or unhelpful, or outcome succeeded or failed, or both.",
})

export const CiteUnknown = defineError<{ cite: string }>()("MEMORY_CITE_UNKNOWN", {
  family: "invalid",
  message: (it) => `The memory cites ${shown(it.cite)}, which is not in the repository.`,
  hint: () => "Cite code that is there, as path or path#symbol from the root, or leave it out.",
})

export const OwnText = defineError<Record<never, never>>()("MEMORY_OWN_TEXT", {
  family: "invalid",
  message: () => "The text holds a block that we ourselves had handed out.",
  hint: () => "Record what was learnt, in new words; use memory_feedback for what was handed out.",
})

export const TooManyDistilled = defineError<{ session: string }>()("MEMORY_TOO_MANY", {
  family: "conflict",
  message: (it) =>
    `Session ${shown(it.session)} has recorded ${MOST_DISTILLED_A_SESSION} memories of its work, the most it may.`,
  hint: () => "Record no more of this session; what it recorded can be found with memory_search.",
})

export const MemoryFull = defineError<Record<never, never>>()("MEMORY_FULL", {
  family: "full",
  message: () => `There are ${formatExact(MOST_FILES)} files of memories, the most that are read.`,
  hint: () => "Forget some of them first: qm memory list, qm memory forget <id>.",
})

export const OnlyAPerson = defineError<{ id: string; what: string }>()("MEMORY_ONLY_A_PERSON", {
  family: "denied",
  message: (it) => `Only a person may ${it.what} ${shown(it.id)}.`,
  hint: () => "Ask the user to do it, in the console or with qm memory; go on without it.",
})

export const AlreadySuperseded = defineError<{ id: string; by: string | null }>()(
  "MEMORY_SUPERSEDED",
  {
    family: "conflict",
    message: (it) =>
      `${shown(it.id)} was superseded${it.by === null ? "" : ` by ${shown(it.by)}`}.`,
    hint: () => "Use the memory that took its place.",
  },
)

export const FileChanged = defineError<{ file: string; problem: string }>()("MEMORY_FILE_CHANGED", {
  family: "conflict",
  message: (it) => `${shown(it.file)} was changed meanwhile: ${it.problem}.`,
  hint: () => "Mend the file by hand, then repeat the call; nothing was written.",
})

export const FolderUnusable = defineError<{ folder: string; what: string }>()(
  "MEMORY_FOLDER_UNUSABLE",
  {
    family: "conflict",
    message: (it) => `${shown(it.folder)} is a ${it.what}, and memories are kept in folders.`,
    hint: () => "Put a folder there; links are not followed, since they may lead out.",
  },
)

export const MemoryBusy = defineError<Record<never, never>>()("MEMORY_BUSY", {
  family: "unavailable",
  message: () => "Another process is writing memories of this repository.",
  hint: () => "Repeat the call in a few seconds; nothing was written.",
})

/** For foreign text: one line, no invisible characters, truncated. */
function shown(text: string): string {
  return visibleLine(text.slice(0, LONGEST_SHOWN_UNITS))
}
