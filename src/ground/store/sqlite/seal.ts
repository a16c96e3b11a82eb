import { dirname, join, parse } from "node:path"
import { z } from "zod"
import { readTextBounded, statFile, writeFileAtomic } from "#ground/base"
import { MAX_SEAL_BYTES } from "../limits.ts"
import { checkForLog } from "./files.ts"

/** `store.clean.json`: how the file looked when it was last left in good order. */
export const Seal = z.object({
  epoch: z.string(),
  sizeBytes: z.int(),
  modifiedAtMs: z.int(),
  inode: z.int(),
})
export type Seal = z.infer<typeof Seal>

export async function readSeal(file: string): Promise<Seal | undefined> {
  const outcome = await readTextBounded(sealFile(file), { maxBytes: MAX_SEAL_BYTES })
  if (outcome.kind !== "read") return undefined
  const parsed = Seal.safeParse(parseJson(outcome.text))
  return parsed.success ? parsed.data : undefined
}

export async function writeSeal(file: string, epoch: string): Promise<void> {
  const found = await statFile(file)
  if (found.kind !== "found") return
  const { sizeBytes, modifiedAtMs, inode } = found.stat
  const seal = { epoch, sizeBytes, modifiedAtMs, inode } satisfies Seal
  await writeFileAtomic(sealFile(file), `${JSON.stringify(seal)}\n`)
}

/** Whether the file is as a clean close left it, as far as `stat` can tell. */
export async function verifySeal(file: string, seal: Seal | undefined): Promise<boolean> {
  const found = await statFile(file)
  if (seal === undefined || found.kind !== "found" || (await checkForLog(file))) return false
  const { sizeBytes, modifiedAtMs, inode } = found.stat
  const isSameTime = seal.modifiedAtMs === modifiedAtMs
  return isSameTime && seal.sizeBytes === sizeBytes && seal.inode === inode
}

function sealFile(file: string): string {
  return join(dirname(file), `${parse(file).name}.clean.json`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
