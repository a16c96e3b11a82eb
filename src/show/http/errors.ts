import { defineError } from "#ground/base"

export const BodyInvalid = defineError<{ problem: string }>()("HTTP_BODY_INVALID", {
  family: "invalid",
  message: ({ problem }) => `The request's body cannot be used: ${problem}.`,
  hint: () => "Send one JSON document as application/json; /docs says what each operation takes.",
})

export const LinkSpent = defineError<Record<string, never>>()("HTTP_LINK_SPENT", {
  family: "denied",
  message: () => "This link was used already, or is too old.",
  hint: () => "Run `qm open` for a fresh one.",
})

export const RouteMissing = defineError<{ method: string; path: string }>()("HTTP_ROUTE_MISSING", {
  family: "not-found",
  message: ({ method, path }) => `There is nothing at ${method} ${path}.`,
  hint: () => "Look at /docs for every route.",
})

export const PortTaken = defineError<{ port: number; host: string }>()("HTTP_PORT_TAKEN", {
  family: "conflict",
  message: ({ port, host }) => `Port ${port} of ${host} is taken by another program.`,
  hint: () => "Choose another with --port, or leave it out: the next free one is taken then.",
})

export const AddressDangerous = defineError<{ host: string }>()("HTTP_ADDRESS_DANGEROUS", {
  family: "denied",
  message: ({ host }) => `${host} can be reached from other machines.`,
  hint: () => "Leave --host out, or add --expose-to-the-network with --tls-cert and --tls-key.",
})

export const TlsFileUnusable = defineError<{ path: string; problem: string }>()(
  "HTTP_TLS_FILE_UNUSABLE",
  {
    family: "invalid",
    message: ({ path, problem }) => `The TLS file ${path} cannot be used: ${problem}.`,
    hint: () => "Name a PEM file that this user can read.",
  },
)

export const TokenFileUnusable = defineError<{ path: string; problem: string }>()(
  "HTTP_TOKEN_FILE_UNUSABLE",
  {
    family: "denied",
    message: ({ path, problem }) => `The token file ${path} cannot be used: ${problem}.`,
    hint: () => "Move it away; a new one is made at the next start.",
  },
)

export const NotRunning = defineError<{ root: string }>()("HTTP_NOT_RUNNING", {
  family: "unavailable",
  message: ({ root }) => `No server runs for ${root}.`,
  hint: () => "Start one with `qm up`.",
})
