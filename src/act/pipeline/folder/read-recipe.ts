import { createHash, type Hash } from "node:crypto"
import path from "node:path"
import { listDirectory, readTextBounded, visibleLine } from "#ground/base"
import type { ConfigProblem, RecipeFolder } from "#ground/contract"
import { CONFIG_FILE, readConfigFile } from "./config-file.ts"
import { inOrder } from "./json-text.ts"
import { headerFileOf, readRecipeFile } from "./recipe-file.ts"

/** agents/<slug>/corpus/part/chapter/section is deep enough. */
const DEEPEST_FOLDER_LEVELS = 5

/** Every listing reads each recipe completely, because trust covers the digest of all bytes. */
const LARGEST_FOLDER_BYTES = 20 * 1024 ** 2

const LARGEST_FOLDER_FILE_BYTES = 1024 ** 2

/** A recipe has a few prompts and a config; its corpus has dozens of documents, not hundreds. */
const MOST_FOLDER_FILES = 200

export const PROMPTS = "prompts/"

export type ReadRecipe = {
  readonly recipe: RecipeFolder
  readonly texts: ReadonlyMap<string, string>
  readonly prompts: ReadonlyMap<string, string>
}

export async function readRecipe(location: {
  readonly slug: string
  readonly origin: RecipeFolder["origin"]
  readonly folder: string
  readonly shadows: readonly string[]
}): Promise<ReadRecipe> {
  const { slug, origin, folder } = location
  const { texts, digest, problems: broken } = await readFolder(folder)
  const prompts = new Map(
    [...texts]
      .filter(([name]) => name.startsWith(PROMPTS))
      .map(([name, text]) => [name.slice(PROMPTS.length), text]),
  )
  const headerFile = headerFileOf(texts)
  const { problems: ofHead, ...head } = readRecipeFile(texts.get(headerFile))
  const inHead = ofHead.map((it) => ({ ...it, file: headerFile }))
  const { config, problems: inConfig } = readConfigFile(
    texts.get(CONFIG_FILE),
    prompts,
    head.sources,
  )
  const problems = inOrder([...broken, ...inHead, ...inConfig])
  const recipe = {
    slug,
    origin,
    folder,
    digest,
    problems,
    name: head.name ?? slug,
    description: head.description ?? "",
    // The user's own folder and the shipped ones are trusted; a repository's is not.
    isTrusted: origin !== "project",
    sources: head.sources ?? [],
    tools: head.tools ?? [],
    config: problems.length === 0 ? config : null,
    shadows: [...location.shadows],
  }
  return { recipe, texts, prompts }
}

type ReadFolder = {
  readonly texts: ReadonlyMap<string, string>
  /** Covers every name and byte; the same read provides the content that runs. */
  readonly digest: string
  readonly problems: readonly ConfigProblem[]
}

async function readFolder(folder: string): Promise<ReadFolder> {
  const reading: FolderRead = {
    folder,
    texts: new Map(),
    problems: [],
    hash: createHash("sha256"),
    files: 0,
    bytes: 0,
  }
  await readLevel(reading, "", DEEPEST_FOLDER_LEVELS)
  // An incomplete folder never has the digest of a complete one.
  if (reading.problems.length > 0) enter(reading.hash, "problems", String(reading.problems.length))
  const { texts, problems } = reading
  return { texts, problems, digest: reading.hash.digest("hex") }
}

type FolderRead = {
  readonly folder: string
  readonly texts: Map<string, string>
  readonly problems: ConfigProblem[]
  readonly hash: Hash
  files: number
  bytes: number
}

async function readLevel(reading: FolderRead, within: string, levels: number): Promise<void> {
  const listing = await listDirectory(path.join(reading.folder, within), {
    maxEntries: MOST_FOLDER_FILES,
  })
  if (listing.kind !== "listed") return refuse(reading, within || ".", LISTING[listing.kind])
  if (listing.unnameable > 0) refuse(reading, within || ".", "contains a name that is not UTF-8")
  for (const entry of listing.entries) {
    const name = within === "" ? entry.name : `${within}/${entry.name}`
    if (entry.what === "regular file") await readFile(reading, name)
    else if (entry.what !== "directory") refuse(reading, name, `is a ${entry.what}; not followed`)
    else if (levels === 0) refuse(reading, name, "is nested too deeply")
    else await readLevel(reading, name, levels - 1)
  }
}

const LISTING = {
  missing: "does not exist",
  "not-directory": "is not a folder",
  "too-many": `has more than ${MOST_FOLDER_FILES} entries`,
  unreadable: "cannot be read",
} as const

async function readFile(reading: FolderRead, name: string): Promise<void> {
  reading.files++
  if (reading.files === MOST_FOLDER_FILES + 1)
    refuse(reading, ".", `has more than ${MOST_FOLDER_FILES} files`)
  if (reading.files > MOST_FOLDER_FILES || reading.bytes > LARGEST_FOLDER_BYTES) return
  const read = await readTextBounded(path.join(reading.folder, name), {
    maxBytes: LARGEST_FOLDER_FILE_BYTES,
    root: reading.folder,
  })
  if (read.kind !== "read") return refuse(reading, name, FILE[read.kind])
  reading.bytes += read.bytes.length
  if (reading.bytes > LARGEST_FOLDER_BYTES)
    return refuse(reading, ".", `has more than ${LARGEST_FOLDER_BYTES} bytes`)
  enter(reading.hash, name, read.bytes)
  reading.texts.set(name, read.text)
}

const FILE = {
  missing: "was deleted while it was read",
  "not-text": "is not UTF-8",
  "not-regular": "is not a regular file",
  "too-large": `is larger than ${LARGEST_FOLDER_FILE_BYTES} bytes`,
  "outside-root": "is outside the folder",
  unreadable: "cannot be read",
} as const

function refuse(reading: FolderRead, name: string, problem: string): void {
  enter(reading.hash, name, problem)
  const file = visibleLine(name)
  reading.problems.push({ file, line: 1, stage: null, field: "", problem: `${file} ${problem}` })
}

/** Length-prefixed, so that two different folders cannot produce the same bytes. */
function enter(hash: Hash, name: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content
  hash.update(`${Buffer.byteLength(name)}:${name}:${bytes.length}:`)
  hash.update(bytes)
}
