/**
 * Small preferences of this browser. Storage may be off or full: then nothing is remembered, and
 * nothing breaks.
 */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`qm.${name}`)
  } catch {
    return null
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`qm.${name}`, value)
  } catch {
    // Not remembered; the caller has it in memory.
  }
}
