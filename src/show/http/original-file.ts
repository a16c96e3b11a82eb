import type { FastifyInstance } from "fastify"
import { z } from "zod"
import { KbOriginal } from "#ground/contract"
import type { App } from "#show/app"
import { callerOf, type Gate } from "./guard/gate.ts"
import { originalHeaders } from "./guard/headers.ts"
import { signalOf } from "./request.ts"

const Params = z.object({ document: z.string().default("") })

/**
 * The file of a document as such, so that the browser can open it at a page
 * (`/api/kb/original/<id>#page=4`). HTML is sent as text: it is not a page of ours.
 */
export function addOriginalFile(
  fastify: FastifyInstance,
  { app, gate }: { readonly app: App; readonly gate: Gate },
): void {
  fastify.get("/api/kb/original/:document", async (request, reply) => {
    const input = Params.parse(request.params)
    const caller = callerOf(gate.senderOf(request.raw))
    const { path, format, content } = KbOriginal.parse(
      await app.call("kb.original", input, { signal: signalOf(reply), caller }),
    )
    const bytes = Buffer.from(content, "base64")
    return reply.headers(originalHeaders(path, format)).send(bytes)
  })
}
