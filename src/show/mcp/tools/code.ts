import { z } from "zod"
import {
  Capture,
  HostName,
  MapShow,
  MapTree,
  PackBuilt,
  PackForm,
  SearchFind,
} from "#ground/contract"
import { MOST_SUMMARY_ROWS } from "../limits.ts"
import { meterBody, sayBody } from "./body.ts"
import { sayCapture } from "./say-capture.ts"
import { sayFiles, sayShown, sayTree } from "./say-code.ts"
import { ask, BODY, defineTool, session_id, type ToolCall } from "./tool.ts"

const Path = z.string().min(1).max(4_096)
const Paths = z.array(Path).max(200)

export const pack = defineTool({
  name: "pack",
  set: "core",
  title: "Choose context for a task",
  description:
    "Choose the files and symbols of this repository that a task needs, within a token budget, best first, each with its reason. Use it before reading files one by one.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    task: z.string().min(1).max(1_000_000),
    budget: z.number().optional().describe("Tokens"),
    target: Paths.optional().describe("Files that must be in it"),
    drop: Paths.optional().describe("Files that must not"),
    session_id,
  }),
  output: z.object({
    pack_id: z.string(),
    tokens: z.int(),
    budget: z.int(),
    files: z.array(z.object({ path: z.string(), form: PackForm, tokens: z.int() })),
    left_out: z.int(),
    ...BODY,
  }),
  async call(input, call) {
    // Not the session of the pack room: what lies under a handle was never seen, and a later
    // package must not leave it out as sent before.
    const { task, budget, target, drop } = input
    const built = PackBuilt.parse(
      await ask(call, "pack.build", { task, budget, target, drop, format: "markdown" }),
    )
    const body = await meterBody(
      { tool: "pack", given: input, label: `pack ${built.pack.id}`, text: built.text },
      call,
    )
    const files = built.pack.files
      .slice(0, MOST_SUMMARY_ROWS)
      .map(({ path, form, tokens }) => ({ path, form, tokens }))
    return {
      text: sayBody(body),
      fields: {
        pack_id: built.pack.id,
        tokens: built.pack.tokens,
        budget: built.pack.budget,
        files,
        left_out: built.pack.leftCount,
        ...body,
      },
    }
  },
})

export const search = defineTool({
  name: "search",
  set: "core",
  title: "Search the code",
  description:
    "Find files and symbols of this repository by what they are about: names, words, history. Best first, with places to read.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    query: z.string().min(1).max(10_000),
    limit: z.int().min(1).max(MOST_SUMMARY_ROWS).optional().describe("Files; default 20"),
    session_id,
  }),
  output: z.object({
    files: z.array(z.object({ path: z.string(), score: z.number() })),
    ...BODY,
  }),
  async call(input, call) {
    const found = SearchFind.parse(
      await ask(call, "search.find", { words: input.query, limit: input.limit }),
    )
    const body = await meterBody(
      { tool: "search", given: input, label: "search", text: sayFiles(found) },
      call,
    )
    const files = found.files.map(({ path, score }) => ({ path, score }))
    return { text: sayBody(body), fields: { files, ...body } }
  },
})

const MapInput = z.strictObject({
  what: Path.optional().describe("A path, a symbol, or path#symbol"),
  folder: z
    .string()
    .max(4_096)
    .optional()
    .describe("Instead: list this folder; empty for the root"),
  hops: z.int().min(1).max(2).optional().describe("How far callers are followed"),
  session_id,
})

export const map = defineTool({
  name: "map",
  set: "core",
  title: "Look at the map of the code",
  description:
    "A file's symbols, imports and who imports it; a symbol's signature, callers and what it calls; or the folders of the repository with their sizes. Cheaper than reading the files.",
  annotations: { readOnlyHint: true },
  input: MapInput,
  output: z.object({ kind: z.enum(["folder", "file", "symbol"]), ...BODY }),
  async call(input, call) {
    const { kind, label, said } = await looked(input, call)
    const body = await meterBody({ tool: "map", given: input, label, text: said }, call)
    return { text: sayBody(body), fields: { kind, ...body } }
  },
})

async function looked(input: z.output<typeof MapInput>, call: ToolCall) {
  const { what, hops, folder } = input
  if (what !== undefined) {
    const shown = MapShow.parse(await ask(call, "map.show", { what, hops }))
    return { kind: shown.kind, label: `map of ${what}`, said: sayShown(shown) }
  }
  // Asked first: a tree that nobody scanned yet has no folders.
  const tree = await scannedTree(folder ?? "", call)
  return { kind: "folder" as const, label: `map of ${tree.folder}/`, said: sayTree(tree) }
}

async function scannedTree(folder: string, call: ToolCall): Promise<MapTree> {
  const list = async () => MapTree.parse(await ask(call, "map.tree", { folder }))
  const listed = await list()
  if (listed.state !== null) return listed
  await ask(call, "map.scan", {})
  return await list()
}

export const capture = defineTool({
  name: "capture",
  set: "core",
  title: "Show what a host loads",
  description:
    "What an agent host puts into its window in this repository before the first word: files in load order, why each, and what it costs.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({ host: HostName.optional(), session_id }),
  output: z.object({
    capture_id: z.string(),
    host: z.string(),
    files: z.int(),
    tokens_in_window: z.int(),
    tokens_on_demand: z.int(),
    window: z.int(),
    ...BODY,
  }),
  async call(input, call) {
    // Only this repository, and never by starting the host: our tools run nothing (TB5).
    const taken = Capture.parse(await ask(call, "capture.take", { host: input.host }))
    const { manifest, budget } = taken
    const label = `capture of ${manifest.host}`
    const body = await meterBody(
      { tool: "capture", given: input, label, text: sayCapture(taken) },
      call,
    )
    return {
      text: sayBody(body),
      fields: {
        capture_id: manifest.id,
        host: manifest.host,
        files: manifest.totals.files,
        tokens_in_window: manifest.totals.tokensInWindow,
        tokens_on_demand: manifest.totals.tokensOnDemand,
        window: budget.window,
        ...body,
      },
    }
  },
})
