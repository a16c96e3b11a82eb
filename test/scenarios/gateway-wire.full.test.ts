import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { GatewayCache, GatewayShow } from "#ground/contract"
import { claudeStory, gatewayUser, type HostResult, type Start } from "#test/gateway-story"
import { needs } from "#test/needs"
import { runQm } from "#test/qm"
import type { ModelTurn } from "#test/strict-anthropic"
import { fakeToken, GO } from "./gateway-scenes.ts"

/** Generous for a busy machine, because these tests do not measure time. */
const A_SESSION_MS = 300_000

const LONG_FILE = "a line of no interest to anyone at all\n".repeat(900)

describe.runIf(needs("GATE-100", "claude-code"))("the real Claude Code and the cache", () => {
  test("[GATE-100] every cause that can be provoked is named, and none wrongly with certainty", {
    timeout: A_SESSION_MS,
  }, async () => {
    await using user = await gatewayUser({ "long.txt": LONG_FILE, "more.txt": LONG_FILE })
    const read = (file: string) => [
      { use: "Read", input: { file_path: `${user.project}/${file}` } },
    ]
    const says: readonly ModelTurn[] = [
      read("long.txt"),
      read("more.txt"),
      "Done.",
      ...Array.from({ length: 12 }, (_, at) => `Answer ${at}.`),
    ]
    const start =
      (prompts: readonly string[], args: readonly string[] = []) =>
      (ended: readonly HostResult[]): Start => ({
        way: "record",
        prompts,
        args,
        ...(ended[0] !== undefined && { resume: ended[0].session }),
      })
    const model = ["--model", "claude-sonnet-4-5"]
    const prompt = ["--append-system-prompt", "Answer in one sentence."]
    const { ended, requests } = await claudeStory(user, { stories: [{ hears: GO, says }] }, [
      start([GO, "go on"]),
      start(["go on", "and on"]),
      start(["with another model"], model),
      start(["with another prompt"], prompt),
      start(["without a tool"], [...prompt, "--disallowedTools", "Edit"]),
      start(["before it", "/compact", "after it"], [...prompt, "--disallowedTools", "Edit"]),
    ])
    expect(ended.map((it) => it.code)).toEqual([0, 0, 0, 0, 0, 0])
    expect(requests.flatMap((it) => it.violations)).toEqual([])
    const env = { cwd: user.project, env: user.env }
    const listed = await runQm(["gateway", "list", "--json"], env)
    const sessions = JSON.parse(listed.stdout)
      .sessions.map((it: { id: string }) => it.id)
      .reverse()
    const reports: GatewayCache["requests"][number]["cache"][][] = []
    for (const id of sessions) {
      const shown = await runQm(["gateway", "cache", id, "--json"], env)
      const all = GatewayCache.parse(JSON.parse(shown.stdout)).requests
      reports.push(all.filter((it) => it.agent === null).map((it) => it.cache))
    }
    const named = reports.map((them) =>
      them.map((it) => (it.verdict === "miss" ? `${it.cause} ${it.isCertain}` : it.verdict)),
    )
    // Within a process every request continues the one before.
    expect(named[0]?.slice(1).filter((it) => it !== "hit")).toEqual([])
    expect(named[2]?.[0]).toBe("model true")
    // The entries of the first model are still there, unless the other prompt precedes them.
    expect(named[3]?.[0]).toMatch(/^(?:(?:model|resume) true|hit)$/)
    expect(named[4]?.[0]).toBe("resume true")
    expect(reports[4]?.[0]?.detail).toContain("tools removed: Edit")
    // The tools of a server that started late precede the messages.
    expect(named[5]?.at(-1)).toMatch(/^(?:compaction true|tools true|hit)$/)
    if (named[5]?.at(-1) !== "tools true") return
    const main = requests.filter((it) => it.agent === null && it.body.tools !== undefined)
    const [before, last] = main.slice(-2).map((it) => JSON.stringify(it.body.tools))
    expect(before).not.toBe(last)
  })
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
