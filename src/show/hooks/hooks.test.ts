import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { answerHook, type Judge } from "./answer.ts"
import { LARGEST_ANSWER_BYTES, LARGEST_PAYLOAD_BYTES, STDIN_DEADLINE_MS } from "./limits.ts"
import { parsePayload, readPayload } from "./payload.ts"

const never = () => new Promise<never>(() => {})
const deps = { sleep: never }
const judge = (name: string, say: Judge["judge"]): Judge => ({ name, judge: say })

describe("answerHook", () => {
  test("[HOOKS-3] the first judge with something to say answers, the later are not asked", async () => {
    const asked: string[] = []
    const judges = ["silent", "first", "second"].map((name) =>
      judge(name, () => {
        asked.push(name)
        return name === "silent" ? undefined : { said: name }
      }),
    )
    expect(await answerHook({}, judges, deps)).toEqual({ answer: { said: "first" }, troubles: [] })
    expect(asked).toEqual(["silent", "first"])
  })

  test("[HOOKS-3] without judges, or with silent ones, there is nothing to say", async () => {
    expect(await answerHook({}, [], deps)).toEqual({ answer: undefined, troubles: [] })
    const silent = judge("silent", async () => undefined)
    expect(await answerHook({}, [silent], deps)).toEqual({ answer: undefined, troubles: [] })
  })

  test("[HOOKS-4] a judge that throws is passed over", async () => {
    const judges = [
      judge("loud", () => {
        throw new Error("broken")
      }),
      judge("later", async () => Promise.reject(new Error("broken too"))),
      judge("sound", () => ({ ok: true })),
    ]
    expect(await answerHook({}, judges, deps)).toEqual({
      answer: { ok: true },
      troubles: ["loud: Error: broken", "later: Error: broken too"],
    })
  })

  test("[HOOKS-4] when the time is up the answer is silence, and the judge is told", async () => {
    let signal: AbortSignal | undefined
    const hanging = judge("hanging", (_, context) => {
      signal = context.signal
      return never()
    })
    const notAsked = judge("not asked", () => ({ said: "too late" }))
    expect(await answerHook({}, [hanging, notAsked], { sleep: async () => {} })).toEqual({
      answer: undefined,
      troubles: ["hanging: no answer after 2000 ms"],
    })
    expect(signal?.aborted).toBe(true)
  })
})

describe("readPayload", () => {
  test.for(["", " ", "x", "{", "null", "[]", "1", '"text"', "\0", '{"a":1}{'])(
    "[HOOKS-2] %j is not a payload",
    (text) => {
      expect(parsePayload(text).kind).toBe("unusable")
    },
  )

  test("[HOOKS-2] an object is one, also after a byte-order mark and in pieces", async () => {
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
        const sound = await readPayload(streamOf([`{"a":${json}}`]), deps)
        expect(sound).toEqual({ kind: "payload", payload: { a: JSON.parse(json) } })
      }),
      fcParameters({ numRuns: 500 }),
    )
  })

  test("[HOOKS-2] one byte over the cap is too much, and all of it is read", async () => {
    const filler = LARGEST_PAYLOAD_BYTES - '{"a":""}'.length
    const fits = `{"a":"${"x".repeat(filler)}"}`
    expect((await readPayload(streamOf([fits]), deps)).kind).toBe("payload")
    let read = 0
    async function* counted() {
      for (const piece of [fits, " ", " "]) {
        read++
        yield piece
      }
    }
    expect(await readPayload(counted(), deps)).toEqual({
      kind: "unusable",
      why: "the payload has 1000002 bytes, more than 1000000",
    })
    expect(read).toBe(3)
  })

  test("[HOOKS-2] a stream that breaks or never ends is a reason", async () => {
    async function* broken() {
      yield "{"
      throw new Error("gone")
    }
    expect(await readPayload(broken(), deps)).toMatchObject({
      why: expect.stringContaining("gone"),
    })
    const open = { [Symbol.asyncIterator]: () => ({ next: never }) }
    expect(await readPayload(open, { sleep: async () => {} })).toEqual({
      kind: "unusable",
      why: `the payload was not there after ${STDIN_DEADLINE_MS} ms`,
    })
  })
})

