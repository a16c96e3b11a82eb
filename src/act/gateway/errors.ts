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

export const HostNotProxied = defineError<{ title: string; reason: string }>()(
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

export const ProxiedSessionUnknown = defineError<{ id: string }>()("GATEWAY_CARRY_UNKNOWN", {
  family: "not-found",
  message: (it) =>
    it.id === "last"
      ? "Nothing went through the gateway here yet."
      : `Nothing that went through the gateway here is known as ${it.id}.`,
  hint: () =>
    "`qm gateway list` names what is kept; `qm gateway run -- <command>` sends a host through it.",
})

export const RequestUnknown = defineError<{ carry: string; seq: number }>()(
  "GATEWAY_REQUEST_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `No request ${it.seq} of ${it.carry} is kept.`,
    hint: (it) => `\`qm gateway show ${it.carry}\` lists its requests; old ones are taken away.`,
  },
)

export const ProxiedSessionNotNamed = defineError<{ run: string; carries: number }>()(
  "GATEWAY_CARRY_NOT_NAMED",
  {
    family: "invalid",
    message: (it) =>
      `${it.run} has ${it.carries} carries, and each numbers its requests from 1 on.`,
    hint: (it) => `Name one of them; \`qm gateway list --run ${it.run}\` has their ids.`,
  },
)

export const HostRefused = defineError<Record<string, never>>()("GATEWAY_HOST_REFUSED", {
  family: "denied",
  message: () => "The gateway was asked under a name that is not its own.",
  hint: () => "Use the address that `qm gateway run` or `qm run` gives to the agent.",
})

export const OriginRefused = defineError<Record<string, never>>()("GATEWAY_ORIGIN_REFUSED", {
  family: "denied",
  message: () => "The gateway takes no requests from web pages.",
  hint: () => "Only an agent that was started with `qm gateway run` or `qm run` may use it.",
})

export const TokenRefused = defineError<Record<string, never>>()("GATEWAY_TOKEN_REFUSED", {
  family: "denied",
  message: () => "The gateway does not know this address; the run that it was made for is over.",
  hint: () => "Start the agent again with `qm gateway run` or `qm run`.",
})

export const UpgradeRefused = defineError<Record<string, never>>()("GATEWAY_UPGRADE_REFUSED", {
  family: "invalid",
  message: () => "The gateway carries plain requests, not web sockets.",
  hint: () => "Send the same request with POST.",
})

export const UpstreamUnreachable = defineError<{ host: string; problem: string }>()(
  "GATEWAY_UPSTREAM_UNREACHABLE",
  {
    family: "unavailable",
    message: ({ host, problem }) => `The gateway got no answer from ${host}: ${problem}.`,
    hint: () => "Check the network and HTTPS_PROXY, or start the agent with --gateway off.",
  },
)

export const UpstreamRefused = defineError<{ problem: string }>()("GATEWAY_UPSTREAM_REFUSED", {
  family: "invalid",
  message: ({ problem }) => `The gateway cannot forward there: ${problem}.`,
  hint: () => "Give an https address without a name, password or query; http only on 127.0.0.1.",
})

export const ProxyRefused = defineError<Record<string, never>>()("GATEWAY_PROXY_REFUSED", {
  family: "invalid",
  message: () => "The proxy in HTTPS_PROXY cannot be used.",
  hint: () => "Give it as http://host:port or https://host:port, or leave it out.",
})

export const ListenFailed = defineError<{ reason: string }>()("GATEWAY_LISTEN_FAILED", {
  family: "unavailable",
  message: ({ reason }) => `The gateway cannot listen on 127.0.0.1: ${reason}.`,
  hint: () => "Start the agent with --gateway off, and look at `qm doctor`.",
})
