import path from "node:path"
import { listDirectory, parseJson, readTextBounded, realPath, visibleLine } from "#ground/base"
import { type Source, SourceConfig, SourceSlug } from "#ground/contract"
import { digestOf } from "../wire/connection.ts"
import {
  isLoopback,
  type Program,
  type RemoteConfig,
  resolveProgram,
  showAddress,
  showProgram,
} from "./command.ts"
import { hashFiles } from "./hashed-files.ts"

const LARGEST_CONFIG_BYTES = 64_000

const MOST_SOURCES = 100

type Origin = Source["origin"]

export type SourceDescription = {
  readonly slug: string
  readonly origin: Origin
  readonly folder: string
  readonly command: string
  readonly digest: string
} & (
  | { readonly problem: null; readonly config: SourceConfig; readonly program: Program | undefined }
  | { readonly problem: string; readonly config: SourceConfig | undefined }
)

export type Usable = Extract<SourceDescription, { problem: null }>

export type DescribeDeps = {
  readonly places: Readonly<Record<Origin, string>>
  readonly runtime: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** For the same name the first origin wins: a project cannot replace a user's source. */
const BY_TRUST: readonly Origin[] = ["shipped", "user", "project"]

export async function describeSources(deps: DescribeDeps): Promise<readonly SourceDescription[]> {
  const all: SourceDescription[] = []
  for (const origin of BY_TRUST) {
    for (const slug of await slugsIn(deps.places[origin])) {
      const described = await describeSource({ slug, origin }, deps)
      const holder = all.find((it) => it.slug === slug)
      all.push(holder === undefined ? described : shadowed(described, holder.origin))
    }
  }
  return all
}

export async function describeNamed(
  slug: string,
  deps: DescribeDeps,
): Promise<SourceDescription | undefined> {
  if (!SourceSlug.safeParse(slug).success) return undefined
  for (const origin of BY_TRUST) {
    const listed = await listDirectory(path.join(deps.places[origin], slug))
    if (listed.kind === "listed") return describeSource({ slug, origin }, deps)
  }
  return undefined
}

async function slugsIn(place: string): Promise<readonly string[]> {
  const listed = await listDirectory(place, { maxEntries: MOST_SOURCES })
  if (listed.kind !== "listed") return []
  return listed.entries
    .filter((it) => it.what === "directory" && SourceSlug.safeParse(it.name).success)
    .map((it) => it.name)
}

type NamedSource = { readonly slug: string; readonly origin: Origin }

async function describeSource(
  { slug, origin }: NamedSource,
  deps: DescribeDeps,
): Promise<SourceDescription> {
  const folder = path.join(deps.places[origin], slug)
  const named = { slug, origin, folder }
  const read = await readConfig(path.join(folder, "config.json"))
  if (read.kind === "wrong") {
    const digest = digestOf([slug, read.problem])
    return { ...named, command: "", digest, problem: read.problem, config: undefined }
  }
  const { config } = read
  const { transport } = config
  // The working directory of the program, with links resolved.
  const real = await realPath(folder).catch(() => folder)
  // A shipped source is the same everywhere; any other approval is for this folder.
  const lies = origin === "shipped" ? "" : real
  if (transport.type !== "stdio") {
    const [command, digest] = [showAddress(transport), digestOf({ config, lies })]
    const problem = wrongWithAddress(transport.url) ?? wrongWithLogin(transport)
    if (problem !== undefined) return { ...named, command, digest, problem, config }
    return { ...named, command, digest, problem: null, config, program: undefined }
  }
  const program = await resolveProgram(transport, { ...deps, folder })
  const command = showProgram(program, transport)
  const covered = await hashFiles(real, transport)
  if (covered.kind === "not-covered") {
    return { ...named, command, digest: digestOf([config]), problem: covered.problem, config }
  }
  const { file, args } = program
  const digest = digestOf({ config, lies, file, args, files: covered.files })
  return { ...named, command, digest, problem: null, config, program }
}

type ConfigRead =
  | { readonly kind: "read"; readonly config: SourceConfig }
  | { readonly kind: "wrong"; readonly problem: string }

async function readConfig(file: string): Promise<ConfigRead> {
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_CONFIG_BYTES })
  if (outcome.kind !== "read") {
    return { kind: "wrong", problem: `Its config.json is ${outcome.kind.replaceAll("-", " ")}.` }
  }
  const value = parseJson(outcome.text)
  if (value === undefined) return { kind: "wrong", problem: "Its config.json is not valid JSON." }
  const parsed = SourceConfig.safeParse(value)
  if (parsed.success) return { kind: "read", config: parsed.data }
  const [issue] = parsed.error.issues
  const at = issue === undefined || issue.path.length === 0 ? "the top level" : issue.path.join(".")
  return { kind: "wrong", problem: visibleLine(`Invalid config.json at ${at}: ${issue?.message}.`) }
}

/** Plain http to this machine only: queries and keys must not be readable by others. */
function wrongWithAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return "Its address is not a URL."
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== "" || password !== "") return "Its address contains a user name or a password."
  if (protocol === "http:" && !isLoopback(hostname)) return "Its address must start with https."
  return undefined
}

function wrongWithLogin({ credential, oauth }: RemoteConfig): string | undefined {
  if (oauth === undefined) return undefined
  if (credential !== undefined) return "It has both a credential and a sign-in."
  const problem = oauth.issuer === undefined ? undefined : wrongWithAddress(oauth.issuer)
  return problem?.replace("Its address", "The address of its authorization server")
}

function shadowed(described: SourceDescription, by: Origin): SourceDescription {
  const { slug, origin, folder, command, digest, config } = described
  const whose = by === "shipped" ? "A shipped source" : "Another source of yours"
  const problem = `${whose} already has this name. Rename its folder.`
  return { slug, origin, folder, command, digest, config, problem }
}
