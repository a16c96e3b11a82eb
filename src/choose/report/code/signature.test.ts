import { expect, test } from "vitest"
import { casesOf, isBreakingChange, parametersOf } from "./signature.ts"

test("[REPORT-6] parameters are split at commas outside of brackets, in several languages", () => {
  const names = (signature: string) => parametersOf(signature)?.map((it) => it.name)
  expect(names("function f(a: Map<string, number>, b?: (x: number) => void)")).toEqual(["a", "b"])
  expect(names("def f(self, items: list[int], *rest, key=None)")).toEqual(["items", "rest", "key"])
  expect(names("fn f(&self, at: usize) -> Option<u8>")).toEqual(["at"])
  expect(names("function f(int $cents, array $lines = [])")).toEqual(["cents", "lines"])
  expect(names("const LIMIT = 3")).toBeUndefined()
})

test.each([
  ["function f(a: string)", "function f(a: string, b?: number)", false],
  ["function f(a: string)", "function f(a: string, ...rest: string[])", false],
  ["def f(a)", "def f(a, b=1)", false],
  ["function f(a: string)", "function f(a: string, b: number)", true],
  ["function f(a: string)", "function f(a: number)", true],
  ["function f(a: string, b: string)", "function f(a: string)", true],
  ["function f(a: string): string", "function f(a: string): number", true],
  ["const A = 1", "const A = 2", true],
])("[REPORT-6] %s to %s: breaking is %s", (before, after, isBreaking) => {
  expect(isBreakingChange(before, after)).toBe(isBreaking)
})

test("[REPORT-7] cases come from the types of the parameters and from the body", () => {
  const signature = "async function load(names: string[], at?: number): Promise<void>"
  const cases = casesOf("load", signature, "if (names.length === 0) throw new Error()")
  expect(cases).toEqual([
    { kind: "happy", text: "usual names, at" },
    { kind: "edge", text: "names: empty text" },
    { kind: "edge", text: "names: text with characters outside ASCII" },
    { kind: "edge", text: "names: no items" },
    { kind: "edge", text: "names: one item" },
    { kind: "edge", text: "names: many items, and the same item twice" },
    { kind: "edge", text: "at: 0" },
    { kind: "edge", text: "at: a negative number" },
    { kind: "edge", text: "at: the largest number allowed" },
    { kind: "edge", text: "at absent" },
    { kind: "failure", text: "the input that makes it fail, with the error it gives" },
    { kind: "failure", text: "the awaited call rejects or is cancelled" },
  ])
  expect(casesOf("now", "function now()", "return 1")).toEqual([
    { kind: "happy", text: "now() with its usual state" },
  ])
})
