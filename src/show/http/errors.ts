import { defineError } from "#ground/base"

export const BodyInvalid = defineError<{ problem: string }>()("HTTP_BODY_INVALID", {
  family: "invalid",
  message: ({ problem }) => `The request body is invalid: ${problem}.`,
  hint: () =>
    "Send one JSON document as application/json; /docs lists the input of each operation.",
})

export const AgentTypeUnknown = defineError<{ given: string; types: readonly string[] }>()(
  "HTTP_AGENT_TYPE_UNKNOWN",
  {
    family: "invalid",
    message: ({ given, types }) =>
      `${given === "" ? "The agent is missing" : `Unknown agent "${given}"`}; known agents: ${types.join(", ")}.`,
    hint: ({ types }) => `Send one of them as "type", for example "${types[0] ?? ""}".`,
  },
)

export const LinkSpent = defineError<Record<string, never>>()("HTTP_LINK_SPENT", {
  family: "denied",
  message: () => "This link was already used, or has expired.",
  hint: () => "Run `qm open` for a new link.",
})

export const RouteMissing = defineError<{ method: string; path: string }>()("HTTP_ROUTE_MISSING", {
  family: "not-found",
  message: ({ method, path }) => `Unknown route ${method} ${path}.`,
  hint: () => "See /docs for all routes.",
})

export const PortTaken = defineError<{ port: number; host: string }>()("HTTP_PORT_TAKEN", {
  family: "conflict",
  message: ({ port, host }) => `Port ${port} of ${host} is in use by another program.`,
  hint: () => "Choose another with --port. Without --port, qm uses the next free one.",
})

export const PortInvalid = defineError<{ port: number }>()("HTTP_PORT_INVALID", {
  family: "invalid",
  message: ({ port }) => `${port} is not a valid port.`,
  hint: () => "A port is a whole number from 0 to 65535; 0 means any free port.",
})

export const ListenFailed = defineError<{ port: number; host: string; reason: string }>()(
  "HTTP_LISTEN_FAILED",
  {
    family: "denied",
    message: ({ port, host, reason }) => `Cannot listen on port ${port} of ${host}: ${reason}.`,
    hint: () => "Choose a port above 1023 and an address of this machine.",
  },
)

export const AlreadyRunning = defineError<{ root: string }>()("HTTP_ALREADY_RUNNING", {
  family: "conflict",
  message: ({ root }) => `A server is already running for ${root}.`,
  hint: () => "Run `qm open` for a link to it.",
})

export const AddressDangerous = defineError<{ host: string }>()("HTTP_ADDRESS_DANGEROUS", {
  family: "denied",
  message: ({ host }) => `${host} is reachable from other machines.`,
  hint: () => "Omit --host, or add --expose-to-the-network with --tls-cert and --tls-key.",
})

export const TlsFileUnusable = defineError<{ path: string; problem: string }>()(
  "HTTP_TLS_FILE_UNUSABLE",
  {
    family: "invalid",
    message: ({ path, problem }) => `The TLS file ${path} is invalid: ${problem}.`,
    hint: () => "Name a PEM file that you can read.",
  },
)

export const TokenFileUnusable = defineError<{ path: string; problem: string }>()(
  "HTTP_TOKEN_FILE_UNUSABLE",
  {
    family: "denied",
    message: ({ path, problem }) => `The token file ${path} is invalid: ${problem}.`,
    hint: () => "Move it away; the next start creates a new one.",
  },
)

export const NotRunning = defineError<{ root: string }>()("HTTP_NOT_RUNNING", {
  family: "unavailable",
  message: ({ root }) => `No server is running for ${root}.`,
  hint: () => "Run `qm up` to start one.",
})

/** The token is in the home folder, so a server started with another home has another one. */
export const ServerOfOtherHome = defineError<{ url: string }>()("HTTP_SERVER_OF_OTHER_HOME", {
  family: "denied",
  message: ({ url }) => `${url} serves this repository with another home folder.`,
  hint: () => "Use that HOME or QM_HOME, stop that server, or start this one in another clone.",
})

// Errors of the guard, thrown before routing.

