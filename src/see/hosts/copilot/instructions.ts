import path from "node:path"
import { belongsTo, noteLinkOutside, type TrustFolders } from "../files/file-trust.ts"
import { copiedImport } from "../files/import-text.ts"
import { strictText, withoutByteOrderMark } from "../files/unicode.ts"
import type { HostItem } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import type { Source } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { BLOCK_FRAME, betweenSource, type Folders, SOURCES } from "./folders.ts"
import { type ExpandedText, expandImports } from "./imports.ts"

type Candidate = {
  readonly at: string
  readonly source: Source
  readonly scope: "user" | "project"
  readonly importRoot: string | undefined
}

export async function instructionItems(
  reader: SurveyReader,
  folders: Folders,
): Promise<readonly HostItem[]> {
  const { grounds } = folders
  const firstWith = new Map<string, string>()
  const items: HostItem[] = []
  for (const candidate of candidates(folders)) {
    const limits = { source: candidate.source.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
    const file = await reader.read(candidate.at, limits)
    const text = file === undefined ? undefined : textOf(reader, candidate, file)
    if (file === undefined || text === undefined) continue
    const expanded = await expand(reader, candidate, { file, text })
    const twin = firstWith.get(expanded.text)
    if (twin !== undefined) {
      reader.mark({
        path: candidate.at,
        source: limits.source,
        outcome: "excluded",
        detail: `same text as ${twin}`,
      })
      reader.note({
        code: "duplicate",
        text: `This file has the same text as ${twin}.`,
        path: candidate.at,
      })
      continue
    }
    firstWith.set(expanded.text, candidate.at)
    items.push(...itemsOf(reader, candidate, { file, expanded, grounds }))
  }
  return items
}

function candidates({ config, root, cwd, walk }: Folders): readonly Candidate[] {
  const ends = root === cwd ? [root] : [root, cwd]
  const sourceOf = (folder: string) =>
    folder === root ? SOURCES.projectRoot : SOURCES.workingDirectory
  const inProject = (folder: string, name: string, source: Source): Candidate => ({
    at: path.join(folder, name),
    source,
    scope: "project",
    importRoot: name === "GEMINI.md" ? undefined : root,
  })
  const between = walk.slice(1, -1).toReversed()
  return [
    {
      at: path.join(config, "copilot-instructions.md"),
      source: SOURCES.userMemory,
      scope: "user",
      importRoot: config,
    },
    ...ends.map((folder) => inProject(folder, COPILOT_FILE, sourceOf(folder))),
    ...ends.flatMap((folder) =>
      AGENT_FILES.map((name) => inProject(folder, name, sourceOf(folder))),
    ),
    ...between.flatMap((folder, index) =>
      BETWEEN_FILES.map((name) => inProject(folder, name, betweenSource(index + 1))),
    ),
  ]
}

const COPILOT_FILE = ".github/copilot-instructions.md"
const AGENT_FILES = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
const BETWEEN_FILES = [COPILOT_FILE, "AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"]

/** The user's file must be UTF-8; in a project's file invalid bytes are replaced. */
function textOf(
  reader: SurveyReader,
  { at, source, scope }: Candidate,
  file: ReadFile,
): string | undefined {
  const text = scope === "user" ? strictText(file.bytes) : file.bytes.toString()
  if (text === undefined)
    reader.mark({ path: at, source: source.source, outcome: "excluded", detail: "not UTF-8" })
  return text === undefined ? undefined : withoutByteOrderMark(text)
}

function expand(
  reader: SurveyReader,
  { at, importRoot }: Candidate,
  it: { readonly file: ReadFile; readonly text: string },
): Promise<ExpandedText> {
  if (importRoot === undefined) return Promise.resolve({ text: it.text, imports: [] })
  const start = { path: at, realPath: it.file.realPath, text: it.text }
  return expandImports(reader, start, importRoot)
}

/** One text with all imports, and a line for each import, which adds nothing. */
function itemsOf(
  reader: SurveyReader,
  { at, source, scope }: Candidate,
  it: { readonly file: ReadFile; readonly expanded: ExpandedText; readonly grounds: TrustFolders },
): readonly HostItem[] {
  const trust = belongsTo({ realPath: it.file.realPath, scope, foundAt: at }, it.grounds)
  if (trust === "external") noteLinkOutside(reader, at, it.file.realPath)
  const base = { scope, kind: "instructions", later: "" } as const
  const main: HostItem = {
    ...base,
    ...source,
    path: at,
    load: "always",
    trust,
    file: it.file,
    sent: it.expanded.text,
    frame: BLOCK_FRAME,
  }
  const imports = it.expanded.imports.map((one) => copiedImport(one, main, it.grounds))
  return [main, ...imports]
}
