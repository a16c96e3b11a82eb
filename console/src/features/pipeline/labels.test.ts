import { describe, expect, it } from "vitest"
import type { PipelineCompare } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { labelsOf as labelsWith } from "../../ui/markdown/document-labels.ts"
import { describeCompared } from "./compare.tsx"

const labelsOf = (references: Parameters<typeof labelsWith>[0]) =>
  labelsWith(references, (it) => paths.knowledge({ at: it, show: it }))

const reference = {
  label: "P1",
  title: "Order",
  citation: "Order § 3",
  paragraph: "kp_1",
  url: null,
  isPrior: false,
}

describe("labels of a document", () => {
  it("[CONSOLE-53] a paragraph label links into the knowledge base, a web label to its page", () => {
    const web = { ...reference, label: "W1", paragraph: null, url: "https://a.example/x" }
    const labels = labelsOf([reference, web, { ...web, label: "W2", url: "javascript:alert(1)" }])
    expect([...labels]).toEqual([
      ["P1", { href: "/knowledge?at=kp_1&show=kp_1", title: "Order § 3, Order", outside: null }],
      [
        "W1",
        {
          href: "https://a.example/x",
          title: "Order § 3, Order (a.example)",
          outside: "a.example",
        },
      ],
    ])
  })
})

describe("comparison of two runs", () => {
  const side = { summary: null, usd: 0, rounds: 1, output: "" }
  const stages = (...same: readonly (boolean | null)[]): Pick<PipelineCompare, "stages"> => ({
    stages: same.map((it, i) => ({
      name: `s${i}`,
      title: "",
      left: side,
      right: it === null ? null : side,
      isSame: it === true,
    })),
  })

  it("the number of differing stages comes first", () => {
    expect(describeCompared(stages(true, true))).toBe("all stages gave the same result")
    expect(describeCompared(stages(true, false))).toBe("1 stage differs, 1 identical")
    expect(describeCompared(stages(false, false, true))).toBe("2 stages differ, 1 identical")
    expect(describeCompared(stages(false, null, null))).toBe(
      "1 stage differs, 0 identical, 2 reached by one run only",
    )
  })
})
