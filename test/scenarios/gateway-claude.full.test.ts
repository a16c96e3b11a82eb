import { describe, expect, test } from "vitest"
import { claudeStory, gatewayUser, type HostResult, type Start } from "#test/gateway-story"
import { needs } from "#test/needs"
import { runQm } from "#test/qm"
import type { ModelTurn, StrictRequest } from "#test/strict-anthropic"
import { blocksOf, type MessagesBody, textOfResult } from "#test/strict-wire"
import {
  beginningOf,
  close,
  fakeToken,
  GO,
  open,
  read,
  type Scene,
  type SceneFolder,
  SESSIONS,
  wordFiles,
  wordOf,
} from "./gateway-scenes.ts"
import { AFTER_RETURN, mainRun, tableOf } from "./gateway-table.ts"

// The model checks each request by the provider's rules and refuses thinking of another
// conversation, like the provider does for newer accounts. Two at once: the machine has two cores.

/** Generous for a busy machine, because these tests do not measure time. */
const A_SESSION_MS = 300_000

/** Two hosts at a time, because a small machine has two cores. */
const lanes = [Promise.resolve(), Promise.resolve()]
let taken = 0

function inLane<Done>(work: () => Promise<Done>): Promise<Done> {
  const lane = taken % lanes.length
  taken += 1
  const done = (lanes[lane] ?? Promise.resolve()).then(work)
  lanes[lane] = done.then(
    () => {},
    () => {},
  )
  return done
}

describe
  .runIf(needs("GATE-95", "claude-code"))
  .concurrent("the real Claude Code with folding", () => {
    for (const scenes of SESSIONS) {
      const titles = scenes.map((it) => `${it.tag} ${it.title}`).join("; ")
      test(`[GATE-95] folded requests are valid, bound and complete: ${titles}`, {
        timeout: A_SESSION_MS,
      }, async () => {
        await inLane(() => proveSession(scenes))
      })
    }
  })

async function proveSession(scenes: readonly Scene[]): Promise<void> {
  const files = scenes.map((it) => {
    const secret = `API_TOKEN=${fakeToken(it.tag)}\n`
    return { ...wordFiles(it.tag, secret), ...it.files }
  })
  await using user = await gatewayUser(Object.assign({}, ...files))
  const stories = scenes.flatMap((scene) => {
    const place = { folder: `${user.project}/${scene.tag}`, tag: scene.tag }
    const others = scene.others?.(place) ?? []
    return [{ hears: beginningOf(scene), says: scene.says(place) }, ...others]
  })
  const prompts = scenes.flatMap((it) => [beginningOf(it), ...(it.prompts ?? [])])
  // With placeholders for secrets, so that both changes of a body are judged together.
  const env = { QM_GATEWAY_SECRETS: "replace" }
  const start: Start = { way: "fold", prompts, isTyped: true, env }
  const { requests, ended } = await claudeStory(user, { stories, enforce: true }, [() => start])
  expect(ended.map((it) => [it.code, it.stderr])).toEqual([[0, ""]])
  expect(requests.flatMap((it) => it.violations)).toEqual([])
  const sent = JSON.stringify(requests.map((it) => it.body))
  expect(sent).toContain("QMSECRET_GITHUB_TOKEN_")
  expect(scenes.filter((it) => sent.includes(fakeToken(it.tag)))).toEqual([])
  const wrong = requests.filter((it) => it.mismatches.length > 0)
  expect(wrong).toHaveLength(total(scenes.map((it) => it.ownMismatches ?? 0)))
  const main = requests.filter((it) => it.agent === null && it.status === 200)
  for (const scene of scenes) proveWords(scene, main)
  const last = main.at(-1)
  expect(foldedIn(last), "folded").toBe(total(scenes.map((it) => it.folded)))
  expect(picturesIn(last), "pictures").toBe(total(scenes.map((it) => it.pictures ?? 0)))
  if (scenes.some((it) => it.tag === "s10")) proveAgents(requests)
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, it) => sum + it, 0)
}

