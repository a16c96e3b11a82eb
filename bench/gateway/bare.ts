import { once } from "node:events"
import { Agent, createServer, request } from "node:http"

/**
 * The smallest possible proxy in its own process: `node … <address of the model>`. It forwards
 * bytes, parses nothing and stores nothing. Ends when stdin closes.
 */
const model = new URL(process.argv[2] ?? "")
const agent = new Agent({ keepAlive: true })

const server = createServer({ noDelay: true }, (incoming, response) => {
  const { method, headers } = incoming
  const options = { host: model.hostname, port: model.port, path: incoming.url, agent }
  const onward = request({ ...options, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    response.flushHeaders()
    answer.pipe(response)
  })
  onward.on("error", () => response.destroy())
  incoming.pipe(onward)
})

server.keepAliveTimeout = 60_000
await once(server.listen(0, "127.0.0.1"), "listening")
const address = server.address()
const port = typeof address === "object" ? (address?.port ?? 0) : 0
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
await once(process.stdin.resume(), "end")
agent.destroy()
server.closeAllConnections()
server.close()
