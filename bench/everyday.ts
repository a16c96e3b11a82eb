import type { Page } from "playwright-core"
import { z } from "zod"
import { launchChromium } from "../test/browser/chromium.ts"
import { startConsole } from "../test/browser/console-fixture.ts"
import { writeHome } from "../test/kit/transcripts.ts"
import { atMost, type Bench, createSamples, makeRow } from "./frame.ts"

const ROUNDS = 20
const HANG_MS = 60_000
const SESSIONS = { claude: 6, codex: 4, totalBytes: 70_000_000, largest: 0.72 }
const WORDS = ["harbor tariff", "export function", "customs", "re"]

export const bench: Bench = {
  name: "everyday",
  about: "Palette and the page of a session of 50 MB in Chromium, over 70 MB of transcripts",
  async run({ clock, rounds = ROUNDS, note }) {
    await using chromium = await launchChromium()
    await using fixture = await startConsole({
      backups: 0,
      prepare: async ({ home, project }) => {
        await writeHome({
          home,
          cwd: project,
          startedAt: clock.now() - 3 * 86_400_000,
          ...SESSIONS,
        })
        return {}
      },
    })
    note("everyday: importing 70 MB …")
    await fixture.call("sessions.import", { all: false })
    const { sessions } = await fixture.call("sessions.list", { limit: 100 })
    const largest = sessions.toSorted((a, b) => b.spend.calls - a.spend.calls)[0]?.id ?? ""
    await using context = await chromium.browser.newContext()
    context.setDefaultTimeout(HANG_MS)
    await context.addInitScript({ content: COUNT_REQUESTS })
    const page = await context.newPage()
    await page.goto(fixture.link())
    await page.getByText("Live", { exact: true }).waitFor()
    const bare: number[] = []
    const letters: number[] = []
    const charts: number[] = []
    for (let round = 0; round < rounds; round++) {
      bare.push(await measured(page, `fetch("/healthz").then((it) => it.text())`))
      letters.push(...(await typeInPalette(page, WORDS[round % WORDS.length] ?? "")))
      charts.push(await openSession(page, `${fixture.url}/sessions/${largest}`))
      await page.goto(`${fixture.url}/events`)
      await page.getByText("Live", { exact: true }).waitFor()
    }
    const floor = { unit: "ms", against: "one empty request, p95", floor: createSamples(bare).p95 }
    return [
      makeRow({
        ...floor,
        what: "palette, from a letter to all results, p95",
        measured: createSamples(letters).p95,
        bar: atMost(100, "ms"),
      }),
      makeRow({
        ...floor,
        what: "session of 50 MB, from the address to the chart of 2,000 calls, p95",
        measured: createSamples(charts).p95,
        bar: atMost(1_000, "ms"),
      }),
    ]
  },
}

/** Requests under way, and when the last one ended; the palette sends one for each group. */
const COUNT_REQUESTS = `
  window.requests = { started: 0, open: 0, endedAt: 0 }
  const plain = window.fetch
  window.fetch = (...given) => {
    requests.started += 1
    requests.open += 1
    return plain(...given).finally(() => {
      requests.open -= 1
      requests.endedAt = performance.now()
    })
  }
  window.chartDrawn = new Promise((done, fail) => {
    setTimeout(() => fail(new Error("no chart: " + document.body.innerText)), ${HANG_MS})
    const look = () => {
      if (document.querySelector('[role=img] svg path')) done(performance.now())
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`

async function measured(page: Page, work: string): Promise<number> {
  const script = `(async () => {
    const start = performance.now()
    await ${work}
    return performance.now() - start
  })()`
  return z.number().parse(await page.evaluate(script))
}

/** Until the requests of a letter have ended and the list is drawn with what they found. */
const LETTER = `new Promise((done, fail) => {
    setTimeout(() => fail(new Error("no results: " + JSON.stringify(requests))), ${HANG_MS})
    const { started } = requests
    const look = () => {
      const isDone = requests.started > started && requests.open === 0
      if (isDone && document.querySelector("[role=option]")) requestAnimationFrame(done)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`

async function typeInPalette(page: Page, words: string): Promise<readonly number[]> {
  await page.keyboard.press("Control+k")
  const input = page.getByRole("combobox")
  await input.waitFor()
  const times: number[] = []
  // A space alone changes no search, so it is typed with the letter after it.
  for (const letter of words.match(/ ?\S/g) ?? []) {
    const done = measured(page, LETTER)
    await page.keyboard.type(letter)
    times.push(await done)
  }
  await input.fill("")
  await page.keyboard.press("Escape")
  return times
}

async function openSession(page: Page, address: string): Promise<number> {
  await page.goto(address)
  return z.number().parse(await page.evaluate("chartDrawn"))
}
