import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import type { HostReport } from "#see/hosts"
import { A_PLACE, aFound } from "../items.fixture.ts"
import { compareWith } from "./observe-host.ts"

const report = (given: Partial<HostReport>): HostReport => ({
  by: "transcript",
  at: 2_000,
  files: [],
  categories: [],
  ...given,
})
const about = (
  items: ReturnType<typeof aFound>[],
  searched: { path: string; outcome: string }[] = [],
) => ({
  place: A_PLACE,
  items,
  searched,
})

test("[CAPTURE-13] files named by both sides agree, and the accuracy is agreed / compared", () => {
  const items = [aFound("/home/a/x/A.md"), aFound("/home/a/x/B.md", { text: "new" })]
  const seen = compareWith(
    report({
      version: "1.0.0",
      session: "s1",
      files: [
        { path: "/home/a/x/A.md", text: "text\n", tokens: 3 },
        { path: "/home/a/x/B.md", text: "old" },
      ],
    }),
    about(items),
  )
  expect(seen).toMatchObject({ agreed: 1, compared: 2, accuracy: 0.5, session: "s1" })
  expect(seen.files).toEqual([
    { path: "/home/a/x/A.md", label: "A.md", state: "both", sameText: true, tokens: 3 },
    {
      path: "/home/a/x/B.md",
      label: "B.md",
      state: "both",
      sameText: false,
      explanation: "The host sent a different text",
    },
  ])
})

test("[CAPTURE-13] a difference is explained by changes after the session started", () => {
  const late = { file: { realPath: "/n", bytes: Buffer.from("n"), modifiedAt: 3_000 } }
  const items = [
    aFound("/home/a/x/new.md", late),
    aFound("/home/a/x/changed.md", late),
    aFound("/home/a/x/odd.md"),
  ]
  const observed = ["gone", "left-out", "emptied", "later", "strange"].map((name) => ({
    path: `/home/a/x/${name}.md`,
    tokens: 1,
  }))
  const searched = [
    { path: "/home/a/x/gone.md", outcome: "missing" },
    { path: "/home/a/x/left-out.md", outcome: "excluded" },
    { path: "/home/a/x/emptied.md", outcome: "empty" },
    { path: "/home/a/x/later.md", outcome: "found" },
  ]
  const { files } = compareWith(
    report({ files: [{ path: "/home/a/x/changed.md", text: "before" }, ...observed] }),
    about(items, searched),
  )
  expect(files.map((it) => [it.state, it.explanation])).toEqual([
    ["estimated-only", "Created or changed after that session"],
    ["both", "Changed after that session"],
    ["estimated-only", "Not reported by the host; its settings or version may differ"],
    ["observed-only", "File no longer exists"],
    ["observed-only", "Excluded by a setting after that session"],
    ["observed-only", "File is empty now"],
    ["observed-only", "Found, but not expected at the start"],
    ["observed-only", "The host loaded it for a reason we do not know"],
  ])
})

test("[CAPTURE-13] for a host that sends one text, our texts must occur in it in our order", () => {
  const items = [aFound("/h/1", { text: "one" }), aFound("/h/2", { text: "two" })]
  const states = (wholeText: string) =>
    compareWith(report({ wholeText }), about(items)).files.map((it) => it.state)
  expect(states("# one\n\n# two")).toEqual(["both", "both"])
  expect(states("# two\n\n# one")).toEqual(["both", "estimated-only"])
})

test("[CAPTURE-13] listings, settings and styles are not compared; the accuracy of no comparison is 1", () => {
  const items = [
    aFound("/h/skill", { load: "name-only", kind: "tools" }),
    aFound("/h/settings", { load: "config-only", sent: "" }),
    aFound("/h/style", { source: "output-style" }),
  ]
  expect(compareWith(report({ by: "host" }), about(items))).toMatchObject({
    compared: 0,
    accuracy: 1,
    by: "host",
  })
})

test("[CAPTURE-21] gateway records are compared by the hash of the trimmed text", () => {
  const late = { file: { realPath: "/n", bytes: Buffer.from("n"), modifiedAt: 3_000 } }
  const items = [
    aFound("/home/a/x/same.md", { text: " words \n" }),
    aFound("/home/a/x/other.md"),
    aFound("/home/a/x/changed.md", late),
    aFound("/home/a/x/new.md", late),
  ]
  const sha256 = createHash("sha256").update("words").digest("hex")
  const said = ["same", "other", "changed"].map((it) => ({ path: `/home/a/x/${it}.md`, sha256 }))
  const seen = compareWith(report({ by: "wire", session: "s1", files: said }), about(items))
  expect(seen).toMatchObject({ by: "wire", session: "s1", agreed: 1, compared: 4 })
  expect(seen.files.map((it) => [it.state, it.sameText, it.explanation])).toEqual([
    ["both", true, undefined],
    ["both", false, "The host sent a different text"],
    ["both", false, "Changed after that session"],
    ["estimated-only", undefined, "Created or changed after that session"],
  ])
})
