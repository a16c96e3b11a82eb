import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { smallDisk } from "#test/disk"
import { needs } from "#test/needs"
import { ask, startPostgres } from "#test/postgres"
import { newUser } from "#test/qm"

describe.runIf(needs("C1", "postgres"))("a team's database", () => {
  test("[STORE] doctor and status work on Postgres; a wrong password and a newer schema are refused", async () => {
    await using cluster = await startPostgres()
    await using user = await newUser()
    const url = await cluster.createDatabase()
    const env = { QM_DATABASE_URL: url }
    const doctor = await user.qm(["doctor"], { env })
    expect([doctor.code, doctor.stdout]).toEqual([0, expect.stringContaining("postgres, schema")])
    expect(`${doctor.stdout}${doctor.stderr}`).not.toContain(cluster.password)

    const wrong = await user.qm(["store", "status"], {
      env: { QM_DATABASE_URL: url.replace(cluster.password, "wrong") },
    })
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      expect.stringContaining("[STORE_LOGIN_REFUSED]"),
    ])

    await ask(url, "INSERT INTO qm.schema_migrations (number, name, at) VALUES (9999, 'x', 0)")
    const newer = await user.qm(["store", "status"], { env })
    expect([newer.code, newer.stderr]).toEqual([1, expect.stringContaining("[STORE_SCHEMA_NEWER]")])
    const backup = await user.qm(["store", "backup"], { env })
    expect([backup.code, backup.stderr]).toEqual([1, expect.stringContaining("→")])
  })
})

describe.runIf(needs("D5", "unshare"))("a small disk", () => {
  const script = new URL("adverse-child.ts", import.meta.url)

  test("[D5] on a full disk reads succeed, writes fail with a code, and all works again once there is space", async () => {
    const disk = smallDisk(2_000_000)
    if (disk.kind === "unavailable") throw new Error(disk.why)
    await using child = disk.start(script, ["full"])
    expect(JSON.parse((await child.restOfLines()).join("\n"))).toEqual({
      fresh: { code: 0, error: "" },
      // A new process needs 32 kB for SQLite's shared memory, so it reads a copy in memory.
      reading: { code: 0, error: expect.stringContaining("answered from a copy of the store") },
      writing: { code: 1, error: "STORAGE_FULL" },
      again: { code: 0, error: "" },
      sound: true,
    })
  })

  test("[CLI-10] with a read-only home and state folder, reads succeed and writes are refused", async () => {
    const disk = smallDisk(4_000_000)
    if (disk.kind === "unavailable") throw new Error(disk.why)
    await using child = disk.start(script, ["read-only"])
    expect(JSON.parse((await child.restOfLines()).join("\n"))).toEqual({
      help: { code: 0, error: "" },
      config: { code: 0, error: "" },
      reading: {
        code: 0,
        error: expect.stringContaining("cannot be written: answered from a copy of the store"),
      },
      writing: { code: 1, error: "STORE_NOT_WRITABLE" },
      doctor: { code: 1, error: "" },
      logged: true,
      // Without a stored state the reads need no copy, and only doctor knows that writes will fail.
      freshReading: { code: 0, error: "" },
      freshWriting: { code: 1, error: "STORE_NOT_WRITABLE" },
      freshDoctor: { code: 1, error: "" },
      report: [
        expect.stringMatching(/^warn +user folder +\S+ cannot be written \(EROFS\)$/),
        expect.stringMatching(/^fail +state folder +\S+fresh cannot be written \(EROFS\)/),
      ],
    })
  })
})

test("[APP-2] the error for an invalid user config names its path", async () => {
  await using user = await newUser()
  await mkdir(path.dirname(user.userConfig))
  await writeFile(user.userConfig, "{ nonsense")
  const { code, stderr } = await user.qm(["events"])
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`${user.userConfig}:1:3: not valid JSON`),
  ])
})
