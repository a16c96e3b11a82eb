import type { Cursor } from "../contract.ts"

const NAME = "qm.cursor"

/** The cursor of this tab. Without storage it lives in memory only, and a reload begins anew. */
export const tabMemory = {
  load(): Cursor | null {
    try {
      return readCursor(sessionStorage.getItem(NAME))
    } catch {
      return null
    }
  },
  save(cursor: Cursor): void {
    try {
      sessionStorage.setItem(NAME, `${cursor.seq} ${cursor.epoch}`)
    } catch {
      // Storage is off or full: the cursor in memory still serves this page.
    }
  },
}

export function readCursor(text: string | null): Cursor | null {
  const found = /^(\d{1,15}) (.+)$/.exec(text ?? "")
  const [, seq, epoch] = found ?? []
  return seq === undefined || epoch === undefined ? null : { epoch, seq: Number(seq) }
}
