import path from "node:path"
import { belongsTo, noteLinkOutside, type TrustFolders } from "../files/file-trust.ts"
import { isBlank, trimBlank } from "../files/unicode.ts"
import type { HostItem } from "../host.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import { type Source, walkSource } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import {
  type CodexConfig,
  fallbackNames,
  PROJECT_SEPARATOR,
  projectDocBytes,
  SOURCES,
  USER_PROJECT_SEPARATOR,
} from "./config.ts"

const OVERRIDE = "AGENTS.override.md"
const AGENTS = "AGENTS.md"

export async function userInstructions(
  reader: SurveyReader,
  config: CodexConfig,
): Promise<HostItem | undefined> {
  const limits = { source: SOURCES.userMemory.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
  for (const name of [OVERRIDE, AGENTS]) {
    const at = path.join(config.home, name)
    const file = await reader.read(at, limits)
    if (file === undefined) continue
    const sent = trimBlank(file.bytes.toString())
    const { grounds } = config
    if (sent !== "") {
      const piece = { at, file, source: SOURCES.userMemory, scope: "user", grounds } as const
      return instructionItem(reader, piece, { sent, frame: "", load: "always" })
    }
    reader.mark({ path: at, source: limits.source, outcome: "empty" })
  }
  return undefined
}

export async function projectInstructions(
  reader: SurveyReader,
  config: CodexConfig,
  walk: { readonly folders: readonly string[]; readonly hasUser: boolean },
): Promise<readonly HostItem[]> {
  if (config.isUntrusted) {
    const text =
      "Codex loads no AGENTS.md of this project because the project is marked as untrusted."
    reader.note({ code: "switched-off", text, path: config.cwd })
    return []
  }
  const chosen = await chooseFiles(reader, config, walk.folders)
  const { grounds } = config
  const items: HostItem[] = []
  let left = projectDocBytes(config)
  for (const { at, file, source } of chosen) {
    if (left === 0) {
      reader.mark({
        path: at,
        source: source.source,
        outcome: "excluded",
        detail: "project_doc_max_bytes is reached",
      })
      noteCut(reader, at, { kept: 0, size: file.bytes.length })
      continue
    }
    const sentBytes = file.bytes.subarray(0, left)
    const sent = sentBytes.toString()
    if (isBlank(sent)) {
      reader.mark({ path: at, source: source.source, outcome: "empty" })
      continue
    }
    left -= sentBytes.length
    const isCut = sentBytes.length < file.bytes.length
    if (isCut) noteCut(reader, at, { kept: sentBytes.length, size: file.bytes.length })
    const first = walk.hasUser ? USER_PROJECT_SEPARATOR : ""
    const frame = items.length === 0 ? first : PROJECT_SEPARATOR
    const load = isCut ? "startup-capped" : "always"
    const piece = { at, file, source, scope: "project", grounds } as const
    items.push(instructionItem(reader, piece, { sent, frame, load }))
  }
  return items
}

type ChosenFile = { readonly at: string; readonly file: ReadFile; readonly source: Source }

/** An unreadable file makes Codex skip all project files. */
async function chooseFiles(
  reader: SurveyReader,
  config: CodexConfig,
  folders: readonly string[],
): Promise<readonly ChosenFile[]> {
  const names = [...new Set([OVERRIDE, AGENTS, ...fallbackNames(config)])]
  const chosen: ChosenFile[] = []
  let isGivenUp = false
  for (const [index, folder] of folders.entries()) {
    const source = walkSource(index, folders.length)
    const choice = await chooseIn(reader, { folder, names, source })
    if (choice === "unreadable") isGivenUp = true
    else if (choice !== undefined) chosen.push(choice)
  }
  if (!isGivenUp) return chosen
  for (const { at, source } of chosen) {
    reader.mark({
      path: at,
      source: source.source,
      outcome: "excluded",
      detail: "another project file cannot be read",
    })
  }
  return []
}

async function chooseIn(
  reader: SurveyReader,
  it: { readonly folder: string; readonly names: readonly string[]; readonly source: Source },
): Promise<ChosenFile | "unreadable" | undefined> {
  for (const name of it.names) {
    const at = path.join(it.folder, name)
    const limits = { source: it.source.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
    const file = await reader.read(at, limits)
    if (file !== undefined) return { at, file, source: it.source }
    const diskFile = await reader.peek(at, limits.maxBytes)
    // A pipe or a device is skipped like a folder; only that reason starts this way.
    if (diskFile.kind === "unreadable" && !diskFile.reason.startsWith("it is a "))
      return "unreadable"
    if (diskFile.kind === "too-large") return undefined
  }
  return undefined
}

type Piece = ChosenFile & { readonly scope: "user" | "project"; readonly grounds: TrustFolders }

function instructionItem(
  reader: SurveyReader,
  piece: Piece,
  text: Pick<HostItem, "sent" | "frame" | "load">,
): HostItem {
  const { at, file, source, scope } = piece
  const trust = belongsTo({ realPath: file.realPath, scope, foundAt: at }, piece.grounds)
  if (trust === "external") noteLinkOutside(reader, at, file.realPath)
  return { path: at, ...source, ...text, scope, kind: "instructions", trust, file, later: "" }
}

function noteCut(
  reader: SurveyReader,
  at: string,
  it: { readonly kept: number; readonly size: number },
) {
  const text = `Codex sends ${it.kept} of ${it.size} bytes: the limit project_doc_max_bytes is reached.`
  reader.note({ code: "file-cut", text, path: at })
}