/** Text that was in a request stays, except what the scene declares as removed. */
function proveWords(scene: Scene, main: readonly StrictRequest[]): void {
  const at = `${scene.tag} ${scene.title}`
  const heard = main.map((it) => heardIn(it.body))
  const [last = "", whole] = [heard.at(-1), JSON.stringify(main.at(-1)?.body ?? "")]
  const has = scene.has.map((it) => wordOf(scene, it))
  const lacks = scene.lacks.map((it) => wordOf(scene, it))
  expect(
    has.filter((it) => !last.includes(it)),
    `${at}: lost`,
  ).toEqual([])
  expect(
    lacks.filter((it) => whole.includes(it)),
    `${at}: still there`,
  ).toEqual([])
  const everSaid = main.map((it) => JSON.stringify(it.body)).join("\n")
  expect(
    lacks.filter((it) => !everSaid.includes(it)),
    `${at}: never there`,
  ).toEqual([])
  if (scene.mayGo === true) return
  const own = new RegExp(`[A-Z]+-\\w-${scene.tag}`, "g")
  const ever = new Set(heard.flatMap((it) => it.match(own) ?? []))
  const gone = [...ever].filter((it) => !lacks.includes(it) && !last.includes(it))
  expect(gone, `${at}: gone without a word`).toEqual([])
}

/** A sub-agent has its own window, and a fork has one that begins like its parent's. */
function proveAgents(requests: readonly StrictRequest[]): void {
  const lastOf = (words: string): StrictRequest | undefined =>
    requests.findLast((it) => it.agent !== null && heardIn(it.body).includes(words))
  const agent = lastOf("dig here-s10")
  expect(foldedIn(agent)).toBe(1)
  expect(heardIn(agent?.body ?? NOTHING)).toContain("RESULT-B-s10")
  expect(heardIn(agent?.body ?? NOTHING)).not.toContain("WORD-3-s10")
  const fork = lastOf("dig here-s22")
  expect(heardIn(fork?.body ?? NOTHING)).toContain("RESULT-A-s22")
  expect(heardIn(fork?.body ?? NOTHING)).not.toContain("WORD-1-s22")
}

/** Everything the model receives, without its own messages. */
function heardIn(body: MessagesBody): string {
  return JSON.stringify(body.messages.filter((it) => it.role !== "assistant"))
}

function foldedIn(request: StrictRequest | undefined): number {
  const blocks = (request?.body.messages ?? []).flatMap((it) => blocksOf(it.content))
  const branches = blocks.filter((it) => it.type === "tool_use" && it.name === open("").use)
  return branches.filter((call) =>
    blocks.some((it) => it.tool_use_id === call.id && /qm-fold:br_/.test(textOfResult(it))),
  ).length
}

function picturesIn(request: StrictRequest | undefined): number {
  return JSON.stringify(request?.body ?? "").split('"type":"image"').length - 1
}

const TAG = "x"

const ONE_BRANCH = (at: SceneFolder): readonly ModelTurn[] => [
  [open("A")],
  [read(at, "w1.txt")],
  [close(at, "A")],
  [read(at, "w2.txt")],
  "Done.",
  [read(at, "w3.txt")],
  "Once more.",
  [read(at, "w4.txt")],
  "At last.",
]

/** Opens one branch in the first start; the test defines the later starts. */
async function play(options: {
  readonly starts: readonly ((ended: readonly HostResult[]) => Start)[]
  readonly refuses?: (body: MessagesBody) => boolean
  readonly overloaded?: number
  readonly gzip?: boolean
}) {
  const { starts, ...rest } = options
  const user = await gatewayUser(wordFiles(TAG))
  const place = { folder: `${user.project}/${TAG}`, tag: TAG }
  const stories = [{ hears: GO, says: ONE_BRANCH(place) }]
  const played = await inLane(() => claudeStory(user, { stories, enforce: true, ...rest }, starts))
  return { ...played, user, [Symbol.asyncDispose]: user[Symbol.asyncDispose].bind(user) }
}

const folding =
  (more: Partial<Start> = {}) =>
  (ended: readonly HostResult[]): Start => ({
    way: "fold",
    prompts: [ended.length === 0 ? GO : "go on"],
    ...(ended[0] !== undefined && { resume: ended[0].session }),
    ...more,
  })

