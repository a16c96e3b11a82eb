import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { invariant } from "#ground/base"
import type { LANES } from "#ground/contract"
import { type LogRecord, writeLine } from "#know/board"
import { launchChromium } from "../test/browser/chromium.ts"
import { startConsole } from "../test/browser/console-fixture.ts"
import { boardFixture } from "../test/kit/board-room.ts"
import { atMost, type Bench, type BenchContext, createSamples, makeRow, type Row } from "./frame.ts"

const TICKETS = 2_000
const EVENTS = 50_000
/** An even number of moves for each ticket, so that all are in the backlog at the end. */
const EVENTS_OF_PAGES = 48_000
const EVENTS_A_FILE = 4_000
const ROUNDS = 7

const NEXT = { backlog: "working", working: "backlog" } as const

export const bench: Bench = {
  name: "board",
  about: `a board of ${TICKETS} tickets and ${EVENTS} events: reading it, and moves in Chromium`,
  run: async (context) => [...(await measureReads(context)), ...(await measurePages(context))],
}

async function measureReads({ clock, rounds = ROUNDS }: BenchContext): Promise<readonly Row[]> {
  await using it = await boardFixture()
  const logs = await writeBoard(it.root)
  const read = await it.room.log({ limit: 1 })
  invariant(read.total === EVENTS && read.problems.length === 0, "the board reads every event")
  const time = async (work: () => unknown) => {
    const startedMs = clock.monotonicMs()
    await work()
    return clock.monotonicMs() - startedMs
  }
  const whole: number[] = []
  const again: number[] = []
  const files: number[] = []
  const lines: number[] = []
  for (let round = 0; round < rounds; round++) {
    const room = it.other()
    whole.push(await time(() => room.show({ limit: TICKETS })))
    again.push(await time(() => room.show({ limit: TICKETS })))
    lines.push(await time(() => logs.map((line): unknown => JSON.parse(line))))
    const startedMs = clock.monotonicMs()
    for (let at = 0; at < TICKETS; at++)
      await readFile(path.join(it.root, `.qm/board/tickets/t${at}.md`))
    files.push(clock.monotonicMs() - startedMs)
  }
  const median = (values: readonly number[]) => Math.round(createSamples(values).median)
  return [
    makeRow({
      what: `${TICKETS} tickets, ${EVENTS} events replayed, first time`,
      measured: median(whole),
      unit: "ms",
      against: "parsing the log's lines as JSON, and reading the ticket files",
      floor: median(lines) + median(files),
      bar: atMost(1_000, "ms"),
    }),
    makeRow({
      what: "the same board again",
      measured: median(again),
      unit: "ms",
      against: "reading the ticket files",
      floor: median(files),
      bar: atMost(500, "ms"),
    }),
  ]
}

/** The first card that is drawn, and where the moved card is, checked at every frame. */
const NOTE_CARDS = `
  window.whenTrue = (isTrue) => new Promise((done) => {
    const look = () => isTrue() ? done(Date.now()) : requestAnimationFrame(look)
    look()
  })
  window.firstCard = whenTrue(() => document.querySelector("[data-card]") !== null)
    .then(() => performance.now())`

