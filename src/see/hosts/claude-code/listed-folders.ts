import path from "node:path"
import { belongsTo } from "../files/file-trust.ts"
import { splitFrontmatter, textField } from "../files/frontmatter.ts"
import type { HostItem, Scope } from "../host.ts"
import { DEEPEST_FOLDER_LEVELS } from "../limits.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import type { ClaudeContext } from "./instructions/instructions.ts"
import { LARGEST_INSTRUCTION_BYTES } from "./limits.ts"
import { SOURCES } from "./sources.ts"

/**
 * Limit for skills, commands and agents, far above hand-written files; the host refuses more too.
 */
const LARGEST_LISTED_FILE_BYTES = 1024 * 1024

export type ListedFolder = { readonly path: string; readonly scope: Scope }

/**
 * Managed, the user's, then from the working directory up to the repository root. The home folder
 * ends the search and is not searched.
 */
export async function listedFolders(
  name: string,
  context: ClaudeContext,
  reader: SurveyReader,
): Promise<readonly ListedFolder[]> {
  const { folders } = context
  const up = await projectFolders(name, context, reader)
  return [
    { path: path.join(folders.managed, ".claude", name), scope: "managed" },
    { path: path.join(folders.config, name), scope: "user" },
    ...up.map((it) => ({ path: it, scope: "project" as const })),
  ]
}

async function projectFolders(
  name: string,
  context: ClaudeContext,
  reader: SurveyReader,
): Promise<readonly string[]> {
  const { walk, home, git } = context.folders
  const folderPaths: string[] = []
  for (const folder of walk.toReversed()) {
    if (folder === home) break
    folderPaths.push(path.join(folder, ".claude", name))
    if (folder === git.top) break
  }
  // A worktree without its own folder uses that of its repository.
  const isWorktree = git.top !== undefined && git.main !== undefined && git.top !== git.main
  if (!isWorktree) return folderPaths
  const own = path.join(git.top, ".claude", name)
  const hasOwn = (await reader.realPath(own)) !== undefined
  return hasOwn ? folderPaths : [...folderPaths, path.join(git.main, ".claude", name)]
}

export type ListedFile = {
  readonly path: string
  readonly folder: ListedFolder
  readonly file: ReadFile
}

export async function markdownBelow(
  folder: ListedFolder,
  source: string,
  reader: SurveyReader,
): Promise<readonly ListedFile[]> {
  const listedFiles: ListedFile[] = []
  const visited = new Set<string>()
  async function enter(at: string, depth: number): Promise<void> {
    const entries = await reader.list(at, source)
    const real = await reader.realPath(at)
    if (real === undefined || visited.has(real) || depth > DEEPEST_FOLDER_LEVELS) return
    visited.add(real)
    for (const entry of entries) {
      const file = path.join(at, entry.name)
      const what = entry.what === "link" ? await reader.kindOf(file) : entry.what
      if (what === "directory") await enter(file, depth + 1)
      if (what === "directory" || !entry.name.endsWith(".md")) continue
      // A broken link or a FIFO is read too, so that `searched` names it with its reason.
      const read = await readListed(file, source, reader)
      if (read === undefined && entry.what === "link") markBroken(file, source, reader)
      if (read !== undefined) listedFiles.push({ path: file, folder, file: read })
    }
  }
  await enter(folder.path, 0)
  return listedFiles
}

function markBroken(file: string, source: string, reader: SurveyReader): void {
  const isMissing = reader.searched().some((it) => it.path === file && it.outcome === "missing")
  if (!isMissing) return
  reader.mark({ path: file, source, outcome: "unreadable", detail: "broken link" })
}

export function trustOfListed({ path: at, folder, file }: ListedFile, { folders }: ClaudeContext) {
  const reached = { realPath: file.realPath, scope: folder.scope, foundAt: at }
  return belongsTo(reached, folders.grounds)
}

export async function readListed(
  file: string,
  source: string,
  reader: SurveyReader,
): Promise<ReadFile | undefined> {
  const read = await reader.read(file, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
  if (read === undefined || read.bytes.length <= LARGEST_LISTED_FILE_BYTES) return read
  reader.mark({
    path: file,
    source,
    outcome: "excluded",
    detail: `${read.bytes.length} bytes exceed the host's limit`,
  })
  return undefined
}

export async function readOutputStyle(
  context: ClaudeContext,
  reader: SurveyReader,
): Promise<readonly HostItem[]> {
  const chosen = context.settings.value("outputStyle")
  if (typeof chosen !== "string" || chosen === "") return []
  const files: ListedFile[] = []
  for (const folder of await listedFolders("output-styles", context, reader)) {
    files.push(...(await markdownBelow(folder, SOURCES.outputStyle.source, reader)))
  }
  const style = files.map(readStyle).findLast((it) => it.name === chosen)
  return style === undefined ? [] : [toFound(style, context)]
}

type Style = ListedFile & { readonly name: string; readonly body: string }

function readStyle(listed: ListedFile): Style {
  const { fields, body } = splitFrontmatter(listed.file.bytes.toString())
  const name = textField(fields, "name") || path.basename(listed.path, ".md")
  return { ...listed, name, body: body.trim() }
}

function toFound(style: Style, context: ClaudeContext): HostItem {
  const { scope } = style.folder
  return {
    path: style.path,
    source: SOURCES.outputStyle.source,
    priority: SOURCES.outputStyle.priority,
    scope,
    load: "always",
    reason: SOURCES.outputStyle.reason,
    kind: "instructions",
    trust: trustOfListed(style, context),
    file: style.file,
    sent: style.body,
    frame: `# Output Style: ${style.name}\n`,
    later: "",
  }
}