const problemsOf = (requests: readonly StrictRequest[]): readonly string[] =>
  requests.flatMap((it) => [...it.violations, ...it.mismatches])

describe.runIf(needs("GATE-96", "claude-code")).concurrent("a session over several starts", () => {
  test("[GATE-96] a fold is kept when the session is resumed twice", {
    timeout: A_SESSION_MS,
  }, async () => {
    await using it = await play({ starts: [folding(), folding(), folding()] })
    expect(it.ended.map((end) => [end.code, end.results.at(-1)])).toEqual([
      [0, "Done."],
      [0, "Once more."],
      [0, "At last."],
    ])
    expect(problemsOf(it.requests)).toEqual([])
    const last = it.requests.at(-1)
    expect(foldedIn(last)).toBe(1)
    const words = ["RESULT-A", "WORD-1", "WORD-2", "WORD-3", "WORD-4"]
    expect(words.filter((word) => !heardIn(last?.body ?? NOTHING).includes(word))).toEqual([
      "WORD-1",
    ])
  })

  test("[GATE-96] with the gateway off between two runs the host continues, and then the original is sent", {
    timeout: A_SESSION_MS,
  }, async () => {
    await using it = await play({ starts: [folding(), folding({ way: "direct" }), folding()] })
    expect(it.ended.map((end) => end.code)).toEqual([0, 0, 0])
    expect(it.requests.flatMap((request) => request.violations)).toEqual([])
    const [off] = it.requests.filter((request) => request.mismatches.length > 0)
    expect(foldedIn(off)).toBe(0)
    expect(heardIn(off?.body ?? NOTHING)).toContain("WORD-1")
    // Its thinking since then is bound to the full history, so the provider refuses the folded
    // request.
    const again = it.requests.findLast((request) => request.status === 400)
    expect(foldedIn(again)).toBe(1)
    expect(it.ended[2]?.stderr).toContain("refused a folded request and accepted the original")
    expect(it.requests.at(-1)?.status).toBe(200)
    expect(foldedIn(it.requests.at(-1))).toBe(0)
  })

  test("[GATE-96] an overloaded provider and compressed responses change nothing", {
    timeout: A_SESSION_MS,
  }, async () => {
    await using it = await play({ starts: [folding()], overloaded: 1, gzip: true })
    expect(it.ended.map((end) => [end.code, end.results])).toEqual([[0, ["Done."]]])
    expect(it.requests[0]?.status).toBe(529)
    expect(problemsOf(it.requests)).toEqual([])
    expect(foldedIn(it.requests.at(-1))).toBe(1)
  })
})

const NOTHING: MessagesBody = { model: "", messages: [] }

describe.runIf(needs("GATE-97", "claude-code")).concurrent("requests that are never folded", () => {
  test("[GATE-97] a provider that refuses the folded request gets the original, and no later fold", {
    timeout: A_SESSION_MS,
  }, async () => {
    const isFolded = (body: MessagesBody): boolean =>
      heardIn(body).includes("qm-fold:") &&
      !JSON.stringify(body).includes('"name":"mcp__qm__return","input"')
    await using it = await play({ starts: [folding()], refuses: isFolded })
    expect(it.ended.map((end) => [end.code, end.results])).toEqual([[0, ["Done."]]])
    const statuses = it.requests.map((request) => request.status)
    expect(statuses).toEqual([200, 200, 200, 400, 200, 200])
    expect(foldedIn(it.requests[3])).toBe(1)
    expect(it.requests.slice(4).map(foldedIn)).toEqual([0, 0])
    expect(problemsOf(it.requests)).toEqual([])
    const said = it.ended[0]?.lines.map((line) => line.subtype) ?? []
    expect(said).not.toContain("api_retry")
    expect(it.ended[0]?.stderr).toMatch(/refused|fold/i)
  })

  test("[GATE-97] a body with the host's own checksum (cch) is sent unchanged", {
    timeout: A_SESSION_MS,
  }, async () => {
    const env = { _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: "1" }
    await using it = await play({ starts: [folding({ env })] })
    expect(it.ended.map((end) => [end.code, end.results])).toEqual([[0, ["Done."]]])
    expect(JSON.stringify(it.requests.at(-1)?.body.system)).toContain("cch=")
    proveWhole(it.requests)
  })

  test("[GATE-97] a request with a login is recorded and not folded", {
    timeout: A_SESSION_MS,
  }, async () => {
    const env = { ANTHROPIC_AUTH_TOKEN: "not-a-token" }
    await using it = await play({ starts: [folding({ env })] })
    expect(it.ended.map((end) => [end.code, end.results])).toEqual([[0, ["Done."]]])
    proveWhole(it.requests)
    const { user } = it
    const options = { cwd: user.project, env: user.env }
    const shown = await runQm(["gateway", "show", "last", "--json"], options)
    expect(shown.stderr).toBe("")
    expect(JSON.parse(shown.stdout).requests).toHaveLength(it.requests.length)
    const cache = await runQm(["gateway", "cache", "last", "--json"], options)
    const verdicts = JSON.parse(cache.stdout).requests.map(
      (it: { cache: { verdict: string } }) => it.cache.verdict,
    )
    expect(verdicts).toEqual(["first", ...it.requests.slice(1).map(() => "hit")])
  })
})

