import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { newUser } from "#test/qm"
import { isNight } from "#test/seed"

const lastLine = (text: string) => text.trimEnd().split("\n").at(-1)

describe("first commands of a new user", () => {
  test("[CLI-6] doctor succeeds, and --json reports the same", async () => {
    await using user = await newUser()
    const seen = await user.qm(["doctor"])
    expect([seen.code, lastLine(seen.stdout), seen.stderr]).toEqual([
      0,
      expect.stringMatching(/^Healthy, \d warnings?\.$/),
      "",
    ])
    const report = JSON.parse((await user.qm(["doctor", "--json"])).stdout)
    expect(report.isHealthy).toBe(true)
    expect(report.checks.map((it: { name: string }) => it.name)).toContain("database file")
  })

  test("[APP-4] config show --sources explains the origin of each value", async () => {
    await using user = await newUser()
    await mkdir(path.dirname(user.projectConfig))
    await writeFile(user.projectConfig, '{\n  "tokens": { "window": 9000 }\n}')
    const { stdout } = await user.qm(["config", "show", "--sources"], {
      env: { QM_TOKENS_ENCODING: "o200k" },
    })
    const rows = stdout.split("\n").map((it) => it.split(/\s{2,}/))
    expect(rows).toContainEqual(["tokens.window", "9000", `project file ${user.projectConfig}:2`])
    expect(rows).toContainEqual(["tokens.encoding", "o200k", "environment QM_TOKENS_ENCODING"])
    expect(rows).toContainEqual(["store.keepBackups", "7", "default"])
  })

  test("[CLI-7] every command has --help, and --json prints JSON", async () => {
    await using user = await newUser()
    await writeFile(path.join(user.project, "a.md"), "hello there")
    for (const words of [["tokens", "a.md"], ["events"], ["store", "status"], ["config", "show"]]) {
      const help = await user.qm([...words.filter((it) => it !== "a.md"), "--help"])
      expect([help.code, help.stdout.split("\n")[0]]).toEqual([0, expect.stringContaining("Usage")])
      const json = await user.qm([...words, "--json"])
      expect([json.code, typeof JSON.parse(json.stdout)]).toEqual([0, "object"])
    }
  })

  test("[CLI-8] the tour runs on a project and changes nothing in it", async () => {
    await using user = await newUser()
    const { code, stdout } = await user.qm(["tour"])
    expect([code, lastLine(stdout)]).toEqual([
      0,
      "End of the tour. List all commands with `qm help --all`.",
    ])
    expect(await readdir(user.project)).toEqual([])
  })

  test("[CLI-9] a backup is made and restored, and events record both", async () => {
    await using user = await newUser()
    expect((await user.qm(["store", "backup"])).stdout).toMatch(/^Backed up to /)
    expect((await user.qm(["store", "restore"])).stdout).toMatch(/^Restored \d+ events? from /)
    const { stdout } = await user.qm(["events"])
    expect(stdout).toContain("store.restored")
  })

  test("[CLI-5] completion scripts are printed, and candidates come quickly from the index", async () => {
    await using user = await newUser()
    expect((await user.qm(["completion", "bash"])).stdout).toContain(
      "complete -o default -F _qm qm",
    )
    expect((await user.qm(["complete", "--", "sto"])).stdout).toBe(
      "stop\tStop a run and wait until it has ended; its messages are kept\nstore\tbackup, check, restore, status\n",
    )
  })
})

/** Every failure has the same three parts and exit code 1. */
async function expectFailure(
  seen: { code: number | null; stdout: string; stderr: string },
  code: string,
) {
  expect(seen.stderr).toMatch(new RegExp(`^.+\\n  → .+  \\[${code}\\]\\n$`, "s"))
  expect([seen.code, seen.stdout]).toEqual([1, ""])
}

const TYPO = '{ "stroe": {} }'

