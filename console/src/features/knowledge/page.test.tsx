import { QueryClient } from "@tanstack/react-query"
import { beforeAll, describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { KbStatus } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { knowledgeParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { loadMarkdown } from "../../ui/markdown/markdown.tsx"
import { aDocument, aFolder, aParagraph, aStatus, NOW } from "./knowledge.fixture.ts"
import { KnowledgePage } from "./page.tsx"
import { searchInput } from "./use-knowledge.ts"

beforeAll(loadMarkdown)

type KnowledgePageData = {
  readonly status?: KbStatus
  readonly answers?: readonly (readonly [readonly unknown[], unknown])[]
  readonly isReadOnly?: boolean
  readonly queries?: QueryClient
}

function markupOf(address: string, data: KnowledgePageData) {
  const { status, answers = [], isReadOnly, queries = new QueryClient() } = data
  if (status !== undefined) queries.setQueryData(keys.operation("kb.status", {}), status)
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  for (const [key, answer] of answers) queries.setQueryData(key, answer)
  return renderPage(
    queries,
    <KnowledgePage now={NOW} params={knowledgeParams.parse(address)} onParams={() => undefined} />,
  )
}

const render = (address: string, data: KnowledgePageData) => textOf(markupOf(address, data))
const DOCUMENTS = [keys.operation("kb.documents", {}), { documents: [aDocument("kd_1")] }] as const

describe("page Knowledge", () => {
  it("[CONSOLE-15] the empty page says what it shows and gives the one command", () => {
    const status = aStatus({ folders: [], documents: 0 })
    expect(render("", { status })).toContain("$ qm kb add docs Copy Add a folder")
    const readOnly = render("", { status, isReadOnly: true })
    expect(readOnly.match(/Add a folder/g)?.length, "only the one of the header").toBe(1)
    expect(render("", {}), "unknown is not empty").not.toContain("qm kb add")
  })

  it("the footer shows what is indexed and how it is searched", () => {
    const status = aStatus({ unresolved: [{ document: "kd_1", text: "see Annex D" }] })
    const text = render("", { status, answers: [DOCUMENTS] })
    expect(text).toContain(
      "1 document, 41 paragraphs, 22 references, 1 broken. Searched by words only: no embedder is configured.",
    )
  })

  it("files changed since indexing are listed with the button that indexes them again", () => {
    const folders = [aFolder("/docs", { isStale: true }), aFolder("/more", { isStale: true })]
    const text = render("", { status: aStatus({ folders }), answers: [DOCUMENTS] })
    expect(text).toContain(
      "Files of /docs changed since they were indexed. So did files of 1 other folder. Index again",
    )
  })

  it("a paragraph shows its location, its references and the paragraphs that refer to it", () => {
    const other = aParagraph("kp_2", { citation: "Tariff § 2.1", text: "x".repeat(300) })
    const shown = {
      paragraph: aParagraph("kp_1"),
      before: null,
      after: other,
      refersTo: [{ paragraph: other, text: "see Tariff § 2.1" }],
      referredFrom: [],
    }
    const html = markupOf("?show=kp_1", {
      status: aStatus(),
      answers: [DOCUMENTS, [keys.operation("kb.paragraph", { id: "kp_1" }), shown]],
    })
    const text = textOf(html)
    expect(text).toContain("Handbook / 4 Arrival")
    expect(html).toContain("<strong>arrived</strong>")
    expect(text).toMatch(/Refers to 1 Tariff § 2\.1 see Tariff § 2\.1 x+…/)
    expect(text).not.toContain("Referenced by")
    expect(html).toContain('href="/knowledge?at=kp_2&amp;show=kp_2"')
    expect(text).toContain("File handbook.md:118")
    expect(html).toContain('href="/knowledge?at=kd_1&amp;document=kd_1"')
  })

  it("a document shows how it was parsed and its broken references", () => {
    const status = aStatus({ unresolved: [{ document: "kd_1", text: "see Annex D" }] })
    const text = render("?document=kd_1", { status, answers: [DOCUMENTS] })
    expect(text).toContain("markdown, 9.4 kB")
    expect(text).toContain("Broken references 1 see Annex D")
    const gone = render("?document=kd_9", { status, answers: [DOCUMENTS] })
    expect(gone).toContain("This document no longer exists.")
  })

  it("[CONSOLE-15] an empty search result, an empty tier and an error have different texts", async () => {
    const none = keys.operation("kb.search", searchInput("zz", { tier: null, hops: false }))
    const answers = [[none, { hits: [], by: aStatus().by, documents: 10 }]] as const
    expect(render("?text=zz", { status: aStatus(), answers })).toContain(
      "No paragraph of 10 documents matches. Show all",
    )
    const tier = keys.operation("kb.documents", { tier: "web" as const })
    expect(
      render("?tier=web", { status: aStatus(), answers: [[tier, { documents: [] }]] }),
    ).toContain("No document has this tier. Show all")
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, retryOnMount: false } },
    })
    const error = failure({
      code: "KNOWLEDGE_X",
      message: "No such paragraph",
      hint: "x",
      data: {},
    })
    const queryKey = keys.operation("kb.paragraph", { id: "kp_9" })
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error) })
    expect(render("?show=kp_9", { status: aStatus(), queries })).toContain("No such paragraph")
  })

  it("[CONSOLE-22] control and bidirectional characters in documents are escaped", () => {
    const evil = "x\u202Ey<img src=x onerror=alert(1)>[a](javascript:alert(1))"
    const paragraph = aParagraph("kp_1", {
      title: evil,
      text: evil,
      citation: evil,
      headings: [evil],
      path: evil,
    })
    const shown = {
      paragraph,
      before: paragraph,
      after: null,
      refersTo: [{ paragraph, text: evil }],
      referredFrom: [{ paragraph, text: evil }],
    }
    const html = markupOf("?show=kp_1", {
      status: aStatus({ folders: [aFolder(evil, { isStale: true })] }),
      answers: [DOCUMENTS, [keys.operation("kb.paragraph", { id: "kp_1" }), shown]],
    })
    expect(html).not.toMatch(/\u202E|<img|href="javascript/)
  })
})
