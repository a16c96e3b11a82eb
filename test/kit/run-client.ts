import { io, type Socket } from "socket.io-client"
import { z } from "zod"
import { Message, Run } from "#ground/contract"
import type { ServerFixture } from "./server.ts"

export type RunReply = { kind: string; lastSeq?: number; status?: string; reason?: string }

export type RunClient = ReturnType<typeof followRun>

const MessageFrame = z.object({ message: Message })

/**
 * A client that follows one run like the console: it stores the number of the last message and
 * subscribes from it at every connection. Disposed at the end of the test.
 */
export function followRun(
  url: string,
  options: {
    readonly token: string
    readonly agentId: string
    readonly after?: number
    readonly brief?: boolean
    readonly reconnectMs?: number
    /** The server's own host name, when the connection goes through a proxy. */
    readonly host?: string
  },
) {
  const { agentId, brief } = options
  const messages: Message[] = []
  const replies: RunReply[] = []
  const news: { name: string; body: Record<string, unknown> }[] = []
  let after = options.after ?? 0
  let changed = Promise.withResolvers<void>()
  const socket: Socket = connectLive(url, options)
  const subscribe = () => {
    const query = { agentId, after, ...(brief === undefined ? {} : { brief }) }
    socket.emit("subscribe", query, (reply: RunReply) => {
      replies.push(reply)
      tell()
    })
  }
  function tell(): void {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  socket.on("connect", subscribe)
  socket.onAny((name: string, body: Record<string, unknown>) => {
    if (name === "agent:message") {
      const { message } = MessageFrame.parse(body)
      messages.push(message)
      after = message.seq
    } else if (name.startsWith("agent:")) news.push({ name, body })
    tell()
  })
  for (const name of ["disconnect", "connect_error"]) socket.on(name, tell)
  // The server disconnected on purpose; socket.io then leaves reconnecting to the client.
  socket.on("disconnect", (reason) => {
    if (reason === "io server disconnect") socket.connect()
  })
  return {
    socket,
    messages,
    replies,
    news,
    named: (name: string) => news.filter((it) => it.name === `agent:${name}`),
    /** Resolves when the condition holds; the test timeout is the guard. */
    async until(isSo: () => boolean): Promise<void> {
      while (!isSo()) await changed.promise
    },
    [Symbol.dispose]() {
      socket.disconnect()
    },
  }
}

export function connectLive(
  url: string,
  options: {
    readonly token: string
    readonly host?: string
    readonly reconnectMs?: number
  },
): Socket {
  return io(url, {
    path: "/live",
    transports: ["websocket"],
    forceNew: true,
    extraHeaders: {
      authorization: `Bearer ${options.token}`,
      ...(options.host === undefined ? {} : { host: options.host }),
    },
    reconnectionDelay: options.reconnectMs ?? 5,
    reconnectionDelayMax: options.reconnectMs ?? 5,
    randomizationFactor: 0,
    // Only this timeout detects a connection cut between the socket's opening and its first packet.
    timeout: options.reconnectMs === undefined ? 20_000 : 150,
  })
}

const Started = z.object({ agentId: z.string() })

export function restOf(server: Pick<ServerFixture, "ask">) {
  const ask = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const { status, text } = await server.ask({ method, path, ...sent })
    const json: unknown = text === "" ? undefined : JSON.parse(text)
    return { status, said: json }
  }
  const show = async (id: string): Promise<Run> =>
    Run.parse((await ask("GET", `/api/agents/${id}`)).said)
  return {
    ask,
    show,
    async start(prompt: string, configuration: object = {}, type = "synthetic"): Promise<string> {
      const { said } = await ask("POST", "/api/agents", { type, prompt, configuration })
      return Started.parse(said).agentId
    },
    async messages(id: string): Promise<readonly Message[]> {
      const messages: Message[] = []
      for (;;) {
        const path = `/api/agents/${id}/messages?after=${messages.at(-1)?.seq ?? 0}`
        const page = z.array(Message).parse((await ask("GET", path)).said)
        if (page.length === 0) return messages
        messages.push(...page)
      }
    },
    async until(id: string, isSo: (run: Run) => boolean): Promise<Run> {
      for (;;) {
        const run = await show(id)
        if (isSo(run)) return run
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}
