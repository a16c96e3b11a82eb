import { describe, expect, test } from "vitest"
import type { Commit } from "#see/repo"
import { chooseTasks, halfOf, isSourcePath } from "./tasks.ts"

const isSource = (path: string) => isSourcePath(path, (it) => it.endsWith(".ts"))
const all = { half: "all", most: 100, isSource } as const

function commit(fields: Partial<Commit> = {}): Commit {
  return {
    id: "a".repeat(40),
    tree: "b".repeat(40),
    parents: ["c".repeat(40)],
    committedAtMs: 0,
    author: "t",
    message: "Round invoice lines half up\n",
    changes: [{ kind: "modified", path: "src/invoice.ts" }],
    ...fields,
  }
}

const modified = (count: number, name = "src/f") =>
  Array.from({ length: count }, (_, at) => ({ kind: "modified", path: `${name}${at}.ts` }) as const)

describe("commits that are tasks", () => {
  test("[PROOF-1] a task has the message and the modified source files", () => {
    const { tasks, skipped } = chooseTasks(
      [
        commit({
          message: "Round invoice lines half up (#123)\n\nSigned-off-by: A <a@example.invalid>\n",
          changes: [
            { kind: "modified", path: "src/invoice.ts" },
            { kind: "modified", path: "src/invoice.test.ts" },
            { kind: "modified", path: "vendor/x.ts" },
            { kind: "modified", path: "README.md" },
            { kind: "added", path: "src/round.ts" },
            { kind: "deleted", path: "src/old.ts" },
            { kind: "renamed", path: "src/b.ts", from: "src/a.ts" },
          ],
        }),
      ],
      all,
    )
    expect(skipped).toBe(0)
    expect(tasks).toEqual([
      {
        id: "a".repeat(40),
        parent: "c".repeat(40),
        text: "Round invoice lines half up",
        truth: ["src/invoice.ts"],
      },
    ])
  })

  test.for<readonly [string, Partial<Commit>]>([
    ["two parents", { parents: ["c".repeat(40), "d".repeat(40)] }],
    ["no parent", { parents: [] }],
    ["a message of two words and a number", { message: "Round lines #123\n" }],
    ["added source files only", { changes: [{ kind: "added", path: "src/a.ts" }] }],
    ["tests only", { changes: modified(1, "test/") }],
    ["nine source files", { changes: modified(9) }],
    ["51 changed files", { changes: [...modified(1), ...modified(50, "test/")] }],
    ["too many files to list", { changes: undefined }],
  ])("[PROOF-1] a commit with %s is no task", ([, fields]) => {
    expect(chooseTasks([commit(fields)], all)).toEqual({ tasks: [], skipped: 1 })
  })

  test("[PROOF-1] a commit with eight source files is a task", () => {
    expect(chooseTasks([commit({ changes: modified(8) })], all).tasks).toHaveLength(1)
  })
})

describe("selection of tasks", () => {
  const many = Array.from({ length: 1_000 }, (_, at) =>
    commit({ id: ((at * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0").repeat(5) }),
  )

  test("[PROOF-2] a commit is always in the same half", () => {
    const tune = chooseTasks(many, { ...all, half: "tune", most: 1_000 }).tasks
    const report = chooseTasks(many, { ...all, half: "report", most: 1_000 }).tasks
    const ids = new Set([...tune, ...report].map((it) => it.id))
    expect(ids.size).toBe(1_000)
    expect(Math.abs(tune.length - 500)).toBeLessThan(60)
    expect(tune.every((it) => halfOf(it.id) === "tune")).toBe(true)
    expect([halfOf("00ff"), halfOf("01ff"), halfOf("fe00")]).toEqual(["tune", "report", "tune"])
  })

  test("[PROOF-2] of more tasks than requested, takes evenly spaced ones, newest first", () => {
    const { tasks } = chooseTasks(many, { ...all, most: 4 })
    const places = tasks.map((it) => many.findIndex((other) => other.id === it.id))
    expect(places).toEqual([0, 250, 500, 750])
    expect(chooseTasks(many.slice(0, 3), { ...all, most: 4 }).tasks).toHaveLength(3)
  })
})
