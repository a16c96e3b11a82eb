import { defineError } from "#ground/base"

export const UpstreamUnusable = defineError<{ host: string }>()("GATEWAY_UPSTREAM_UNUSABLE", {
  family: "invalid",
  message: (it) => `Requests cannot be sent on to ${it.host}: only https, or http on this machine.`,
  hint: () => "Give the provider's address with https in the variable that names it.",
})

export const HostUnknown = defineError<{ program: string }>()("GATEWAY_HOST_UNKNOWN", {
  family: "invalid",
  message: (it) => `How ${it.program} speaks to its model is not known here.`,
  hint: () => "Say it with --wire anthropic, --wire openai or --wire gemini.",
})

export const HostNotCarried = defineError<{ title: string; reason: string }>()(
  "GATEWAY_HOST_NOT_CARRIED",
  {
    family: "unavailable",
    message: (it) => `${it.title} cannot go through the gateway: ${it.reason}.`,
    hint: () => "Give it what is missing, or start it without the gateway.",
  },
)

export const Bypassed = defineError<{ file: string; key: string }>()("GATEWAY_BYPASSED", {
  family: "conflict",
  message: (it) =>
    `${it.file} sets ${it.key}, which the host obeys before us: requests would go past the gateway.`,
  hint: () =>
    "Take that line out, or start without the gateway. `qm doctor` lists what a repository sets.",
})

export const FoldNotOffered = defineError<{ title: string }>()("GATEWAY_FOLD_NOT_OFFERED", {
  family: "invalid",
  message: (it) => `The requests of ${it.title} can be recorded, not folded.`,
  hint: () => "Use record for it; folding is for Claude Code and Codex.",
})
