import { describe, expect, test } from "vitest"
import { OPERATIONS, type Operation } from "#ground/contract"
import { derivedCommands } from "#show/cli"
import { toolsOf } from "#show/mcp"
import { child } from "#test/child"
import { LONG_TEXTS, type LongInput, longInputs } from "#test/long-input"
import { isNight } from "#test/seed"
import { send } from "#test/server"
import { tempDirectory } from "#test/temp"
import { mcpClient } from "../mcp/client.ts"

const CHILD = new URL("long-input.child.ts", import.meta.url)

/** The floor is about 14 ms, so this is the 200 ms of the promise on the machine of the bench. */
const MOST_FLOORS_PER_TURN = 14

/** A collection of the whole heap may fall into one try. */
const MOST_TRIES = 4

const operations: readonly Operation[] = Object.values(OPERATIONS)
const KINDS = Object.keys(LONG_TEXTS)

/** In the day each field gets one kind of text, at night all. */
const kindsOf = (field: number) => (isNight() ? KINDS : [KINDS[field % KINDS.length] ?? ""])

async function startServer() {
  const temp = await tempDirectory()
  const process = child(CHILD, [temp.path])
  const { port, token, floorMs } = JSON.parse((await process.nextLine()) ?? "null")
  const mostMs = floorMs * MOST_FLOORS_PER_TURN
  const turnAfter = async (line = "turn"): Promise<number> => {
    process.send(line)
    const answer = await process.nextLine()
    if (answer === undefined) throw new Error(`the server ended: ${(await process.exited).stderr}`)
    return Number(answer)
  }
  return {
    port: Number(port),
    token: String(token),
    turnAfter,
    /** Undefined when each turn was short enough; the first try also loads code. */
    async stallOf(what: string, act: () => Promise<number>): Promise<string | undefined> {
      let turnMs = Number.POSITIVE_INFINITY
      for (let tries = 0; turnMs > mostMs && tries < MOST_TRIES; tries++) turnMs = await act()
      return turnMs > mostMs
        ? `${what}: ${turnMs.toFixed(0)} ms of ${mostMs.toFixed(0)}`
        : undefined
    },
    async [Symbol.asyncDispose]() {
      await process[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

type StallTest = { readonly what: string; readonly act: () => Promise<number> }

async function stallsOf(
  server: Awaited<ReturnType<typeof startServer>>,
  calls: readonly StallTest[],
): Promise<readonly string[]> {
  const stalls: string[] = []
  for (const { what, act } of calls) {
    const stall = await server.stallOf(what, act)
    if (stall !== undefined) stalls.push(stall)
  }
  return stalls
}

describe("1 MB of long, repetitive and nested input", () => {
  test("[H1][APP-53] no operation over HTTP holds the event loop for 200 ms", async () => {
    await using server = await startServer()
    const onHttp = operations.filter((it) => it.surfaces.includes("http"))
    expect(onHttp.length).toBeGreaterThan(100)
    const calls = onHttp.flatMap((operation) =>
      longInputs(operation, kindsOf).map(({ what, input }) => ({
        what,
        async act() {
          const request = requestOf(operation, input, server.token)
          const status = await send(server.port, request).then((it) => it.status, refusalOf)
          expect([what, status]).not.toEqual([what, 500])
          return server.turnAfter()
        },
      })),
    )
    expect(await stallsOf(server, calls)).toEqual([])
  })

  test("[H1][APP-53] no tool over MCP holds the event loop for 200 ms", async () => {
    await using server = await startServer()
    const tools = toolsOf(operations)
    expect(new Set(tools.map((it) => it.name)).size).toBeGreaterThan(15)
    using client = mcpClient({ port: server.port, token: server.token, name: "long" })
    const calls = tools.flatMap((tool) =>
      longInputs(tool, kindsOf).map(({ what, input }) => ({
        what,
        async act() {
          await client.ask("tools/call", { name: tool.name, arguments: input }, what)
          return server.turnAfter()
        },
      })),
    )
    expect(await stallsOf(server, calls)).toEqual([])
  })

  test("[H1][APP-53] no command line holds the event loop for 200 ms", async () => {
    await using server = await startServer()
    const commands = await derivedCommands(operations)
    expect(commands.length).toBeGreaterThan(100)
    const calls = commands.flatMap((command) => {
      const operation = operations.find((it) => it.name === command.operation)
      const inputs = operation === undefined ? [] : longInputs(operation, kindsOf)
      return inputs.map(({ what, input }) => ({
        what: `qm ${command.words.join(" ")}, ${what}`,
        act: () => server.turnAfter(`cli ${JSON.stringify(argumentsOf(command, input))}`),
      }))
    })
    expect(await stallsOf(server, calls)).toEqual([])
  })
})

/** The server may close the connection while a body beyond the limit is still being sent. */
function refusalOf(error: NodeJS.ErrnoException): number {
  if (error.code === "EPIPE" || error.code === "ECONNRESET") return 413
  throw error
}

/** Node refuses longer request lines, so a read gets its text shortened, and once whole. */
const LONGEST_QUERY_CHARACTERS = 12_000

function requestOf({ name, effect }: Operation, input: LongInput["input"], token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const path = `/api/${name.replace(".", "/")}`
  if (effect === "write") return { method: "POST", path, headers, body: JSON.stringify(input) }
  const query = Object.entries(input).flatMap(([key, value]) =>
    [value].flat().map((it) => `${key}=${encodeURIComponent(String(it))}`),
  )
  const whole = `${path}?${query.join("&")}`
  const isTooLong = whole.length > LONGEST_QUERY_CHARACTERS && !("x" in input)
  const cut = whole.slice(0, LONGEST_QUERY_CHARACTERS).replace(/%[0-9A-F]?$|(?:%[0-9A-F]{2})+$/, "")
  return { path: isTooLong ? cut : whole, headers }
}

type Command = Awaited<ReturnType<typeof derivedCommands>>[number]

function argumentsOf(command: Command, input: LongInput["input"]): readonly string[] {
  const values = (key: string) => (key in input ? [input[key]].flat().map(String) : [])
  const flags = [
    ...command.flags.flatMap((it) =>
      it.type === "boolean" ? [] : values(it.key).map((value) => `--${it.name}=${value}`),
    ),
    ...values("x").map((value) => `--x=${value}`),
  ]
  const given = command.arguments.flatMap((it) => values(it.key))
  return [...command.words, ...flags, "--", ...given]
}
