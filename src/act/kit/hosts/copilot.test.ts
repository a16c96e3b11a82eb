import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { kitFixture, snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"

const SERVER = {
  type: "local",
  command: "/opt/node/bin/node",
  args: ["/opt/qm/bin/qm.mjs", "mcp"],
  tools: ["*"],
  deferTools: "never",
}

test("[KIT-21] in Copilot init adds our MCP server with deferTools never, and uninstall restores the file", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  const file = path.join(fixture.userHome, ".copilot/mcp-config.json")
  await mkdir(path.dirname(file))
  const mine =
    '{\n  "mcpServers": { "mine": { "type": "local", "command": "m", "tools": [] } }\n}\n'
  await writeFile(file, mine)
  const before = await snapshot(fixture.userHome)
  await fixture.install(["copilot"], 5)
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    mcpServers: { ...JSON.parse(mine).mcpServers, qm: SERVER },
  })
  const again = await fixture.install(["copilot"], 5)
  expect(again.changes.every((it) => it.action === "keep")).toBe(true)
  const { hooks, tampered } = await fixture.kit.installed()
  expect(tampered).toEqual([])
  expect(new Set(hooks.map((it) => it.state))).toEqual(new Set(["not offered"]))
  await fixture.uninstall()
  expect(await snapshot(fixture.userHome)).toEqual(before)
})

test("[KIT-21] uninstall removes only our server from a file that Copilot has changed", async () => {
  await using temp = await tempDirectory()
  const fixture = await kitFixture(temp.path)
  const file = path.join(fixture.userHome, ".copilot/mcp-config.json")
  await fixture.install(["copilot"], 2)
  const later = { mcpServers: { qm: SERVER, later: { type: "http", url: "http://x" } } }
  await writeFile(file, JSON.stringify(later))
  await fixture.uninstall()
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    mcpServers: { later: later.mcpServers.later },
  })
})
