import { z } from "zod"
import { contentWords } from "../stages/words.ts"
import { oneLine } from "./analyze.ts"
import { listOf, outputOf, queryOf } from "./question.ts"

type Answer = Readonly<Record<string, unknown>>

const Steps = z.object({ steps: z.array(z.object({ step: z.string(), why: z.string() })) })
const Remarks = z.object({ remarks: z.array(z.string()) })
const Tested = z.object({ passed: z.boolean(), problems: z.array(z.string()).default([]) })

/** The development loop without a model: plain good practice, filled with the words of the wish. */
export function understand(prompt: string): Answer {
  const wish = wishOf(prompt)
  const isClear = contentWords([wish, ...listOf(prompt, "amendments")].join(" ")).size >= 2
  return {
    goal: `Afterwards this is so: ${wish}`,
    clarity: isClear ? 0.8 : 0.4,
    clarify: isClear ? "" : `What should be different after “${wish}”?`,
    risks: ["Callers that rely on how it is now", "A case that no test covers"],
    acceptance: [`A test shows it: ${wish}`, "All checks that passed before still pass"],
  }
}

export function plan(prompt: string): Answer {
  const wish = wishOf(prompt)
  const wishes = listOf(prompt, "amendments").map(oneLine)
  return {
    steps: [
      { step: `Find the code this is about: ${subject(wish)}`, why: "nothing is changed unread" },
      { step: `Write a test that fails until it is done: ${wish}`, why: "so that done is seen" },
      { step: `Make the change: ${wish}`, why: "the wish itself" },
      ...wishes.map((it) => ({ step: it, why: "you asked for it" })),
      { step: "Run all checks and read what fails", why: "callers may rely on the old way" },
    ],
  }
}

export function review(prompt: string): Answer {
  const steps = Steps.safeParse(outputOf(prompt, "plan"))
  const isDocumented = steps.success && steps.data.steps.some((it) => /document/i.test(it.step))
  return { remarks: isDocumented ? [] : ["The plan does not say where the change is documented."] }
}

/** The plan as it was, and one step for each remark. */
export function refinePlan(prompt: string): Answer {
  const steps = Steps.safeParse(outputOf(prompt, "plan"))
  const remarks = Remarks.safeParse(outputOf(prompt, "review"))
  const before = steps.success ? steps.data.steps : []
  const added = (remarks.success ? remarks.data.remarks : []).map((it) => ({
    step: `Mend the plan: ${it}`,
    why: "the review asked for it",
  }))
  const all = [...before, ...added]
  return { steps: all.length === 0 ? [{ step: wishOf(prompt), why: "the wish itself" }] : all }
}

export function decide(prompt: string): Answer {
  const tested = Tested.safeParse(outputOf(prompt, "test"))
  if (!tested.success) {
    return { decision: "look", why: "The tests gave no result that could be read.", open: [] }
  }
  const { passed, problems } = tested.data
  return passed
    ? { decision: "done", why: "The tests passed.", open: [] }
    : { decision: "look", why: "The tests did not pass.", open: problems }
}

const wishOf = (prompt: string): string => oneLine(queryOf(prompt)).slice(0, 400)

function subject(wish: string): string {
  const words = wish.match(/[\p{L}\p{N}][\p{L}\p{N}._/-]*/gu) ?? []
  const telling = words.filter((it) => contentWords(it).size > 0)
  return telling.slice(0, 8).join(", ")
}
