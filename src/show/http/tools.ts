import { Readable } from "node:stream"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { CallingPerson } from "#ground/contract"
import type { Gate } from "./guard/gate.ts"
import { TOOLS_PATH } from "./guard/guard.ts"
import { signalOf } from "./request.ts"

type McpSender = { readonly principal: string; readonly person?: CallingPerson | undefined }

export type Tools = {
  fetch(request: Request, who: McpSender): Promise<Response>
  close(): Promise<void>
}

type ToolsDeps = { readonly tools?: (() => Promise<Tools>) | undefined; readonly gate: Gate }

/** The tools are created at the first call, because most servers never get one. */
export function addTools(fastify: FastifyInstance, { tools, gate }: ToolsDeps) {
  let made: Promise<Tools> | undefined
  if (tools !== undefined) {
    // In its own scope, so that the tools read the bodies themselves.
    fastify.register(async (scope) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser("*", (_, __, done) => done(null))
      scope.route({
        method: ["GET", "POST", "DELETE"],
        url: TOOLS_PATH,
        handler: async (request, reply) => {
          made ??= tools()
          const { principal, key } = gate.senderOf(request.raw)
          const sender = { principal, person: key?.person }
          return reply.send(await (await made).fetch(webRequest(request, reply), sender))
        },
      })
    })
  }
  return { close: async () => (await made)?.close() }
}

function webRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const { method, raw } = request
  const headers = Object.entries(raw.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((it): [string, string] => [name, it]),
  )
  const hasBody = method === "POST"
  return new Request(`http://${raw.headers.host}${raw.url}`, {
    method,
    headers,
    signal: signalOf(reply),
    ...(hasBody && { body: Readable.toWeb(raw), duplex: "half" }),
  })
}
