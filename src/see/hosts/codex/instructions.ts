import path from "node:path"
import { belongsTo, type Grounds, noteLinkOutside } from "../belongs.ts"
import type { Found } from "../host.ts"
import type { Look, ReadFile } from "../look.ts"
import { type Source, walkSource } from "../source.ts"
import { isBlank, trimBlank } from "../unicode.ts"
import { LARGEST_INSTRUCTION_BYTES } from "../walk-limits.ts"
import { type CodexConfig, fallbackNames, projectDocBytes } from "./config.ts"
import { PROJECT_SEPARATOR, SOURCES, USER_PROJECT_SEPARATOR } from "./sources.ts"

const OVERRIDE = "AGENTS.override.md"
const AGENTS = "AGENTS.md"

/** The person's own file: the override replaces the other, unless it is blank. */
export async function userInstructions(
  look: Look,
  config: CodexConfig,
): Promise<Found | undefined> {
  const limits = { source: SOURCES.userMemory.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
  for (const name of [OVERRIDE, AGENTS]) {
    const at = path.join(config.home, name)
    const file = await look.read(at, limits)
    if (file === undefined) continue
    const sent = trimBlank(file.bytes.toString())
    const { grounds } = config
    if (sent !== "") {
      const piece = { at, file, source: SOURCES.userMemory, scope: "user", grounds } as const
      return instructionItem(look, piece, { sent, frame: "", load: "always" })
    }
    look.mark({ path: at, source: limits.source, outcome: "empty" })
  }
  return undefined
}

/** One file for each folder of the project, together no longer than the config allows. */
export async function projectInstructions(
  look: Look,
  config: CodexConfig,
  walk: { readonly folders: readonly string[]; readonly hasUser: boolean },
): Promise<readonly Found[]> {
  if (config.isUntrusted) {
    const text = "Codex loads no AGENTS.md of this project: it is marked as untrusted."
    look.note({ code: "switched-off", text, path: config.cwd })
    return []
  }
  const chosen = await chooseFiles(look, config, walk.folders)
  const { grounds } = config
  const items: Found[] = []
  let left = projectDocBytes(config)
  for (const { at, file, source } of chosen) {
    if (left === 0) {
      look.mark({
        path: at,
        source: source.source,
        outcome: "excluded",
        detail: "project_doc_max_bytes is reached",
      })
      noteCut(look, at, { kept: 0, size: file.bytes.length })
      continue
    }
    const kept = file.bytes.subarray(0, left)
    const sent = kept.toString()
    if (isBlank(sent)) {
      look.mark({ path: at, source: source.source, outcome: "empty" })
      continue
    }
    left -= kept.length
    const isCut = kept.length < file.bytes.length
    if (isCut) noteCut(look, at, { kept: kept.length, size: file.bytes.length })
    const first = walk.hasUser ? USER_PROJECT_SEPARATOR : ""
    const frame = items.length === 0 ? first : PROJECT_SEPARATOR
    const load = isCut ? "startup-capped" : "always"
    const piece = { at, file, source, scope: "project", grounds } as const
    items.push(instructionItem(look, piece, { sent, frame, load }))
  }
  return items
}

type Chosen = { readonly at: string; readonly file: ReadFile; readonly source: Source }

/** A file that stands there but cannot be read makes Codex give up on the whole project. */
async function chooseFiles(
  look: Look,
  config: CodexConfig,
  folders: readonly string[],
): Promise<readonly Chosen[]> {
  const names = [...new Set([OVERRIDE, AGENTS, ...fallbackNames(config)])]
  const chosen: Chosen[] = []
  let isGivenUp = false
  for (const [index, folder] of folders.entries()) {
    const source = walkSource(index, folders.length)
    const found = await chooseIn(look, { folder, names, source })
    if (found === "unreadable") isGivenUp = true
    else if (found !== undefined) chosen.push(found)
  }
  if (!isGivenUp) return chosen
  for (const { at, source } of chosen) {
    look.mark({
      path: at,
      source: source.source,
      outcome: "excluded",
      detail: "another file of the project cannot be read",
    })
  }
  return []
}

async function chooseIn(
  look: Look,
  it: { readonly folder: string; readonly names: readonly string[]; readonly source: Source },
): Promise<Chosen | "unreadable" | undefined> {
  for (const name of it.names) {
    const at = path.join(it.folder, name)
    const limits = { source: it.source.source, maxBytes: LARGEST_INSTRUCTION_BYTES }
    const file = await look.read(at, limits)
    if (file !== undefined) return { at, file, source: it.source }
    const found = await look.peek(at, limits.maxBytes)
    // A pipe or a device is passed over like a folder; it is the only reason with this beginning.
    if (found.kind === "unreadable" && !found.reason.startsWith("it is a ")) return "unreadable"
    if (found.kind === "too-large") return undefined
  }
  return undefined
}

type Piece = Chosen & { readonly scope: "user" | "project"; readonly grounds: Grounds }

function instructionItem(
  look: Look,
  piece: Piece,
  text: Pick<Found, "sent" | "frame" | "load">,
): Found {
  const { at, file, source, scope } = piece
  const trust = belongsTo({ realPath: file.realPath, scope, foundAt: at }, piece.grounds)
  if (trust === "external") noteLinkOutside(look, at, file.realPath)
  return { path: at, ...source, ...text, scope, kind: "instructions", trust, file, later: "" }
}

function noteCut(look: Look, at: string, it: { readonly kept: number; readonly size: number }) {
  const text = `Codex sends ${it.kept} of the ${it.size} bytes: project_doc_max_bytes is reached.`
  look.note({ code: "file-cut", text, path: at })
}
