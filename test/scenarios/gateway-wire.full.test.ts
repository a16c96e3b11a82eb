import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { GatewayShow } from "#ground/contract"
import { claudeStory, gatewayUser, type HostResult, type Start } from "#test/gateway-story"
import { needs } from "#test/needs"
import { runQm } from "#test/qm"
import { rowsOfThisRun } from "#test/seed"
import type { ModelTurn } from "#test/strict-anthropic"
import { LAB_SCENES, playLab } from "./cache-lab.ts"
import { fakeToken, GO } from "./gateway-scenes.ts"

/** Generous for a busy machine, because these tests do not measure time. */
const A_SESSION_MS = 300_000

/** A cause that lies with the host, one that lies with the user, and both of ours. */
const DAILY_SCENES = ["tools", "resume", "our fold", "our masks"]

describe.runIf(needs("GATE-100", "claude-code"))("the real Claude Code and the cache", () => {
  test.for(rowsOfThisRun(LAB_SCENES, (it) => DAILY_SCENES.includes(it.name)))(
    "[GATE-100] lost tokens are explained by their cause: $name",
    {
      timeout: A_SESSION_MS,
    },
    async (scene) => {
      const judged = await playLab(scene)
      expect(judged.filter((it) => !it.isRight)).toEqual([])
      const lost = judged.filter((it) => it.expected !== "hit")
      expect(new Set(lost.map((it) => it.named))).toEqual(new Set(scene.causes))
    },
  )
})

describe.runIf(needs("GATE-112", "claude-code"))("the real Claude Code and secrets", () => {
  test("[GATE-112] the provider gets placeholders, the tools get the values", {
    timeout: A_SESSION_MS,
  }, async () => {
    const token = fakeToken("wire")
    await using user = await gatewayUser({ ".env": `API_TOKEN=${token}\n` })
    const [env, copy] = [`${user.project}/.env`, `${user.project}/copy.txt`]
    const says: readonly ModelTurn[] = [
      [{ use: "Read", input: { file_path: env } }],
      [
        { use: "Bash", input: { command: "printf %s '$secret' | sha256sum" } },
        { use: "Write", input: { file_path: copy, content: "token: $secret\n" } },
      ],
      [{ use: "Bash", input: { command: `cat ${env}` } }],
      "It works.",
      "Done.",
    ]
    const start = (ended: readonly HostResult[]): Start => ({
      way: "record",
      prompts: [ended.length === 0 ? GO : "go on"],
      env: { QM_GATEWAY_SECRETS: "replace" },
      ...(ended[0] !== undefined && { resume: ended[0].session }),
    })
    const story = { stories: [{ hears: GO, says }], enforce: true }
    const { ended, requests } = await claudeStory(user, story, [start, start])
    expect(ended.map((it) => [it.code, it.stderr])).toEqual([
      [0, ""],
      [0, ""],
    ])
    expect(requests.flatMap((it) => [...it.violations, ...it.mismatches])).toEqual([])
    const sent = JSON.stringify(requests.map((it) => it.body))
    expect(sent).not.toContain(token)
    expect(sent).toContain(hash("sha256", token))
    expect(readFileSync(copy, "utf8")).toBe(`token: ${token}\n`)
    const options = { cwd: user.project, env: user.env }
    const shown = await runQm(["gateway", "show", "last", "--json"], options)
    const { requests: recorded } = GatewayShow.parse(JSON.parse(shown.stdout))
    // The host's own requests, such as the one for a title, may come last and have none.
    const kinds = recorded.flatMap((it) => it.secrets ?? []).map((it) => it.kind)
    expect([...new Set(kinds)]).toEqual(["github-token"])
    expect(shown.stdout).not.toContain(token)
  })
})
