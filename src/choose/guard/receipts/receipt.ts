import type { LinkConfidence } from "#ground/contract"

/** A file as it was when its change was simulated; null where there was none. */
export type SimulatedFile = { readonly path: string; readonly blobId: string | null }

/** A file that leans on what would change. */
export type ReachedFile = {
  readonly path: string
  readonly ways: readonly ("imports" | "calls")[]
  readonly hops: number
  /** The file between, where there are two hops. */
  readonly via: string | null
  /** Of the weakest step to it. */
  readonly confidence: LinkConfidence
  readonly names: readonly string[]
}

export type RiskReason = { readonly text: string; readonly number: number }

/** What a simulation leaves behind. The shapes are those of the contract, which needs a package. */
export type Receipt = {
  readonly id: string
  readonly paths: readonly SimulatedFile[]
  readonly treeId: string
  readonly reach: readonly ReachedFile[]
  readonly tests: readonly ReachedFile[]
  readonly risk: number
  readonly reasons: readonly RiskReason[]
  readonly at: number
}

/** As much of a receipt as a hook looks at. */
export type KeptReceipt = Pick<Receipt, "id" | "paths" | "risk" | "at">

/** A receipt out of a file that anybody may have written; undefined for what is none. */
export function parseReceipt(text: string): KeptReceipt | undefined {
  const value = parsed(text)
  if (!isRecord(value)) return undefined
  const { id, paths, risk, at } = value
  const isWhole =
    typeof id === "string" && typeof at === "number" && Number.isSafeInteger(at) && isShare(risk)
  if (!isWhole || !Array.isArray(paths)) return undefined
  const files = paths.flatMap((it: unknown) => simulatedFile(it) ?? [])
  // One that cannot be read in part would be taken for a smaller one.
  return files.length === paths.length ? { id, paths: files, risk, at } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function simulatedFile(value: unknown): SimulatedFile | undefined {
  if (!isRecord(value)) return undefined
  const { path, blobId } = value
  const isHash = blobId === null || (typeof blobId === "string" && blobId !== "")
  return typeof path === "string" && isHash ? { path, blobId } : undefined
}

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null
}
