import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { kitFixture, snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"

const PLUGIN = ".config/opencode/plugin/quartermaster.js"

test("[KIT-28] the plugin of opencode is one file that names node, bundle and qm", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path, { name: "it's a project" })
  await mkdir(path.join(fixture.userHome, ".config/opencode"), { recursive: true })
  const settings = path.join(fixture.userHome, ".config/opencode/opencode.json")
  await writeFile(settings, '{ // the user\'s own comment\n "model": "x/y" }')
  const before = await snapshot(fixture.userHome)
  const done = await fixture.install(["opencode"], 5)
  expect(done.warnings).toEqual([])
  const at = path.join(fixture.userHome, PLUGIN)
  const loaded: { quartermaster(): Promise<unknown> } = await import(at)
  expect(await loaded.quartermaster()).toEqual({
    node: "/opt/node/bin/node",
    bundle: path.join(fixture.home, "kit/qm-hook.mjs"),
    main: "/opt/qm/bin/qm.mjs",
  })
  const agent = ".config/opencode/agent/qm-repo-mapper.md"
  expect(await readFile(path.join(fixture.userHome, agent), "utf8")).toBe(
    '---\ndescription: "Answers where things are."\nmode: "subagent"\n---\n\nYou answer questions.\n',
  )
  const { hooks, sources, tampered } = await fixture.kit.installed()
  expect(tampered).toEqual([])
  expect(sources).toMatchObject([{ host: "opencode", from: "init" }])
  const states = new Map(hooks.map((it) => [it.hook, it.state]))
  expect([states.get("boot"), states.get("risk"), states.get("drift")]).toEqual([
    "installed",
    "installed",
    "not offered",
  ])
  await fixture.uninstall()
  expect(await snapshot(fixture.userHome)).toEqual(before)
})

test("[KIT-28] a changed plugin is reported, and rewritten by the next install", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  await fixture.install(["opencode"], 2)
  const at = path.join(fixture.userHome, PLUGIN)
  const text = await readFile(at, "utf8")
  await writeFile(at, `${text}// changed`)
  const { hooks, tampered } = await fixture.kit.installed()
  expect(tampered).toHaveLength(1)
  expect(hooks.find((it) => it.hook === "boot")?.state).toBe("not installed")
  const done = await fixture.install(["opencode"], 2)
  expect(done.warnings.join()).toContain("rewritten")
  expect(await readFile(at, "utf8")).toBe(text)
})

test("[KIT-8] uninstalling one repository leaves the plugin for the others as it is", async () => {
  await using temp = await tempDirectory()
  const first = await kitFixture(temp.path, { name: "first" })
  const second = await kitFixture(temp.path, { name: "second" })
  await first.install(["opencode"], 2)
  await second.install(["opencode"], 2)
  const at = path.join(first.userHome, PLUGIN)
  const text = await readFile(at, "utf8")
  await first.uninstall()
  expect(await readFile(at, "utf8")).toBe(text)
  await second.uninstall()
  expect(await snapshot(first.userHome)).toEqual({})
})
