import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { type PlanFields, parsePlan, planText, withTicks } from "./plan-file.ts"
import { createPlans, type Plans } from "./plans.ts"

const SECRET = "s3cret-value"

async function room(root: string): Promise<Plans> {
  let now = Date.parse("2026-01-02T03:04:05Z")
  return createPlans({
    clock: { now: () => now++ },
    random: systemRandom,
    root,
    folder: path.join(root, ".qm", "plans"),
    stateFolder: path.join(root, "state"),
    redact: async (text) => text.replaceAll(SECRET, "[redacted]"),
  })
}

const PLAN = {
  title: "Retry uploads",
  text: "Uploads fail on a slow line.\n\n- [ ] not a step",
  steps: ["Add a test that fails", "Add the retry"],
  session: "s1",
}

test("[PLANS-1] a submitted plan is a readable file that waits for the user", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const plan = await plans.submit({ ...PLAN, text: `${PLAN.text} ${SECRET}` })
  expect(plan).toMatchObject({
    title: "Retry uploads",
    status: "waiting",
    session: "s1",
    isArchived: false,
    steps: [
      { number: 1, text: "Add a test that fails", isDone: false },
      { number: 2, text: "Add the retry", isDone: false },
    ],
  })
  expect(plan.id).toMatch(/^retry-uploads-[0-9a-f]{6}$/)
  const text = await readFile(path.join(temp.path, plan.file), "utf8")
  expect(text).toContain("# Retry uploads")
  expect(text).toContain("- [ ] Add the retry")
  expect(text).not.toContain(SECRET)
  expect((await plans.list({ archived: false })).plans.map((it) => it.id)).toEqual([plan.id])
})

test("[PLANS-1] at most 200 plans are open", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const { file } = await plans.submit(PLAN)
  const text = await readFile(path.join(temp.path, file), "utf8")
  const folder = path.dirname(path.join(temp.path, file))
  const more = Array.from({ length: 199 }, (_, n) => path.join(folder, `more-${n}.md`))
  await Promise.all(more.map((it) => writeFile(it, text)))
  await expect(plans.submit(PLAN)).rejects.toMatchObject({ code: "PLAN_TOO_MANY" })
})

test("[PLANS-2] a user answers once, with feedback", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const { id } = await plans.submit(PLAN)
  const answer = { decision: "reject", feedback: "Keep the old format", by: "you" } as const
  expect(await plans.answer(id, answer)).toMatchObject({
    status: "rejected",
    feedback: "Keep the old format",
    answeredBy: "you",
  })
  await expect(plans.answer(id, { ...answer, decision: "approve" })).rejects.toMatchObject({
    code: "PLAN_NOT_WAITING",
  })
  await expect(plans.answer("nope", answer)).rejects.toMatchObject({ code: "PLAN_UNKNOWN" })
})

test("[PLANS-3] steps are ticked off after approval, and a finished plan is archived", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const { id, file } = await plans.submit(PLAN)
  await expect(plans.tick(id, [1], true)).rejects.toMatchObject({ code: "PLAN_NOT_APPROVED" })
  await plans.answer(id, { decision: "approve", feedback: undefined, by: "you" })
  await expect(plans.tick(id, [3], true)).rejects.toMatchObject({ code: "PLAN_STEP_UNKNOWN" })
  const before = await readFile(path.join(temp.path, file), "utf8")
  const half = await plans.tick(id, [1], true)
  expect(half.steps.map((it) => it.isDone)).toEqual([true, false])
  const after = await readFile(path.join(temp.path, file), "utf8")
  expect(after).toBe(before.replace("- [ ] Add a test", "- [x] Add a test"))
  const whole = await plans.tick(id, [2], true)
  expect(whole).toMatchObject({ status: "done", isArchived: true })
  expect(await readdir(path.join(temp.path, ".qm", "plans"))).toEqual(["archive"])
  expect((await plans.list({ archived: true })).plans.map((it) => it.id)).toEqual([id])
  expect((await plans.show(id)).text).toContain("not a step")
})

