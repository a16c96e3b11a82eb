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
      `The user must check that command and approve it with \`qm source approve ${it.slug}\`.`,
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
    hint: (it) =>
      `Run \`qm credential set ${it.name}\`; an agent can ask the user with credential_request.`,
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

export const SourceArgumentsInvalid = defineError<{ slug: string; tool: string; reason: string }>()(
  "SOURCES_ARGUMENTS_INVALID",
  {
    family: "invalid",
    message: (it) => `The arguments for ${visibleLine(it.tool)} are invalid: ${it.reason}.`,
    hint: (it) => `Pass one JSON object; \`qm source tools ${it.slug}\` shows its fields.`,
  },
)

export const SourceOff = defineError<{ slug: string; session: string }>()("SOURCES_OFF", {
  family: "denied",
  message: (it) => `Source ${it.slug} is off in this session.`,
  hint: (it) =>
    `The user can switch it on with \`qm source on ${it.slug} --session ${visibleLine(it.session)}\`.`,
})

export const LoginNeeded = defineError<{ slug: string }>()("SOURCES_LOGIN_NEEDED", {
  family: "denied",
  message: (it) => `Source ${it.slug} needs a sign-in.`,
  hint: (it) => `The user can sign in with \`qm source login ${it.slug}\`.`,
})

export const LoginExpired = defineError<{ slug: string }>()("SOURCES_LOGIN_EXPIRED", {
  family: "denied",
  message: (it) => `The sign-in to source ${it.slug} has expired or was revoked.`,
  hint: (it) => `The user can sign in again with \`qm source login ${it.slug}\`.`,
})

export const LoginDenied = defineError<{ slug: string }>()("SOURCES_LOGIN_DENIED", {
  family: "denied",
  message: (it) => `The sign-in to source ${it.slug} was refused in the browser.`,
  hint: (it) => `Nothing was stored. To try again, run \`qm source login ${it.slug}\`.`,
})

export const LoginTimedOut = defineError<{ slug: string; minutes: number }>()(
  "SOURCES_LOGIN_TIMED_OUT",
  {
    family: "unavailable",
    message: (it) => `The sign-in to source ${it.slug} was not completed in ${it.minutes} minutes.`,
    hint: (it) => `Run \`qm source login ${it.slug}\` and sign in on the page that opens.`,
  },
)

export const LoginFailed = defineError<{ slug: string; reason: string }>()("SOURCES_LOGIN_FAILED", {
  family: "unavailable",
  message: (it) => `The sign-in to source ${it.slug} failed: ${it.reason}.`,
  hint: (it) => `Nothing was stored. Check its config.json, or ask the operator of ${it.slug}.`,
})

export const LoginCodeRefused = defineError<{ slug: string }>()("SOURCES_LOGIN_CODE_REFUSED", {
  family: "denied",
  message: (it) =>
    `The sign-in to source ${it.slug} came too late: its server says that the code has expired or was used (invalid_grant).`,
  hint: (it) => `Nothing was stored. Sign in again with \`qm source login ${it.slug}\`.`,
})

export const LoginUnsupported = defineError<{ slug: string; reason: string }>()(
  "SOURCES_LOGIN_UNSUPPORTED",
  {
    family: "unavailable",
    message: (it) => `Source ${it.slug} offers no sign-in that is safe to use: ${it.reason}.`,
    hint: () => "Use a key instead: name it as credential in its config.json.",
  },
)

export const LoginNotOffered = defineError<{ slug: string }>()("SOURCES_LOGIN_NOT_OFFERED", {
  family: "invalid",
  message: (it) => `Source ${it.slug} has no sign-in.`,
  hint: () => "Add `oauth: {}` to the transport in its config.json.",
})

export const TemplateUnknown = defineError<{ slug: string; nearest: string | undefined }>()(
  "SOURCES_TEMPLATE_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `Template ${visibleLine(it.slug)} does not exist.`,
    hint: (it) =>
      it.nearest === undefined
        ? "Run `qm source templates` to see all templates."
        : `Did you mean ${it.nearest}? Run \`qm source templates\` to see all templates.`,
  },
)

export const TemplateValueInvalid = defineError<{ slug: string; problem: string }>()(
  "SOURCES_TEMPLATE_VALUE_INVALID",
  {
    family: "invalid",
    message: (it) => `Template ${it.slug} cannot be filled: ${it.problem}.`,
    hint: (it) =>
      `\`qm source templates ${it.slug}\` explains its values; pass them as --value name=value.`,
  },
)

export const SourceExists = defineError<{ slug: string }>()("SOURCES_EXISTS", {
  family: "conflict",
  message: (it) => `You already have a source ${it.slug}.`,
  hint: () => "Add it under another name with --name, or remove its folder first.",
})

export const RequestUnknown = defineError<{ id: string }>()("CREDENTIALS_REQUEST_NOT_FOUND", {
  family: "not-found",
  message: (it) => `No credential request ${visibleLine(it.id)} exists.`,
  hint: () => "Run `qm credential requests` to see the open ones.",
})

export const RequestAnswered = defineError<{ id: string; status: string }>()(
  "CREDENTIALS_REQUEST_ANSWERED",
  {
    family: "conflict",
    message: (it) => `The credential request ${it.id} is already ${it.status}.`,
    hint: () => "Run `qm credential requests` to see the open ones.",
  },
)

export const TooManyRequests = defineError<{ most: number }>()("CREDENTIALS_TOO_MANY_REQUESTS", {
  family: "too-many",
  message: (it) => `${it.most} credential requests already wait for the user.`,
  hint: () => "Continue without it, or ask again after the user has answered some.",
})

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
