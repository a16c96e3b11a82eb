import type { Marks } from "./scene.ts"

/** What a host is made to do, in the words of the house; each host has its own tools for it. */
export type Deed =
  | { readonly kind: "write"; readonly path: string; readonly text: string }
  | { readonly kind: "edit"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: "agent"; readonly task: string }
  | { readonly kind: "wait" }
  | { readonly kind: "done" }

export function promptOf(marks: Marks): string {
  return `A proof of Quartermaster's hooks (${marks.main}). Do as the model says.`
}

/**
 * Two files that are worth a nudge at the end, one of them edited, one file of high risk, and a
 * sub-agent: each hook has its occasion.
 */
function storyOf(marks: Marks): readonly Deed[] {
  return [
    { kind: "write", path: "src/first.ts", text: "export const first = 1\n" },
    { kind: "edit", path: "src/first.ts", from: "= 1", to: "= 2" },
    { kind: "write", path: "src/second.ts", text: "export const second = 2\n" },
    { kind: "write", path: "risky/lock.ts", text: "export const risky = true\n" },
    { kind: "agent", task: `Say in which file water is boiled. (${marks.agent})` },
    { kind: "wait" },
  ]
}

/** The deed of a turn; the main conversation and the sub-agent's are told apart by their marks. */
export function deedOf(
  question: { readonly text: string; readonly turn: number },
  marks: Marks,
): Deed {
  const isMain = question.text.includes(marks.main)
  return (isMain ? storyOf(marks)[question.turn] : undefined) ?? { kind: "done" }
}
