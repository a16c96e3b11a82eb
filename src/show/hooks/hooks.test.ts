import { readFileSync } from "node:fs"
import { Readable } from "node:stream"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Verdict } from "#choose/guard"
import { fcParameters } from "#test/seed"
import {
  type Judge,
  LARGEST_ANSWER_BYTES,
  LARGEST_PAYLOAD_BYTES,
  parsePayload,
  readPayload,
  runHook,
  STDIN_DEADLINE_MS,
  type Timer,
} from "./hooks.ts"
import { homeOf } from "./judge.ts"

const never: Timer = () => () => {}
const atOnce: Timer = (_, act) => {
  act()
  return () => {}
}
const START = '{"session_id":"s","cwd":"/repo","hook_event_name":"SessionStart"}'

async function ask(judge: Judge, options: { later?: Timer; input?: string; host?: string } = {}) {
  const lines: string[] = []
  const troubles: string[] = []
  await runHook({
    input: options.input ?? START,
    asked: { host: options.host ?? "claude-code", eventName: "PreToolUse" },
    directory: "/",
    now: () => 7,
    judge,
    later: options.later ?? never,
    write: async (line) => void lines.push(line),
    debug: (sentence) => void troubles.push(sentence),
  })
  return { lines, troubles }
}

const says = (verdict: Verdict) => async () => verdict

describe("runHook", () => {
  test("[HOOKS-3] writes one line of JSON", async () => {
    const { lines } = await ask(says({ kind: "context", text: "two\nlines" }))
    expect(lines).toEqual([
      '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"two\\nlines"}}\n',
    ])
  })

  test("[HOOKS-3] writes nothing for silence and for an answer that is too long", async () => {
    expect(await ask(says({ kind: "silent" }))).toEqual({ lines: [], troubles: [] })
    const long = await ask(says({ kind: "context", text: "x".repeat(LARGEST_ANSWER_BYTES) }))
    expect(long.lines).toEqual([])
    expect(long.troubles).toEqual([expect.stringContaining("more than 20000")])
  })

  test("[HOOKS-4] is silent when the judge throws", async () => {
    const judge = () => Promise.reject(new Error("broken"))
    expect(await ask(judge)).toEqual({
      lines: [],
      troubles: ["the judge failed: Error: broken"],
    })
  })

  test("[HOOKS-4] is silent at the deadline, and aborts the judge", async () => {
    let signal: AbortSignal | undefined
    const hanging: Judge = (_, context) => {
      signal = context.signal
      return new Promise(() => {})
    }
    expect(await ask(hanging, { later: atOnce })).toEqual({
      lines: [],
      troubles: ["no verdict after 2000 ms"],
    })
    expect(signal?.aborted).toBe(true)
  })

  test("[HOOKS-9] does not judge an unknown host or an invalid payload", async () => {
    const judge: Judge = () => expect.unreachable()
    expect((await ask(judge, { host: "emacs" })).lines).toEqual([])
    expect((await ask(judge, { input: "garbage" })).lines).toEqual([])
    expect((await ask(judge, { input: "{}" })).lines).toEqual([])
  })

  test("[HOOKS-8] answers garbage too where silence means refusal", async () => {
    const judge: Judge = () => expect.unreachable()
    const { lines } = await ask(judge, { host: "antigravity", input: "garbage" })
    expect(lines).toEqual(['{"decision":"allow"}\n'])
  })
})

describe("readPayload", () => {
  const deps = { later: never }

  test.for(["", " ", "x", "{", "null", "[]", "1", '"text"', "\0", '{"a":1}{'])(
    "[HOOKS-2] %j is not a payload",
    (text) => {
      expect(parsePayload(text).kind).toBe("unusable")
    },
  )

  test("[HOOKS-2] accepts an object, also after a byte-order mark and in chunks", async () => {
    const bytes = Buffer.from('\uFEFF{"name":"é"}')
    const inPieces = Array.from(bytes, (byte) => Buffer.from([byte]))
    expect(await readPayload(streamOf(inPieces), deps)).toEqual({
      kind: "payload",
      payload: { name: "é" },
    })
  })

  test("[HOOKS-2] [F1] any bytes give a payload or a reason, never an exception", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.json(), async (bytes, json) => {
        const wild = await readPayload(streamOf([Buffer.from(bytes)]), deps)
        expect(["payload", "unusable"]).toContain(wild.kind)
        const sound = await readPayload(streamOf([Buffer.from(`{"a":${json}}`)]), deps)
        expect(sound).toEqual({ kind: "payload", payload: { a: JSON.parse(json) } })
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[HOOKS-2] one byte over the limit is too much, and the whole input is read", async () => {
    const filler = LARGEST_PAYLOAD_BYTES - '{"a":""}'.length
    const fits = Buffer.from(`{"a":"${"x".repeat(filler)}"}`)
    expect((await readPayload(streamOf([fits]), deps)).kind).toBe("payload")
    const space = Buffer.from(" ")
    const stream = streamOf([fits, space, space])
    expect(await readPayload(stream, deps)).toEqual({
      kind: "unusable",
      why: "the payload has 8000002 bytes, more than 8000000",
    })
    expect(stream.readableEnded).toBe(true)
  })

  test("[HOOKS-2] a stream that fails or never ends gives a reason", async () => {
    const broken = new Readable({ read: () => broken.destroy(new Error("gone")) })
    expect(await readPayload(broken, deps)).toMatchObject({
      why: expect.stringContaining("gone"),
    })
    const open = new Readable({ read: () => {} })
    expect(await readPayload(open, { later: atOnce })).toEqual({
      kind: "unusable",
      why: `the payload did not arrive within ${STDIN_DEADLINE_MS} ms`,
    })
  })
})

describe("homeOf", () => {
  const bundle = "/u/elsewhere/kit/qm-hook.mjs"
  test.for([
    ["QM_HOME", { QM_HOME: "/own", HOME: "/u" }, bundle, "/own"],
    ["the folder of the installed bundle", { HOME: "/u" }, bundle, "/u/elsewhere"],
    ["~/.qm", { HOME: "/u" }, "/clone/bin/qm-hook.mjs", "/u/.qm"],
    ["~/.qm on Windows", { USERPROFILE: "/w" }, "/kit/x/qm-hook.mjs", "/w/.qm"],
    ["no folder without a home", {}, "/clone/bin/qm-hook.mjs", undefined],
  ] as const)("[HOOKS-12] uses %s", ([, environment, self, home]) => {
    expect(homeOf(environment, self)).toBe(home)
  })
})

test("[HOOKS-5] imports no package, and no room above guard", () => {
  const files = ["main.ts", "hooks.ts", "judge.ts", "background.ts", "by-hand.ts", "status-line.ts"]
  const rooms = ["#ground/base", "#ground/contract", "#see/repo", "#know/ledger", "#choose/guard"]
  for (const file of files) {
    const source = readFileSync(new URL(file, import.meta.url), "utf8")
    const imported = [...source.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map(
      (it) => it[1] ?? "",
    )
    const foreign = imported.filter((it) => !it.startsWith("./") && !it.startsWith("node:"))
    expect(foreign.filter((it) => !rooms.includes(it))).toEqual([])
  }
})

function streamOf(chunks: readonly Buffer[]): Readable {
  return Readable.from(chunks, { objectMode: false })
}
