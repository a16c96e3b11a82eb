import { hash } from "node:crypto"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { AutoFoldMode } from "#ground/contract"
import { openStore, type Store } from "#ground/store"
import { fcParameters } from "#test/seed"
import {
  type Block,
  blocksOf,
  createBinding,
  type Message,
  type MessagesBody,
  mismatchesOf,
  parseMessages,
  signatureOf,
  textOfResult,
  violationsOf,
} from "#test/strict-wire"
import { recordOf } from "../read/json.ts"
import { createMaskStore, type MaskStore } from "../store/masks.ts"
import { createMasking, type KeptResult } from "./mask-requests.ts"

const TOOLS = [
  { type: "custom", name: "Read" },
  { type: "custom", name: "read_handle" },
]

const TOKENS_PER_BYTE = 0.3
const LIFETIME_MS = 300_000

type HostCall = {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly text: string
  readonly fails?: boolean
}

type HostOptions = {
  readonly store: MaskStore
  readonly session: string
  readonly window?: { readonly tokens: number; readonly compactsAt: number }
}

const WINDOW = { tokens: 400_000, compactsAt: 10_000 }

/**
 * A host that sends its whole history with each request, the gateway's masks between, and a provider
 * whose thinking is bound to the request that it received, and that reports every fault.
 */
function maskedHost({ store, session, window = WINDOW }: HostOptions) {
  const history: Message[] = []
  const stored: (KeptResult & { readonly handle: string })[] = []
  const problems: string[] = []
  const received: MessagesBody[] = []
  const settings: { autoFold: AutoFoldMode; autoFoldAt: number } = { autoFold: "on", autoFoldAt: 3 }
  let [now, calls, isCut] = [1_000_000, 0, false]
  const open = () =>
    createMasking({
      wire: "anthropic",
      store,
      log: silentLog,
      now: () => now,
      window: () => window,
      settings: () => settings,
      async keepResults(_, results) {
        if (isCut) return undefined
        const handles = results.map((it) => ({ ...it, handle: `rh_${stored.length}_${it.label}` }))
        stored.push(...handles)
        return handles
      },
    })
  let masking = open()
  const key = { session, agent: "" }

  async function send(): Promise<MessagesBody> {
    const sent: MessagesBody = {
      model: "m",
      thinking: { type: "adaptive" },
      system: [{ type: "text", text: "You are an agent.", cache_control: { type: "ephemeral" } }],
      tools: TOOLS,
      messages: markedAtEnd(history),
    }
    const body = Buffer.from(JSON.stringify(sent))
    const outcome = await masking.apply(key, body)
    const sentBody = parseMessages(outcome?.body ?? body)
    problems.push(
      ...violationsOf(sentBody),
      ...mismatchesOf(sentBody),
      ...lostIn(sentBody),
      ...lostWords(sentBody),
    )
    received.push(sentBody)
    const bytes = outcome?.body.length ?? body.length
    const tokens = Math.round(bytes * TOKENS_PER_BYTE)
    masking.observe({
      ...key,
      tokens,
      bytes,
      expiresAt: now + LIFETIME_MS,
      lifetimeMs: LIFETIME_MS,
    })
    return sentBody
  }

  /** Thinking of the open tool loop must be complete. */
  function lostIn(sentBody: MessagesBody): readonly string[] {
    const start = history.findLastIndex(
      (it) => it.role === "user" && blocksOf(it.content).every((one) => one.type === "text"),
    )
    const count = (messages: readonly Message[]): number =>
      messages.flatMap((it) => blocksOf(it.content)).filter((it) => it.type === "thinking").length
    const isLost = count(sentBody.messages.slice(start)) < count(history.slice(start))
    return isLost ? ["thinking of the open tool loop is missing"] : []
  }

  /** Words of the user and the newest read of each file. */
  function lostWords(sentBody: MessagesBody): readonly string[] {
    const wire = JSON.stringify(sentBody.messages)
    const blocks = history.filter((it) => it.role === "user").flatMap((it) => blocksOf(it.content))
    const words = blocks.filter((it) => it.type === "text").map((it) => it.text ?? "")
    const newest = new Map<string, string>()
    for (const call of history.flatMap((it) => blocksOf(it.content))) {
      const file = recordOf(call["input"])["file_path"]
      const result = blocks.find((it) => it.tool_use_id === call.id)
      const isRead = call.type === "tool_use" && call.name === "Read"
      if (isRead && typeof file === "string" && result !== undefined)
        newest.set(file, textOfResult(result))
    }
    return [...words, ...newest.values()].flatMap((it) =>
      wire.includes(JSON.stringify(it).slice(1, -1)) ? [] : [`lost: ${it.slice(0, 60)}`],
    )
  }

  async function answer(content: readonly Block[], hasThinking: boolean): Promise<void> {
    const sentBody = await send()
    const signature = signatureOf(createBinding(sentBody).whole)
    const thinking = { type: "thinking", thinking: "I think.", signature }
    history.push({ role: "assistant", content: [...(hasThinking ? [thinking] : []), ...content] })
  }

  return {
    session,
    problems,
    received,
    kept: stored,
    history,
    settings,
    say: (text: string): void =>
      void history.push({ role: "user", content: [{ type: "text", text }] }),
    async call({ tool, input, text, fails }: HostCall, hasThinking = true): Promise<string> {
      const id = `toolu_${session}_${calls++}`
      await answer([{ type: "tool_use", id, name: tool, input }], hasThinking)
      const result = { type: "tool_result", tool_use_id: id, content: text }
      const block = fails === true ? { ...result, is_error: true } : result
      history.push({ role: "user", content: [block] })
      return id
    },
    finish: (text: string, hasThinking = true) => answer([{ type: "text", text }], hasThinking),
    restart(): void {
      masking = open()
    },
    wait(ms: number): void {
      now += ms
    },
    cut(isBroken: boolean): void {
      isCut = isBroken
    },
    /** The result of a call in the last request that the provider sentBody. */
    resultOf(callId: string): string {
      const blocks = received.at(-1)?.messages.flatMap((it) => blocksOf(it.content)) ?? []
      const result = blocks.find((it) => it.tool_use_id === callId)
      return result === undefined ? "" : textOfResult(result)
    },
  }
}

