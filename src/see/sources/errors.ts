import { defineError, visibleLine } from "#ground/base"

export const SourceUnknown = defineError<{ slug: string; nearest: string | undefined }>()(
  "SOURCES_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `There is no source ${visibleLine(it.slug)}.`,
    hint: (it) =>
      it.nearest === undefined
        ? "List the sources with qm source list."
        : `Did you mean ${it.nearest}? List the sources with qm source list.`,
  },
)

export const SourceInvalid = defineError<{ slug: string; problem: string }>()("SOURCES_INVALID", {
  family: "invalid",
  message: (it) => `The source ${it.slug} cannot be used: ${it.problem}`,
  hint: () => "Correct its config.json, then test it with qm source test.",
})

export const SourceNotApproved = defineError<{ slug: string; command: string; why: string }>()(
  "SOURCES_NOT_APPROVED",
  {
    family: "denied",
    message: (it) => `The source ${it.slug} ${it.why}. It would execute or call: ${it.command}`,
    hint: (it) =>
      `A person reads that command and, if it is wanted, runs: qm source approve ${it.slug}`,
  },
)

export const SourceChanged = defineError<{ slug: string }>()("SOURCES_CHANGED", {
  family: "conflict",
  message: (it) => `The source ${it.slug} is not what was read: it has changed since.`,
  hint: () => "Look at it again with qm source list, then approve what is there now.",
})

export const SourceWithoutCredential = defineError<{ slug: string; name: string }>()(
  "SOURCES_NO_CREDENTIAL",
  {
    family: "unavailable",
    message: (it) => `The source ${it.slug} needs the credential ${it.name}, which is not set.`,
    hint: (it) => `Set it: qm credential set ${it.name}`,
  },
)

export const SourceToolMissing = defineError<{ slug: string; tool: string; has: string }>()(
  "SOURCES_TOOL_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `The source ${it.slug} has no tool ${visibleLine(it.tool)}.`,
    hint: (it) => `It has: ${it.has}`,
  },
)

export const SourceFailed = defineError<{ slug: string; reason: string }>()("SOURCES_FAILED", {
  family: "unavailable",
  message: (it) => `The source ${it.slug} failed: ${it.reason}.`,
  hint: (it) => `Go on without it, or look at it with qm source test ${it.slug}`,
})

export const SourceTimedOut = defineError<{ slug: string; timeoutMs: number }>()(
  "SOURCES_TIMED_OUT",
  {
    family: "unavailable",
    message: (it) => `The source ${it.slug} gave no answer within ${it.timeoutMs} ms.`,
    hint: () => "Go on without it, or raise timeoutMs in its config.json.",
  },
)

export const SourceResting = defineError<{ slug: string; seconds: number; problem: string }>()(
  "SOURCES_RESTING",
  {
    family: "unavailable",
    message: (it) =>
      `The source ${it.slug} failed three times in a row and is not asked for ${it.seconds} s. ${it.problem}`,
    hint: (it) => `Go on without it, or try it at once with qm source test ${it.slug}`,
  },
)

export const ApprovalsUnreadable = defineError<{ path: string; reason: string }>()(
  "SOURCES_APPROVALS_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The approvals in ${visibleLine(it.path)} cannot be read: ${it.reason}.`,
    hint: () => "Nothing was changed. Move the file away and approve the sources again.",
  },
)
