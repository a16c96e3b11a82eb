import { defineError, visibleLine } from "#ground/base"

export const SessionNotIndexed = defineError<{ session: string }>()("SESSIONS_NOT_FOUND", {
  family: "not-found",
  message: (it) => `No indexed session has the id ${visibleLine(it.session.slice(0, 200))}.`,
  hint: () => "List sessions with `qm sessions`; index new ones with `qm sessions import`.",
})

export const SessionAmbiguous = defineError<{ session: string; count: number }>()(
  "SESSIONS_AMBIGUOUS",
  {
    family: "invalid",
    message: (it) =>
      `${visibleLine(it.session.slice(0, 200))} is the start of ${it.count} session ids.`,
    hint: () => "Give more characters of the id, as `qm sessions --json` lists it.",
  },
)

export const QueryWithoutWords = defineError<{ query: string }>()("SESSIONS_QUERY_EMPTY", {
  family: "invalid",
  message: (it) => `${visibleLine(it.query.slice(0, 200))} contains no letters or digits.`,
  hint: () => "Search for words, such as `qm sessions search rounding`.",
})

export const WasteUnknown = defineError<{ id: string }>()("SESSIONS_WASTE_UNKNOWN", {
  family: "not-found",
  message: (it) => `No finding or applied change has the id ${visibleLine(it.id.slice(0, 100))}.`,
  hint: () => "List findings with `qm waste`.",
})

export const WasteNotAnEdit = defineError<{ id: string }>()("SESSIONS_WASTE_NO_EDIT", {
  family: "invalid",
  message: (it) => `The finding ${it.id} has no file edit that can be applied.`,
  hint: () => "Follow the advice that `qm waste` prints for it.",
})

export const WasteFileChanged = defineError<{ file: string }>()("SESSIONS_WASTE_FILE_CHANGED", {
  family: "conflict",
  message: (it) =>
    `${visibleLine(it.file)} changed after qm last read or wrote it, so nothing was written.`,
  hint: () => "Compare the file by hand; `git diff` shows the change.",
})