function markedAtEnd(history: readonly Message[]): readonly Message[] {
  const last = history.at(-1)
  const blocks = blocksOf(last?.content)
  const end = blocks.at(-1)
  if (last === undefined || end === undefined) return history
  const marked = { ...end, cache_control: { type: "ephemeral" } }
  return [...history.slice(0, -1), { ...last, content: [...blocks.slice(0, -1), marked] }]
}

function fileText(name: string, version: number, lines = 200): string {
  const line = (number: number): string =>
    `${number}\texport const ${name}_${version}_${number} = compute(${number})\n`
  return Array.from({ length: lines }, (_, index) => line(index + 1)).join("")
}

let store: Store
let masks: MaskStore
let sessions = 0

beforeAll(async () => {
  store = await openStore({
    location: { kind: "memory" },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })
  masks = createMaskStore({ clock: systemClock, db: store.forRoom("gateway"), root: () => "/r" })
})

afterAll(() => store.close())

const newHost = (more: Partial<Parameters<typeof maskedHost>[0]> = {}) =>
  maskedHost({ store: masks, session: `s${sessions++}`, ...more })

const read = (file: string, version = 0, more: object = {}): HostCall => ({
  tool: "Read",
  input: { file_path: `/p/${file}.ts`, ...more },
  text: fileText(file, version),
})
const bash = (command: string, lines: number, fails = false): HostCall => ({
  tool: "Bash",
  input: { command },
  text: fileText(command.replaceAll(/\W/g, "_"), 0, lines),
  fails,
})

/** Fills the window with work, so that a decision is due at the next user turn. */
async function fill(host: ReturnType<typeof newHost>, count = 5): Promise<void> {
  for (let it = 0; it < count; it++) await host.call(bash(`step ${it} ${host.history.length}`, 180))
}