describe("invalid input", () => {
  test("[CLI-2] an unknown command and an unknown flag get a suggestion", async () => {
    await using user = await newUser()
    await expectFailure(await user.qm(["docter"]), "CLI_UNKNOWN_COMMAND")
    await expectFailure(await user.qm(["doctor", "--jsno"]), "CLI_UNKNOWN_FLAG")
    const asJson = await user.qm(["doctor", "--jsno", "--json"])
    expect(JSON.parse(asJson.stderr).error).toMatchObject({
      code: "CLI_UNKNOWN_FLAG",
      hint: "Did you mean --json?",
    })
  })

  test.each([
    ["a typo", TYPO, /:1:3:?\s+unknown key "stroe"; did you mean "store"\?/],
    ["a duplicate", '{ "log": {}, "log": {} }', /:1:14:?\s+"log" is set twice/],
    ["binary", Buffer.from([0xff, 0xfe, 0x00]), /not text/],
    ["10 MB", " ".repeat(10_000_000), /it has 10.0 MB; the limit is 1.0 MB/],
    ["a folder", undefined, /not a file but a directory/],
  ])(
    "[APP-2] a config that is %s fails with a code and is not changed",
    async (_, content, message) => {
      await using user = await newUser()
      if (content === undefined) await mkdir(user.projectConfig, { recursive: true })
      else {
        await mkdir(path.dirname(user.projectConfig))
        await writeFile(user.projectConfig, content)
      }
      const seen = await user.qm(["store", "status"])
      await expectFailure(seen, "CONFIG_INVALID")
      expect(seen.stderr).toMatch(message)
      const check = await user.qm(["config", "check"])
      expect([check.code, check.stdout]).toEqual([1, expect.stringMatching(message)])
      // Both use the same reader, so the day run checks the doctor with the first and the last.
      if (isNight() || content === undefined || content === TYPO) {
        const doctor = await user.qm(["doctor"])
        expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(message)])
      }
      if (content !== undefined) {
        expect(Buffer.from(content).equals(await readFile(user.projectConfig))).toBe(true)
      }
    },
  )

  test("[STORE] a malformed database URL is refused without repeating its password", async () => {
    await using user = await newUser()
    const password = `pw${process.hrtime.bigint()}`
    for (const url of [
      `postgres://me:${password}@`,
      `mysql://me:${password}@host/db`,
      "not a url",
    ]) {
      const seen = await user.qm(["store", "status"], { env: { QM_DATABASE_URL: url } })
      await expectFailure(seen, "STORE_URL_INVALID")
      expect(seen.stderr).not.toContain(password)
    }
  })

  test("[STORE] an unreachable database is named, and the doctor reports it", async () => {
    await using user = await newUser()
    const env = { QM_DATABASE_URL: "postgres://me:pw@127.0.0.1:1/db" }
    await expectFailure(await user.qm(["store", "status"], { env }), "STORE_UNREACHABLE")
    const doctor = await user.qm(["doctor"], { env })
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("STORE_UNREACHABLE")])
  })

  test("[CLI-10] a missing home, directory or file is reported with the next step", async () => {
    await using user = await newUser()
    await expectFailure(await user.qm(["doctor"], { env: { HOME: "" } }), "APP_HOME_UNKNOWN")
    await expectFailure(await user.qm(["-C", "nowhere", "doctor"]), "APP_DIRECTORY_MISSING")
    await expectFailure(await user.qm(["tokens", "nowhere.md"]), "APP_FILE_UNREADABLE")
    await expectFailure(await user.qm(["tokens", "."]), "APP_FILE_UNREADABLE")
    await expectFailure(await user.qm(["tokens"]), "TOKENS_NOTHING_TO_COUNT")
    const tooFew = await user.qm(["events", "--limit", "0"])
    await expectFailure(tooFew, "APP_INPUT_INVALID")
    expect(tooFew.stderr).toContain("`qm events`: --limit must be at least 1, got 0.\n")
    expect(tooFew.stderr).toContain("See `qm events --help`")
    await expectFailure(await user.qm(["config", "show", "tokns"]), "CONFIG_KEY_UNKNOWN")
  })
})

test("[S7] hostile names reach the terminal only as visible escapes", async () => {
  await using user = await newUser()
  const names = ["a\u001b[2Jb", "c\u202ed", "e\u009b31mf", "g\u200bh", "i\rj", "k\u{e0041}l"]
  const namesAt = (turn: number) => names.filter((_, at) => isNight() || at % 2 === turn)
  for (const name of names) await writeFile(path.join(user.project, name), "x")
  const outputs = [
    await user.qm(["tokens", ...names]),
    await user.qm(["tokens", "--json", ...names]),
    // The day run uses each name either as a command or as a file.
    ...(await Promise.all(namesAt(0).map((name) => user.qm([name])))),
    ...(await Promise.all(namesAt(1).map((name) => user.qm(["tokens", `missing${name}`])))),
    await user.qm(["config", "show", "--set", `tokens.\u001b[31mwindow=1`]),
  ]
  for (const { stdout, stderr } of outputs) {
    expect(`${stdout}${stderr}`).toMatch(/^[\P{C}\n]*$/u)
  }
  await chmod(user.project, 0o700)
})
