import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { type KitFixture, kitFixture, snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"
import { findActivePlugins } from "./active-plugin.ts"

/** As Claude Code 2.1.325 and Codex 0.166.0 write it on an install. */
async function enablePlugins({ userHome }: KitFixture): Promise<void> {
  await put(userHome, ".claude/settings.json", { enabledPlugins: { "qm@quartermaster": true } })
  const record = { version: 2, plugins: { "qm@quartermaster": [{ scope: "user" }] } }
  await put(userHome, ".claude/plugins/installed_plugins.json", record)
  await mkdir(path.join(userHome, ".codex/plugins/cache/quartermaster/qm/0.1.0"), {
    recursive: true,
  })
  const config = '[plugins."qm@quartermaster"]\nenabled = true\n'
  await writeFile(path.join(userHome, ".codex/config.toml"), config)
}

async function put(home: string, file: string, value: object): Promise<void> {
  await mkdir(path.dirname(path.join(home, file)), { recursive: true })
  await writeFile(path.join(home, file), JSON.stringify(value))
}

async function originsOf(fixture: KitFixture): Promise<readonly string[]> {
  return (await fixture.kit.installed()).sources.map((it) => `${it.host}: ${it.from}`)
}

test("[KIT-20] next to an active plugin init enrols the repository and writes nothing into the host", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  await enablePlugins(fixture)
  const before = await snapshot(fixture.userHome)
  const done = await fixture.install(["claude-code", "codex"], 5)
  expect(done.warnings).toEqual([
    expect.stringContaining("Claude Code has the plugin qm@quartermaster"),
    expect.stringContaining("Codex has the plugin qm@quartermaster"),
  ])
  const after = await snapshot(fixture.userHome)
  const added = Object.keys(after).filter((it) => !(it in before))
  expect(added.toSorted()).toEqual([
    ".qm/kit/manifest.json",
    ".qm/kit/paths",
    ".qm/kit/qm-hook.mjs",
    ".qm/kit/runtime.json",
  ])
  expect(Object.keys(before).every((it) => after[it] === before[it])).toBe(true)
  expect(await readFile(path.join(fixture.home, "kit/paths"), "utf8")).toBe(
    "/opt/node/bin/node\n/opt/qm/bin/qm.mjs\n",
  )
  expect(await originsOf(fixture)).toEqual(["claude-code: plugin", "codex: plugin"])
  const { hooks, tampered } = await fixture.kit.installed()
  expect(tampered).toEqual([])
  expect(hooks.filter((it) => it.host === "claude-code").map((it) => it.state)).toEqual(
    Array.from({ length: 15 }, () => "installed"),
  )
  await fixture.uninstall()
  expect(await snapshot(fixture.userHome)).toEqual(before)
})

test("[KIT-20] a plugin installed after init is reported, and the next init removes the hooks of init", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  await fixture.install(["claude-code"], 5)
  const settings = path.join(fixture.userHome, ".claude/settings.json")
  expect(await originsOf(fixture)).toEqual(["claude-code: init"])
  const wired = JSON.parse(await readFile(settings, "utf8"))
  await enablePlugins(fixture)
  await writeFile(
    settings,
    JSON.stringify({ ...wired, enabledPlugins: { "qm@quartermaster": true } }),
  )
  expect(await originsOf(fixture)).toEqual(["claude-code: both"])
  const agent = path.join(fixture.userHome, ".claude/agents/qm-repo-mapper.md")
  expect(existsSync(agent)).toBe(true)
  await fixture.install(["claude-code"], 5)
  expect(await originsOf(fixture)).toEqual(["claude-code: plugin"])
  expect(JSON.parse(await readFile(settings, "utf8"))).toEqual({
    enabledPlugins: { "qm@quartermaster": true },
  })
  expect(existsSync(agent)).toBe(false)
})

test("[KIT-20] without the plugin again, init writes its hooks again", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  await enablePlugins(fixture)
  await fixture.install(["claude-code"], 5)
  await put(fixture.userHome, ".claude/settings.json", {})
  expect(await originsOf(fixture)).toEqual(["claude-code: none"])
  await fixture.install(["claude-code"], 5)
  expect(await originsOf(fixture)).toEqual(["claude-code: init"])
})

test.each([
  ["disabled", { enabledPlugins: { "qm@quartermaster": false } }, true],
  ["another plugin", { enabledPlugins: { "qm@other": true } }, true],
  ["enabled and not installed", { enabledPlugins: { "qm@quartermaster": true } }, false],
  ["settings of another type", [1], true],
])("[KIT-20] in Claude Code the plugin is inactive: %s", async (_title, settings, isInstalled) => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  await enablePlugins(fixture)
  await put(fixture.userHome, ".claude/settings.json", settings)
  if (!isInstalled) await put(fixture.userHome, ".claude/plugins/installed_plugins.json", {})
  expect(await findActivePlugins(fixture.deps)).toEqual(new Set(["codex"]))
})

test.each([
  ["disabled", '[plugins."qm@quartermaster"]\nenabled = false\n'],
  ["absent", "model = 'x'\n"],
  ["invalid TOML", "[plugins\n"],
])("[KIT-20] in Codex the plugin is inactive: %s", async (_title, config) => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  await enablePlugins(fixture)
  await writeFile(path.join(fixture.userHome, ".codex/config.toml"), config)
  expect(await findActivePlugins(fixture.deps)).toEqual(new Set(["claude-code"]))
})
