import path from "node:path"
import { z } from "zod"
import {
  compareText,
  ensureDirectory,
  invariant,
  type Log,
  listDirectory,
  parseJson,
  readTextBounded,
  statFile,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import { type RecipeFolder, RecipeSlug, type RecipeValidate } from "#ground/contract"
import { RecipeChanged, RecipeExists, RecipeTemplateUnknown, RecipeUnknown } from "../errors.ts"
import { CONFIG_FILE } from "./config-file.ts"
import { PROMPTS, type ReadRecipe, readRecipe } from "./read-recipe.ts"
import { headerFileOf, RECIPE_FILE, renamed } from "./recipe-file.ts"

const TRUST_FILE_LIMIT_BYTES = 1024 ** 2

/** For all repositories of a user; about 200 bytes each. */
const MOST_APPROVALS = 2_000

const MAX_RECIPES = 200

export type FoldersDeps = {
  /** Folders that contain recipes; `project` wins over `user`, which wins over `shipped`. */
  readonly shipped: string
  /** A later folder wins over an earlier one; new recipes are written to the last of `project`. */
  readonly user: readonly string[]
  readonly project: readonly string[]
  /** `~/.qm/approvals/agents.json` */
  readonly trustFile: string
  readonly log: Log
}

export type RecipeWithPrompts = {
  readonly recipe: RecipeFolder
  readonly prompts: readonly { readonly file: string; readonly text: string }[]
}

export type Folders = ReturnType<typeof createFolders>

/** Folders are read again at each call, so that exactly the trusted bytes run. */
export function createFolders(deps: FoldersDeps) {
  return {
    async list(): Promise<readonly RecipeFolder[]> {
      const recipes = await readAll(deps)
      return recipes.map((it) => it.recipe)
    },

    async find(slug: string): Promise<RecipeWithPrompts> {
      const { recipe, prompts } = await findRead(deps, slug)
      const texts = Array.from(prompts, ([file, text]) => ({ file, text }))
      return { recipe, prompts: texts }
    },

    async validate(slug?: string): Promise<RecipeValidate> {
      const all = slug === undefined ? await readAll(deps) : [await findRead(deps, slug)]
      const recipes = all.map((it) => it.recipe)
      return { recipes, isValid: recipes.every((it) => it.problems.length === 0) }
    },

    /** Copies a shipped recipe into this repository; the user who creates it trusts it. */
    async make(request: {
      readonly slug: string
      readonly template: string
    }): Promise<RecipeFolder> {
      await copyTemplate(deps, request)
      const made = await findRead(deps, request.slug)
      return trusted(deps, made.recipe)
    },

    async trust(request: {
      readonly slug: string
      readonly digest?: string | undefined
    }): Promise<RecipeFolder> {
      const { recipe } = await findRead(deps, request.slug)
      const isAsRead = request.digest === undefined || request.digest === recipe.digest
      if (!isAsRead) throw RecipeChanged({ slug: request.slug })
      return trusted(deps, recipe)
    },
  }
}

async function trusted(deps: FoldersDeps, recipe: RecipeFolder): Promise<RecipeFolder> {
  if (recipe.isTrusted) return recipe
  const approval = { folder: recipe.folder, sha256: recipe.digest }
  await writeApproval(deps.trustFile, approval, deps.log)
  return { ...recipe, isTrusted: true }
}

async function findRead(deps: FoldersDeps, slug: string): Promise<ReadRecipe> {
  const places = await findPlaces(deps)
  const location = places.find((it) => it.slug === slug)
  if (location === undefined) throw RecipeUnknown({ slug, known: places.map((it) => it.slug) })
  return readPlace(deps, location)
}

async function readAll(deps: FoldersDeps): Promise<readonly ReadRecipe[]> {
  const read: ReadRecipe[] = []
  // Sequential, because each read opens every file of a folder.
  for (const location of await findPlaces(deps)) read.push(await readPlace(deps, location))
  return read
}

async function readPlace(deps: FoldersDeps, location: RecipeLocation): Promise<ReadRecipe> {
  const read = await readRecipe(location)
  if (location.origin !== "project") return read
  const approvals = await readApprovals(deps.trustFile, deps.log)
  const { folder, digest } = read.recipe
  const isTrusted = approvals.some((it) => it.folder === folder && it.sha256 === digest)
  return { ...read, recipe: { ...read.recipe, isTrusted } }
}

type RecipeLocation = {
  readonly slug: string
  readonly origin: RecipeFolder["origin"]
  readonly folder: string
  readonly shadows: readonly string[]
}

async function findPlaces(deps: FoldersDeps): Promise<readonly RecipeLocation[]> {
  const bySlug = new Map<string, RecipeLocation>()
  for (const { origin, directory } of directoriesOf(deps)) {
    for (const slug of await slugsIn(directory, deps.log)) {
      const behind = bySlug.get(slug)
      const shadows = behind === undefined ? [] : [behind.folder, ...behind.shadows]
      bySlug.set(slug, { slug, origin, folder: path.join(directory, slug), shadows })
    }
  }
  return [...bySlug.values()].toSorted((a, b) => compareText(a.slug, b.slug))
}

function directoriesOf({ shipped, user, project }: FoldersDeps) {
  return [
    { origin: "shipped", directory: shipped },
    ...user.map((directory) => ({ origin: "user", directory }) as const),
    ...project.map((directory) => ({ origin: "project", directory }) as const),
  ] as const
}

/** Links are listed here and rejected when read, so that the user sees a problem. */
async function slugsIn(directory: string, log: Log): Promise<readonly string[]> {
  const listing = await listDirectory(directory, { maxEntries: MAX_RECIPES })
  if (listing.kind === "missing") return []
  if (listing.kind !== "listed") {
    log.warn("a folder of recipes cannot be read", { directory, reason: listing.kind })
    return []
  }
  const folders = listing.entries.filter(
    (it) => (it.what === "directory" || it.what === "symbolic link") && !it.name.startsWith("."),
  )
  const named = folders.filter((it) => RecipeSlug.safeParse(it.name).success)
  for (const other of folders.filter((it) => !named.includes(it)))
    log.warn("a folder is not a recipe: its name is not a slug", { directory, name: other.name })
  return named.map((it) => it.name)
}

async function copyTemplate(
  deps: FoldersDeps,
  request: { readonly slug: string; readonly template: string },
): Promise<void> {
  const templates = await slugsIn(deps.shipped, deps.log)
  const { template, slug } = request
  if (!templates.includes(template)) throw RecipeTemplateUnknown({ template, known: templates })
  const { project } = deps
  const parent = project.at(-1)
  invariant(parent !== undefined, "a repository has a folder for recipes")
  const target = path.join(parent, slug)
  const { texts } = await readRecipe(shippedPlace(deps, template))
  await ensureDirectory(parent, { mode: 0o755 })
  await whileLocked(target, () => writeNew(deps, { slug, target, texts }))
}

type NewRecipe = {
  readonly slug: string
  readonly target: string
  readonly texts: ReadonlyMap<string, string>
}

async function writeNew({ project }: FoldersDeps, recipe: NewRecipe): Promise<void> {
  const { slug, target, texts } = recipe
  for (const directory of project) {
    const isFree = (await statFile(path.join(directory, slug))).kind === "missing"
    if (!isFree) throw RecipeExists({ slug })
  }
  const copied = [...texts].filter(([name]) => name === CONFIG_FILE || name.startsWith(PROMPTS))
  const head = renamed(texts.get(headerFileOf(texts)) ?? "", nameFrom(slug))
  for (const [name, text] of [...copied, [RECIPE_FILE, head] as const]) {
    const file = path.join(target, name)
    await ensureDirectory(path.dirname(file), { mode: 0o755 })
    await writeFileAtomic(file, text, { mode: 0o644 })
  }
}

function shippedPlace(deps: FoldersDeps, slug: string): RecipeLocation {
  return { slug, origin: "shipped", folder: path.join(deps.shipped, slug), shadows: [] }
}

function nameFrom(slug: string): string {
  const words = slug.replaceAll("-", " ").trim()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const Approval = z.strictObject({
  folder: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type Approval = z.infer<typeof Approval>

const TrustFile = z.strictObject({
  version: z.literal(1),
  agents: z.array(Approval).max(MOST_APPROVALS),
})

async function readApprovals(file: string, log: Log): Promise<readonly Approval[]> {
  const read = await readTextBounded(file, { maxBytes: TRUST_FILE_LIMIT_BYTES })
  if (read.kind === "missing") return []
  const parsed = TrustFile.safeParse(read.kind === "read" ? parseJson(read.text) : undefined)
  if (parsed.success) return parsed.data.agents
  log.warn("the approvals file cannot be read and approves nothing", { file })
  return []
}

/** One approval per folder, newest first. */
async function writeApproval(file: string, approval: Approval, log: Log): Promise<void> {
  await ensureDirectory(path.dirname(file))
  await whileLocked(file, async () => {
    const others = (await readApprovals(file, log)).filter((it) => it.folder !== approval.folder)
    const agents = [approval, ...others].slice(0, MOST_APPROVALS)
    await writeFileAtomic(file, `${JSON.stringify({ version: 1, agents }, null, 2)}\n`)
  })
}
