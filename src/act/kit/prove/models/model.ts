import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { promisify } from "node:util"
import { gunzip, zstdDecompress } from "node:zlib"
import { invariant, parseJson } from "#ground/base"
import { MOST_REQUESTS } from "../limits.ts"

/** A host sends its whole conversation with each request: about 200 kB in our story. */
export const LARGEST_REQUEST_BYTES = 16 * 1024 * 1024

export type Model = AsyncDisposable & {
  readonly url: string
  readonly asked: readonly string[]
}

/**
 * A scripted model on a free local port. It stores its requests, which show what reached the agent.
 */
export async function startModel(dialect: Dialect, script: Script): Promise<Model> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    answer(request, response, { dialect, script, asked: requests }).catch(() => response.destroy())
  })
  // A CONNECT request treats it as a proxy to another host; close it.
  server.on("connect", (_request, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  invariant(typeof address === "object" && address !== null, "a listening server has an address")
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type ScriptedModel = {
  readonly dialect: Dialect
  readonly script: Script
  readonly asked: string[]
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { dialect, script, asked }: ScriptedModel,
): Promise<void> {
  const text = await readBody(request)
  const { pathname } = new URL(request.url ?? "/", "http://model")
  const isWanted = request.method === "POST" && dialect.isQuestion(pathname)
  const question = isWanted ? dialect.read(parseJson(text), text) : undefined
  if (question === undefined || asked.length >= MOST_REQUESTS) {
    response.writeHead(404, { "content-type": "application/json" }).end("{}")
    return
  }
  asked.push(text)
  const number = asked.length
  const answer = script(question)
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of dialect.write(answer, number)) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let sizeBytes = 0
  for await (const part of request) {
    invariant(Buffer.isBuffer(part), "a request without an encoding comes in buffers")
    sizeBytes += part.length
    if (sizeBytes > LARGEST_REQUEST_BYTES) break
    parts.push(part)
  }
  return (await decompress(Buffer.concat(parts), request.headers["content-encoding"])).toString()
}

async function decompress(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
  const limits = { maxOutputLength: LARGEST_REQUEST_BYTES }
  if (encoding === "zstd") return promisify(zstdDecompress)(bytes, limits)
  return encoding === "gzip" ? promisify(gunzip)(bytes, limits) : bytes
}

export type Answer =
  | { readonly kind: "say"; readonly text: string }
  | {
      readonly kind: "call"
      readonly name: string
      readonly input: object
      readonly namespace?: string
    }
  | {
      readonly kind: "text-call"
      readonly name: string
      readonly text: string
      readonly namespace?: string
    }

export type Question = {
  readonly text: string
  /** Number of answers in this conversation that the host has already processed. */
  readonly turn: number
}

export type Script = (question: Question) => Answer

export type Dialect = {
  isQuestion(path: string): boolean
  /** Undefined if the body is not a request in this format. */
  read(body: unknown, text: string): Question | undefined
  write(answer: Answer, number: number): readonly StreamedEvent[]
}

export type StreamedEvent = { readonly type: string } & Readonly<Record<string, unknown>>
