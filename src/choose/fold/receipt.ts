import { createHmac, hash, timingSafeEqual } from "node:crypto"

/** An answer has one, and each costs a hash. */
const MOST_RECEIPTS = 1_000

/** Derived from the user's salt, so that a session resumed next week is folded the same way. */
export function receiptKeyOf(salt: string): string {
  return hash("sha256", `fold-receipts:${salt}`)
}

/**
 * The mark in our answers that the gateway trusts: other servers do not have the key. Plain ASCII
 * without quotes or backslashes, so that it is the same inside a JSON string.
 */
export function openReceipt(key: string, branchId: string): string {
  return receiptOf(key, "open", branchId)
}

/** Issued once, when the branch is eligible at its return: from then on it is folded. */
export function foldReceipt(key: string, branchId: string): string {
  return receiptOf(key, "fold", branchId)
}

type ReceiptKind = "open" | "fold"

/** Each branch once, in order; a wrong MAC is no receipt. */
export function receiptsIn(text: string, kind: ReceiptKind, key: string): readonly string[] {
  const branchIds = new Set<string>()
  let position = 0
  for (const [, branchId = "", mac = ""] of text.matchAll(PATTERNS[kind])) {
    if (++position > MOST_RECEIPTS) break
    if (isSame(mac, macOf(key, kind, branchId))) branchIds.add(branchId)
  }
  return [...branchIds]
}

// No word boundary before it: in JSON bytes an `n` of an escaped line end may precede it.
const PATTERNS = {
  open: /qm-open:(br_[0-9a-f]{32}):([0-9a-f]{16})/g,
  fold: /qm-fold:(br_[0-9a-f]{32}):([0-9a-f]{16})/g,
} as const

function receiptOf(key: string, kind: ReceiptKind, branchId: string): string {
  return `qm-${kind}:${branchId}:${macOf(key, kind, branchId)}`
}

/** 64 bits are enough: a forger has no oracle. */
function macOf(key: string, kind: ReceiptKind, branchId: string): string {
  return createHmac("sha256", key).update(`${kind}:${branchId}`).digest("hex").slice(0, 16)
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
