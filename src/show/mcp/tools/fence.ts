import { hash } from "node:crypto"
import { invariant } from "#ground/base"
import { MOST_FENCES } from "../limits.ts"

/** A delimiter that none of the texts contains; deterministic. */
export function fenceFor(texts: readonly string[]): string {
  const digest = hash("sha256", texts.join("\n"))
  for (let attempt = 0; attempt < MOST_FENCES; attempt++) {
    const fence = `qm-${hash("sha256", `${attempt} ${digest}`).slice(0, 16)}`
    if (!texts.some((it) => it.includes(fence))) return fence
  }
  invariant(false, "a fence that does not occur in the text is found in a few tries")
}
