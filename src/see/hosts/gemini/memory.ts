import path from "node:path"
import { compareText } from "#ground/base"
import { belongsTo, noteLinkOutside, type TrustFolders } from "../files/file-trust.ts"
import { findUp, foldersDown } from "../files/folder-walk.ts"
import { copiedImport } from "../files/import-text.ts"
import { fieldsOf, readJsonFile, textsOf } from "../files/json-settings.ts"
import type { HostItem, Scope } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import { type Source, walkSource } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { checkForMarker, expandImports } from "./imports.ts"
import { frameOf, type GeminiSettings, MARKERS, SOURCES, settingOf } from "./settings.ts"

type Candidate = { readonly at: string; readonly source: Source; readonly scope: Scope }

export async function memoryItems(
  reader: SurveyReader,
  settings: GeminiSettings,
): Promise<readonly HostItem[]> {
  const markers = textsOf(settingOf(settings, ...MARKERS)) ?? [".git"]
  const names = contextNames(settingOf(settings, "context", "fileName"))
  const config = path.join(settings.home, ".gemini")
  const root = await findUp(settings.cwd, (folder) => checkForMarker(reader, folder, markers))
  const folders = foldersDown(root ?? settings.cwd, settings.cwd)
  const user = names.map((name) => ({
    at: path.join(config, name),
    source: SOURCES.userMemory,
    scope: "user" as const,
  }))
  const project = settings.isTrusted ? projectCandidates(folders, names, config) : []
  const memory = await privateMemory(reader, settings, names)
  const { grounds } = settings
  const read = await readOnce(reader, [...user, ...project, ...memory])
  // The request has the private memory before the project, though it is read after it.
  const inOrder = read.toSorted((a, b) => rank(a.source) - rank(b.source))
  const items: HostItem[] = []
  for (const it of inOrder) items.push(...(await itemsOf(reader, it, { grounds, markers })))
  return items
}

/** Names from the settings come first; GEMINI.md is always included. */
function contextNames(value: unknown): readonly string[] {
  const names = typeof value === "string" ? [value] : (textsOf(value) ?? [])
  const trimmed = names.map((it) => it.trim()).filter((it) => it !== "")
  return [...new Set([...trimmed.map((it) => path.normalize(it)), "GEMINI.md"])]
}

/** Sorted by path, which is not always from the top down. */
function projectCandidates(
  folders: readonly string[],
  names: readonly string[],
  config: string,
): readonly Candidate[] {
  const candidates = folders.flatMap((folder, index) =>
    folder === config
      ? []
      : names.map((name) => ({
          at: path.join(folder, name),
          source: walkSource(index, folders.length),
          scope: "project" as const,
        })),
  )
  return candidates.toSorted((a, b) => compareText(a.at, b.at))
}

/** Gemini stores a short name for each project; its memory folder has that name. */
async function privateMemory(
  reader: SurveyReader,
  { home, cwd }: GeminiSettings,
  names: readonly string[],
): Promise<readonly Candidate[]> {
  const config = path.join(home, ".gemini")
  const registry = await readJsonFile(reader, path.join(config, "projects.json"), "host-state")
  const short = fieldsOf(registry.values["projects"])[cwd]
  const isName = typeof short === "string" && /^[\w.-]+$/.test(short) && !short.startsWith(".")
  if (!isName) return []
  const folder = path.join(config, "tmp", short, "memory")
  const index = path.join(folder, "MEMORY.md")
  const hasIndex = (await reader.realPath(index)) !== undefined
  const files = hasIndex ? [index] : names.map((name) => path.join(folder, name))
  return files.map((at) => ({ at, source: SOURCES.autoMemory, scope: "memory" }))
}

type MemoryFile = Candidate & { readonly file: ReadFile }

async function readOnce(
  reader: SurveyReader,
  candidates: readonly Candidate[],
): Promise<readonly MemoryFile[]> {
  const firstAt = new Map<string, string>()
  const read: MemoryFile[] = []
  for (const candidate of candidates) {
    const { at, source } = candidate
    const limits = { source: source.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
    const file = await reader.read(at, limits)
    if (file === undefined) continue
    const first = firstAt.get(file.realPath)
    if (first === undefined) read.push({ ...candidate, file })
    else
      reader.mark({
        path: at,
        source: source.source,
        outcome: "excluded",
        detail: `same file as ${first}`,
      })
    firstAt.set(file.realPath, first ?? at)
  }
  return read
}

function rank(source: Source): number {
  if (source.source === SOURCES.userMemory.source) return 0
  return source.source === SOURCES.autoMemory.source ? 1 : 2
}

async function itemsOf(
  reader: SurveyReader,
  { at, source, scope, file }: MemoryFile,
  it: { readonly grounds: TrustFolders; readonly markers: readonly string[] },
): Promise<readonly HostItem[]> {
  const { text, imports } = await expandImports(
    reader,
    { path: at, text: file.bytes.toString() },
    it.markers,
  )
  const sent = text.trim()
  if (sent === "") {
    reader.mark({ path: at, source: source.source, outcome: "empty" })
    return []
  }
  // Without `foundAt`: a project's settings may name any file.
  const trust = belongsTo({ realPath: file.realPath, scope }, it.grounds)
  if (trust === "external") noteLinkOutside(reader, at, file.realPath)
  const frame = frameOf(at)
  const kind = scope === "memory" ? "memory" : "instructions"
  const base = { scope, kind, later: "" } as const
  const main: HostItem = {
    ...base,
    path: at,
    ...source,
    load: "always",
    trust,
    file,
    sent,
    frame: frame.before + frame.behind,
  }
  return [main, ...imports.map((one) => copiedImport(one, main, it.grounds))]
}
