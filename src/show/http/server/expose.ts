import { createSecureContext } from "node:tls"
import { readBounded } from "#ground/base"
import { AddressDangerous, TlsFileUnusable } from "../errors.ts"
import type { Tls } from "../http.ts"
import type { ExposedAddress } from "./serve.ts"

/** A certificate with its chain has a few kilobytes. */
const TLS_FILE_LIMIT_BYTES = 1_000_000

type Input = Readonly<Record<string, unknown>>

/**
 * Whether other machines can reach the server. That requires an address, `--expose-to-the-network`
 * and TLS; anything less is refused. Loopback needs none of them.
 */
export async function readExposure(input: Input): Promise<ExposedAddress | undefined> {
  const host = input["host"]
  if (typeof host !== "string" || isLoopback(host)) return undefined
  const { tlsCert, tlsKey } = input
  const isMeant = input["exposeToTheNetwork"] === true
  // A wildcard address has no name, and the guard checks names.
  const isWildcard = host === "0.0.0.0" || host === "::"
  if (isWildcard || !isMeant || typeof tlsCert !== "string" || typeof tlsKey !== "string") {
    throw AddressDangerous({ host })
  }
  const tls: Tls = { cert: await readTlsFile(tlsCert), key: await readTlsFile(tlsKey) }
  try {
    createSecureContext(tls)
  } catch (error) {
    throw TlsFileUnusable(
      { path: `${tlsCert} or ${tlsKey}`, problem: "the file is not PEM" },
      error,
    )
  }
  return { host, tls }
}

function isLoopback(host: string): boolean {
  return host === "127.0.0.1" || host === "localhost" || host === "::1"
}

async function readTlsFile(path: string): Promise<Buffer> {
  const outcome = await readBounded(path, { maxBytes: TLS_FILE_LIMIT_BYTES })
  if (outcome.kind === "read") return outcome.bytes
  throw TlsFileUnusable({ path, problem: outcome.kind })
}
