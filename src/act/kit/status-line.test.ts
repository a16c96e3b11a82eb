import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { kitFixture, snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"

const OWN =
  '{\n\t"statusLine": { "type": "command", "command": "mine.sh" }, // mine\n\t"model": "x"\n}\n'

async function worldWith(settings: string | undefined) {
  const temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  const file = path.join(fixture.userHome, ".claude/settings.json")
  await mkdir(path.dirname(file), { recursive: true })
  if (settings !== undefined) await writeFile(file, settings)
  const read = () => readFile(file, "utf8")
  const statusLine = async () => /"statusLine":\s*(\{[^}]*\})/.exec(await read())?.[1] ?? ""
  const dispose = () => temp[Symbol.asyncDispose]()
  return { ...fixture, base: temp.path, file, read, statusLine, [Symbol.asyncDispose]: dispose }
}

const HOSTS = ["claude-code"] as const

describe("status line", () => {
  test.each([undefined, "{}", '{"model":"x"}\n', '{\n  "hooks": {"Stop": []}\n}', ""])(
    "[KIT-22] it is added on request only and removed byte for byte: %j",
    async (settings) => {
      await using fixture = await worldWith(settings)
      const before = await snapshot(fixture.base)
      await fixture.install(HOSTS)
      expect(await fixture.statusLine()).toBe("")
      const done = await fixture.install(HOSTS, 5, "add")
      expect(done.changes.find((it) => it.path === fixture.file)?.what).toMatch(/the status line$/)
      expect(await fixture.statusLine()).toContain("qm-hook.mjs' 'statusline'")
      await fixture.uninstall()
      expect(await snapshot(fixture.base)).toEqual(before)
    },
  )

  test("[KIT-22] it stays at later installs and other levels", async () => {
    await using fixture = await worldWith("{}")
    await fixture.install(HOSTS, 2, "add")
    const line = await fixture.statusLine()
    await fixture.install(HOSTS, 5)
    expect(await fixture.statusLine()).toBe(line)
  })

  test("[KIT-22] the user's own stays, and the plan says how to replace it", async () => {
    await using fixture = await worldWith(OWN)
    const before = await snapshot(fixture.base)
    const { warnings } = await fixture.install(HOSTS, 5, "add")
    expect(warnings.join()).toContain("has a status line of its own, which stays")
    expect(await fixture.statusLine()).toContain("mine.sh")
    await fixture.uninstall()
    expect(await snapshot(fixture.base)).toEqual(before)
  })

  test("[KIT-22] a replaced one comes back byte for byte, also after other edits", async () => {
    await using fixture = await worldWith(OWN)
    const before = await snapshot(fixture.base)
    await fixture.install(HOSTS, 5, "replace")
    expect(await fixture.statusLine()).toContain("statusline")
    await fixture.install(HOSTS, 3)
    expect(await fixture.statusLine(), "a later install keeps it").toContain("statusline")
    await fixture.uninstall()
    expect(await snapshot(fixture.base)).toEqual(before)

    await fixture.install(HOSTS, 5, "replace")
    await writeFile(fixture.file, (await fixture.read()).replace('"x"', '"y"'))
    await fixture.uninstall()
    expect(await fixture.statusLine()).toContain("mine.sh")
    expect(await fixture.read()).toContain('"y"')
    expect(await fixture.read()).not.toContain("qm-hook")
  })

  test("[KIT-22] one that the user wrote after the install is not touched", async () => {
    await using fixture = await worldWith("{}")
    await fixture.install(HOSTS, 5, "add")
    const edited = (await fixture.read()).replace(
      /"command": "[^"]*statusline[^"]*"/,
      '"command": "new.sh"',
    )
    await writeFile(fixture.file, edited)
    await fixture.install(HOSTS, 5)
    expect(await fixture.statusLine()).toContain("new.sh")
    await fixture.uninstall()
    expect(await fixture.statusLine()).toContain("new.sh")
  })

  test("[KIT-22] without Claude Code among the hosts nothing is written", async () => {
    await using fixture = await worldWith(undefined)
    const { warnings } = await fixture.install(["codex"], 5, "add")
    expect(warnings.join()).toContain("Only Claude Code has a status line")
  })
})
