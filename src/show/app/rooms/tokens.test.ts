import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { FoldBranch, PackBuilt, TokenCount } from "#ground/contract"
import { createTokens } from "#ground/tokens"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"

const { signal } = new AbortController()
const SOURCE = "export const roundLine = (amount: number) => Math.round(amount)\n".repeat(40)
const TASK = "rounding of a line"
const CURRENT_CLAUDE = { model: null, factor: 1.3, basis: "stated" }

async function newApp(folder: string, environment: Readonly<Record<string, string>>) {
  const project = path.join(folder, "project")
  await mkdir(project)
  await writeFile(path.join(project, "rounding.ts"), SOURCE)
  return createApp({
    directory: project,
    environment: { PATH: process.env["PATH"], HOME: folder, ...environment },
    settings: [],
    writeLog: () => {},
  })
}

test.for([
  ["no model", {}, "claude", CURRENT_CLAUDE],
  ["an older Claude model", { QM_TOKENS_MODEL: "claude-haiku-4-5" }, "claude", null],
  ["a model of OpenAI", { QM_TOKENS_ENCODING: "o200k" }, "o200k", null],
] as const)(
  "[T9][TOKENS-12] with %s, packages, counts and memories are in tokens of the model that reads them",
  async ([, environment, encoding, scale]) => {
    await using temp = await tempDirectory()
    await using app = await newApp(temp.path, environment)
    const { count } = await createTokens({ encoding }).counter()
    const inModel = (text: string) => Math.ceil(count(text) * (scale?.factor ?? 1))

    const ask = { task: TASK, format: "markdown", budget: 400 }
    const built = PackBuilt.parse(await app.call("pack.build", ask, { signal }))
    expect(built.pack.scale).toEqual(scale)
    expect(built.textTokens).toBe(inModel(built.text))
    expect(built.textTokens).toBeLessThanOrEqual(400)

    const counted = TokenCount.parse(await app.call("tokens.count", { text: SOURCE }, { signal }))
    expect([counted.scale, counted.total.tokens]).toEqual([scale, inModel(SOURCE)])

    const rule = { kind: "rule", title: "Rounding of a line", body: "Round each line, then sum." }
    await app.call("memory.record", rule, { signal })
    const caller = { principal: "owner", client: "some-agent", session: "own" }
    const branch = { description: TASK, prompt: "look" }
    const opened = await app.call("fold.branch", branch, { signal, caller })
    const { memories } = FoldBranch.parse(opened)
    expect(memories.map((it) => it.tokens)).toEqual(memories.map((it) => inModel(`${it.text}\n`)))
    expect(memories).toHaveLength(1)
  },
)
