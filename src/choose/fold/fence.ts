import { hash } from "node:crypto"
import { invariant } from "#ground/base"
import { MOST_FENCES } from "./limits.ts"

/** A word for the end of each block that occurs in none of them, so that no text ends its block. */
export function fenceFor(texts: readonly string[]): string {
  const digest = hash("sha256", texts.join("\n"))
  for (let attempt = 0; attempt < MOST_FENCES; attempt++) {
    const fence = `qm-${hash("sha256", `fence ${attempt} ${digest}`).slice(0, 6)}`
    if (!texts.some((it) => it.includes(fence))) return fence
  }
  invariant(false, "a fence that does not occur in the text is found in a few tries")
}