describe("masks at the boundary of a user turn", () => {
  test("[GATE-120] an older read, a duplicate, a failed attempt and a large old output are replaced by one line", async () => {
    const host = newHost()
    host.say("begin")
    const old = await host.call(read("a"))
    const twice = await host.call(bash("grep x", 180))
    const failed = await host.call(bash("make all", 180, true))
    const large = await host.call(bash("long log", 300))
    await host.call(bash("make all", 20))
    const again = await host.call({ ...bash("grep y", 180), text: bash("grep x", 180).text })
    const newest = await host.call(read("a", 1))
    await fill(host, 6)
    await host.finish("Done with the first part.")
    host.say("go on")
    await host.finish("All done.")
    expect(host.problems).toEqual([])
    const texts = [old, twice, failed, large].map(host.resultOf)
    expect(texts.map((it) => it.replace(/rh_\S+ .*$|rh_\S+$/, "").slice(0, 70))).toEqual([
      expect.stringContaining("[Removed by qm: Read /p/a.ts, "),
      expect.stringContaining("[Removed by qm: Bash grep x, "),
      expect.stringContaining("[Removed by qm: Bash make all, "),
      expect.stringContaining("[Removed by qm: Bash long log, "),
    ])
    expect(texts[0]).toMatch(
      /the file was read again later\. To see it: read_handle with handle rh_/,
    )
    expect(host.resultOf(newest)).toBe(fileText("a", 1))
    expect(host.resultOf(again)).toBe(bash("grep x", 180).text)
    expect(host.kept.map((it) => it.text)).toContain(fileText("a", 0))
  })

  test("[GATE-121] in a tool loop with thinking nothing is masked; without thinking old results are", async () => {
    const [thinking, plain] = [newHost(), newHost()]
    for (const [host, hasThinking] of [
      [thinking, true],
      [plain, false],
    ] as const) {
      host.say("begin")
      await host.call(read("a"), hasThinking)
      await host.call(read("a", 1), hasThinking)
      for (let it = 0; it < 12; it++) await host.call(bash(`step ${it}`, 180), hasThinking)
      expect(host.problems).toEqual([])
    }
    expect(thinking.kept).toEqual([])
    expect(plain.kept.map((it) => it.label)).toContain("Read /p/a.ts")
  })

  test("[GATE-122] later requests have the same masks after a restart, and after autoFold is off", async () => {
    const host = newHost()
    host.say("begin")
    const old = await host.call(read("a"))
    await host.call(read("a", 1))
    await fill(host, 8)
    await host.finish("Done.")
    host.say("go on")
    await host.call(bash("one", 5))
    const mask = host.resultOf(old)
    expect(mask).toContain("[Removed by qm:")
    host.restart()
    await host.call(bash("two", 5))
    expect(host.resultOf(old)).toBe(mask)
    host.settings.autoFold = "off"
    await host.call(bash("three", 5))
    host.restart()
    await host.finish("Done again.")
    expect(host.resultOf(old)).toBe(mask)
    expect(host.problems).toEqual([])
  })

  test("[GATE-122] nothing is masked when the texts cannot be stored", async () => {
    const host = newHost()
    host.cut(true)
    host.say("begin")
    const old = await host.call(read("a"))
    await host.call(read("a", 1))
    await fill(host, 8)
    await host.finish("Done.")
    host.say("go on")
    await host.finish("Done.")
    expect(host.resultOf(old)).toBe(fileText("a", 0))
    expect(host.problems).toEqual([])
  })

  test("[GATE-123] results that a later text quotes, short ones and those below the fill stay", async () => {
    const host = newHost()
    host.say("begin")
    const quoted = await host.call(read("a"))
    const short = await host.call({ ...read("b"), text: "1\tconst b = 1\n" })
    await host.finish("The line is `export const a_0_7 = compute(7)`, which is wrong.")
    host.say("change it")
    await host.call(read("a", 1))
    await host.call({ ...read("b", 1), text: "1\tconst b = 2\n" })
    await fill(host, 8)
    await host.finish("Done.")
    host.say("go on")
    await host.finish("Done.")
    expect(host.resultOf(quoted)).toBe(fileText("a", 0))
    expect(host.resultOf(short)).toBe("1\tconst b = 1\n")
    expect(host.problems).toEqual([])
    const empty = newHost({ window: { tokens: 4_000_000, compactsAt: 900_000 } })
    empty.say("begin")
    const stays = await empty.call(read("a"))
    await empty.call(read("a", 1))
    await empty.finish("Done.")
    empty.say("go on")
    await empty.finish("Done.")
    expect(empty.resultOf(stays)).toBe(fileText("a", 0))
  })

  test("[GATE-124] a kind whose masked text is read again soon is not masked again", async () => {
    const host = newHost()
    host.say("begin")
    const first = await host.call(bash("long log", 300))
    await fill(host, 11)
    await host.finish("Done.")
    host.say("go on")
    await host.call(bash("one", 5))
    expect(host.resultOf(first)).toContain("[Removed by qm:")
    const handle = /handle (rh_.+)\.\]/.exec(host.resultOf(first))?.[1]
    await host.call({ tool: "mcp__qm__read_handle", input: { handle }, text: "the log" })
    const second = await host.call(bash("other log", 300))
    await fill(host, 12)
    await host.finish("Done.")
    host.say("go on again")
    host.wait(3_600_000)
    await host.finish("Done.")
    expect(host.resultOf(second)).toBe(bash("other log", 300).text)
    expect(host.problems).toEqual([])
  })

  test("[GATE-124] the same call again counts against a large output, and not where a newer result is in the window", async () => {
    const host = newHost()
    host.say("begin")
    const large = await host.call(bash("long log", 300))
    const twice = await host.call(bash("grep x", 180))
    await host.call(bash("grep x", 180))
    await fill(host, 11)
    await host.finish("Done.")
    host.say("go on")
    await host.call(bash("one", 5))
    const masked = [large, twice].map((it) => host.resultOf(it).startsWith("[Removed by qm:"))
    expect(masked).toEqual([true, true])
    await host.call(bash("long log", 300))
    await host.call(bash("grep x", 180))
    await host.finish("Done.")
    const { masks: stored } = await masks.load({ session: host.session, agent: "" })
    const reread = stored.filter((it) => it.reread !== null).map((it) => it.kind)
    expect(reread).toEqual(["oversize"])
    expect(host.problems).toEqual([])
  })

  test("[GATE-125] with a warm cache masks wait until they save more than the re-write costs", async () => {
    const roomy = { tokens: 400_000, compactsAt: 10_000_000 }
    const [warm, cold] = [newHost({ window: roomy }), newHost({ window: roomy })]
    for (const host of [warm, cold]) {
      host.say("begin")
      await host.call(read("a"))
      await host.call(read("a", 1))
      await fill(host, 8)
      await host.finish("Done.")
      host.say("go on")
    }
    cold.wait(3_600_000)
    await warm.finish("Done.")
    await cold.finish("Done.")
    expect(warm.kept).toEqual([])
    expect(cold.kept.map((it) => it.label)).toContain("Read /p/a.ts")
    expect([...warm.problems, ...cold.problems]).toEqual([])
  })

  test("[GATE-126] a fork of the conversation inherits its masks, and a restored one is equal", async () => {
    const host = newHost()
    host.say("begin")
    const old = await host.call(read("a"))
    await host.call(read("a", 1))
    await fill(host, 8)
    await host.finish("Done.")
    host.say("go on")
    await host.call(bash("one", 5))
    const fork = newHost()
    fork.history.push(...host.history)
    await fork.finish("Done.")
    expect(fork.resultOf(old)).toBe(host.resultOf(old))
    expect(fork.resultOf(old)).toContain("[Removed by qm:")
    expect(fork.problems).toEqual([])
  })
})

