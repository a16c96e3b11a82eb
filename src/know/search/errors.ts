import { defineError } from "#ground/base"

export const RankerMissing = defineError<{ file: string; reason: string }>()(
  "SEARCH_RANKER_MISSING",
  {
    family: "unavailable",
    message: (it) => `The ranker's file ${it.file} could not be read: ${it.reason}.`,
    hint: () => "Install the package again; models/ranker is part of it.",
  },
)

export const RankerDamaged = defineError<{ file: string; wrong: string }>()(
  "SEARCH_RANKER_DAMAGED",
  {
    family: "unavailable",
    message: (it) => `The ranker's file ${it.file} is damaged: ${it.wrong}.`,
    hint: () => "Compare its sha-256 with models/ranker/README.md, and install the package again.",
  },
)

export const HeadNeedsTable = defineError<{ head: string }>()("SEARCH_HEAD_NEEDS_TABLE", {
  family: "invalid",
  message: (it) => `The head ${it.head} needs the table of words, which is not loaded.`,
  hint: () => "Load the ranker with its table, or use the head lex+hist.",
})

export const DocumentInvalid = defineError<{ path: string; wrong: string }>()(
  "SEARCH_DOCUMENT_INVALID",
  {
    family: "invalid",
    message: (it) => `${it.path} cannot be searched: ${it.wrong}.`,
    hint: () => "Scan the repository again; each path once, each with a whole number of terms.",
  },
)

export const WeightsInvalid = defineError<{ name: string; value: number }>()(
  "SEARCH_WEIGHTS_INVALID",
  {
    family: "invalid",
    message: (it) => `The weight ${it.name} is ${it.value}, which is no number of at least 0.`,
    hint: () => "Give a number of at least 0; 0 switches the signal off.",
  },
)

export const NothingToSearch = defineError<Record<never, never>>()("SEARCH_NOTHING_TO_SEARCH", {
  family: "invalid",
  message: () => "The text holds no word to search for.",
  hint: () => "Say what it is about: a feature, a name from the code, a part of a path.",
})
