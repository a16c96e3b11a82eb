import type { CompleteOptions } from "../agent.ts"

const MOST_WORDS = 6

/** The first words of the last line of the question: the same every time. */
export async function complete({
  prompt,
  signal,
}: Pick<CompleteOptions, "prompt" | "signal">): Promise<string | undefined> {
  if (signal.aborted) return undefined
  const line = prompt.trimEnd().split("\n").at(-1) ?? ""
  const words = line.split(/\s+/).filter((it) => it !== "")
  return words.length === 0 ? undefined : words.slice(0, MOST_WORDS).join(" ")
}
