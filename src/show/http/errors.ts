import { defineError } from "#ground/base"

export const BodyInvalid = defineError<{ problem: string }>()("HTTP_BODY_INVALID", {
  family: "invalid",
  message: ({ problem }) => `The request's body cannot be used: ${problem}.`,
  hint: () => "Send one JSON document as application/json; /docs says what each operation takes.",
})

export const AgentTypeUnknown = defineError<{ given: string; types: readonly string[] }>()(
  "HTTP_AGENT_TYPE_UNKNOWN",
  {
    family: "invalid",
    message: ({ given, types }) =>
      `${given === "" ? "No agent was named" : `There is no agent "${given}"`}; there are ${types.join(", ")}.`,
    hint: ({ types }) => `Send one of them as "type", for example "${types[0] ?? ""}".`,
  },
)

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

export const PortInvalid = defineError<{ port: number }>()("HTTP_PORT_INVALID", {
  family: "invalid",
  message: ({ port }) => `${port} is not a port.`,
  hint: () => "A port is a whole number from 0 to 65535; 0 takes any free one.",
})

export const ListenFailed = defineError<{ port: number; host: string; reason: string }>()(
  "HTTP_LISTEN_FAILED",
  {
    family: "denied",
    message: ({ port, host, reason }) => `Cannot listen on port ${port} of ${host}: ${reason}.`,
    hint: () => "Choose a port above 1023, and an address that this machine has.",
  },
)

export const AlreadyRunning = defineError<{ root: string }>()("HTTP_ALREADY_RUNNING", {
  family: "conflict",
  message: ({ root }) => `A server runs for ${root} already.`,
  hint: () => "Run `qm open` for a link to it.",
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

// Errors of the guard, thrown before routing.

const OPEN_LINK = "Open the console through the link that `qm open` prints."

export const HostRefused = defineError<Record<string, never>>()("HTTP_HOST_REFUSED", {
  family: "denied",
  message: () => "Refused: the Host is not this server's.",
  hint: () => OPEN_LINK,
})

export const PathRefused = defineError<Record<string, never>>()("HTTP_PATH_REFUSED", {
  family: "denied",
  message: () => "Refused: the path is not a plain one.",
  hint: () => "Use letters, digits, dots and dashes only; look at /docs for every route.",
})

export const OriginRefused = defineError<Record<string, never>>()("HTTP_ORIGIN_REFUSED", {
  family: "denied",
  message: () => "Refused: the Origin is not this server's.",
  hint: () => OPEN_LINK,
})

export const JsonOnly = defineError<Record<string, never>>()("HTTP_JSON_ONLY", {
  family: "invalid",
  message: () => "Refused: a body must be application/json.",
  hint: () => "Send the body as application/json.",
})

export const TokenMissing = defineError<Record<string, never>>()("HTTP_TOKEN_MISSING", {
  family: "denied",
  message: () => "Refused: a token is needed.",
  hint: () => "Send `Authorization: Bearer` with what `qm token` prints, or run `qm open`.",
})

export const TokenLimited = defineError<Record<string, never>>()("HTTP_TOKEN_LIMITED", {
  family: "denied",
  message: () => "This token is of a client of our tools and opens nothing but /mcp.",
  hint: () => "For the API send the token that `qm token` prints.",
})

export const ClientNameInvalid = defineError<{ name: string }>()("HTTP_CLIENT_NAME_INVALID", {
  family: "invalid",
  message: ({ name }) => `"${name}" cannot be the name of a client.`,
  hint: () => "Use small letters, digits and hyphens, 60 at most, for example codex-laptop.",
})

export const TokenWrong = defineError<Record<string, never>>()("HTTP_TOKEN_WRONG", {
  family: "denied",
  message: () => "Refused: the bearer token is not this server's.",
  hint: () => "Send `Authorization: Bearer` with what `qm token` prints.",
})

export const ClientHeaderMissing = defineError<Record<string, never>>()(
  "HTTP_CLIENT_HEADER_MISSING",
  {
    family: "denied",
    message: () => "Refused: a change by cookie needs the client header.",
    hint: () => "Send x-qm-client with any value, as the console does.",
  },
)

export const TooManyRequests = defineError<Record<string, never>>()("HTTP_TOO_MANY_REQUESTS", {
  family: "too-many",
  message: () => "Refused: more requests than a person or a page makes.",
  hint: () => "Wait a minute, then try again.",
})

export const RequestUnreadable = defineError<{ why: string }>()("HTTP_REQUEST_UNREADABLE", {
  family: "invalid",
  message: ({ why }) => `Refused: ${why}.`,
  hint: () => "Send HTTP/1.1 with headers of at most 16 kB.",
})
