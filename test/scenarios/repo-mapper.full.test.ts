import { describe, expect, test } from "vitest"
import { z } from "zod"
import { claudeStory, gatewayUser } from "#test/gateway-story"
import { needs } from "#test/needs"

const A_SESSION_MS = 600_000

const FILES = {
  "src/kettle.ts": "export function boilWater(): number {\n  return 100\n}\n",
  "src/tea.ts": 'import { boilWater } from "./kettle.ts"\nexport const brew = () => boilWater()\n',
}

/** The sub-agent gets the name and the tools from the definition that `qm init` installed. */
const MAIN = [
  {
    use: "Agent",
    input: {
      description: "Map the kettle",
      prompt: "map the kettle",
      subagent_type: "qm-repo-mapper",
      run_in_background: false,
    },
  },
]

const MAPPER = [
  [{ use: "mcp__qm__map", input: { what: "src/kettle.ts#boilWater", hops: 2 } }],
  [{ use: "mcp__qm__search", input: { query: "boil water" } }],
  "boilWater is in src/kettle.ts:1, used by src/tea.ts:2.",
]

const Tools = z.object({ tools: z.array(z.object({ name: z.string() })) })

function toolsIn(request: { readonly body: unknown } | undefined): readonly string[] {
  return Tools.parse(request?.body).tools.map((it) => it.name)
}

describe.runIf(needs("F5", "claude-code"))("the real Claude Code with the installed agents", () => {
  test("[T14][TEMPLATES-4] the repo-mapper agent has the tools of the map and gets their answers", {
    timeout: A_SESSION_MS,
  }, async () => {
    await using user = await gatewayUser(FILES, { folding: {}, hookLevel: 4 })
    const stories = [
      { hears: "where is water boiled", says: [MAIN, "Done."] },
      { hears: "map the kettle", says: MAPPER },
    ]
    const prompts = ["where is water boiled"]
    const { ended, requests } = await claudeStory(user, { stories }, [
      () => ({ way: "direct", prompts }),
    ])
    expect(ended.map((it) => [it.code, it.results])).toEqual([[0, ["Done."]]])
    const mapper = requests.filter((it) => it.agent !== null)
    expect(mapper).toHaveLength(MAPPER.length)
    const names = toolsIn(mapper[0])
    expect(names).toEqual(
      expect.arrayContaining(["Glob", "Grep", "Read", "mcp__qm__map", "mcp__qm__search"]),
    )
    expect(names).not.toContain("Edit")
    const seen = JSON.stringify(mapper.at(-1)?.body)
    expect(seen).toContain("src/tea.ts")
    expect(seen).not.toContain('"is_error":true')
    expect(JSON.stringify(requests.at(-1)?.body)).toContain("used by src/tea.ts:2")
  })
})
