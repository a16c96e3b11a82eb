import { describe, expect, test } from "vitest"
import { z } from "zod"
import { defineEvent, liftEntry } from "./event.ts"
import {
  CONTEXT_KINDS,
  Config,
  ConfigCheck,
  ConfigReport,
  Cursor,
  configFields,
  DoctorReport,
  defineOperations,
  type Emit,
  EVENTS,
  type Handlers,
  JournalEntry,
  Manifest,
  Message,
  OPERATIONS,
  type Operation,
  WireError,
} from "./index.ts"

const OPERATION_LIST: readonly Operation[] = Object.values(OPERATIONS)

describe("events", () => {
  test("[CONTRACT-1] emitting another room's event does not compile", () => {
    const said: string[] = []
    const emit: Emit<"store"> = (name) => void said.push(name)
    emit("store.created", { dialect: "sqlite" })
    // @ts-expect-error: no event of this name is in the list
    emit("pack.created", { dialect: "sqlite" })
    // @ts-expect-error: the body belongs to another event
    emit("store.backed-up", { dialect: "sqlite" })
    // @ts-expect-error: a room without events cannot emit
    const foreign: Emit<"proof"> = emit
    expect([said.length, typeof foreign]).toEqual([3, "function"])
  })

  test("[CONTRACT-2] event names are unique, of the form room.past-tense, with a version and a summary", () => {
    const names = EVENTS.map((it) => it.name)
    expect(new Set(names).size).toBe(names.length)
    for (const event of EVENTS) {
      expect(event.name).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/)
      expect(event.version).toBeGreaterThan(0)
      expect(event.summary.length).toBeGreaterThan(10)
    }
    const made = defineEvent("x.done", { version: 2, summary: "x", body: z.object({}) })
    expect(made).toMatchObject({ name: "x.done", version: 2 })
  })

  test("[CONTRACT-3] a cursor has an epoch and a sequence number; anything else is refused", () => {
    expect(Cursor.parse({ epoch: "ep_1", seq: 0 })).toEqual({ epoch: "ep_1", seq: 0 })
    for (const bad of [
      {},
      { epoch: "", seq: 1 },
      { epoch: "e", seq: -1 },
      { epoch: "e", seq: 0.5 },
    ]) {
      expect(Cursor.safeParse(bad).success).toBe(false)
    }
  })

  test("[CONTRACT-15] an entry of an earlier version gets the current body; others are unchanged", () => {
    const entry = { epoch: "ep_1", seq: 1, id: "ev_1", at: 1, name: "gateway.closed", version: 1 }
    const lifted = { proxiedSession: "gw_1", run: null }
    const current = { ...entry, version: 2, body: lifted }
    expect(liftEntry({ ...entry, body: { carry: "gw_1", run: null } })).toEqual(current)
    expect(liftEntry({ ...entry, body: lifted })).toEqual(current)
    const unknown = { ...entry, name: "later.added", version: 7, body: { carry: "gw_1" } }
    for (const it of [current, unknown]) expect(liftEntry(it)).toBe(it)
  })
})

describe("config", () => {
  test("[CONTRACT-4] every setting has a default, a description and its own environment variable", () => {
    const fields = configFields()
    expect(fields.length).toBeGreaterThan(0)
    expect(new Set(fields.map((it) => it.env)).size).toBe(fields.length)
    for (const field of fields) {
      expect(field.schema.safeParse(field.defaultValue).success).toBe(true)
      expect(field.description.length).toBeGreaterThan(10)
      expect(field.env).toMatch(/^[A-Z][A-Z0-9_]+$/)
    }
    expect(fields.filter((it) => it.isSecret).map((it) => it.key)).toEqual([
      "store.databaseUrl",
      "telemetry.headers",
    ])
  })

  test("[CONTRACT-5] an empty config is valid, an unknown key is not", () => {
    expect(Config.parse({}).tokens.encoding).toBe("claude")
    expect(Config.safeParse({ stroe: {} }).success).toBe(false)
    expect(Config.safeParse({ store: { keepBackup: 3 } }).success).toBe(false)
  })
})

test("[CONTRACT-6] a manifest, message, journal entry and error are parsed unchanged", () => {
  const manifest = {
    id: "mf_1",
    kind: "estimated",
    host: "claude-code",
    workingDirectory: "/somewhere",
    capturedAt: 1,
    estimator: "claude",
    disclaimer: "An estimation.",
    items: [],
    searched: [{ path: "/x", source: "project-root", outcome: "missing" }],
    notes: [],
    totals: { files: 0, bytes: 0, tokensInWindow: 0, tokensOnDemand: 0 },
  }
  expect(Manifest.parse(manifest)).toEqual(manifest)
  const message = { id: "m_1", seq: 1, type: "user", role: "user", content: "x", timestamp: 1 }
  expect(Message.parse(message)).toEqual({ ...message, metadata: {} })
  const entry = { epoch: "e", seq: 1, id: "ev_1", at: 1, name: "a.b", version: 1, body: {} }
  expect(JournalEntry.parse(entry)).toEqual(entry)
  const error = { code: "X", message: "x", hint: "y", data: null }
  expect(WireError.parse(error)).toEqual(error)
  expect(CONTEXT_KINDS).toHaveLength(11)
  expect(ConfigCheck.safeParse({}).success).toBe(false)
  expect(ConfigReport.safeParse({}).success).toBe(false)
  expect(DoctorReport.safeParse({}).success).toBe(false)
})

test("[CONTRACT-7] defineOperations names each operation, and a missing or wrong handler does not compile", async () => {
  const declared = defineOperations("test", {
    double: {
      summary: "Double a number",
      effect: "read",
      surfaces: ["cli"],
      cli: { args: ["of"], group: "Context", examples: ["qm twice"] },
      input: z.object({ of: z.int().default(2) }),
      output: z.object({ doubled: z.int() }),
    },
  })
  expect(declared["test.double"].name).toBe("test.double")
  const handlers: Handlers<typeof declared> = { double: async ({ of }) => ({ doubled: of * 2 }) }
  const context = { signal: new AbortController().signal }
  expect(await handlers.double({ of: 4 }, context)).toEqual({ doubled: 8 })
  // @ts-expect-error: an operation without a handler does not compile
  const missing: Handlers<typeof declared> = {}
  // @ts-expect-error: a handler returns the output of its descriptor
  const wrong: Handlers<typeof declared> = { double: async () => ({ halved: 1 }) }
  expect([missing, wrong]).toHaveLength(2)
})

test("[CONTRACT-8] a descriptor has `cli` exactly if its surfaces do, and `cli` names only input fields", () => {
  for (const { name, summary, surfaces, cli, input } of OPERATION_LIST) {
    expect(name).toMatch(/^[a-z]+\.[a-z]+$/)
    expect(summary, name).toMatch(/^[A-Z].{9,}[^.]$/)
    expect(cli !== undefined, name).toBe(surfaces.includes("cli"))
    const fields = Object.keys(z.toJSONSchema(input, { io: "input" }).properties ?? {})
    for (const one of [cli ?? []].flat()) {
      const named = [
        ...(one.args ?? []),
        ...(one.omit ?? []),
        ...Object.keys(one.given ?? {}),
        ...Object.keys(one.flagNames ?? {}),
      ]
      for (const field of named) expect(fields, name).toContain(field)
    }
  }
})
