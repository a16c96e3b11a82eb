import { defineError } from "#ground/base"

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
