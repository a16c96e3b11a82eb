import { defineError, visibleLine } from "#ground/base"

export const SourceUnknown = defineError<{ slug: string; nearest: string | undefined }>()(
  "SOURCES_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `Source ${visibleLine(it.slug)} does not exist.`,
    hint: (it) =>
      it.nearest === undefined
        ? "Run `qm source list` to see all sources."
        : `Did you mean ${it.nearest}? Run \`qm source list\` to see all sources.`,
  },
)

export const SourceInvalid = defineError<{ slug: string; problem: string }>()("SOURCES_INVALID", {
  family: "invalid",
  message: (it) => `Source ${it.slug} cannot be used: ${it.problem}`,
  hint: (it) => `Correct its config.json, then run \`qm source test ${it.slug}\`.`,
})

export const SourceNotApproved = defineError<{ slug: string; command: string; why: string }>()(
  "SOURCES_NOT_APPROVED",
  {
    family: "denied",
    message: (it) => `Source ${it.slug} ${it.why}. It would run or call: ${it.command}`,
    hint: (it) =>
      `The user must check that command and approve it with \`qm source approve ${it.slug}`,
  },
)

export const SourceChanged = defineError<{ slug: string }>()("SOURCES_CHANGED", {
  family: "conflict",
  message: (it) => `Source ${it.slug} changed after it was shown and was not approved.`,
  hint: () => "Run `qm source list` to see its current command, then approve it.",
})

export const SourceWithoutCredential = defineError<{ slug: string; name: string }>()(
  "SOURCES_NO_CREDENTIAL",
  {
    family: "unavailable",
    message: (it) => `Source ${it.slug} needs the credential ${it.name}, which is not set.`,
    hint: (it) => `Run \`qm credential set ${it.name}\`.`,
  },
)

export const SourceToolMissing = defineError<{ slug: string; tool: string; has: string }>()(
  "SOURCES_TOOL_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `Source ${it.slug} has no tool ${visibleLine(it.tool)}.`,
    hint: (it) => `Its tools are: ${it.has}`,
  },
)

export const SourceFailed = defineError<{ slug: string; reason: string }>()("SOURCES_FAILED", {
  family: "unavailable",
  message: (it) => `Source ${it.slug} failed: ${it.reason}.`,
  hint: (it) => `Continue without it, or run \`qm source test ${it.slug}\` for details.`,
})

export const SourceTimedOut = defineError<{ slug: string; timeoutMs: number }>()(
  "SOURCES_TIMED_OUT",
  {
    family: "unavailable",
    message: (it) => `Source ${it.slug} did not respond within ${it.timeoutMs} ms.`,
    hint: () => "Continue without it, or raise timeoutMs in its config.json.",
  },
)

export const SourceResting = defineError<{ slug: string; seconds: number; problem: string }>()(
  "SOURCES_RESTING",
  {
    family: "unavailable",
    message: (it) =>
      `Source ${it.slug} failed three times in a row and is paused for ${it.seconds} s. ${it.problem}`,
    hint: (it) => `Continue without it, or run \`qm source test ${it.slug}\` to try it now.`,
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
