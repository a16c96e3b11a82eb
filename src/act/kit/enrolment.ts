import path from "node:path"
import { parseJsonRecord, readTextBounded } from "#ground/base"
import { digest } from "./files/inspect.ts"
import { LARGEST_TEMPLATE_BYTES } from "./limits.ts"
import type { Files } from "./manifest.ts"

/** The enrolment file is in the state folder, so it cannot be committed. */
export function markAt(stateDirectory: string): string {
  return path.join(stateDirectory, "kit.json")
}

export function newMark(enrolledAt: number): Buffer {
  return Buffer.from(`${JSON.stringify({ version: 1, enrolledAt })}\n`)
}

export async function readMark(
  stateDirectory: string,
): Promise<{ readonly bytes: Buffer | undefined; readonly record: Files }> {
  const file = markAt(stateDirectory)
  const read = await readTextBounded(file, { maxBytes: LARGEST_TEMPLATE_BYTES })
  if (read.kind !== "read") return { bytes: undefined, record: {} }
  const record = {
    kind: "owned",
    host: null,
    within: path.dirname(stateDirectory),
    what: "the enrolment of this repository",
    before: null,
    after: digest(read.bytes),
    isSealed: true,
    folders: [],
  } as const
  return {
    bytes: isMark(read.text) ? read.bytes : undefined,
    record: { [file]: { ...record, folders: [] } },
  }
}

function isMark(text: string): boolean {
  return parseJsonRecord(text)?.["version"] === 1
}
