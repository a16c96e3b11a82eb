import type { FastifyReply, FastifyRequest } from "fastify"
import { BodyInvalid } from "./errors.ts"
import { DEEPEST_JSON_LEVELS } from "./limits.ts"

export function queryOf(request: FastifyRequest): URLSearchParams {
  const split = request.url.indexOf("?")
  return new URLSearchParams(split === -1 ? "" : request.url.slice(split + 1))
}

export function bodyOf(request: FastifyRequest): unknown {
  const body = request.body ?? {}
  if (depthOf(body) > DEEPEST_JSON_LEVELS) {
    throw BodyInvalid({ problem: `nested deeper than ${DEEPEST_JSON_LEVELS} levels` })
  }
  return body
}

/** Level by level, so that a deep body cannot exhaust the stack. */
function depthOf(value: unknown): number {
  let level = [value]
  for (let depth = 0; depth <= DEEPEST_JSON_LEVELS; depth++) {
    level = level.flatMap(insideOf)
    if (level.length === 0) return depth
  }
  return DEEPEST_JSON_LEVELS + 1
}

function insideOf(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return []
  const inside: unknown[] = Object.values(value)
  return inside
}

/** Aborted when the client disconnects before the response. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  // Of the response: a request is closed as soon as its body has been read.
  reply.raw.on("close", () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return gone.signal
}
