import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { token } from "#show/http"
import { newServer, type ServerFixture } from "#test/server"
import { type McpClient, mcpClient, readTool } from "./client.ts"
import { NO_LIMITS } from "./up.ts"

let server: ServerFixture

beforeAll(async () => {
  server = await newServer({ environment: NO_LIMITS })
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

async function newClient(name: string): Promise<McpClient> {
  const said: string[] = []
  const { signal } = new AbortController()
  const say = (text: string) => void said.push(text)
  const input = { client: name }
  await token({ app: server.app(), input, environment: {}, isTerminal: false, signal, say })
  return mcpClient({ port: server.port, token: said.join(""), name, most: 8 })
}

const FRAMES = 1_000
const GUESSES = 10_000
const AT_ONCE = 100

/** Thousands of calls take five seconds, and much longer on a busy machine. */
const LONGEST_TEST_MS = 300_000

/** A branch in its own session; its name says which client owns it. */
type Work = {
  readonly branch_id: string
  readonly session_id: string
  readonly description: string
}

const BRANCHES = 20

async function openAll(client: McpClient, owner: string): Promise<readonly Work[]> {
  const numbers = Array.from({ length: BRANCHES }, (_, number) => number)
  return await Promise.all(
    numbers.map(async (number) => {
      const [session_id, description] = [`session ${number}`, `${owner} does ${number}`]
      const given = { description, prompt: description, session_id }
      const { fields } = await client.call("branch", given)
      return { branch_id: String(fields["branch_id"]), session_id, description }
    }),
  )
}

/**
 * Sends frames with the ids 0…999, each about one of the branches, and returns the answers as text.
 */
async function askAll(client: McpClient, work: readonly Work[]): Promise<readonly string[]> {
  const ids = Array.from({ length: FRAMES }, (_, id) => id)
  return await Promise.all(
    ids.map(async (id) => {
      const params = { name: "branch_status", arguments: { session_id: sessionOf(id, work) } }
      const { status, body } = await client.ask("tools/call", params, id)
      if (body.result === undefined) throw new Error(`${status} ${JSON.stringify(body)}`)
      const { branch } = readTool(body.result).fields as { branch?: Record<string, unknown> }
      return `${body.id}: ${String(branch?.["branch_id"])} ${String(branch?.["description"])}`
    }),
  )
}

function sessionOf(id: number, work: readonly Work[]): string {
  return work[id % work.length]?.session_id ?? ""
}

function expectedOf(work: readonly Work[]): readonly string[] {
  return Array.from({ length: FRAMES }, (_, id) => {
    const own = work[id % work.length]
    return `${id}: ${own?.branch_id} ${own?.description}`
  })
}

describe("clients of the MCP server", () => {
  test("[C3] two clients with the same ids and sessions receive only their own data", {
    timeout: LONGEST_TEST_MS,
  }, async () => {
    using ann = await newClient("ann")
    using ben = await newClient("ben")
    const [anns, bens] = await Promise.all([openAll(ann, "ann"), openAll(ben, "ben")])
    const [toAnn, toBen] = await Promise.all([askAll(ann, anns), askAll(ben, bens)])
    expect(toAnn).toEqual(expectedOf(anns))
    expect(toBen).toEqual(expectedOf(bens))

    const back = ({ branch_id, session_id }: Work, message: string) => ({
      branch_id,
      session_id,
      message,
    })
    const stolen = await Promise.all(bens.map((it) => ann.call("return", back(it, "mine now"))))
    expect(new Set(stolen.map((it) => it.failure?.code))).toEqual(new Set(["FOLD_NOT_FOUND"]))
    const kept = await Promise.all(bens.map((it) => ben.call("return", back(it, "still mine"))))
    expect(kept.map((it) => it.fields["message"])).toEqual(bens.map(() => "still mine"))
  })

  test("[TB3] none of 10,000 guessed and stolen handles opens anything", {
    timeout: LONGEST_TEST_MS,
  }, async () => {
    using ann = await newClient("cat")
    const opened = await ann.call("branch", { description: "d", prompt: "p" })
    const real = String(opened.fields["branch_id"])
    const fold = await server.app().fold()
    const { text, handle } = await fold.meter({
      caller: { principal: "client:cat", client: "cat", session: "client:cat/cat" },
      tool: "search",
      input: "{}",
      text: Array.from({ length: 5_000 }, (_, at) => `line ${at} of what is kept`).join("\n"),
      label: "a long one",
    })
    expect(text).not.toContain("line 2500 of")
    const owned = await ann.call("read_handle", { handle: handle ?? "", from_line: 2_501 })
    expect(owned.text).toContain("line 2500 of")

    const thief = { principal: "client:dan", client: "dan", session: "client:dan/dan" }
    const context = { signal: new AbortController().signal, caller: thief }
    const guess = (at: number) =>
      server
        .app()
        .call("fold.read", forged(at, [real, handle ?? ""]), context)
        .then(
          () => "opened",
          (error: unknown) => String((error as { code?: string }).code),
        )
    const codes = new Map<string, number>()
    for (let done = 0; done < GUESSES; done += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, at) => guess(done + at))
      for (const code of await Promise.all(batch)) codes.set(code, (codes.get(code) ?? 0) + 1)
    }
    expect(Object.fromEntries(codes)).toEqual({ FOLD_NOT_FOUND: GUESSES })
  })
})

/**
 * Stolen unchanged, used in another session, one character off, truncated, and random from the same
 * alphabet.
 */
function forged(at: number, known: readonly string[]) {
  const stolen = known[at % known.length] ?? ""
  const prefix = stolen.slice(0, stolen.indexOf("_") + 1)
  const length = stolen.length - prefix.length
  const random = randomBytes(length).toString("hex").slice(0, length)
  const place = prefix.length + (at % length)
  const changed = stolen.charAt(place) === "a" ? "b" : "a"
  const kinds = [
    { handle: stolen },
    { handle: stolen, sessionId: "client:cat/cat" },
    { handle: stolen.slice(0, place) + changed + stolen.slice(place + 1) },
    { handle: stolen.slice(0, place) },
    { handle: prefix + random },
  ]
  return kinds[Math.floor(at / known.length) % kinds.length] ?? { handle: stolen }
}
