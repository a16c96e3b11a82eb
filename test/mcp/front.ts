import { createServer, type IncomingHttpHeaders, request } from "node:http"
import type { AddressInfo } from "node:net"

/**
 * A proxy for programs that cannot send a token. It adds one and forwards everything else
 * unchanged, so that our server judges foreign host names: `await using front = await openFront({
 * port, token })`.
 */
export async function openFront(behind: { readonly port: number; readonly token: string }) {
  const server = createServer((incoming, response) => {
    const onward = request(
      {
        host: "127.0.0.1",
        port: behind.port,
        method: incoming.method,
        path: incoming.url,
        headers: headersFor(incoming.headers),
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on("error", () => response.destroy())
    response.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  function headersFor(headers: IncomingHttpHeaders): IncomingHttpHeaders {
    const ours = (text: string) => text.replace(`:${port}`, `:${behind.port}`)
    const { host = "", origin } = headers
    return {
      ...headers,
      host: ours(host),
      ...(origin === undefined ? {} : { origin: ours(origin) }),
      authorization: `Bearer ${behind.token}`,
    }
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