describe("a hook process", () => {
  const main = path.join(import.meta.dirname, "main.ts")
  const folder = mkdtempSync(path.join(tmpdir(), "qm hooks "))
  afterAll(() => rmSync(folder, { recursive: true }))
  const quiet = { code: 0, stdout: "", stderr: "" }

  test.for([
    ["an event", '{"hook_event_name":"SessionStart"}'],
    ["garbage", "\0\u001b]52;x{{{"],
    ["nothing", ""],
    ["an array", "[1,2]"],
  ] as const)("[HOOKS-1] says nothing and ends with 0 on %s", async ([, payload]) => {
    expect(await runProcess(main, payload)).toEqual(quiet)
  })

  test("[HOOKS-1] reads 50 MB to the end, says nothing and ends with 0", async () => {
    expect(await runProcess(main, `{"a":"${"x".repeat(50_000_000)}"}`)).toEqual(quiet)
  })

  test("[HOOKS-1] does not wait for a stdin that never closes", async () => {
    expect(await runProcess(main, undefined)).toEqual(quiet)
  })

  test("[HOOKS-1] says why on stderr when asked to, and only then", async () => {
    const told = await runProcess(main, "x", { env: { QM_HOOK_DEBUG: "1" } })
    expect(told).toMatchObject({ code: 0, stdout: "" })
    expect(told.stderr).toMatch(/^qm-hook: the payload is not JSON/)
  })

  test("[HOOKS-1] ends with 0 when nobody reads the answer", async () => {
    const entry = entryWith("[{ name: 'a', judge: () => ({ b: 1 }) }]")
    expect(await runProcess(entry, "{}", { closeStdout: true })).toMatchObject({ code: 0 })
  })

  test.for([
    ["throws", "() => { throw new Error('x') }"],
    ["throws later, outside its promise", "() => new Promise(() => setTimeout(() => { throw 1 }))"],
    ["rejects unseen", "() => new Promise(() => { void Promise.reject(1) })"],
    ["hangs", "() => new Promise(() => {})"],
    ["answers in a circle", "() => { const a = {}; a.a = a; return a }"],
    ["says too much", `() => ({ context: 'x'.repeat(${LARGEST_ANSWER_BYTES}) })`],
  ] as const)("[HOOKS-4] a judge that %s lets the work go on", async ([, source]) => {
    expect(await runProcess(entryWith(`[{ name: 'bad', judge: ${source} }]`), "{}")).toEqual(quiet)
  })

  test("[HOOKS-3] an answer is one line of JSON", async () => {
    const entry = entryWith("[{ name: 'good', judge: (it) => ({ heard: it.text }) }]")
    expect(await runProcess(entry, '{"text":"two\\nlines"}')).toEqual({
      code: 0,
      stdout: '{"heard":"two\\nlines"}\n',
      stderr: "",
    })
  })

  /** The real main with other judges: it has none of its own yet. */
  function entryWith(judges: string): string {
    const source = readFileSync(main, "utf8")
      .replace("judges: []", `judges: ${judges}`)
      .replace('"./hooks.ts"', JSON.stringify(path.join(import.meta.dirname, "hooks.ts")))
    const entry = path.join(folder, "main.ts")
    writeFileSync(entry, source)
    return entry
  }
})

test("[HOOKS-5] nothing on the way of a hook imports a package or another room", () => {
  for (const file of ["main.ts", "hooks.ts", "answer.ts", "payload.ts", "limits.ts"]) {
    const source = readFileSync(path.join(import.meta.dirname, file), "utf8")
    const imported = [...source.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map((it) => it[1])
    expect(imported.filter((it) => !it?.startsWith("./"))).toEqual([])
  }
})

async function* streamOf(chunks: readonly unknown[]) {
  yield* chunks
}

/** A hang is the failure here: the guard is far beyond the deadlines of the hook itself. */
async function runProcess(
  entry: string,
  payload: string | undefined,
  options: { env?: Readonly<Record<string, string>>; closeStdout?: boolean } = {},
) {
  const child = spawn(process.execPath, [entry], { env: options.env ?? {}, timeout: 25_000 })
  if (options.closeStdout) child.stdout.destroy()
  child.stdin.on("error", () => {})
  if (payload === undefined) child.stdin.write("{")
  else child.stdin.end(payload)
  let stdout = ""
  let stderr = ""
  child.stdout.on("data", (chunk) => (stdout += chunk))
  child.stderr.on("data", (chunk) => (stderr += chunk))
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  return { code, stdout, stderr }
}
