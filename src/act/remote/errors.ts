import { defineError } from "#ground/base"

export const RunnerUnknown = defineError<{ id: string }>()("REMOTE_RUNNER_NOT_FOUND", {
  family: "not-found",
  message: (it) => `There is no runner ${it.id}.`,
  hint: () => "List the connected machines with `qm runners`.",
})

export const RunnerForeign = defineError<{ id: string }>()("REMOTE_RUNNER_FOREIGN", {
  family: "denied",
  message: (it) => `The runner ${it.id} belongs to another person.`,
  hint: () => "Run `qm connect forget` on that machine, then `qm connect` again.",
})

export const RunnerAway = defineError<{ name: string }>()("REMOTE_RUNNER_AWAY", {
  family: "unavailable",
  message: (it) => `${it.name} is not connected.`,
  hint: () => "Start `qm connect` on that machine, then try again.",
})

export const RepositoryNotOffered = defineError<{ name: string; known: readonly string[] }>()(
  "REMOTE_REPOSITORY_NOT_OFFERED",
  {
    family: "not-found",
    message: (it) => `The runner offers no repository named ${it.name}.`,
    hint: (it) => `It offers: ${it.known.slice(0, 5).join(", ") || "none"}.`,
  },
)

export const RemoteRunUnknown = defineError<{ id: string }>()("REMOTE_RUN_NOT_FOUND", {
  family: "not-found",
  message: (it) => `There is no run ${it.id} on a runner.`,
  hint: () => "List them with `qm runners runs`.",
})

export const ServerNotSecure = defineError<{ url: string }>()("REMOTE_TLS_REQUIRED", {
  family: "invalid",
  message: (it) => `${it.url} is neither https nor http on this machine.`,
  hint: () => "Use the https address of the server; http is allowed for 127.0.0.1 only.",
})

export const ServerRefusedRunner = defineError<{ status: number; code: string; message: string }>()(
  "REMOTE_REFUSED",
  {
    family: "denied",
    message: (it) => `The server refused this machine with ${it.status} ${it.code}: ${it.message}`,
    hint: () =>
      "Ask an owner for a token of an operator (`qm people token new NAME`), then `qm connect forget` and connect again.",
  },
)

export const ServerUnreachable = defineError<{ reason: string }>()("REMOTE_UNREACHABLE", {
  family: "unavailable",
  message: (it) => `The server did not answer: ${it.reason}.`,
  hint: () => "`qm connect` tries again by itself.",
})
