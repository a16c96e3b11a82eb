import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { kitWorld, snapshot } from "#test/kit-world"
import { tempDirectory } from "#test/temp"

const OWN =
  '{\n\t"statusLine": { "type": "command", "command": "mine.sh" }, // mine\n\t"model": "x"\n}\n'

async function worldWith(settings: string | undefined) {
  const temp = await tempDirectory()
  const world = await kitWorld(temp.path)
  const file = path.join(world.userHome, ".claude/settings.json")
  await mkdir(path.dirname(file), { recursive: true })
  if (settings !== undefined) await writeFile(file, settings)
  const read = () => readFile(file, "utf8")
  const statusLine = async () => /"statusLine":\s*(\{[^}]*\})/.exec(await read())?.[1] ?? ""
  const dispose = () => temp[Symbol.asyncDispose]()
  return { ...world, base: temp.path, file, read, statusLine, [Symbol.asyncDispose]: dispose }
}

const HOSTS = ["claude-code"] as const

describe("status line", () => {
  test.each([undefined, "{}", '{"model":"x"}\n', '{\n  "hooks": {"Stop": []}\n}', ""])(
    "[KIT-22] it is added on request only and removed byte for byte: %j",
    async (settings) => {
      await using world = await worldWith(settings)
      const before = await snapshot(world.base)
      await world.install(HOSTS)
      expect(await world.statusLine()).toBe("")
      const done = await world.install(HOSTS, 5, "add")
      expect(done.changes.find((it) => it.path === world.file)?.what).toMatch(/the status line$/)
      expect(await world.statusLine()).toContain("qm-hook.mjs' 'statusline'")
      await world.uninstall()
      expect(await snapshot(world.base)).toEqual(before)
    },
  )

  test("[KIT-22] it stays at later installs and other levels", async () => {
    await using world = await worldWith("{}")
    await world.install(HOSTS, 2, "add")
    const line = await world.statusLine()
    await world.install(HOSTS, 5)
    expect(await world.statusLine()).toBe(line)
  })

  test("[KIT-22] the user's own stays, and the plan says how to replace it", async () => {
    await using world = await worldWith(OWN)
    const before = await snapshot(world.base)
    const { warnings } = await world.install(HOSTS, 5, "add")
    expect(warnings.join()).toContain("has a status line of its own, which stays")
    expect(await world.statusLine()).toContain("mine.sh")
    await world.uninstall()
    expect(await snapshot(world.base)).toEqual(before)
  })

  test("[KIT-22] a replaced one comes back byte for byte, also after other edits", async () => {
    await using world = await worldWith(OWN)
    const before = await snapshot(world.base)
    await world.install(HOSTS, 5, "replace")
    expect(await world.statusLine()).toContain("statusline")
    await world.install(HOSTS, 3)
    expect(await world.statusLine(), "a later install keeps it").toContain("statusline")
    await world.uninstall()
    expect(await snapshot(world.base)).toEqual(before)

    await world.install(HOSTS, 5, "replace")
    await writeFile(world.file, (await world.read()).replace('"x"', '"y"'))
    await world.uninstall()
    expect(await world.statusLine()).toContain("mine.sh")
    expect(await world.read()).toContain('"y"')
    expect(await world.read()).not.toContain("qm-hook")
  })

  test("[KIT-22] one that the user wrote after the install is not touched", async () => {
    await using world = await worldWith("{}")
    await world.install(HOSTS, 5, "add")
    const edited = (await world.read()).replace(
      /"command": "[^"]*statusline[^"]*"/,
      '"command": "new.sh"',
    )
    await writeFile(world.file, edited)
    await world.install(HOSTS, 5)
    expect(await world.statusLine()).toContain("new.sh")
    await world.uninstall()
    expect(await world.statusLine()).toContain("new.sh")
  })

  test("[KIT-22] without Claude Code among the hosts nothing is written", async () => {
    await using world = await worldWith(undefined)
    const { warnings } = await world.install(["codex"], 5, "add")
    expect(warnings.join()).toContain("Only Claude Code has a status line")
  })
})
