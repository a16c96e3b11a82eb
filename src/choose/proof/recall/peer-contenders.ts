import path from "node:path"
import { z } from "zod"
import {
  ensureDirectory,
  makeTemporaryDirectory,
  parseJson,
  readTextBounded,
  removeFile,
  run,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import type { IndexedTree } from "#know/map"
import { PeerFailed } from "../errors.ts"
import { searchEnvironment } from "../scan/peers.ts"
import { type Contender, headingTokens, type Outcome, wholeFiles } from "./contenders.ts"
import type { LineRange } from "./hunks.ts"
import type { SetTask } from "./tasks.ts"

const LONGEST_PEER_MS = 600_000

const MOST_OUTPUT_BYTES = 400_000_000

type PeerDeps = {
  readonly searchPath: string
  /** Programs from this folder, which is measured, are not run. */
  readonly without: string
  readonly countTokens: (text: string) => number
  readonly signal: AbortSignal
}

export type Peers = AsyncDisposable & {
  readonly contenders: readonly Contender[]
  readonly missing: readonly string[]
}

export const NO_PEERS: Peers = {
  contenders: [],
  missing: [],
  [Symbol.asyncDispose]: async () => {},
}

/** Other tools that choose context, as far as they are installed; each gets a copy of the tree. */
export async function openPeers(deps: PeerDeps): Promise<Peers> {
  await using stack = new AsyncDisposableStack()
  const { path: folder } = stack.use(await makeTemporaryDirectory())
  const environment = searchEnvironment(deps.searchPath, { home: folder, without: deps.without })
  const programs = new Map<string, string | undefined>()
  for (const name of ["repomix", "aider"]) {
    programs.set(name, await findProgram(name, environment["PATH"] ?? ""))
  }
  const copy = createCopy(path.join(folder, "tree"))
  const parts = { ...deps, environment, folder, copy }
  const [repomix, aider] = [programs.get("repomix"), programs.get("aider")]
  const python = aider === undefined ? undefined : await interpreterOf(aider)
  const owned = stack.move()
  return {
    contenders: [
      ...(repomix === undefined ? [] : [repomixOrder(repomix, parts)]),
      ...(python === undefined ? [] : [aiderMap(python, parts)]),
    ],
    missing: [
      ...(repomix === undefined ? ["repomix"] : []),
      ...(python === undefined ? ["aider"] : []),
    ],
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

type PeerParts = PeerDeps & {
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  readonly copy: TreeCopy
}

async function findProgram(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter)) {
    const file = path.join(folder, name)
    if (folder !== "" && (await statFile(file)).kind === "found") return file
  }
  return undefined
}

/** The Python that has aider's packages: the interpreter named in its start script. */
async function interpreterOf(script: string): Promise<string | undefined> {
  const outcome = await readTextBounded(script, { maxBytes: 1_000_000 })
  if (outcome.kind !== "read") return undefined
  const [, program] = /^#!\s*(\/\S+)\s*$/m.exec(outcome.text.slice(0, 500)) ?? []
  return program
}

type TreeCopy = {
  readonly root: string
  update(tree: IndexedTree): Promise<void>
}

/** Neighbouring trees share most files, so only the others are written. */
function createCopy(root: string): TreeCopy {
  const blobByPath = new Map<string, string>()
  return {
    root,
    async update(tree) {
      const files = new Map(tree.files.map((it) => [it.path, it.blobId]))
      for (const gone of [...blobByPath.keys()].filter(
        (it) => files.get(it) !== blobByPath.get(it),
      )) {
        await removeFile(path.join(root, gone))
        blobByPath.delete(gone)
      }
      const missing = [...files.keys()].filter((it) => !blobByPath.has(it))
      for (const [file, text] of await tree.texts(missing)) {
        if (text === undefined) continue
        const place = path.join(root, file)
        await ensureDirectory(path.dirname(place))
        await writeFileAtomic(place, text)
        blobByPath.set(file, files.get(file) ?? "")
      }
    },
  }
}

/** It knows no task: the files in the order of its output. */
function repomixOrder(program: string, parts: PeerParts): Contender {
  return {
    name: "repomix",
    async run({ tree }) {
      await parts.copy.update(tree)
      const config = path.join(parts.folder, "no-settings.json")
      const out = path.join(parts.folder, "repomix.xml")
      await writeFileAtomic(config, "{}\n")
      const options = ["--config", config, "--output", out, "--quiet", "--no-security-check"]
      await runPeer(program, { args: [parts.copy.root, ...options] }, parts)
      const outcome = await readTextBounded(out, { maxBytes: MOST_OUTPUT_BYTES })
      const text = outcome.kind === "read" ? outcome.text : ""
      const { positionByPath } = tree.corpus()
      const listed = [...text.matchAll(/^<file path="([^"\n]+)">$/gm)]
      const order = listed.flatMap(([, file = ""]) => positionByPath.get(file) ?? [])
      return wholeFiles(tree, { order: [...new Set(order)], countTokens: parts.countTokens })
    },
  }
}

const RankedTags = z.array(z.tuple([z.string(), z.int()]))

/** Its map has the lines of definitions, best first, as far as they fit. */
function aiderMap(python: string, parts: PeerParts): Contender {
  return {
    name: "aider map",
    async run({ tree, task }) {
      await parts.copy.update(tree)
      const { positionByPath } = tree.corpus()
      const request = { root: parts.copy.root, files: [...positionByPath.keys()], task: task.text }
      const call = { args: ["-c", AIDER_SCRIPT], input: JSON.stringify(request) }
      const stdout = await runPeer(python, call, parts)
      const tags = RankedTags.parse(parseJson(stdout))
      const tagsOfTree = tags.filter(([file]) => positionByPath.has(file))
      return tagOutcome(tree, tagsOfTree, parts.countTokens)
    },
  }
}

function tagOutcome(
  tree: SetTask["tree"],
  tags: readonly (readonly [string, number])[],
  countTokens: (text: string) => number,
): Outcome {
  const ranked = [...new Set(tags.map(([file]) => file))]
  return {
    ranked,
    async pack(budgetTokens) {
      const texts = await tree.texts(ranked.slice(0, MOST_TAGGED_FILES))
      const lines = new Map<string, LineRange[]>()
      let tokens = 0
      for (const [file, line] of tags) {
        const text = line < 1 ? "" : (texts.get(file)?.split("\n", line)[line - 1] ?? "")
        const own = lines.get(file)
        const needed = countTokens(text) + (own ? 0 : headingTokens(file, countTokens))
        if (tokens + needed > budgetTokens) break
        tokens += needed
        const range = line < 1 ? [] : [{ fromLine: line, toLine: line }]
        lines.set(file, [...(own ?? []), ...range])
      }
      return { lines, tokens }
    },
  }
}

const MOST_TAGGED_FILES = 500

/** With the mentions of files and names that aider itself reads from a message. */
const AIDER_SCRIPT = `
import json, os, re, sys
from aider.repomap import RepoMap
asked = json.load(sys.stdin)
class Quiet:
    def __getattr__(self, name): return lambda *a, **k: None
    def read_text(self, name, silent=False):
        try:
            with open(name, encoding="utf-8", errors="replace") as f: return f.read()
        except OSError: return None
class Count:
    def token_count(self, text): return len(text) / 4
out, sys.stdout = sys.stdout, sys.stderr
rm = RepoMap(map_tokens=16000, root=asked["root"], main_model=Count(), io=Quiet())
files = [os.path.join(asked["root"], f) for f in asked["files"]]
words = {w.strip("\\"'\`*_,.!;:?") for w in asked["task"].split()}
idents = {w for w in re.split(r"\\W+", asked["task"]) if w}
low = {w.lower() for w in idents if len(w) >= 5}
named = {f for f in asked["files"] if f in words or os.path.basename(f) in words
         or os.path.splitext(os.path.basename(f))[0].lower() in low}
tags = rm.get_ranked_tags([], files, named, idents)
json.dump([[t[0], t[2] + 1 if len(t) > 2 else 0] for t in tags], out)
`

async function runPeer(
  program: string,
  { args, input }: { readonly args: readonly string[]; readonly input?: string },
  { folder, environment, signal }: PeerParts,
): Promise<string> {
  const outcome = await run(program, args, {
    cwd: folder,
    env: environment,
    signal,
    timeoutMs: LONGEST_PEER_MS,
    maxOutputBytes: MOST_OUTPUT_BYTES,
    ...(input !== undefined && { input }),
  })
  if (outcome.kind === "exited" && outcome.code === 0) return outcome.stdout.toString()
  const detail = "stderr" in outcome ? outcome.stderr.toString().slice(-500).trim() : ""
  throw PeerFailed({ program: path.basename(program), reason: detail || outcome.kind })
}
