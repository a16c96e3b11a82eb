import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, request } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { invariant } from "#ground/base"
import {
  type Bench,
  type BenchContext,
  createSamples,
  makeRow,
  type Row,
  type Samples,
  within,
} from "./frame.ts"
import { branchBody, plainBody, renumber, secretBody } from "./gateway/bodies.ts"

const ROUNDS = 150
const WARM_UP_ROUNDS = 10
const WORD_ROUNDS = 10
const WORDS_OF_A_ROUND = 60

/** The permitted addition to the time to the first byte, at p95. */
const SIZES = [
  { name: "50 kB", bytes: 50_000, goal: within(5, "ms") },
  { name: "1 MB", bytes: 1_000_000, goal: within(10, "ms") },
] as const
type Size = (typeof SIZES)[number]

/** Receipts are valid for this run of the benchmark only. */
const KEY = "0b".repeat(32)

export const bench: Bench = {
  name: "gateway",
  about: "time to the first byte through the gateway and for each word, beside no gateway at all",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-gateway-"))
    try {
      return await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  },
}

async function measure(context: BenchContext, folder: string): Promise<readonly Row[]> {
  await using model = await startProcess("model")
  await using bare = await startProcess("bare", model.url)
  await using record = await startProcess("proxy", folder, "record", model.url, KEY)
  await using fold = await startProcess("proxy", folder, "fold", model.url, KEY)
  await using replace = await startProcess("proxy", folder, "replace", model.url, KEY)
  const ways = waysOf({ model, bare, record, fold, replace })
  const rows: Row[] = []
  for (const size of SIZES) {
    context.note(`gateway: ${size.name}`)
    // Apart: the work of a first request would delay the others of its process.
    const usual = ways.filter((it) => !it.name.endsWith("First"))
    const first = ways.filter((it) => it.name.endsWith("First"))
    const timings = await takeFirstBytes(usual, size, context)
    rows.push(...firstByteRows(size, timings, await takeFirstBytes(first, size, context)))
  }
  context.note(`gateway: ${WORD_ROUNDS * WORDS_OF_A_ROUND} words, one after the other`)
  rows.push(...(await wordRows(ways)))
  return rows
}

type Process = Awaited<ReturnType<typeof startProcess>>
type Name =
  | "bare"
  | "direct"
  | "fold"
  | "folding"
  | "foldingFirst"
  | "record"
  | "replacing"
  | "scanning"
  | "scanningFirst"
type WireRoute = {
  readonly name: Name
  readonly process: Process
  readonly agent: Agent
  readonly isFolded: boolean
  /**
   * Whether the route records; then the benchmark waits outside of measured time until all is
   * recorded.
   */
  readonly hasRecord: boolean
}

function waysOf(all: Readonly<Record<"model" | "bare" | "record" | "fold" | "replace", Process>>) {
  const way = (name: Name, process: Process): WireRoute => ({
    name,
    process,
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    isFolded: name === "folding" || name === "foldingFirst",
    hasRecord: name !== "direct" && name !== "bare",
  })
  return [
    way("direct", all.model),
    way("bare", all.bare),
    way("record", all.record),
    way("fold", all.fold),
    way("folding", all.fold),
    way("scanning", all.replace),
    way("replacing", all.replace),
    way("foldingFirst", all.fold),
    way("scanningFirst", all.replace),
  ]
}

type RouteTimings = {
  readonly firstByte: (name: Name) => Samples
  recording(): Samples
}

/**
 * Each route once per round; the first changes with the round, and none records while another is
 * timed.
 */
async function takeFirstBytes(
  ways: readonly WireRoute[],
  size: Size,
  { clock, rounds }: BenchContext,
): Promise<RouteTimings> {
  const { bytes } = size
  const [plain, first] = [plainBody(bytes), plainBody(bytes)]
  const own: Readonly<Partial<Record<Name, Buffer>>> = {
    folding: branchBody(bytes, KEY),
    foldingFirst: branchBody(bytes, KEY),
    replacing: secretBody(bytes),
    scanningFirst: first,
  }
  const bodyFor = (name: Name, round: number): Buffer =>
    renumber(own[name] ?? plain, {
      round,
      ...(name.endsWith("First") && { conversation: round + 1 }),
    })
  const times = new Map<Name, number[]>(ways.map((it) => [it.name, []]))
  const recordings: number[] = []
  const all = WARM_UP_ROUNDS + (rounds ?? ROUNDS)
  for (let round = 0; round < all; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const way = ways[(round + turn) % ways.length]
      invariant(way !== undefined, "there is a way for each turn")
      const body = bodyFor(way.name, round)
      const startedAt = clock.monotonicMs()
      const timing = await ask(way, { body, words: 1 }, () => clock.monotonicMs())
      checkArrived(way, timing.modelBytes, body)
      const answeredAt = clock.monotonicMs()
      if (way.hasRecord) await way.process.settled()
      if (round < WARM_UP_ROUNDS) continue
      times.get(way.name)?.push(timing.firstByteAt - startedAt)
      if (way.name === "record") recordings.push(clock.monotonicMs() - answeredAt)
    }
  }
  return {
    firstByte: (name) => createSamples(times.get(name) ?? []),
    recording: () => createSamples(recordings),
  }
}

/**
 * Throws when a gateway did something other than its name says, because its times would be
 * worthless.
 */
