import { LIVE_PROTOCOL } from "#ground/contract"
import { code, pageHead, table } from "./markdown.ts"

type Events = Readonly<Record<string, { readonly body: string; readonly summary: string }>>

export function livePage(): string {
  const { defaultPath, webSocketPath, clientEvents, serverEvents } = LIVE_PROTOCOL
  const about =
    "`qm up` serves a live stream by [socket.io](https://socket.io) 4: the journal and the runs of agents, " +
    "from any cursor on. Messages and journal entries are stored, so a client that reconnects continues from its cursor."
  return [
    pageHead("Live stream", about),
    "## Connecting\n",
    table(
      ["Path", "Transports", "Used by"],
      [
        [
          code(`${defaultPath}/`),
          "polling and web socket",
          "a socket.io client with its default options",
        ],
        [code(`${webSocketPath}/`), "web socket", "the console"],
      ],
    ),
    AUTHENTICATION,
    "## Events a client sends\n",
    eventTable(clientEvents),
    "## Events the server sends\n",
    eventTable(serverEvents),
  ].join("\n")
}

function eventTable(events: Events): string {
  const rows = Object.entries(events).map(([name, it]) => [code(name), it.body, it.summary])
  return table(["Event", "Body", "What it does"], rows)
}

const AUTHENTICATION = `## Authentication

Each request, polling or upgrade, passes the guard of the server:

- \`Host\` must be a name of the server: \`127.0.0.1\`, \`localhost\` or \`[::1]\` with its port.
- \`Origin\`, when there is one, must be the server's own.
- The token: \`Authorization: Bearer <token>\` with the token that \`qm token\` prints, or the cookie of a browser that opened
  a link of \`qm open\`. A token of \`qm token --client\` does not open the live stream. Tokens in the query are ignored.

A browser has only the cookie, and connects with \`transports: ["websocket"]\`. Others send the header:

\`\`\`js
import { io } from "socket.io-client"

const socket = io("http://127.0.0.1:4242", {
  extraHeaders: { authorization: \`Bearer \${token}\` },
})
socket.on("agent:message", ({ message }) => console.log(message.seq, message.content))
const reply = await socket.emitWithAck("subscribe", { agentId: "run_…", after: 0 })
\`\`\`

At most 200 clients may be connected, each following at most 64 runs.
`
