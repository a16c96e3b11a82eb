import path from "node:path"
import { z } from "zod"
import { parseJson, readTextBounded } from "#ground/base"
import { KitHost } from "#ground/contract"
import { ManifestInvalid } from "./errors.ts"

const LARGEST_MANIFEST_BYTES = 8 * 1024 * 1024

const Before = z.object({
  hash: z.string(),
  mode: z.int(),
  backup: z.string().describe("Name in the backups folder"),
})

const FileRecord = z.object({
  kind: z.enum(["shared", "owned"]),
  host: KitHost.nullable(),
  within: z.string().describe("The folder that must contain the resolved path"),
  what: z.string(),
  before: Before.nullable().describe("Content before the install; null if the file did not exist"),
  after: z.string().describe("Hash of the content after the install"),
  isSealed: z.boolean().describe("Completely ours: removed even if it was changed"),
  folders: z.array(z.string()).describe("Created by the install, outermost first"),
})
export type FileRecord = z.infer<typeof FileRecord>

const Files = z.record(z.string(), FileRecord)
export type Files = z.infer<typeof Files>

const EnrolledRepository = z.object({
  stateDirectory: z.string(),
  root: z.string(),
  level: z.int().min(1).max(7),
  hosts: z.array(KitHost),
  files: Files.describe("In the repository or its state folder; all others are user files"),
})
export type EnrolledRepository = z.infer<typeof EnrolledRepository>

const Manifest = z.object({
  version: z.literal(1),
  bundle: z.string().describe("Hash; empty if none is installed"),
  main: z.string().describe("Entry point of qm"),
  node: z.string().describe("The Node binary that the hooks run"),
  files: Files,
  repositories: z.array(EnrolledRepository),
  folders: z.array(z.string()).describe("Own folders created by the install, outermost first"),
  packs: z
    .object({ added: z.array(z.string()), removed: z.array(z.string()) })
    .default({ added: [], removed: [] })
    .describe("Packs added to the level or removed from it"),
})
export type Manifest = z.infer<typeof Manifest>

const EMPTY: Manifest = {
  version: 1,
  bundle: "",
  main: "",
  node: "",
  files: {},
  repositories: [],
  folders: [],
  packs: { added: [], removed: [] },
}

export function manifestFile(home: string): string {
  return path.join(home, "kit", "manifest.json")
}

export async function readManifest(home: string): Promise<Manifest> {
  const file = manifestFile(home)
  const read = await readTextBounded(file, { maxBytes: LARGEST_MANIFEST_BYTES })
  if (read.kind === "missing") return EMPTY
  if (read.kind !== "read") throw ManifestInvalid({ path: file })
  const parsed = Manifest.safeParse(parseJson(read.text))
  if (!parsed.success) throw ManifestInvalid({ path: file }, parsed.error)
  return parsed.data
}

export function renderManifest(manifest: Manifest): string | undefined {
  if (manifest.repositories.length === 0 && Object.keys(manifest.files).length === 0)
    return undefined
  return `${JSON.stringify(manifest, null, 2)}\n`
}

export function splitFiles(
  files: Files,
  isFirst: (file: string, record: FileRecord) => boolean,
): readonly [Files, Files] {
  const entries = Object.entries(files)
  return [
    Object.fromEntries(entries.filter(([file, it]) => isFirst(file, it))),
    Object.fromEntries(entries.filter(([file, it]) => !isFirst(file, it))),
  ]
}