function proveWhole(requests: readonly StrictRequest[]): void {
  expect(problemsOf(requests)).toEqual([])
  expect(requests.map(foldedIn)).toEqual(requests.map(() => 0))
  const last = heardIn(requests.at(-1)?.body ?? NOTHING)
  expect(["WORD-1", "WORD-2", "RESULT-A"].filter((it) => !last.includes(it))).toEqual([])
}

describe.runIf(needs("GATE-98", "claude-code")).concurrent("recording only", () => {
  test("[GATE-98] through the gateway the host prints and sends the same as without", {
    timeout: A_SESSION_MS,
  }, async () => {
    const [direct, recorded] = await Promise.all(
      (["direct", "record"] as const).map(async (way) => {
        await using it = await play({ starts: [folding({ way })] })
        const { ended, requests, user } = it
        const bodies = requests.map(({ body }) => withoutChance(JSON.stringify(body), user.path))
        return { ended: ended.map((end) => [end.code, end.stderr, end.results]), bodies }
      }),
    )
    expect(recorded).toEqual(direct)
    expect(direct?.bodies).toHaveLength(5)
  })
})

function withoutChance(text: string, folder: string): string {
  return (
    text
      .replaceAll(folder, "<folder>")
      .replaceAll(folder.replaceAll(/[^a-zA-Z0-9]/g, "-"), "<folder>")
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
      .replaceAll(/[0-9a-f]{64}/g, "<hash>")
      .replaceAll(/br_[0-9a-f]{32}/g, "<branch>")
      // With the gateway a branch is charged by the provider's own count, so its figures differ.
      .replaceAll(
        /(budget_used|tokens_kept_out|is_lower_bound)\\*":(\d+|true|false)/g,
        "$1:<charged>",
      )
  )
}

const LEAST_FOLDED_TOKENS = 48_000

describe.runIf(needs("GATE-99", "claude-code")).concurrent("savings of folding", () => {
  test("[GATE-99] after a branch of 48k tokens or more at least four fifths of the window are free", {
    timeout: A_SESSION_MS,
  }, async () => {
    const [off, folded] = await Promise.all(
      (["direct", "fold"] as const).map((way) => inLane(() => mainRun(way))),
    )
    if (off === undefined || folded === undefined) throw new Error("a run is missing")
    expect([off.code, folded.code, off.problems, folded.problems]).toEqual([0, 0, [], []])
    expect(folded.requests).toHaveLength(off.requests.length)
    const [before, after] = [off.requests[AFTER_RETURN], folded.requests[AFTER_RETURN]]
    const left = (before?.tokens ?? 0) - (after?.tokens ?? 0)
    expect(left).toBeGreaterThanOrEqual(LEAST_FOLDED_TOKENS)
    expect((after?.tokens ?? 0) / (before?.tokens ?? 1)).toBeLessThan(0.2)
    // The prefix before the branch is read from the cache, so little is written again.
    expect(after?.cacheWrite).toBeLessThan(1_000)
    process.stdout.write(`\n${tableOf(off, folded)}`)
  })
})
