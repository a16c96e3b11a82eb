import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { promisify } from "node:util"
import { gunzip, zstdDecompress } from "node:zlib"
import { invariant } from "#ground/base"
import { LARGEST_REQUEST_BYTES, MOST_REQUESTS } from "../limits.ts"
import { parseJson } from "../parse-json.ts"
import type { Dialect, Script } from "./answer.ts"

export type Model = AsyncDisposable & {
  readonly url: string
  /** The questions it was asked, each as the text of its body. */
  readonly asked: readonly string[]
}

/**
 * A model on a free port of this machine that says what a script tells it to. It costs nothing,
 * reaches nobody, and keeps what it was asked: that is how we see what reached the agent.
 */
export async function startModel(dialect: Dialect, script: Script): Promise<Model> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    answer(request, response, { dialect, script, asked }).catch(() => response.destroy())
  })
  // Who takes it for a proxy, to reach somebody else, is hung up on.
  server.on("connect", (_request, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  invariant(typeof address === "object" && address !== null, "a listening server has an address")
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Scripted = { readonly dialect: Dialect; readonly script: Script; readonly asked: string[] }

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { dialect, script, asked }: Scripted,
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
  const said = script(question)
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of dialect.write(said, number)) {
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
