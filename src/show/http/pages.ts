import path from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { readBounded } from "#ground/base"
import { diagramHeaders } from "./guard/headers.ts"

const LARGEST_ASSET_BYTES = 5_000_000

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
}

/**
 * The built console. Assets have a hash in their name and are immutable; every other path is the
 * page itself.
 */
export function addPages(fastify: FastifyInstance, directory: string): void {
  fastify.get("/*", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/"
    const isFile = /^\/(assets\/)?[\w.-]+\.\w+$/.test(path) && !path.includes("..")
    const exchange = { request, reply }
    const sent = isFile ? await send(exchange, directory, path) : undefined
    if (sent !== undefined) return sent
    if (path.startsWith("/assets/")) return reply.code(404).send()
    return (
      (await send(exchange, directory, "/index.html")) ??
      reply.code(404).type("text/plain").send(NOT_BUILT)
    )
  })
}

const NOT_BUILT = "The console is not built here. Run `npm run build`, then reload.\n"

const DIAGRAM_PAGE = "/diagram.html"

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply }

async function send(
  { request, reply }: Exchange,
  directory: string,
  file: string,
): Promise<FastifyReply | undefined> {
  const full = path.join(directory, file)
  const outcome = await readBounded(full, { maxBytes: LARGEST_ASSET_BYTES })
  if (outcome.kind !== "read") return undefined
  const isHashed = file.startsWith("/assets/")
  reply
    .type(TYPES[path.extname(file)] ?? "application/octet-stream")
    .header("cache-control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
  if (file === DIAGRAM_PAGE) reply.headers(diagramHeaders(outcome.bytes))
  // Fonts are compressed already. The content has no secret, so its compressed length reveals
  // nothing.
  const isText = path.extname(file) !== ".woff2" && path.extname(file) !== ".png"
  if (!isText || !/\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
    return reply.send(outcome.bytes)
  }
  const packed = await promisify(gzip)(outcome.bytes)
  return reply.header("content-encoding", "gzip").header("vary", "accept-encoding").send(packed)
}
