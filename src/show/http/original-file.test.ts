import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { KbDocuments } from "#ground/contract"
import { makeDocx, makePdf } from "#test/office-files"
import { newServer } from "#test/server"

const PDF = makePdf([
  {
    lines: [
      { text: "Fees", size: 20 },
      { text: "A fee is due.", gap: 9 },
    ],
  },
])
const CALLER = { signal: new AbortController().signal }
const BODY = "<w:p><w:r><w:t>A fee is due.</w:t></w:r></w:p>"

test("[HTTP-20] the file of a document is sent behind the guard, and nothing of it runs as our page", async () => {
  await using server = await newServer()
  const docs = path.join(server.directory, "docs")
  await mkdir(docs)
  await writeFile(path.join(docs, "fees.pdf"), PDF)
  await writeFile(path.join(docs, "fees.docx"), makeDocx({ body: BODY }))
  await writeFile(path.join(docs, "x.html"), "<h1>Fees</h1><script>alert(1)</script><p>Due.</p>")
  await server.app().call("kb.add", { path: docs }, CALLER)
  const { documents } = KbDocuments.parse(await server.app().call("kb.documents", {}, CALLER))
  const ask = async (format: string) => {
    const id = documents.find((it) => it.format === format)?.id
    return server.ask({ path: `/api/kb/original/${id}` })
  }
  const pdf = await ask("pdf")
  expect(pdf.status).toBe(200)
  expect(pdf.headers).toMatchObject({
    "content-type": "application/pdf",
    "content-disposition": 'inline; filename="fees.pdf"',
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  })
  expect(pdf.headers["content-security-policy"]).toContain("default-src 'none'")
  const html = await ask("html")
  expect(html.headers["content-type"]).toBe("text/plain; charset=utf-8")
  expect(html.headers["content-security-policy"]).toMatch(/^sandbox; default-src 'none'/)
  const docx = await ask("docx")
  expect(docx.headers["content-disposition"]).toBe('attachment; filename="fees.docx"')
  const unknown = await server.ask({ path: "/api/kb/original/nothing" })
  expect(unknown.status).toBe(404)
  expect(unknown.text).toContain("KNOWLEDGE_DOCUMENT_NOT_FOUND")
  const stranger = await server.ask({ path: "/api/kb/original/nothing", token: "none" })
  expect(stranger.status).toBe(401)
})
