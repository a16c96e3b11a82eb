import { type McpClient, mcpClient } from "../test/mcp/client.ts"
import { NO_LIMITS, startUp } from "../test/mcp/up.ts"
import {
  atMost,
  type Bench,
  type BenchContext,
  createSamples,
  makeRow,
  type Samples,
} from "./frame.ts"

const CLIENTS = 50
const ROUNDS = 20
const BAR_MS = 2_000

export const bench: Bench = {
  name: "mcp",
  about:
    "A thousand branches of 50 clients over /mcp of a real server, against its shortest answer",
  async run(context) {
    await using up = await startUp(NO_LIMITS)
    const clients = Array.from({ length: CLIENTS }, (_, at) =>
      mcpClient({ port: up.port, token: up.token, name: `client-${at}` }),
    )
    try {
      const shortest = await timed(context, clients, (client) => [
        () => client.ask("server/discover", {}, 1),
      ])
      const whole = await timed(context, clients, (client, at) => oneBranch(client, at))
      return (["median", "p99"] as const).map((of) =>
        makeRow({
          what: `a call of branch, branch_status or return, ${of}`,
          measured: whole[of],
          unit: "ms",
          against: "server/discover, as many at once",
          floor: shortest[of],
          ...(of === "p99" && { bar: atMost(BAR_MS, "ms") }),
        }),
      )
    } finally {
      for (const client of clients) client[Symbol.dispose]()
    }
  },
}

type Calls = readonly (() => Promise<unknown>)[]

async function timed(
  { clock, rounds = ROUNDS }: BenchContext,
  clients: readonly McpClient[],
  callsOf: (client: McpClient, round: number) => Calls,
): Promise<Samples> {
  const times: number[] = []
  const work = async (client: McpClient): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      for (const call of callsOf(client, round)) {
        const startedAt = clock.monotonicMs()
        await call()
        times.push(clock.monotonicMs() - startedAt)
      }
    }
  }
  await Promise.all(clients.map(work))
  return createSamples(times)
}

function oneBranch(client: McpClient, round: number): Calls {
  let branchId = ""
  return [
    async () => {
      const task = {
        description: `job ${round}`,
        prompt: "Say what it is.",
        parent_branch_id: "root",
      }
      branchId = String((await client.call("branch", task)).fields["branch_id"])
    },
    () => client.call("branch_status", { branch_id: branchId, progress: "half of it" }),
    () =>
      client.call("return", {
        branch_id: branchId,
        message: "It is done.",
        idempotency_key: branchId,
      }),
  ]
}
