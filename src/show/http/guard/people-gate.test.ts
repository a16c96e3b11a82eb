import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { afterEach, expect, test } from "vitest"
import { silentLog, systemClock } from "#ground/base"
import type { PersonKey } from "#ground/people"
import { createGate, type Gate } from "./gate.ts"

const TOKEN = `qmp_${"a".repeat(43)}`
const KEY: PersonKey = {
  id: "key_1",
  kind: "token",
  scope: "all",
  person: { id: "per_1", name: "ada", role: "operator" },
}

let gate: Gate | undefined
afterEach(() => gate?.close())

function newGate(findKey: () => Promise<PersonKey | undefined>): Gate {
  const rules = {
    hosts: new Set(["qm.example.org"]),
    scheme: "https",
    bearerOf: () => undefined,
    isCookie: () => false,
  } as const
  const people = { findKey, findValid: async (ids: readonly string[]) => new Set(ids) }
  gate = createGate(rules, {
    clock: systemClock,
    log: silentLog,
    people: async () => people,
    requestsPerMinute: () => 0,
  })
  return gate
}

/** The status with which the gate responds; 200 if it admits the request. */
function statusFrom(from: Gate, socket: Readonly<Record<string, unknown>>): Promise<number> {
  const headers = { host: "qm.example.org", authorization: `Bearer ${TOKEN}` }
  const request = {
    method: "GET",
    url: "/api/session",
    headers,
    rawHeaders: Object.entries(headers).flat(),
    socket: Object.assign(new EventEmitter(), socket),
  } as unknown as IncomingMessage
  return new Promise((resolve) => {
    const response = {
      setHeader() {},
      writeHead: (status: number) => resolve(status),
      end() {},
    } as unknown as ServerResponse
    from.admit(request, response, () => resolve(200))
  })
}

test("[HTTP-38] a person's key is refused without TLS unless the connection is from this machine", async () => {
  const open = newGate(async () => KEY)
  expect(await statusFrom(open, { remoteAddress: "192.0.2.7" })).toBe(403)
  expect(await statusFrom(open, { remoteAddress: "::ffff:192.0.2.7" })).toBe(403)
  expect(await statusFrom(open, { remoteAddress: "192.0.2.7", encrypted: true })).toBe(200)
  for (const remoteAddress of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    expect(await statusFrom(open, { remoteAddress })).toBe(200)
  }
})

test("[HTTP-32] a store that does not answer admits nobody", async () => {
  const broken = newGate(() => Promise.reject(new Error("connection lost")))
  expect(await statusFrom(broken, { remoteAddress: "127.0.0.1" })).toBe(503)
})
