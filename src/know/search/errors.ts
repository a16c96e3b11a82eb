import { defineError } from "#ground/base"

export const RankerMissing = defineError<{ file: string; reason: string }>()(
  "SEARCH_RANKER_MISSING",
  {
    family: "unavailable",
    message: (it) => `The ranker file ${it.file} could not be read: ${it.reason}.`,
    hint: () => "Reinstall the package; models/ranker is part of it.",
  },
)

export const RankerDamaged = defineError<{ file: string; wrong: string }>()(
  "SEARCH_RANKER_DAMAGED",
  {
    family: "unavailable",
    message: (it) => `The ranker file ${it.file} is damaged: ${it.wrong}.`,
    hint: () => "Compare its sha-256 with models/ranker/README.md, then reinstall the package.",
  },
)

export const HeadNeedsTable = defineError<{ head: string }>()("SEARCH_HEAD_NEEDS_TABLE", {
  family: "invalid",
  message: (it) => `The head ${it.head} needs the word table, which is not loaded.`,
  hint: () => "Load the ranker with its word table, or use the head lex+hist.",
})

export const DocumentInvalid = defineError<{ path: string; wrong: string }>()(
  "SEARCH_DOCUMENT_INVALID",
  {
    family: "invalid",
    message: (it) => `${it.path} cannot be indexed: ${it.wrong}.`,
    hint: () => "Scan again; each path must occur once, with a whole number of terms.",
  },
)

export const WeightsInvalid = defineError<{ name: string; value: number }>()(
  "SEARCH_WEIGHTS_INVALID",
  {
    family: "invalid",
    message: (it) => `The weight ${it.name} is ${it.value}; it must be a number of at least 0.`,
    hint: () => "Pass a number of at least 0; 0 turns the signal off.",
  },
)

export const NothingToSearch = defineError<Record<never, never>>()("SEARCH_NOTHING_TO_SEARCH", {
  family: "invalid",
  message: () => "The text contains no searchable word.",
  hint: () => "Name a feature, an identifier from the code, or a part of a path.",
})
