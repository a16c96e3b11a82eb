import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { git } from "#test/git"
import { snapshot } from "#test/kit-fixture"
import { needs } from "#test/needs"
import { newUser } from "#test/qm"

async function newPerson() {
  const user = await newUser()
  git(user.project, "init", "-q", "-b", "main")
  await mkdir(path.join(user.home, ".claude"))
  await mkdir(path.join(user.home, ".codex"))
  const settings = path.join(user.home, ".claude", "settings.json")
  await writeFile(settings, '// mine\n{ "model": "opus", "hooks": { "Stop": [] } }\n')
  await writeFile(path.join(user.home, ".codex", "hooks.json"), '{"hooks":{}}')
  return Object.assign(user, { settings })
}

describe.runIf(needs("S6", "git"))("the kit on the command line", () => {
  test("[S6] [KIT-4] init, another level and uninstall leave the user's files unchanged", async () => {
    await using user = await newPerson()
    // Creates the files that every command leaves, e.g. the token table, before the comparison.
    await user.qm(["level"])
    const before = { home: await files(user.home), project: await files(user.project) }

    const shown = await user.qm(["init", "--level", "5", "--json"])
    expect(JSON.parse(shown.stdout)).toMatchObject({ level: 5, isApplied: false })
    expect(await files(user.home)).toEqual(before.home)

    const done = await user.qm(["init", "--level", "5", "--yes", "--json"])
    expect([done.code, JSON.parse(done.stdout).isApplied]).toEqual([0, true])
    expect(await readFile(user.settings, "utf8")).toContain("qm-hook.mjs")
    const bundles = await readdir(path.join(user.home, ".qm", "kit"), { recursive: true })
    expect(bundles.filter((it) => it.endsWith("qm-hook.mjs"))).toHaveLength(1)

    const lower = JSON.parse((await user.qm(["level", "2", "--json"])).stdout)
    expect(lower).toMatchObject({ current: 2, done: { isApplied: true } })
    expect(await readFile(user.settings, "utf8")).not.toContain("UserPromptSubmit")

    const gone = await user.qm(["uninstall", "--yes", "--json"])
    expect([gone.code, JSON.parse(gone.stdout).isApplied]).toEqual([0, true])
    expect(await files(user.home)).toEqual(before.home)
    expect(await files(user.project)).toEqual(before.project)
  })

  test.each(["0", "8", "x", "2.5"])("a level that is %s is refused", async (level) => {
    await using user = await newPerson()
    const before = await files(user.home)
    const seen = await user.qm(["level", level])
    expect([seen.code === 0, seen.stdout]).toEqual([false, ""])
    expect(await files(user.home)).toEqual(before)
  })
})

/** All files except those that qm stores whether it is installed or not. */
async function files(folder: string): Promise<Readonly<Record<string, string>>> {
  const all = Object.entries(await snapshot(folder))
  return Object.fromEntries(all.filter(([name]) => !/^\.qm\/cache|^\.git\/qm/.test(name)))
}
