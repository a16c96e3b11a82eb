import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
import { child } from "#test/child"
import { isNight, longestTestMs } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { writeHome } from "#test/transcripts"

const IMPORTER = new URL("sessions-import.child.ts", import.meta.url)
const KILLS = isNight() ? 100 : 8
const HOME = {
  cwd: "/w/shop",
  claude: 3,
  codex: 2,
  totalBytes: 12_000_000,
  startedAt: Date.UTC(2026, 0, 1),
}

const COLUMNS = [
  "SELECT session, turn, at, role, tool, body FROM session_lines ORDER BY session, at, role, body",
  "SELECT session, call_key, input, output, cache_read FROM session_calls ORDER BY session, call_key",
  "SELECT session, path, reads, edits FROM session_paths ORDER BY session, path",
  "SELECT id, title, turns, started_at, ended_at FROM sessions ORDER BY id",
]

function stored(file: string) {
  using database = new DatabaseSync(file, { readOnly: true })
  return COLUMNS.map((query) => database.prepare(query).all())
}

/** Undefined if it was killed. */
async function importLines(
  home: string,
  file: string,
  killAt: number,
): Promise<number | undefined> {
  await using importer = child(IMPORTER, [home, file, String(killAt)])
  const line = await importer.nextLine()
  const { signal, stderr } = await importer.exited
  expect(stderr).toBe("")
  if (signal === "SIGKILL") return undefined
  return Number(line)
}

/** The next text at which an importer is killed: a batch has at most 1,000 texts, a transcript about as many. */
const killPoint = (kill: number) => 1 + ((kill * 619) % 1_500)

test(`[SESSIONS-4] ${KILLS} kills during an import lose no line and store none twice`, {
  timeout: longestTestMs(),
}, async () => {
  await using directory = await tempDirectory()
  const home = `${directory.path}/home`
  await writeHome({ ...HOME, home })
  const whole = `${directory.path}/whole/store.db`
  const all = await importLines(home, whole, 0)
  const expected = stored(whole)
  const rests: number[] = []
  let kills = 0
  // After enough kills an import ends before the next kill point; the next store continues.
  while (kills < KILLS) {
    const killed = `${directory.path}/killed-${rests.length}/store.db`
    let rest: number | undefined
    while (rest === undefined) {
      rest = await importLines(home, killed, kills < KILLS ? killPoint(kills) : 0)
      if (rest === undefined) kills += 1
    }
    rests.push(rest)
    expect(stored(killed)).toEqual(expected)
    expect(await importLines(home, killed, 0)).toBe(0)
  }
  expect(Math.min(...rests)).toBeGreaterThan(0)
  expect(rests[0], "a killed import continues where it was").toBeLessThan(all ?? 0)
})
