import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { silentLog, systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { openStore } from "#ground/store"
import { createSessionIndex } from "#know/sessions"
import { writeHome } from "../test/kit/transcripts.ts"
import { type Bench, makeRow, within } from "./frame.ts"

const CLAUDE = 30
const CODEX = 20
const TOTAL_BYTES = 200_000_000
/** Of all bytes: one session has 50 MB. */
const LARGEST = 0.25
const SEARCHES = 100
const QUERIES = [
  "harbor tariff",
  "roundparse1",
  "export function",
  "customs",
  "anchor car",
  "step 40",
]

export const bench: Bench = {
  name: "sessions",
  about: `${CLAUDE} Claude Code and ${CODEX} Codex sessions of 200 MB: import, search, pages of 50 MB`,
  async run({ clock, rounds }) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-"))
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const start = clock.monotonicMs()
      await work()
      return clock.monotonicMs() - start
    }
    try {
      const home = path.join(folder, "home")
      const sizes = { claude: CLAUDE, codex: CODEX, totalBytes: TOTAL_BYTES, largest: LARGEST }
      await writeHome({ home, cwd: "/w/shop", startedAt: clock.now() - 5 * 86_400_000, ...sizes })
      const secrets = createSecrets({ random: systemRandom })
      const location = { kind: "sqlite", file: path.join(folder, "store.db") } as const
      await using store = await openStore({ location, clock, random: systemRandom, log: silentLog })
      const index = createSessionIndex({
        db: async () => store.forRoom("sessions"),
        clock,
        log: silentLog,
        hostHome: () => ({ home, environment: {} }),
        settings: () => ({ import: "ask", dayBudget: 0, weekBudget: 0, monthBudget: 0 }),
        redact: async () => (text) => secrets.redact(text).text,
        repositoryOf: async (directory) => directory,
        ownRepository: async () => "/w/shop",
        root: () => "/",
        fixesFolder: () => "/",
        staysOpen: false,
      })
      const call = { signal: new AbortController().signal }
      const memoryBefore = process.memoryUsage().rss
      let peak = memoryBefore
      const onProgress = () => {
        peak = Math.max(peak, process.memoryUsage().rss)
      }
      const importMs = await time(() => index.import({ scope: "machine" }, { ...call, onProgress }))
      const againMs = await time(() => index.import({ scope: "machine" }, call))
      const searches: number[] = []
      for (let count = 0; count < (rounds ?? SEARCHES); count++) {
        const query = QUERIES[count % QUERIES.length] ?? ""
        searches.push(await time(() => index.search({ query, limit: 20 }, call)))
      }
      const p95 = searches.toSorted((a, b) => a - b)[Math.floor(searches.length * 0.95)] ?? 0
      const { sessions } = await index.list({ limit: 500 }, call)
      const largest = sessions.toSorted((a, b) => b.spend.calls - a.spend.calls)[0]?.id ?? ""
      const openMs = await time(async () => {
        await index.show({ session: largest }, call)
        await index.lines({ session: largest, after: 0, limit: 200 })
      })
      const chart = { session: largest, agent: "main", limit: 2_000 }
      const chartMs = await time(() => index.context(chart, call))
      const costMs = await time(() => index.cost({ since: "30d", by: "day" }, call))
      const against = { what: "import again, nothing new", ms: againMs }
      const row = (what: string, measured: number, bar?: ReturnType<typeof within>) =>
        makeRow({
          what,
          unit: "ms",
          measured,
          against: against.what,
          floor: against.ms,
          ...(bar === undefined ? {} : { bar }),
        })
      return [
        row("import of 200 MB", importMs),
        makeRow({
          what: "memory at its peak during the import",
          unit: "MB",
          measured: peak / 1_000_000,
          against: "memory before",
          floor: memoryBefore / 1_000_000,
        }),
        row("search, 95th percentile", p95, within(100, "ms")),
        row("session of 50 MB, first page", openMs, within(1_000, "ms")),
        row("context of 2,000 calls", chartMs),
        row("cost by day", costMs),
      ]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}
