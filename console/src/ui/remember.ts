/** Small preferences of this browser. Without storage nothing is stored and nothing fails. */
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
    // Not stored; the caller has it in memory.
  }
}
