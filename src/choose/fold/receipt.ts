import { createHmac, timingSafeEqual } from "node:crypto"

/** Receipts that are looked at in one text: an answer has one, and each costs a hash. */
const MOST_RECEIPTS = 1_000

/**
 * What our `branch` and `return` put into their answers so that the gateway can trust them: another
 * server with tools of these names has not the key. Plain ASCII without quotes or backslashes, so
 * that it stands in a JSON string as it is.
 */
export function openReceipt(key: string, branchId: string): string {
  return receiptOf(key, "open", branchId)
}

/** Given once, when the gateway carries the session at the return: from then on it is folded. */
export function foldReceipt(key: string, branchId: string): string {
  return receiptOf(key, "fold", branchId)
}

type ReceiptKind = "open" | "fold"

/** The branches whose receipts a text has, each once, in its order; what has no true mac is none. */
export function receiptsIn(text: string, kind: ReceiptKind, key: string): readonly string[] {
  const branchIds = new Set<string>()
  let looked = 0
  for (const [, branchId = "", mac = ""] of text.matchAll(PATTERNS[kind])) {
    if (++looked > MOST_RECEIPTS) break
    if (isSame(mac, macOf(key, kind, branchId))) branchIds.add(branchId)
  }
  return [...branchIds]
}

// Whatever stands before it: in the bytes of JSON that may be the n of an escaped line end.
const PATTERNS = {
  open: /qm-open:(br_[0-9a-f]{32}):([0-9a-f]{16})/g,
  fold: /qm-fold:(br_[0-9a-f]{32}):([0-9a-f]{16})/g,
} as const

function receiptOf(key: string, kind: ReceiptKind, branchId: string): string {
  return `qm-${kind}:${branchId}:${macOf(key, kind, branchId)}`
}

/** 64 bits: a forger has no oracle to try them at, and a reader of the window nothing to learn. */
function macOf(key: string, kind: ReceiptKind, branchId: string): string {
  return createHmac("sha256", key).update(`${kind}:${branchId}`).digest("hex").slice(0, 16)
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
