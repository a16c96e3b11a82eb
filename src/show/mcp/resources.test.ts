import { randomBytes } from "node:crypto"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { Manifest } from "#ground/contract"
import { newFixture } from "./app.fixture.ts"
import { bareApp, coreMcp, ERAS, join } from "./mcp.fixture.ts"

const { signal } = new AbortController()
const Contents = z.object({
  contents: z.tuple([z.object({ uri: z.string(), mimeType: z.string(), text: z.string() })]),
})

describe.each(ERAS)("resources in the %s protocol", (era) => {
  test("[MCP-8] stored packages and captures are listed, the newest first", async () => {
    await using fixture = await newFixture()
    await using app = await fixture.open()
    for (const task of ["first berth", "second berth"]) {
      await app.call("pack.build", { task }, { signal })
    }
    await app.call("capture.take", { path: fixture.project }, { signal })
    await using client = await join(coreMcp(app), { era })
    const { resources } = await client.listResources()
    expect(resources.map((it) => [it.uri.replace(/_.*/, "_…"), it.title, it.mimeType])).toEqual([
      ["qm://pack/last", "The newest", "text/markdown"],
      ["qm://pack/pk_…", "second berth", "text/markdown"],
      ["qm://pack/pk_…", "first berth", "text/markdown"],
      ["qm://manifest/last", "The newest", "application/json"],
      [expect.stringContaining("qm://manifest/"), expect.any(String), "application/json"],
    ])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map((it) => it.uriTemplate)).toEqual([
      "qm://pack/{id}",
      "qm://manifest/{id}",
    ])
    const readOne = async (uri: string) =>
      Contents.parse(await client.readResource({ uri })).contents[0]
    const last = await readOne("qm://pack/last")
    expect(last.text).toContain("second berth")
    expect((await readOne(resources[1]?.uri ?? "")).text).toBe(last.text)
    const manifest = await readOne("qm://manifest/last")
    const { items } = Manifest.parse(JSON.parse(manifest.text))
    const files = items.filter((it) => it.source !== "host-start")
    expect(files.map((it) => it.label)).toEqual([expect.stringContaining("CLAUDE.md")])
  })

  test("[MCP-8] a missing resource gets a not-found error with a hint and without secrets", async () => {
    await using fixture = await newFixture()
    await using app = await fixture.open()
    await using client = await join(coreMcp(app), { era })
    expect((await client.listResources()).resources).toEqual([])
    const secret = `ghp_${randomBytes(27).toString("base64url").replaceAll(/[-_]/g, "x")}`
    for (const uri of ["qm://pack/last", "qm://manifest/last", `qm://pack/${secret}`]) {
      const failure = await client.readResource({ uri }).catch((error: unknown) => error)
      expect(failure).toMatchObject({ message: expect.stringMatching(/[A-Z]+_[A-Z_]+: .+/) })
      expect(failure).toMatchObject({ code: -32_602 })
      expect(JSON.stringify([String(failure), failure])).not.toContain(secret)
    }
    await expect(client.readResource({ uri: "qm://nothing/x" })).rejects.toThrow("not found")
  })

  test("[MCP-8] a bug while reading a resource reveals no details", async () => {
    const { app } = bareApp({ call: () => Promise.reject(new Error("row 7 of secret_table")) })
    await using client = await join(coreMcp(app), { era })
    const failures = [
      await client.readResource({ uri: "qm://pack/last" }).catch(String),
      await client.listResources().catch(String),
    ]
    expect(failures).toEqual([expect.stringContaining("BUG"), expect.stringContaining("BUG")])
    expect(JSON.stringify(failures)).not.toContain("secret_table")
  })
})
