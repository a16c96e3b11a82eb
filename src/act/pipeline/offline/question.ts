import { readFence } from "../stages/fence.ts"

/** What a prompt holds between its fences, for a brain that cannot read the rest of it. */
export function queryOf(prompt: string): string {
  return readFence(prompt, "query") ?? prompt.trim().split("\n").at(-1) ?? ""
}

/** The lines of a numbered list between fences; none when it says that there is nothing. */
export function listOf(prompt: string, name: string): readonly string[] {
  const text = readFence(prompt, name) ?? ""
  if (text === NOTHING) return []
  return text
    .split(/^\d+\. /m)
    .map((it) => it.trim())
    .filter((it) => it !== "")
}

/** The output of an earlier stage; undefined when it is no JSON. */
export function outputOf(prompt: string, stage: string): unknown {
  const text = readFence(prompt, `outputs.${stage}`)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

const NOTHING = "(nothing)"
