import path from "node:path"
import { parseJson, readBounded } from "#ground/base"
import type { KitChange } from "#ground/contract"
import type { OwnedFile, SharedFile, WantedFile } from "./desired-files.ts"
import { type Content, digest, type InspectedPath, inspect, inspectText } from "./files/inspect.ts"
import type { Write } from "./files/transaction.ts"
import { LARGEST_SETTINGS_BYTES } from "./limits.ts"
import type { FileRecord, Files } from "./manifest.ts"
import type { Editor } from "./texts/text.ts"

export type Step = {
  readonly change: Pick<KitChange, "path" | "action" | "host" | "what">
  readonly write: Write | undefined
  readonly backup: Content | undefined
  /** The new manifest entry; undefined if the file is no longer ours. */
  readonly record: FileRecord | undefined
  readonly warning: string | undefined
}

export type ReconcileDeps = {
  readonly backups: string
  editorOf(file: string, record: FileRecord): Editor
}

export async function reconcile(
  files: readonly WantedFile[],
  records: Files,
  deps: ReconcileDeps,
): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const file of files) {
    const record = records[file.path]
    const step =
      file.kind === "shared"
        ? await stepOfShared(file, record, deps)
        : await stepOfOwned(file, record)
    steps.push(step)
  }
  const isWanted = new Set(files.map((it) => it.path))
  // In reverse, so that hooks are removed before the bundle they run.
  for (const [file, record] of Object.entries(records).toReversed()) {
    if (!isWanted.has(file)) steps.push(await stepOfRemoval(file, record, deps))
  }
  return steps
}

async function stepOfShared(
  file: SharedFile,
  record: FileRecord | undefined,
  deps: ReconcileDeps,
): Promise<Step> {
  const spot = await inspectText(file)
  const before = await beforeUs(spot, { record, editor: file.editor, backups: deps.backups })
  const text = file.editor.add(before?.bytes.toString())
  const mode = spot.found?.mode ?? (file.isPrivate ? 0o600 : 0o644)
  const after = { bytes: Buffer.from(text), mode }
  const isSame = spot.found?.bytes.equals(after.bytes) === true
  const { host, what } = file
  const action = actionOf(spot, isSame)
  return {
    change: { path: file.path, action, host, what },
    write: isSame ? undefined : writeOf(spot, after, { folders: [], isPrivate: file.isPrivate }),
    backup: before,
    record: {
      kind: "shared",
      host,
      within: file.within,
      what,
      before: before === undefined ? null : { ...recordOf(before), backup: backupName(before) },
      after: digest(after.bytes),
      isSealed: false,
      folders: foldersOf(spot, record),
    },
    warning: hostMayRefuse(file, text),
  }
}

type FileHistory = {
  readonly record: FileRecord | undefined
  readonly editor: Editor
  readonly backups: string
}

/** The file without our entries: the backup if it did not change since, else with ours removed. */
async function beforeUs(spot: InspectedPath, past: FileHistory): Promise<Content | undefined> {
  const { found } = spot
  if (found === undefined) return undefined
  const { record, editor } = past
  const backup = record === undefined ? undefined : await readBackup(past.backups, record)
  const isUnchanged = record !== undefined && record.after === digest(found.bytes)
  if (isUnchanged && record.before === null) return undefined
  // The user may have changed the mode since.
  if (isUnchanged && backup !== undefined) return { ...backup, mode: found.mode }
  if (record === undefined && !editor.isKnownByItself) return found
  const text = found.bytes.toString()
  const stripped = editor.strip(text, backup?.bytes.toString())
  if (stripped === undefined) return undefined
  return stripped === text ? found : { bytes: Buffer.from(stripped), mode: found.mode }
}

