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

test(`[SESSIONS-4] ${KILLS} kills during an import lose no line and store none twice`, {
  timeout: longestTestMs(),
}, async () => {
  await using directory = await tempDirectory()
  const home = `${directory.path}/home`
  await writeHome({ ...HOME, home })
  const killed = `${directory.path}/killed/store.db`
  const whole = `${directory.path}/whole/store.db`
  const all = await importLines(home, whole, 0)
  // A batch has 1,000 texts at most and a transcript about as many, so some kills hit a first batch and some a later one.
  for (let kill = 0; kill < KILLS; kill++) {
    const at = 1 + ((kill * 619) % 1_500)
    expect(await importLines(home, killed, at)).toBeUndefined()
  }
  const rest = await importLines(home, killed, 0)
  expect(rest).toBeGreaterThan(0)
  expect(rest).toBeLessThan(all ?? 0)
  expect(stored(killed)).toEqual(stored(whole))
  expect(await importLines(home, killed, 0)).toBe(0)
})
