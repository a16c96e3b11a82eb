import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { FoldTree } from "#ground/contract"
import { createApp } from "#show/app"
import { serve } from "#show/http"
import type { GatewayUser } from "#test/gateway-story"
import { runQm } from "#test/qm"
import { readToken, send } from "#test/server"

/** The figures of the one branch of a run, as one surface has them. */
export type BranchFigures = {
  readonly from: string
  readonly used: number
  readonly inWindow: number
  readonly keptOut: number
}

/** From the text of the command line, the answer that the console gets, and the tables. */
export async function branchFigures(user: GatewayUser): Promise<readonly BranchFigures[]> {
  return [await printed(user), await served(user), stored(user)]
}

async function printed(user: GatewayUser): Promise<BranchFigures> {
  const { stdout } = await runQm(["fold", "--all"], { cwd: user.project, env: user.env })
  const head = /([\d,]+) tokens saved, ([\d,]+) in the window, ([\d,]+) used/.exec(stdout)
  const [keptOut = 0, inWindow = 0, used = 0] = (head ?? [])
    .slice(1)
    .map((it) => Number(it.replaceAll(",", "")))
  return { from: "command line", used, inWindow, keptOut }
}

async function served(user: GatewayUser): Promise<BranchFigures> {
  await using app = await createApp({
    directory: user.project,
    environment: user.env,
    settings: [],
    writeLog: () => {},
  })
  const server = await serve({ app, port: 0, mayMove: false })
  try {
    const authorization = `Bearer ${await readToken(app.places.home)}`
    const asked = { path: "/api/fold/tree?all=true", headers: { authorization } }
    const answer = await send(server.port, asked)
    const tree = FoldTree.parse(JSON.parse(answer.text))
    const [session] = tree.sessions
    return {
      from: "console",
      used: session?.budgetUsed ?? 0,
      inWindow: session?.tokensInWindow ?? 0,
      keptOut: session?.tokensKeptOut ?? 0,
    }
  } finally {
    await server.close()
  }
}

const StoredSums = z.object({ used: z.int(), withheld: z.int(), result: z.int() })

function stored(user: GatewayUser): BranchFigures {
  const file = path.join(user.project, ".git", "qm", "store.db")
  using database = new DatabaseSync(file, { readOnly: true })
  const row = database
    .prepare(
      `SELECT (SELECT sum(tokens) FROM fold_charges) AS used,
        (SELECT sum(withheld) FROM fold_charges) AS withheld,
        json_extract(state, '$.resultTokens') AS result FROM fold_branches`,
    )
    .get()
  const { used, withheld, result } = StoredSums.parse(row)
  return { from: "store", used, inWindow: result, keptOut: used + withheld - result }
}