async function stepOfOwned(file: OwnedFile, record: FileRecord | undefined): Promise<Step> {
  const spot = await inspect(file)
  const { host, what } = file
  const { found } = spot
  const isSame = found?.bytes.equals(file.bytes) === true
  const isOurs = found === undefined || isSame || isUnchanged(found, record)
  const change = { path: file.path, host, what }
  if (!isOurs && !file.isSealed) {
    const warning = `${file.path} was written or changed by another program; it was left in place.`
    return {
      change: { ...change, action: "keep" },
      write: undefined,
      backup: undefined,
      record,
      warning,
    }
  }
  const after = { bytes: file.bytes, mode: file.mode }
  const isTampered = !isOurs && record !== undefined
  return {
    change: { ...change, action: actionOf(spot, isSame) },
    write: isSame ? undefined : writeOf(spot, after, { folders: [], isPrivate: file.isPrivate }),
    backup: undefined,
    record: {
      kind: "owned",
      host,
      within: file.within,
      what,
      before: null,
      after: digest(file.bytes),
      isSealed: file.isSealed,
      folders: foldersOf(spot, record),
    },
    warning: isTampered
      ? `${file.path} was not the content that qm wrote; it was rewritten.`
      : undefined,
  }
}

async function stepOfRemoval(file: string, record: FileRecord, deps: ReconcileDeps): Promise<Step> {
  const location = { path: file, within: record.within }
  const spot = record.kind === "shared" ? await inspectText(location) : await inspect(location)
  const { found } = spot
  const { host, what } = record
  const gone = { record: undefined, backup: undefined }
  const stays = {
    ...gone,
    change: { path: file, action: "keep", host, what },
    write: undefined,
  } as const
  if (found === undefined) return { ...stays, warning: undefined }
  if (record.kind === "owned" && !record.isSealed && !isUnchanged(found, record)) {
    const warning = `${file} was changed after the install; it was left in place and is yours now.`
    return { ...stays, warning }
  }
  const past = { record, editor: deps.editorOf(file, record), backups: deps.backups }
  const before = record.kind === "owned" ? undefined : await beforeUs(spot, past)
  if (before !== undefined && before.bytes.equals(found.bytes))
    return { ...stays, warning: undefined }
  const folders = before === undefined ? record.folders : []
  const put = isUnchanged(found, record) ? "restore" : "change"
  const action = before === undefined ? "remove" : put
  return {
    ...gone,
    change: { path: file, action, host, what: formatRemoval(action, what) },
    write: writeOf(spot, before, { folders, isPrivate: true }),
    warning: undefined,
  }
}

function actionOf({ found }: InspectedPath, isSame: boolean): "keep" | "create" | "change" {
  if (isSame) return "keep"
  return found === undefined ? "create" : "change"
}

function formatRemoval(action: "remove" | "restore" | "change", what: string): string {
  if (action === "restore") return "byte for byte as before the install"
  return action === "remove" ? what : `without ${what}; your own changes are kept`
}

function isUnchanged(content: Content, record: FileRecord | undefined): boolean {
  return record !== undefined && record.after === digest(content.bytes)
}

function foldersOf(spot: InspectedPath, record: FileRecord | undefined): string[] {
  return [...new Set([...(record?.folders ?? []), ...spot.missingFolders])]
}

function writeOf(
  spot: InspectedPath,
  after: Content | undefined,
  options: { readonly folders: readonly string[]; readonly isPrivate: boolean },
): Write {
  return {
    realPath: spot.realPath,
    before: spot.found,
    after,
    foldersToMake: spot.missingFolders,
    foldersToClear: options.folders,
    folderMode: options.isPrivate ? 0o700 : 0o755,
  }
}

function recordOf(content: Content) {
  return { hash: digest(content.bytes), mode: content.mode }
}

export function backupName(content: Content): string {
  return digest(content.bytes)
}

async function readBackup(folder: string, record: FileRecord): Promise<Content | undefined> {
  if (record.before === null) return undefined
  const { backup, hash, mode } = record.before
  const read = await readBounded(path.join(folder, backup), { maxBytes: LARGEST_SETTINGS_BYTES })
  const isWhole = read.kind === "read" && digest(read.bytes) === hash
  return isWhole ? { bytes: read.bytes, mode } : undefined
}

/** Hosts parse strict JSON and may ignore a file with comments, and our hooks with it. */
function hostMayRefuse(file: SharedFile, text: string): string | undefined {
  if (file.host === null || !file.path.endsWith(".json")) return undefined
  return parseJson(text) !== undefined
    ? undefined
    : `${file.path} has comments, trailing commas or a byte-order mark; its host may ignore it.`
}

export function recordsOf(steps: readonly Step[]): Files {
  return Object.fromEntries(
    steps.flatMap(({ change, record }) => (record === undefined ? [] : [[change.path, record]])),
  )
}