test("[PLANS-4] a file that is no plan is reported and left alone; hand-made ticks count", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const { id, file } = await plans.submit(PLAN)
  const at = path.join(temp.path, file)
  await writeFile(at, (await readFile(at, "utf8")).replace("[ ] Add the", "[x] Add the"))
  await writeFile(path.join(path.dirname(at), "notes.md"), "just notes")
  const { plans: listed, problems } = await plans.list({ archived: false })
  expect(listed.find((it) => it.id === id)?.steps.map((it) => it.isDone)).toEqual([false, true])
  expect(problems).toMatchObject([{ file: "notes.md" }])
  await expect(plans.archive("notes")).rejects.toMatchObject({ code: "PLAN_UNREADABLE" })
  expect(await readFile(path.join(path.dirname(at), "notes.md"), "utf8")).toBe("just notes")
})

test("[PLANS-4] a link in the folder is not followed", async () => {
  await using temp = await tempDirectory()
  const plans = await room(path.join(temp.path, "repo"))
  const { symlink } = await import("node:fs/promises")
  await mkdir(path.join(temp.path, "repo", ".qm", "plans"), { recursive: true })
  const outside = path.join(temp.path, "outside.md")
  await writeFile(outside, planText({ ...fieldsOf(), title: "outside" }, ""))
  await symlink(outside, path.join(temp.path, "repo", ".qm", "plans", "linked.md"))
  const { plans: listed, problems } = await plans.list({ archived: false })
  expect(listed).toEqual([])
  expect(problems).toHaveLength(1)
})

test("[PLANS-5] notes belong to a session and are there after a restart", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const set = { key: "phase", value: `tests ${SECRET}`, remove: false }
  await plans.notes("s1", set)
  await plans.notes("s1", { ...set, key: "files", value: "a.ts" })
  const again = await room(temp.path)
  const all = await again.notes("s1", { key: undefined, value: undefined, remove: false })
  expect(all.entries.map((it) => [it.key, it.value])).toEqual([
    ["phase", "tests [redacted]"],
    ["files", "a.ts"],
  ])
  expect((await again.notes("s2", { ...set, value: undefined })).entries).toEqual([])
  await again.notes("s1", { key: "phase", value: undefined, remove: true })
  const left = await again.notes("s1", { key: undefined, value: undefined, remove: false })
  expect(left.entries.map((it) => it.key)).toEqual(["files"])
})

test("[PLANS-5] a session has at most 100 notes, and changes at the same time are not lost", async () => {
  await using temp = await tempDirectory()
  const plans = await room(temp.path)
  const set = (n: number) => plans.notes("s", { key: `k${n}`, value: "v", remove: false })
  for (let n = 0; n < 98; n++) await set(n)
  await Promise.all([set(98), set(99)])
  await expect(set(100)).rejects.toMatchObject({ code: "PLAN_STATE_FULL" })
})

function fieldsOf(): PlanFields {
  return {
    title: "t",
    status: "waiting",
    session: null,
    submittedAt: 0,
    answeredAt: null,
    answeredBy: null,
    feedback: null,
    steps: [],
  }
}

test("[PLANS-1] any plan reads back as it was written", () => {
  const line = fc
    .string({ minLength: 1, maxLength: 60, unit: "binary" })
    .map((it) => it.replaceAll(/\s+/g, " ").trim())
    .filter((it) => it !== "")
  fc.assert(
    fc.property(
      line,
      fc.string(),
      fc.array(line, { minLength: 1, maxLength: 9 }),
      (title, text, steps) => {
        const plan = {
          ...fieldsOf(),
          title,
          steps: steps.map((it, at) => ({ number: at + 1, text: it, isDone: at % 2 === 0 })),
        }
        const parsed = parsePlan(planText(plan, text))
        expect(parsed).toEqual({ kind: "plan", plan })
        const all = new Set(plan.steps.map((it) => it.number))
        const ticked = parsePlan(withTicks(planText(plan, text), all, true))
        expect(ticked.kind === "plan" && ticked.plan.steps.every((it) => it.isDone)).toBe(true)
      },
    ),
    fcParameters({ numRuns: 200 }),
  )
})
