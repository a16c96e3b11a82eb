import { mkdir, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { memoryDisk } from "#test/memory-disk"
import { tempDirectory } from "#test/temp"
import { realDisk } from "../files/disk.ts"
import type { HostPlace } from "../host.ts"
import { readLastSession } from "./session.ts"

const PLACE: HostPlace = {
  workingDirectory: "/link",
  home: "/home/u",
  environment: {},
  platform: "linux",
}
const FOLDER = "/home/u/.claude/projects/-w-p"

const line = (files: readonly object[], more: object = {}) =>
  JSON.stringify({ type: "attachment", attachment: { type: "instructions", files }, ...more })

test("[HOSTS-18] the newest session's record is read, with its version and id", async () => {
  const old = line([{ path: "/old", content: "old" }])
  const disk = memoryDisk({
    "/link": { link: "/w/p" },
    "/w/p/x": "",
    [`${FOLDER}/zz.jsonl`]: old,
    [`${FOLDER}/aa.jsonl`]: [
      "not json",
      JSON.stringify({ type: "user" }),
      line([{ path: "/w/p/CLAUDE.md", type: "Project", content: "hello\n" }], {
        version: "2.1.325",
        sessionId: "s-1",
        timestamp: "2026-11-15T10:00:00.000Z",
      }),
      old,
    ].join("\n"),
    [`${FOLDER}/memory/MEMORY.md`]: "no transcript",
    [`${FOLDER}/note.txt`]: "no transcript",
  })
  expect(await readLastSession(PLACE, disk)).toEqual({
    by: "transcript",
    at: Date.parse("2026-11-15T10:00:00.000Z"),
    version: "2.1.325",
    session: "s-1",
    files: [{ path: "/w/p/CLAUDE.md", text: "hello" }],
    categories: [],
  })
})

test("[HOSTS-18] without a record there is no report; without a time the file's time is used", async () => {
  const place = { ...PLACE, workingDirectory: "/w/p" }
  expect(await readLastSession(place, memoryDisk({}))).toBeUndefined()
  const silent = memoryDisk({ [`${FOLDER}/a.jsonl`]: JSON.stringify({ type: "user" }) })
  expect(await readLastSession(place, silent)).toBeUndefined()
  const timeless = memoryDisk({ [`${FOLDER}/a.jsonl`]: line([]) })
  expect(await readLastSession(place, timeless)).toEqual({
    by: "transcript",
    at: 1_000,
    files: [],
    categories: [],
  })
})

test("[HOSTS-18] only the head of a transcript is read, and a disk error gives no report", async () => {
  const place = { ...PLACE, workingDirectory: "/w/p" }
  const late = `${"x".repeat(8 * 1024 * 1024)}\n${line([])}`
  expect(await readLastSession(place, memoryDisk({ [`${FOLDER}/a.jsonl`]: late }))).toBeUndefined()
  const disk = memoryDisk({ [`${FOLDER}/a.jsonl`]: line([]) })
  const failing = {
    ...disk,
    records: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("gone")) }),
    }),
  }
  expect(await readLastSession(place, failing)).toBeUndefined()
})

test("[HOSTS-18] on a real disk the newest session is the one last written", async () => {
  await using temp = await tempDirectory()
  const place = { ...PLACE, workingDirectory: join(temp.path, "p"), home: temp.path }
  await mkdir(place.workingDirectory)
  const slug = place.workingDirectory.replace(/[^a-zA-Z0-9]/g, "-")
  const folder = join(temp.path, ".claude/projects", slug)
  await mkdir(folder, { recursive: true })
  for (const [name, second] of [
    ["a", 2],
    ["b", 1],
  ] as const) {
    const file = join(folder, `${name}.jsonl`)
    await writeFile(file, `broken\n${line([{ path: name, content: "x" }])}\n`)
    await utimes(file, second, second)
  }
  const report = await readLastSession(place, realDisk())
  expect(report).toMatchObject({ at: 2_000, files: [{ path: "a" }] })
  const disk = realDisk()
  expect(await disk.modifiedAt(join(folder, "no"))).toBeUndefined()
  for await (const record of disk.records(join(folder, "no"), { maxBytes: 9 })) {
    throw new Error(`nothing is there, and yet: ${JSON.stringify(record)}`)
  }
})
