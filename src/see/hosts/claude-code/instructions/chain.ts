import path from "node:path"
import { isInside } from "#ground/base"
import type { HostItem } from "../../host.ts"
import { MOST_MENTIONS } from "../../limits.ts"
import type { Source } from "../../source.ts"
import { noteManyMentions, type ReadFile, type SurveyReader } from "../../survey-reader.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import type { InstructionKind } from "../sources.ts"
import { findImports, type Import, isTextName, looksLikePath } from "./imports.ts"
import { type TransformedFile, transform } from "./transform.ts"

/** The fifth hop is not followed. */
const DEEPEST_IMPORT_HOPS = 4

export type Instruction = Source & {
  readonly path: string
  readonly kind: InstructionKind
  readonly content: string
  /** Set if the file loads on demand; only rules and their imports can. */
  readonly patterns?: readonly string[]
  readonly importedBy?: { readonly path: string; readonly line: number }
  readonly root: string
  readonly file: ReadFile
  readonly foundAt?: string
  readonly trust?: HostItem["trust"]
}

export type Chains = {
  readonly reader: SurveyReader
  readonly seen: Set<string>
  readonly cwd: string
  readonly home: string
  readonly isExternalAllowed: boolean
  isExcluded(path: string, kind: InstructionKind): boolean
  isDenied(path: string): boolean
}

type StartFile = {
  readonly path: string
  readonly kind: InstructionKind
  readonly place: Source
  readonly foundAt?: string
}

type Link = StartFile & {
  readonly hops: number
  readonly root: string
  readonly mayWait: boolean
  readonly importedBy?: { readonly path: string; readonly line: number }
}

export function loadFile(file: StartFile, chains: Chains): Promise<readonly Instruction[]> {
  return loadLink({ ...file, hops: 0, root: file.path, mayWait: false }, chains)
}

export function loadRule(file: StartFile, chains: Chains): Promise<readonly Instruction[]> {
  return loadLink({ ...file, hops: 0, root: file.path, mayWait: true }, chains)
}

async function loadLink(link: Link, chains: Chains): Promise<readonly Instruction[]> {
  const { reader, seen } = chains
  if (seen.has(link.path) || noteTooDeep(link, chains)) return []
  if (chains.isExcluded(link.path, link.kind)) {
    reader.mark({
      path: link.path,
      source: link.place.source,
      outcome: "excluded",
      detail: "excluded by claudeMdExcludes",
    })
    return []
  }
  const real = (await reader.realPath(link.path)) ?? link.path
  const isOut = link.hops > 0 && !mayImport(real, link.kind, chains)
  if (isOut) noteExternal(link, chains)
  if (isOut || (real !== link.path && seen.has(real))) return []
  seen.add(link.path).add(real)

  const isOfProject = link.kind === "project" || link.kind === "local"
  if (isOfProject && [link.path, real].some((it) => chains.isDenied(it))) {
    reader.mark({
      path: link.path,
      source: link.place.source,
      outcome: "excluded",
      detail: "excluded by a Read deny rule",
    })
    return []
  }
  const file = await readText(link, reader)
  if (file === undefined) return []
  const raw = file.bytes.toString()
  const { content, patterns, tokens } = await transformNoted(raw, link.path, reader)
  if (content.trim() === "") {
    reader.mark({ path: link.path, source: link.place.source, outcome: "empty" })
    return []
  }
  const instruction: Instruction = {
    ...link.place,
    path: link.path,
    kind: link.kind,
    content,
    root: link.root,
    file,
    ...(link.foundAt === undefined ? {} : { foundAt: link.foundAt }),
    ...(patterns === undefined || !link.mayWait ? {} : { patterns }),
    ...(link.importedBy === undefined ? {} : { importedBy: link.importedBy }),
  }
  const imports = findImports(tokens, { realPath: real, raw }, chains.home)
  return [instruction, ...(await loadImports(link, imports, chains))]
}

async function loadImports(
  link: Link,
  imports: readonly Import[],
  chains: Chains,
): Promise<readonly Instruction[]> {
  const loaded: Instruction[] = []
  if (imports.length === MOST_MENTIONS) noteManyMentions(chains.reader, link.path)
  for (const imported of imports) {
    const importedBy = { path: link.path, line: imported.line }
    const place = { ...link.place, source: "import", reason: importReason(link.path) }
    const next: Link = { ...link, path: imported.path, place, hops: link.hops + 1, importedBy }
    if (!mayImport(imported.path, link.kind, chains)) {
      noteExternal(next, chains)
      continue
    }
    loaded.push(...(await loadLink(next, chains)))
    await noteUnresolved(imported, next, chains)
  }
  return loaded
}

/** A text that is too long to parse is still sent whole. */
export async function transformNoted(
  raw: string,
  file: string,
  reader: SurveyReader,
): Promise<TransformedFile> {
  const transformed = await transform(raw, (units) => reader.mayLex(units))
  if (transformed.isTooLong) noteTooLong(reader, file)
  return transformed
}

function noteTooLong(reader: SurveyReader, file: string): void {
  const text = "This file is very long; its imports and comments were not parsed."
  reader.note({ code: "too-many", text, path: file })
}

function importReason(importer: string): string {
  return `Imported by ${path.basename(importer)}`
}

/** The user's files may import anything; a project's only files in the working directory. */
function mayImport(file: string, kind: InstructionKind, chains: Chains): boolean {
  return kind === "user" || chains.isExternalAllowed || isInside(chains.cwd, file)
}

function noteTooDeep(link: Link, { reader }: Chains): boolean {
  if (link.hops <= DEEPEST_IMPORT_HOPS) return false
  reader.mark({
    path: link.path,
    source: link.place.source,
    outcome: "excluded",
    detail: "import chain is too long",
  })
  const text = `This import is more than ${DEEPEST_IMPORT_HOPS} hops deep; the host does not load it.`
  reader.note({ code: "import-too-deep", text, ...whereOf(link) })
  return true
}

function noteExternal(link: Link, { reader, seen }: Chains): void {
  if (seen.has(link.path)) return
  reader.mark({
    path: link.path,
    source: link.place.source,
    outcome: "excluded",
    detail: "outside the working directory",
  })
  const text = `${link.path} is outside the working directory; the host imports it only after approval.`
  reader.note({ code: "import-external", text, ...whereOf(link) })
}

async function noteUnresolved(imported: Import, link: Link, { reader }: Chains): Promise<void> {
  if (!looksLikePath(imported.written)) return
  const file = await reader.peek(imported.path, LARGEST_INSTRUCTION_BYTES)
  if (file.kind !== "missing") return
  const text = `@${imported.written} does not exist; the host ignores it silently.`
  reader.note({ code: "import-unresolved", text, ...whereOf(link) })
}

function whereOf(link: Link): { readonly path: string; readonly line?: number } {
  return link.importedBy ?? { path: link.path }
}

async function readText(link: Link, reader: SurveyReader): Promise<ReadFile | undefined> {
  const { source } = link.place
  if (!isTextName(link.path)) {
    reader.mark({
      path: link.path,
      source,
      outcome: "excluded",
      detail: "file type is not imported by the host",
    })
    return undefined
  }
  return reader.read(link.path, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
}
