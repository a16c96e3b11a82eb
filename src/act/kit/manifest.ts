import path from "node:path"
import { z } from "zod"
import { parseJson, readTextBounded } from "#ground/base"
import { KitHost } from "#ground/contract"
import { ManifestInvalid } from "./errors.ts"

const LARGEST_MANIFEST_BYTES = 8 * 1024 * 1024

const Before = z.object({
  hash: z.string(),
  mode: z.int(),
  backup: z.string().describe("Name in the folder of backups"),
})

const FileRecord = z.object({
  kind: z.enum(["shared", "owned"]),
  host: KitHost.nullable(),
  within: z.string().describe("The folder that it must really lie in"),
  what: z.string(),
  before: Before.nullable().describe("As it was before us; null where there was none"),
  after: z.string().describe("Hash of what we wrote"),
  isSealed: z.boolean().describe("Ours alone: it goes also when somebody changed it"),
  folders: z.array(z.string()).describe("Made by us, the outermost first"),
})
export type FileRecord = z.infer<typeof FileRecord>

const Files = z.record(z.string(), FileRecord)
export type Files = z.infer<typeof Files>

const EnrolledRepository = z.object({
  stateDirectory: z.string(),
  root: z.string(),
  level: z.int().min(1).max(7),
  hosts: z.array(KitHost),
  files: Files.describe("In the repository or its state; the others are the user's"),
})
export type EnrolledRepository = z.infer<typeof EnrolledRepository>

const Manifest = z.object({
  version: z.literal(1),
  bundle: z.string().describe("Its hash; empty where none is installed"),
  main: z.string().describe("The rest of the product, for a runtime to run"),
  node: z.string().describe("The runtime that the hooks name"),
  files: Files,
  repositories: z.array(EnrolledRepository),
  folders: z.array(z.string()).describe("Of our own, made by us; the outermost first"),
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