test("[GATE-130] a person's summary takes the place of the selected results at the next prompt, and stays", async () => {
  const host = newHost()
  host.settings.autoFold = "off"
  host.say("begin")
  const [one, two] = [await host.call(read("a")), await host.call(bash("make all", 100))]
  const other = await host.call(read("b"))
  await host.finish("Done.")
  const hashes = [fileText("a", 0), bash("make all", 100).text].map((it) => hash("sha256", it))
  await masks.addOrder(host.session, { id: `gf_${host.session}`, summary: "a is wrong", hashes })
  host.say("go on")
  await host.call(bash("one", 5))
  expect(host.resultOf(one)).toMatch(/written by the user:\na is wrong\n\[Removed by qm: Read/)
  expect(host.resultOf(two)).toContain("[Folded by the user into the summary above.")
  expect(host.resultOf(other)).toBe(fileText("b", 0))
  expect(await masks.orders(host.session)).toEqual([])
  const before = host.resultOf(one)
  host.restart()
  await host.finish("Done.")
  expect(host.resultOf(one)).toBe(before)
  // The newest read of a file may go when a person decides so.
  expect(host.problems.filter((it) => !it.startsWith("lost: 1\texport const a_0_1 "))).toEqual([])
})

const Step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("read"), file: fc.nat(3), thinks: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("edit"), file: fc.nat(3), thinks: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("bash"), file: fc.nat(3), thinks: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("say"), file: fc.nat(3), thinks: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("restart", "wait", "mode", "cut"),
      file: fc.nat(3),
      thinks: fc.boolean(),
    }),
  },
)

test("[GATE-127] no order of work, pauses, restarts and switches makes a request invalid or loses words", async () => {
  let masked = 0
  const property = fc.asyncProperty(
    fc.array(Step, { minLength: 10, maxLength: 60 }),
    async (steps) => {
      const host = newHost()
      host.say("begin")
      for (const [index, { kind, file, thinks }] of steps.entries()) {
        if (kind === "read") await host.call(read(`f${file}`, index), thinks)
        if (kind === "edit") {
          const input = { file_path: `/p/f${file}.ts`, old_string: "a", new_string: "b" }
          await host.call({ tool: "Edit", input, text: "The file was changed." }, thinks)
        }
        if (kind === "bash")
          await host.call(bash(`make f${file}`, 100 * (file + 1), thinks), thinks)
        if (kind === "say") {
          await host.finish(`Part ${index} is done.`, thinks)
          host.say(`go on with ${index}`)
        }
        if (kind === "restart") host.restart()
        if (kind === "wait") host.wait(600_000)
        if (kind === "mode") host.settings.autoFold = thinks ? "on" : "off"
        if (kind === "cut") host.cut(!thinks)
      }
      await host.finish("Done.")
      masked += host.kept.length
      expect(host.problems).toEqual([])
    },
  )
  await fc.assert(property, fcParameters({ numRuns: 60 }))
  expect(masked).toBeGreaterThan(0)
})
