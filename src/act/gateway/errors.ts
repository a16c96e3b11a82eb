import { defineError } from "#ground/base"

export const UpstreamUnusable = defineError<{ host: string }>()("GATEWAY_UPSTREAM_UNUSABLE", {
  family: "invalid",
  message: (it) =>
    `Requests cannot be forwarded to ${it.host}: use https, or http on this machine.`,
  hint: () => "Set the variable to an address that starts with https.",
})

export const HostUnknown = defineError<{ program: string }>()("GATEWAY_HOST_UNKNOWN", {
  family: "invalid",
  message: (it) => `The API format of ${it.program} is unknown.`,
  hint: () => "Add --wire anthropic, --wire openai or --wire gemini.",
})

export const HostNotProxied = defineError<{ title: string; reason: string }>()(
  "GATEWAY_HOST_NOT_SUPPORTED",
  {
    formerCode: "GATEWAY_HOST_NOT_CARRIED",
    family: "unavailable",
    message: (it) => `${it.title} cannot use the gateway: ${it.reason}.`,
    hint: () => "Set what is missing, or start it without the gateway.",
  },
)

export const Bypassed = defineError<{ file: string; key: string }>()("GATEWAY_BYPASSED", {
  family: "conflict",
  message: (it) =>
    `${it.file} sets ${it.key}, which overrides the gateway's address: requests would bypass the gateway.`,
  hint: () => "Remove that line, or start without the gateway. `qm doctor` lists such settings.",
})

export const FoldNotOffered = defineError<{ title: string }>()("GATEWAY_FOLD_NOT_OFFERED", {
  family: "invalid",
  message: (it) => `The requests of ${it.title} can be recorded but not folded.`,
  hint: () => "Use mode record; folding supports Claude Code and Codex.",
})

export const ProxiedSessionUnknown = defineError<{ id: string }>()("GATEWAY_SESSION_UNKNOWN", {
  formerCode: "GATEWAY_CARRY_UNKNOWN",
  family: "not-found",
  message: (it) =>
    it.id === "last"
      ? "No session has used the gateway in this repository yet."
      : `No gateway session or run ${it.id} in this repository.`,
  hint: () => "List sessions with `qm gateway list`; start one with `qm gateway run -- claude`.",
})

export const RequestUnknown = defineError<{ proxiedSession: string; seq: number }>()(
  "GATEWAY_REQUEST_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `Request ${it.seq} of ${it.proxiedSession} is not stored.`,
    hint: (it) =>
      `List its requests with \`qm gateway show ${it.proxiedSession}\`; old ones are deleted.`,
  },
)

export const ProxiedSessionNotNamed = defineError<{ run: string; sessions: number }>()(
  "GATEWAY_SESSION_NOT_NAMED",
  {
    formerCode: "GATEWAY_CARRY_NOT_NAMED",
    family: "invalid",
    message: (it) =>
      `Run ${it.run} has ${it.sessions} gateway sessions, and each numbers its requests from 1.`,
    hint: (it) => `Use the id of one session; \`qm gateway list --run ${it.run}\` lists them.`,
  },
)

export const HostRefused = defineError<Record<string, never>>()("GATEWAY_HOST_REFUSED", {
  family: "denied",
  message: () => "The Host header is not the gateway's own address.",
  hint: () => "Start the agent with `qm gateway run -- claude`, which passes it the right address.",
})

export const OriginRefused = defineError<Record<string, never>>()("GATEWAY_ORIGIN_REFUSED", {
  family: "denied",
  message: () => "The gateway does not accept requests from web pages.",
  hint: () => "Start an agent that uses it with `qm gateway run -- claude`.",
})

export const TokenRefused = defineError<Record<string, never>>()("GATEWAY_TOKEN_REFUSED", {
  family: "denied",
  message: () => "This gateway address is unknown; its session has ended.",
  hint: () => "Start the agent again, such as with `qm gateway run -- claude`.",
})

export const UpgradeRefused = defineError<Record<string, never>>()("GATEWAY_UPGRADE_REFUSED", {
  family: "invalid",
  message: () => "The gateway does not support web sockets.",
  hint: () => "Send the same request with POST.",
})

export const UpstreamUnreachable = defineError<{ host: string; problem: string }>()(
  "GATEWAY_UPSTREAM_UNREACHABLE",
  {
    family: "unavailable",
    message: ({ host, problem }) => `The gateway got no response from ${host}: ${problem}.`,
    hint: () => "Check the network and HTTPS_PROXY, or start the agent with --gateway off.",
  },
)

export const UpstreamRefused = defineError<{ problem: string }>()("GATEWAY_UPSTREAM_REFUSED", {
  family: "invalid",
  message: ({ problem }) => `The gateway cannot forward to this address: ${problem}.`,
  hint: () => "Use an https address without user name, password or query; http only for 127.0.0.1.",
})

export const ProxyRefused = defineError<Record<string, never>>()("GATEWAY_PROXY_REFUSED", {
  family: "invalid",
  message: () => "The proxy in HTTPS_PROXY cannot be used.",
  hint: () => "Set it to http://host:port or https://host:port, or unset it.",
})

export const ListenFailed = defineError<{ reason: string }>()("GATEWAY_LISTEN_FAILED", {
  family: "unavailable",
  message: ({ reason }) => `The gateway cannot listen on 127.0.0.1: ${reason}.`,
  hint: () => "Start the agent with --gateway off, and run `qm doctor`.",
})

export const SecretsNotScanned = defineError<{ reason: string }>()("GATEWAY_SECRETS_NOT_SCANNED", {
  family: "denied",
  message: ({ reason }) => `The gateway did not send a request: ${reason}.`,
  hint: () => "Set `gateway.secrets` to warn to send such requests, or off to scan none.",
})

export const SecretsNotReplaced = defineError<{ kinds: string; reason: string }>()(
  "GATEWAY_SECRETS_NOT_REPLACED",
  {
    family: "denied",
    message: ({ kinds, reason }) =>
      `The gateway did not send a request: it contains ${kinds}, and ${reason}.`,
    hint: () =>
      "Use an API key, remove the secret from the conversation, or set gateway.secrets to warn.",
  },
)

export const HandFoldRefused = defineError<{ reason: string }>()("GATEWAY_HAND_FOLD_REFUSED", {
  family: "invalid",
  message: ({ reason }) => `Nothing is folded: ${reason}.`,
  hint: () =>
    "List the requests with `qm gateway show last`; start sessions with `qm gateway run --mode fold -- claude`.",
})
