import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { z } from "zod"

/** Of a process and of its children that ended, in seconds. */
type ComputingTime = {
  readonly user: number
  readonly system: number
  readonly children: number
}

/** Undefined where the system has no /proc. */
export function computingTime(): ComputingTime | undefined {
  if (!existsSync("/proc/self/stat")) return undefined
  const stat = readFileSync("/proc/self/stat", "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const secondsAt = (index: number) => Number(fields[index]) / TICKS_A_SECOND
  return {
    user: secondsAt(USER_FIELD),
    system: secondsAt(USER_FIELD + 1),
    children: secondsAt(USER_FIELD + 2) + secondsAt(USER_FIELD + 3),
  }
}

const TICKS_A_SECOND = 100
/** After the state: user, system, and both again for the children. */
const USER_FIELD = 11

const FileTime = z.object({
  file: z.string(),
  user: z.number(),
  system: z.number(),
  children: z.number(),
})
type FileTime = z.infer<typeof FileTime>

export function appendFileTime(list: string, time: FileTime): void {
  appendFileSync(list, `${JSON.stringify(time)}\n`)
}

/** The files that computed most, and the sum of all. Children that outlive their file count for none. */
export function describeFileTimes(list: string, most: number): string {
  const lines = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : []
  const rows = lines
    .map((it) => FileTime.parse(JSON.parse(it)))
    .map((it) => ({ ...it, total: it.user + it.system + it.children }))
    .toSorted((a, b) => b.total - a.total)
  const sum = rows.reduce((all, it) => all + it.total, 0)
  return [
    `computing seconds of ${rows.length} files: ${sum.toFixed(0)}, of which in child processes`,
    ...rows
      .slice(0, most)
      .map(
        (it) =>
          `${it.total.toFixed(1).padStart(7)}${it.children.toFixed(1).padStart(7)}  ${it.file}`,
      ),
    "",
  ].join("\n")
}