const OPEN_LINK = "Open the console through the link that `qm open` prints."

export const HostRefused = defineError<Record<string, never>>()("HTTP_HOST_REFUSED", {
  family: "denied",
  message: () => "Request refused: the Host header does not name this server.",
  hint: () => OPEN_LINK,
})

export const PathRefused = defineError<Record<string, never>>()("HTTP_PATH_REFUSED", {
  family: "denied",
  message: () => "Request refused: the path contains unusual characters.",
  hint: () => "Use letters, digits, dots and dashes only; see /docs for all routes.",
})

export const OriginRefused = defineError<Record<string, never>>()("HTTP_ORIGIN_REFUSED", {
  family: "denied",
  message: () => "Request refused: the Origin header is not this server.",
  hint: () => OPEN_LINK,
})

export const JsonOnly = defineError<Record<string, never>>()("HTTP_JSON_ONLY", {
  family: "invalid",
  message: () => "Request refused: a body must be application/json.",
  hint: () => "Set the header `content-type: application/json`.",
})

export const TokenMissing = defineError<Record<string, never>>()("HTTP_TOKEN_MISSING", {
  family: "denied",
  message: () => "Request refused: no token.",
  hint: () => "Send `Authorization: Bearer` with the output of `qm token`, or run `qm open`.",
})

export const TokenLimited = defineError<Record<string, never>>()("HTTP_TOKEN_LIMITED", {
  family: "denied",
  message: () => "This is an MCP client's token; it gives access to /mcp only.",
  hint: () => "For the API, send the output of `qm token`.",
})

export const ClientNameInvalid = defineError<{ name: string }>()("HTTP_CLIENT_NAME_INVALID", {
  family: "invalid",
  message: ({ name }) => `"${name}" is not a valid client name.`,
  hint: () => "Use at most 60 lower-case letters, digits and hyphens, for example codex-laptop.",
})

export const TokenWrong = defineError<Record<string, never>>()("HTTP_TOKEN_WRONG", {
  family: "denied",
  message: () => "Request refused: invalid bearer token.",
  hint: () => "Send `Authorization: Bearer` with the output of `qm token`.",
})

export const ClientHeaderMissing = defineError<Record<string, never>>()(
  "HTTP_CLIENT_HEADER_MISSING",
  {
    family: "denied",
    message: () => "Request refused: a write with a cookie needs the client header.",
    hint: () => "Send x-qm-client with any value, like the console does.",
  },
)

export const TooManyRequests = defineError<Record<string, never>>()("HTTP_TOO_MANY_REQUESTS", {
  family: "too-many",
  message: () => "Request refused: too many requests in a minute.",
  hint: () => "Wait a minute, then try again.",
})

export const RequestUnreadable = defineError<{ why: string }>()("HTTP_REQUEST_UNREADABLE", {
  family: "invalid",
  message: ({ why }) => `Request refused: ${why}.`,
  hint: () => "Send HTTP/1.1 with headers of at most 16 kB.",
})

export const TlsRequired = defineError<Record<string, never>>()("HTTP_TLS_REQUIRED", {
  family: "denied",
  message: () => "Request refused: a person's key was sent over an unencrypted connection.",
  hint: () => "Use the server's https:// address. Ask an owner to revoke the key that was sent.",
})

export const PeopleUnavailable = defineError<Record<string, never>>()("HTTP_PEOPLE_UNAVAILABLE", {
  family: "unavailable",
  message: () => "Request refused: the store could not verify the key.",
  hint: () => "Try again in a few seconds; the server's log has the reason.",
})

export const RepositoryNotShared = defineError<Record<string, never>>()(
  "HTTP_REPOSITORY_NOT_SHARED",
  {
    family: "denied",
    message: () => "This repository belongs to the user of the server's machine.",
    hint: () => "People reach the repository that the server was started in, at /.",
  },
)

export const MachineOwnerOnly = defineError<Record<string, never>>()("HTTP_MACHINE_OWNER_ONLY", {
  family: "denied",
  message: () => "Only the user of the server's machine can create a link to themselves.",
  hint: () => "An owner creates a link for a person with `qm people invite ada`.",
})