function checkArrived({ name, isFolded }: WireRoute, modelBytes: number, body: Buffer): void {
  const isReplaced = name === "replacing" && modelBytes < body.length
  const isWhole = isReplaced || modelBytes === body.length
  const isAsMeant = isFolded ? modelBytes < body.length / 2 : isWhole
  invariant(isAsMeant, `${name}: the model got ${modelBytes} of ${body.length} bytes`)
}

const WORDS: Readonly<Record<Exclude<Name, "direct">, string>> = {
  bare: "bare proxy",
  record: "recording",
  fold: "folding on, nothing to fold",
  folding: "folding a branch",
  scanning: "secrets: replace, none there",
  replacing: "secrets: replace, twenty there",
  foldingFirst: "folding, a conversation not seen before",
  scanningFirst: "secrets: replace, a conversation not seen before",
}

function firstByteRows(
  size: Size,
  { firstByte, recording }: RouteTimings,
  first: RouteTimings,
): readonly Row[] {
  const direct = firstByte("direct")
  const measured = (
    [
      "bare",
      "record",
      "fold",
      "folding",
      "scanning",
      "replacing",
      "foldingFirst",
      "scanningFirst",
    ] as const
  ).flatMap((name) => {
    const what = `${size.name}, ${WORDS[name]}`
    const samples = (name.endsWith("First") ? first.firstByte : firstByte)(name)
    // A resumed session has one such request; the bar is for those that follow.
    const isUnjudged = name === "bare" || name.endsWith("First")
    const goal = isUnjudged ? {} : { bar: size.goal }
    return [
      makeRow({
        what,
        measured: samples.median,
        unit: "ms",
        against: "direct",
        floor: direct.median,
      }),
      makeRow({
        what: "the same, p95",
        measured: samples.p95,
        unit: "ms",
        against: "direct, p95",
        floor: direct.p95,
        ...goal,
      }),
    ]
  })
  const after = {
    what: `${size.name}, recorded after its answer`,
    measured: recording().median,
    unit: "ms",
    against: "first byte, direct",
    floor: direct.median,
  }
  return [...measured, makeRow(after)]
}

const WORD_WAYS: ReadonlySet<Name> = new Set(["direct", "bare", "record", "fold", "scanning"])

/** The age of each word on arrival; the routes alternate here as well. */
async function wordRows(ways: readonly WireRoute[]): Promise<readonly Row[]> {
  const now = () => performance.timeOrigin + performance.now()
  const body = plainBody(SIZES[0].bytes)
  const ages = new Map<Name, number[]>(ways.map((it) => [it.name, []]))
  for (let round = 0; round < WORD_ROUNDS; round++) {
    for (const way of ways.filter((it) => WORD_WAYS.has(it.name))) {
      const { words } = await ask(way, { body, words: WORDS_OF_A_ROUND }, now)
      if (way.hasRecord) await way.process.settled()
      ages.get(way.name)?.push(...words.map((it) => it.at - it.said))
    }
  }
  const samplesOf = (name: Name) => createSamples(ages.get(name) ?? [])
  const direct = samplesOf("direct")
  const each = { unit: "ms", against: "direct" }
  return (["bare", "record", "fold", "scanning"] as const).flatMap((name) => {
    const { median, p95 } = samplesOf(name)
    return [
      makeRow({ ...each, what: `a word, ${WORDS[name]}`, measured: median, floor: direct.median }),
      makeRow({ ...each, what: "the same, p95", measured: p95, floor: direct.p95 }),
    ]
  })
}

type Question = { readonly body: Buffer; readonly words: number }
type Answer = {
  readonly firstByteAt: number
  readonly modelBytes: number
  readonly words: readonly { readonly said: number; readonly at: number }[]
}

function ask({ process, agent }: WireRoute, { body, words }: Question, now: () => number) {
  process.count()
  return new Promise<Answer>((resolve, reject) => {
    const url = `${process.url}/v1/messages?beta=true&words=${words}`
    const headers = { ...HEADERS, "content-length": body.length }
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const arrivals: { said: number; at: number }[] = []
      let firstByteAt = 0
      response.on("data", (chunk: Buffer) => {
        const at = now()
        if (firstByteAt === 0) firstByteAt = at
        const words = chunk.toString().matchAll(/"text":"([\d.]+) "/g)
        for (const [, time] of words) arrivals.push({ said: Number(time), at })
      })
      response.on("end", () => {
        resolve({ firstByteAt, modelBytes: Number(response.headers["x-bytes"]), words: arrivals })
      })
      response.on("error", reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

/** The Claude Code headers that affect the gateway; the key is fake. */
const HEADERS = {
  "content-type": "application/json",
  "anthropic-version": "2023-06-01",
  "x-api-key": "not-a-key",
  "x-claude-code-session-id": "00000000-0000-4000-8000-000000000000",
}

const Hello = z.object({ url: z.string() })

const PROGRAMS = {
  model: new URL("gateway/model.ts", import.meta.url),
  bare: new URL("gateway/bare.ts", import.meta.url),
  proxy: new URL("gateway/proxy-process.ts", import.meta.url),
} as const

/** Starts a file of the gateway folder in its own process, which ends when stdin closes. */
async function startProcess(name: keyof typeof PROGRAMS, ...args: readonly string[]) {
  const file = fileURLToPath(PROGRAMS[name])
  const child = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const receive = async (): Promise<unknown> => {
    const { value } = await lines.next()
    const message: unknown = JSON.parse(String(value))
    return message
  }
  let requestCount = 0
  return {
    ...Hello.parse(await receive()),
    count: () => void requestCount++,
    async settled(): Promise<void> {
      child.stdin.write(`${requestCount}\n`)
      await receive()
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
