import type { FastifyInstance } from "fastify"
import type { Operation } from "#ground/contract"
import { DOOR_ROUTES } from "./agents-door.ts"
import { operationRoutes } from "./routes.ts"

type DocsDeps = { readonly operations: readonly Operation[]; readonly version: string }

/** The API as one HTML page without script. */
export function addDocs(fastify: FastifyInstance, deps: DocsDeps): void {
  const page = renderDocs(deps)
  fastify.get("/docs", async (_, reply) => reply.type("text/html; charset=utf-8").send(page))
  fastify.get("/docs/style.css", async (_, reply) => reply.type("text/css").send(STYLE))
}

function renderDocs({ operations: all, version }: DocsDeps): string {
  const operations = operationRoutes(all).map((it) => ({
    ...it,
    summary: it.operation.summary,
  }))
  const rows = [...operations, ...DOOR_ROUTES].map(
    ({ method, path, summary }) =>
      `<tr><td>${method}</td><td><code>${escape(path)}</code></td><td>${escape(summary)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Quartermaster API</title><link rel="stylesheet" href="/docs/style.css"></head>
<body>
<h1>Quartermaster API ${escape(version)}</h1>
<p>Send <code>Authorization: Bearer</code> with what <code>qm token</code> prints. Reading is GET with query
fields, writing is POST with a JSON body. A failure is <code>{ code, message, hint, data }</code>.
The whole description is <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>
<table><thead><tr><th>Method</th><th>Path</th><th>What it does</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table>
</body>
</html>
`
}

const STYLE = `:root { color-scheme: light dark; font: 14px/20px system-ui, sans-serif }
body { margin: 32px auto; max-width: 880px; padding: 0 24px }
h1 { font-size: 20px; line-height: 28px; font-weight: 550 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: 6px 12px 6px 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent) }
code { font: 12px/16px ui-monospace, monospace }
`

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
