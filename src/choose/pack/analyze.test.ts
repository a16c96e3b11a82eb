import { expect, test } from "vitest"
import { analyzeTask, findNames, findPaths, readDomains } from "./analyze.ts"
import { LONGEST_TASK_UNITS } from "./limits.ts"

const analyze = (task: string, domains = "") => analyzeTask(task, { domains })

test("[PACK-2] finds paths with and without line numbers, and in stack frames", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["Look at src/bill/rounding.ts.", ["src/bill/rounding.ts"]],
    ["In ./src/a.ts:12:5 and web\\app\\b.tsx:7", ["src/a.ts", "web/app/b.tsx"]],
    ["See `lib/x.py#L10-L20`, please", ["lib/x.py"]],
    ["Only rounding.ts fails", ["rounding.ts"]],
    ["The Makefile and tools/Dockerfile", ["Makefile", "tools/Dockerfile"]],
    ["    at roundLine (/app/src/bill/rounding.js:10:3)", ["/app/src/bill/rounding.js"]],
    ["    at file:///app/src/main.mjs:3:1", ["/app/src/main.mjs"]],
    ['  File "/srv/shop/bill.py", line 3, in total', ["/srv/shop/bill.py"]],
    ["\tat com.acme.bill.Total.sum(Total.java:31)", ["com/acme/bill/Total.java"]],
    ["\t/go/src/shop/bill.go:45 +0x1d", ["/go/src/shop/bill.go"]],
    ["user.name is empty, see e.g. https://a.example/x/y.ts or v1.2.3", []],
    ["either/or is no path; neither is 3/4", []],
  ]
  expect(cases.map(([text]) => findPaths(text).filePaths)).toEqual(cases.map(([, paths]) => paths))
})

test("finds names by their spelling; a capitalised first word alone is no name", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["Fix roundLine and round_total in Bill", ["roundLine", "round_total", "Bill"]],
    ["Rounding is wrong. Bills are too high.\n- Totals differ", []],
    ["InvoiceLine is wrong", ["InvoiceLine"]],
    ["call `half` or `Bill.total()` or parse()", ["half", "Bill", "total", "parse"]],
    ["`a whole sentence` is none, and file(s) neither", []],
    ["the HTTPServer and MAX_SIZE, not HTTP", ["HTTPServer", "MAX_SIZE"]],
    ["reply.send with a stream leaks, see app.use.", ["send", "use"]],
    ["no name in lib/reply.js, config.json or https://example.test/a.html", []],
  ]
  expect(cases.map(([text]) => findNames(text))).toEqual(cases.map(([, names]) => names))
  expect(analyze("In src/someFile.ts is a fault").symbolNames).toEqual([])
})

test("the first known verb is the action, the longest matching prefix the domain", () => {
  expect(analyze("Fix the test of rounding").action).toBe("fix")
  expect(analyze("Please ADD a page").action).toBe("implement")
  expect(analyze("Cleaning up bills").action).toBe("refactor")
  expect(analyze("Verify totals").action).toBe("test")
  expect(analyze("Inspect totals").action).toBe("review")
  expect(analyze("Totals are wrong").action).toBeNull()
  const domains = "src=all; src/bill = billing"
  expect(analyze("see src/bill/a.ts", domains).domain).toBe("billing")
  expect(analyze("see src/user/a.ts", domains).domain).toBe("all")
  expect(analyze("Billing is slow", domains).domain).toBe("billing")
  expect(analyze("web/a.ts is slow", domains).domain).toBeNull()
  expect(analyze("The rounding of a bill").keywords).toEqual(["rounding", "bill"])
})

test("an invalid domain rule is an error that quotes the rule", () => {
  expect(() => readDomains("src/bill")).toThrow("expected prefix=name")
  expect(() => readDomains("a=b=c")).toThrow("a=b=c")
})

test("[PACK-5] analyzes text that is costly for regular expressions in linear time", () => {
  const hostile = ["`", "a.", "../", "at a(", "Aa", "_", ":1", "a/b.c:", "(", "#L1-", "\\", "A.b("]
  for (const part of hostile) {
    const text = part.repeat(Math.ceil(LONGEST_TASK_UNITS / part.length))
    expect(analyze(text).filePaths.length).toBeLessThanOrEqual(100)
  }
})
