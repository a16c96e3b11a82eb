type EventDescription = { readonly body: string; readonly summary: string }

/** Each is acknowledged. */
const CLIENT_EVENTS = {
  subscribe: {
    body: "`{ after: { epoch, seq } | null }`, or `{ agentId, after?, brief? }`",
    summary:
      "Follow the journal after a cursor (`null`: from now on), or one run after the message number `after` (0: all of it); `brief` shortens long texts. The response is `subscribed` with `head` or with `lastSeq` and `status`, `resync` with the new `head` if the cursor belongs to another history, or `refused` with a `reason`",
  },
  unsubscribe: {
    body: "`{ agentId }`",
    summary: "Stop following a run. The response is `unsubscribed` or `refused`",
  },
} as const satisfies Readonly<Record<string, EventDescription>>

const SERVER_EVENTS = {
  events: {
    body: "`{ entries, head }`",
    summary: "Entries of the journal after the cursor, in order, at most 500",
  },
  "agent:created": { body: "`{ agentId, run, timestamp }`", summary: "A run was created" },
  "agent:message": {
    body: "`{ agentId, message, timestamp }`",
    summary: "The next message of a followed run; `message.seq` is the cursor",
  },
  "agent:delta": {
    body: "`{ agentId, parentId?, text }`",
    summary:
      "The text that the agent is writing, as a whole; an empty text ends it. Not stored, and dropped for a slow client",
  },
  "agent:status": {
    body: "`{ agentId, status, timestamp }`",
    summary: "The status of a followed run changed",
  },
  "agent:updated": {
    body: "`{ agentId, run, timestamp }`",
    summary: "A followed run changed",
  },
  "agent:error": {
    body: "`{ agentId, error: { message }, timestamp }`",
    summary: "A followed run failed",
  },
  "agent:complete": {
    body: "`{ agentId, status, timestamp }`",
    summary: "A followed run ended, after its last message",
  },
  "agent:deleted": {
    body: "`{ agentId, timestamp }`",
    summary: "A followed run was deleted; it is no longer followed",
  },
  "pipeline:text": {
    body: "`{ id, stage, activityId, text }`",
    summary: "The text that a pipeline stage is writing, as a whole; an empty text ends it",
  },
  ephemeral: {
    body: '`{ name: "live.heartbeat", body: { at, clients } }`',
    summary: "A heartbeat every 10 seconds",
  },
  cut: {
    body: "`{ reason, cursor? }`",
    summary: "The server disconnects this client. Connect again and subscribe from the cursor",
  },
} as const satisfies Readonly<Record<string, EventDescription>>

/** The live stream as the reference describes it. */
export const LIVE_PROTOCOL = {
  /** Web socket only; used by the console. */
  webSocketPath: "/live",
  /** The default path of socket.io clients; polling too. */
  defaultPath: "/socket.io",
  clientEvents: CLIENT_EVENTS,
  serverEvents: SERVER_EVENTS,
} as const
