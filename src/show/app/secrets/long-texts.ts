import type { LongRedactor, RedactedText, RedactionKeys } from "#ground/secrets"
import type { RepositoryPaths } from "../places.ts"

/** The slowest text takes about 0.25 µs per character, 12 ms of the event loop. */
const LONGEST_REDACTED_HERE_CHARACTERS = 50_000

/** Equal for equal keys: `digest` of the room's values, `stamp` of the user's credentials. */
type KeysIdentity = { readonly digest: string; readonly stamp: string }

type PreparedTexts = KeysIdentity & {
  readonly results: ReadonlyMap<string, RedactedText>
}

/** Of one app: its thread, and the texts of calls that are running. */
type LongTexts = { readonly prepared: Set<PreparedTexts>; redactor?: Promise<LongRedactor> }
const longTextsOf = new WeakMap<RepositoryPaths, LongTexts>()

/**
 * Redacts the texts of a value in a thread if they are long together. Rooms redact as always, and
 * get these results until they are disposed: no room needs to know which text is long.
 */
export async function prepareTexts(
  value: unknown,
  origin: { readonly places: RepositoryPaths; read(): Promise<RedactionKeys & KeysIdentity> },
): Promise<Disposable> {
  if (!hasLongTexts(value)) return NOTHING_PREPARED
  const { digest, stamp, ...keys } = await origin.read()
  const long = longTextsOf.get(origin.places) ?? { prepared: new Set() }
  longTextsOf.set(origin.places, long)
  long.redactor ??= import("#ground/secrets").then((it) => it.createLongRedactor())
  const prepared = {
    digest,
    stamp,
    results: await (await long.redactor).redact(textsIn(value), keys),
  }
  long.prepared.add(prepared)
  return { [Symbol.dispose]: () => void long.prepared.delete(prepared) }
}

const NOTHING_PREPARED: Disposable = { [Symbol.dispose]() {} }

/** The result for secrets with the same keys; without a digest, those of any room. */
export function findPrepared(
  places: RepositoryPaths,
  search: { readonly text: string; readonly digest?: string; readonly stamp: string },
): RedactedText | undefined {
  const { text, stamp } = search
  for (const it of longTextsOf.get(places)?.prepared ?? []) {
    const hasSameKeys = it.stamp === stamp && it.digest === (search.digest ?? it.digest)
    const result = hasSameKeys ? it.results.get(text) : undefined
    if (result !== undefined) return result
  }
  return undefined
}

export async function endLongTexts(places: RepositoryPaths): Promise<void> {
  await (await longTextsOf.get(places)?.redactor)?.[Symbol.asyncDispose]()
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

export function hasLongTexts(value: unknown): boolean {
  return textsIn(value).reduce((sum, it) => sum + it.length, 0) > LONGEST_REDACTED_HERE_CHARACTERS
}
