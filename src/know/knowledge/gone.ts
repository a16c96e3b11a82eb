import type { Skipped, Walked } from "./walk.ts"

/** Known documents without a file that can be read; what nobody could look at is not gone. */
export function goneFrom<Known extends { readonly path: string }>(
  known: readonly Known[],
  { candidates, unseen }: Pick<Walked, "candidates" | "unseen">,
  skipped: readonly Skipped[],
): readonly Known[] {
  const unreadable = new Set(skipped.map((it) => it.path))
  const there = new Set(candidates.map((it) => it.path).filter((it) => !unreadable.has(it)))
  const isUnseen = (file: string) =>
    unseen.some((it) => it === "" || file === it || file.startsWith(`${it}/`))
  return known.filter((it) => !there.has(it.path) && !isUnseen(it.path))
}
