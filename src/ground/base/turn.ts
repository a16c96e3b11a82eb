/** Lets everything else that waits have its turn; for long work in small steps. */
export function giveOthersATurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