async function measurePages({ rounds = ROUNDS }: BenchContext): Promise<readonly Row[]> {
  await using chromium = await launchChromium()
  await using fixture = await startConsole({ backups: 0 })
  await writeBoard(fixture.project, EVENTS_OF_PAGES)
  const first = await chromium.browser.newContext()
  const page = await first.newPage()
  await page.goto(fixture.link())
  await page.getByText("Live", { exact: true }).waitFor()
  const storageState = await first.storageState()
  const opened: number[] = []
  const empty: number[] = []
  for (let round = 0; round < rounds; round++) {
    const window = await chromium.browser.newContext({ storageState })
    await window.addInitScript({ content: NOTE_CARDS })
    const tab = await window.newPage()
    await tab.goto(`${fixture.url}/healthz`)
    const loadedAt = `performance.getEntriesByType("navigation")[0].loadEventEnd`
    empty.push(z.number().parse(await tab.evaluate(loadedAt)))
    await tab.goto(`${fixture.url}/board`)
    opened.push(z.number().parse(await tab.evaluate("firstCard")))
    await window.close()
  }
  await first.addInitScript({ content: NOTE_CARDS })
  await page.goto(`${fixture.url}/board`)
  await page.evaluate("firstCard")
  const shown: number[] = []
  const written: number[] = []
  const [ticket] = (await fixture.call("board.show", { lane: "backlog", limit: 1 })).tickets
  invariant(ticket !== undefined, "the board has a ticket in the backlog")
  for (let round = 0; round < rounds; round++) {
    const lane = round % 2 === 0 ? "working" : "backlog"
    const name = lane === "working" ? "Working" : "Backlog"
    const where = `section[aria-label="${name}"] [data-card="${ticket.id}"]`
    const seen = page.evaluate(`whenTrue(() => document.querySelector('${where}') !== null)`)
    const startedAt = Date.now()
    await fixture.call("ticket.move", { id: ticket.id, lane })
    written.push(Date.now() - startedAt)
    const head = await (await fixture.store()).journal.head()
    const journal = await (await fixture.store()).journal.read({
      after: { ...head, seq: head.seq - 1 },
      limit: 1,
    })
    const [entry] = "entries" in journal ? journal.entries : []
    shown.push(z.number().parse(await seen) - (entry?.at ?? startedAt))
  }
  const p95 = (values: readonly number[]) => Math.round(createSamples(values).p95)
  return [
    makeRow({
      what: `the page with ${TICKETS} tickets opens in Chromium, median`,
      measured: Math.round(createSamples(opened).median),
      unit: "ms",
      against: "an empty page of the same server",
      floor: Math.round(createSamples(empty).median),
      bar: atMost(500, "ms"),
    }),
    makeRow({
      what: "a move is drawn in another browser, from its commit, p95",
      measured: p95(shown),
      unit: "ms",
      against: "writing the move",
      floor: p95(written),
      bar: atMost(100, "ms"),
    }),
  ]
}

const TICKET = `---
id: ID
number: NUMBER
title: Round quotes to cents
---
`

/** Tickets with moves between backlog and working; returns the lines of the log. */
async function writeBoard(root: string, events = EVENTS): Promise<readonly string[]> {
  for (const folder of ["tickets", "log"])
    await mkdir(path.join(root, ".qm/board", folder), { recursive: true })
  const ids = Array.from({ length: TICKETS }, (_, at) =>
    `T-${at.toString(32).padStart(7, "0")}`.toUpperCase(),
  )
  for (const [at, id] of ids.entries()) {
    const text = TICKET.replace("ID", id).replace("NUMBER", String(at + 1))
    await writeFile(path.join(root, `.qm/board/tickets/t${at}.md`), text)
  }
  const all: string[] = []
  const lanes = new Map<string, (typeof LANES)[0 | 1]>()
  for (let file = 0; file < events / EVENTS_A_FILE; file++) {
    let previous: string | undefined
    const lines: string[] = []
    const first = file * EVENTS_A_FILE
    for (let order = first + 1; order <= Math.min(first + EVENTS_A_FILE, events); order++) {
      const ticket = ids[order % ids.length] ?? ""
      const from = lanes.get(ticket) ?? "backlog"
      const to = NEXT[from]
      lanes.set(ticket, to)
      const record: LogRecord = {
        v: 1,
        id: `be_${order}`,
        ticket,
        ts: order,
        order,
        actor: "human",
        session: `s${file}`,
        kind: "move",
        from,
        to,
        inverse: { from: to, to: from },
      }
      previous = writeLine(record, previous)
      lines.push(previous)
    }
    await writeFile(path.join(root, `.qm/board/log/human-s${file}.jsonl`), `${lines.join("\n")}\n`)
    all.push(...lines)
  }
  return all
}
