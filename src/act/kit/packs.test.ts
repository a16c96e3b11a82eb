import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { type KitFixture, kitFixture, NEVER, snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"

async function addTemplates(fixture: KitFixture): Promise<void> {
  const write = async (file: string, head: string) => {
    const at = path.join(fixture.deps.templates, file)
    await mkdir(path.dirname(at), { recursive: true })
    await writeFile(at, `---\n${head}\n---\n\nBody of it.\n`)
  }
  await write("commands/state.md", "name: state\ndescription: Shows it.\npack: daily\nlevel: 2")
  await write("commands/debt.md", "name: debt\ndescription: Counts it.\npack: audit\nlevel: 5")
  await write("commands/sweep.md", "name: sweep\ndescription: Sweeps it.\npack: audit\nlevel: 3")
  await write(
    "agents/smith.md",
    "name: smith\ndescription: Makes it.\nsquad: forge\nlevel: 6\ntools: Read\ncost: low\nservers: [qm]",
  )
}

const commandsIn = (fixture: KitFixture) =>
  readdir(path.join(fixture.userHome, ".claude/commands/qm")).catch(() => [])

async function change(
  fixture: KitFixture,
  action: "install" | "remove",
  ...packs: readonly string[]
) {
  return fixture.kit.apply(await fixture.kit.planPacks({ action, packs }, NEVER), NEVER)
}

describe("packs", () => {
  test("[KIT-23] a pack is added to a level or removed from it, and stays so at the next install", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addTemplates(fixture)
    const before = await snapshot(fixture.userHome)
    await fixture.install(["claude-code"], 3)
    expect(await commandsIn(fixture)).toEqual(["state.md", "sweep.md"])
    await change(fixture, "install", "audit")
    expect(await commandsIn(fixture)).toEqual(["debt.md", "state.md", "sweep.md"])
    await change(fixture, "remove", "daily", "audit")
    expect(await commandsIn(fixture)).toEqual([])
    await fixture.install(["claude-code"], 5)
    expect(await commandsIn(fixture)).toEqual([])
    await change(fixture, "install", "daily", "squad-forge")
    expect(await commandsIn(fixture)).toEqual(["state.md"])
    const { packs, level } = await fixture.kit.packs()
    const audit = packs.find((it) => it.name === "audit")
    expect([audit?.tokens, (audit?.allTokens ?? 0) > 0], "what it would cost").toEqual([0, true])
    expect(level).toBe(5)
    const states = packs
      .filter((it) => it.items.length > 0 && it.name !== "squad-dev")
      .map((it) => [it.name, it.state])
    expect(states).toEqual([
      ["daily", "installed"],
      ["audit", "removed"],
      ["squad-forge", "installed"],
    ])
    await fixture.uninstall()
    expect(await snapshot(fixture.userHome)).toEqual(before)
  })

  test("[KIT-23] an unknown pack and a missing install are coded errors, and nothing is written", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addTemplates(fixture)
    const before = await snapshot(fixture.userHome)
    const ask = (name: string) => fixture.kit.planPacks({ action: "install", packs: [name] }, NEVER)
    await expect(ask("audti")).rejects.toMatchObject({
      code: "KIT_PACK_UNKNOWN",
      data: { name: "audti", nearest: "audit" },
    })
    await expect(ask("audit")).rejects.toMatchObject({ code: "KIT_NOT_INSTALLED" })
    expect(await snapshot(fixture.userHome)).toEqual(before)
  })

  test("[KIT-25] a command of a project replaces ours of the same name, until it is removed", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addTemplates(fixture)
    await fixture.install(["claude-code", "codex"], 3)
    const own = path.join(fixture.root, ".claude/commands/qm/state.md")
    await mkdir(path.dirname(own), { recursive: true })
    await writeFile(own, "mine")
    await fixture.install(["claude-code", "codex"], 3)
    expect(await commandsIn(fixture)).toEqual(["sweep.md"])
    expect(await readdir(path.join(fixture.userHome, ".agents/skills"))).toContain("qm-state")
    expect(await readFile(own, "utf8")).toBe("mine")
    await rm(own)
    await fixture.install(["claude-code", "codex"], 3)
    expect(await commandsIn(fixture)).toEqual(["state.md", "sweep.md"])
  })

  test("[KIT-4] uninstall leaves no empty folder after levels were lowered and raised in all hosts", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addTemplates(fixture)
    const before = await snapshot(fixture.userHome)
    const hosts = ["claude-code", "codex", "antigravity", "copilot"] as const
    for (const level of [2, 1, 6, 3, 7]) await fixture.install(hosts, level)
    await fixture.uninstall()
    expect(await snapshot(fixture.userHome)).toEqual(before)
  })
})

describe("squads", () => {
  test("[KIT-10] one agent is written for each host, with model and server where the host has them", async () => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addTemplates(fixture)
    await fixture.install(["claude-code", "codex", "antigravity", "copilot"], 6)
    const read = (file: string) => readFile(path.join(fixture.userHome, file), "utf8")
    expect(await read(".claude/agents/qm-smith.md")).toBe(
      [
        "---",
        'name: "qm-smith"',
        'description: "Makes it."',
        'tools: "Read"',
        'model: "haiku"',
        'mcpServers: [{"qm":{"type":"stdio","command":"/opt/node/bin/node","args":["/opt/qm/bin/qm.mjs","mcp"]}}]',
        "---",
        "",
        "Body of it.",
        "",
      ].join("\n"),
    )
    expect(await read(".codex/agents/qm-smith.toml")).toBe(
      [
        'name = "qm-smith"',
        'description = "Makes it."',
        'model_reasoning_effort = "low"',
        "developer_instructions = '''",
        "Body of it.",
        "'''",
        "",
        "[mcp_servers.qm]",
        'command = "/opt/node/bin/node"',
        'args = ["/opt/qm/bin/qm.mjs","mcp"]',
        "",
      ].join("\n"),
    )
    expect(await read(".copilot/agents/qm-smith.agent.md")).toContain('name: "qm-smith"')
    expect(await read(".gemini/antigravity/skills/qm-smith/SKILL.md")).toContain("Body of it.")
  })
})
