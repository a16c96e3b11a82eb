import { z } from "zod"
import { readTextBounded, writeFileAtomic } from "#ground/base"
import { CredentialName } from "#ground/contract"
import { CredentialsUnreadable } from "./errors.ts"
import { MOST_CREDENTIALS, SCRYPT_BLOCK, SCRYPT_COST } from "./limits.ts"

/** 200 credentials of the maximum length, encrypted and in hexadecimal. */
const LARGEST_FILE_BYTES = 10_000_000

/** Lowercase only: each value has one spelling, so any changed character is detected. */
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`))

const SealedRecord = z.strictObject({
  setAt: z.int(),
  nonce: hex(12),
  sealed: z.string().regex(/^(?:[0-9a-f]{2})+$/),
  tag: hex(16),
})
export type SealedRecord = z.infer<typeof SealedRecord>

const KeySource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("key file") }),
  z.strictObject({
    kind: z.literal("keychain"),
    id: hex(16),
    /** The encrypted key, for a system that protects data instead of storing it. */
    stored: z.string().regex(/^(?:[0-9a-f]{2}){0,2048}$/),
  }),
  z.strictObject({
    kind: z.literal("passphrase"),
    salt: hex(16),
    cost: z.literal(SCRYPT_COST),
    block: z.literal(SCRYPT_BLOCK),
  }),
])
export type KeySource = z.infer<typeof KeySource>

export const FILE_VERSION = 1

const CredentialFile = z.strictObject({
  version: z.literal(FILE_VERSION),
  by: KeySource,
  keyId: hex(8),
  records: z
    .record(CredentialName, SealedRecord)
    .refine((it) => Object.keys(it).length <= MOST_CREDENTIALS, "too many credentials"),
})
export type CredentialFile = z.infer<typeof CredentialFile>

export async function readFile(path: string): Promise<CredentialFile | undefined> {
  const outcome = await readTextBounded(path, { maxBytes: LARGEST_FILE_BYTES })
  switch (outcome.kind) {
    case "read":
      return parse(outcome.text, path)
    case "missing":
      return undefined
    default:
      throw CredentialsUnreadable({ path, reason: `the file is ${describeKind(outcome.kind)}` })
  }
}

export async function writeFile(path: string, file: CredentialFile): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`)
}

function parse(text: string, path: string): CredentialFile {
  try {
    const parsed = CredentialFile.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    // The path only: the value may be part of a secret.
    const at = issue?.path.join(".") ?? ""
    throw CredentialsUnreadable({ path, reason: `unexpected content at ${at || "the top level"}` })
  } catch (error) {
    // Without the cause, because it quotes the text.
    if (error instanceof SyntaxError)
      throw CredentialsUnreadable({ path, reason: "it is not valid JSON" })
    throw error
  }
}

function describeKind(kind: string): string {
  return kind.replaceAll("-", " ")
}
