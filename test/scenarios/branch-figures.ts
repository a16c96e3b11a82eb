import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { FoldTree } from "#ground/contract"
import { createApp } from "#show/app"
import { serve } from "#show/http"
import type { GatewayUser } from "#test/gateway-story"
import { runQm } from "#test/qm"
import { readToken, send } from "#test/server"
import { launchChromium } from "../browser/chromium.ts"
import { builtConsole } from "../browser/console-fixture.ts"
import { visit } from "../browser/visit.ts"

/** The figures of the one branch of a run, as one surface has them. */
export type BranchFigures = {
  readonly from: string
  readonly used: number
  readonly inWindow: number
  readonly keptOut: number
}

/** From the text of the command line, the answer that the console gets, its page, and the tables. */
export async function branchFigures(user: GatewayUser): Promise<readonly BranchFigures[]> {
  return [await printed(user), ...(await served(user)), stored(user)]
}

async function printed(user: GatewayUser): Promise<BranchFigures> {
  const { stdout } = await runQm(["fold", "--all"], { cwd: user.project, env: user.env })
  const head = /([\d,]+) tokens saved, ([\d,]+) in the window, ([\d,]+) used/.exec(stdout)
  const [keptOut = 0, inWindow = 0, used = 0] = (head ?? [])
    .slice(1)
    .map((it) => Number(it.replaceAll(",", "")))
  return { from: "command line", used, inWindow, keptOut }
}

async function served(user: GatewayUser): Promise<readonly BranchFigures[]> {
  await using app = await createApp({
    directory: user.project,
    environment: user.env,
    settings: [],
    writeLog: () => {},
  })
  const consoleDirectory = await builtConsole()
  const server = await serve({ app, port: 0, mayMove: false, consoleDirectory })
  try {
    const authorization = `Bearer ${await readToken(app.places.home)}`
    const asked = { path: "/api/fold/tree?all=true", headers: { authorization } }
    const answer = await send(server.port, asked)
    const tree = FoldTree.parse(JSON.parse(answer.text))
    const [session] = tree.sessions
    const answered = {
      from: "server",
      used: session?.budgetUsed ?? 0,
      inWindow: session?.tokensInWindow ?? 0,
      keptOut: session?.tokensKeptOut ?? 0,
    }
    return [answered, await drawn(server, session?.branches[0]?.id ?? "")]
  } finally {
    await server.close()
  }
}

/** As a person reads them on the page. */
async function drawn(
  server: Awaited<ReturnType<typeof serve>>,
  branch: string,
): Promise<BranchFigures> {
  await using chromium = await launchChromium()
  const fixture = { url: server.url, link: () => server.link() }
  await using window = await visit(chromium.browser, fixture, { path: `/folds?show=${branch}` })
  await window.page.getByText("tokens saved in the windows").waitFor()
  const text = await window.page.locator("body").innerText()
  const figure = (pattern: RegExp): number =>
    Number((pattern.exec(text)?.[1] ?? "NaN").replaceAll(",", ""))
  return {
    from: "console page",
    used: figure(/([\d,]+) of [\d,]+ tokens, \d+ %/),
    inWindow: figure(/In the windows\s+([\d,]+)/),
    keptOut: figure(/([\d,]+)\s+tokens saved in the windows/),
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
