import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { checkMessage } from "./commit-msg.ts"

const check = (text: string, commentCharacter = "#") => checkMessage(text, { commentCharacter })

test.each([
  ["feat: add a hook"],
  ["fix(parser): keep empty lines\n\nBecause they count.\n"],
  ["feat(api)!: drop the old route"],
  ["refactor!: one room fewer"],
  ["fix(fold, memory): in their own words"],
  ["Docs: the convention holds no sign apart from its capital"],
  [`chore: ${"x".repeat(93)}`],
  ["\n\n# a comment first\nfeat: below it\n# On branch main\n"],
  ["feat: subject\r\n\r\nbody\r\n"],
  ["feat: subject\n# a comment is no second line\n\nbody"],
  ["# only\n# comments\n"],
  [""],
])("[GITHOOKS-11] %j follows the convention", (text) => {
  expect(check(text)).toEqual({ kind: "fine" })
})

test.each([
  ["updated stuff", "does not start with"],
  ["feature: add a hook", '"feature" is not one of'],
  [": no type", "no type is not one of"],
  ["feat:no space", "a space is missing"],
  ["feat:   ", "the subject is empty"],
  ["feat(): empty", "the scope is empty"],
  ["feat(a: open", "does not start with"],
  ["feat (a): space", "does not start with"],
  [`chore: ${"x".repeat(94)}`, "the header has 101 characters"],
  ["feat: subject\nbody at once", "a blank line is missing"],
])("[GITHOOKS-11] %j is rejected", (text, wrong) => {
  const outcome = check(text)
  expect(outcome).toMatchObject({ kind: "wrong" })
  expect(outcome.kind === "wrong" && outcome.wrong).toContain(wrong)
})

test("[GITHOOKS-11] text below the scissors line is ignored for any comment character", () => {
  const scissors = "------------------------ >8 ------------------------"
  expect(check(`# ${scissors}\ndiff --git a b\n`)).toEqual({ kind: "fine" })
  expect(check(`feat: a\n; ${scissors}\ndiff`, ";")).toEqual({ kind: "fine" })
  expect(check("; a comment\nfeat: a\n", ";")).toEqual({ kind: "fine" })
  expect(check("; no comment\nfeat: a\n")).toMatchObject({ kind: "wrong", header: "; no comment" })
})

test.each([
  ["Merge branch 'topic'"],
  ['Revert "anything at all"'],
  ['Reapply "anything at all"'],
  ["fixup! whatever it was"],
  ["squash! whatever it was"],
  ["amend! whatever it was"],
])("%j, a message that git writes itself, is accepted", (text) => {
  expect(check(text)).toEqual({ kind: "fine" })
})

test("[GITHOOKS-11] an unknown type is rejected, whatever follows it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const outcome = check(`x${text}`)
      expect(outcome.kind).toBe("wrong")
    }),
    fcParameters({ numRuns: 300 }),
  )
})
