import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { newServer, type ServerFixture, sendRaw, UPGRADE_HEADERS } from "#test/server"
import { tempDirectory } from "#test/temp"

let pages: Awaited<ReturnType<typeof tempDirectory>>
let server: ServerFixture

beforeAll(async () => {
  pages = await tempDirectory()
  await mkdir(path.join(pages.path, "assets"))
  await writeFile(path.join(pages.path, "index.html"), "<!doctype html><title>console</title>")
  await writeFile(path.join(pages.path, "assets", "app-1a2b.js"), "export {}")
  await writeFile(path.join(pages.path, "icon.weird"), "x")
  await writeFile(path.join(pages.path, "diagram.html"), "<body><script>draw()</script>\n")
  server = await newServer({ consoleDirectory: pages.path })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await pages[Symbol.asyncDispose]()
})

const POLICY = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": expect.stringContaining("camera=()"),
}

/** One response of every kind, by status. */
const KINDS = [
  ["the page", { path: "/", token: "none" }, 200],
  ["an address of the console", { path: "/events/ev_1", token: "none" }, 200],
  ["an asset", { path: "/assets/app-1a2b.js", token: "none" }, 200],
  ["a missing asset", { path: "/assets/gone.js", token: "none" }, 404],
  ["health", { path: "/healthz", token: "none" }, 200],
  ["an operation", { path: "/api/now/show" }, 200],
  ["an operation that fails", { path: "/api/config/show?key=nothing" }, 404],
  ["the description", { path: "/api/openapi.json" }, 200],
  ["the API for people", { path: "/docs" }, 200],
  ["its style", { path: "/docs/style.css" }, 200],
  ["a missing route", { path: "/api/nothing" }, 404],
  ["a missing route outside the API", { method: "POST", path: "/nothing", body: "{}" }, 404],
  ["a path that is not plain", { path: "/%" }, 400],
  ["bad JSON", { method: "POST", path: "/api/config/set", body: "{" }, 400],
  ["a preflight", { method: "OPTIONS", path: "/api/now/show" }, 404],
  ["a foreign preflight", { method: "OPTIONS", path: "/", headers: { origin: "http://x" } }, 403],
  ["no token", { path: "/api/now/show", token: "none" }, 401],
  ["a wrong Host", { path: "/", headers: { host: "evil.example" } }, 421],
  ["no Host", { path: "/", headers: { host: "" } }, 421],
  ["a refused socket", { path: "/live/", token: "none", headers: UPGRADE_HEADERS }, 401],
] as const

test.each(KINDS)("[S3] %s has the content policy and no CORS header", async (_, asked, status) => {
  const answer = await server.ask(asked)
  expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(POLICY)])
  const cors = Object.keys(answer.headers).filter((it) => it.startsWith("access-control-"))
  expect(cors).toEqual([])
})

test("[S3] the diagram page has no origin, one script, and only our pages may frame it", async () => {
  const { headers } = await server.ask({ path: "/diagram.html", token: "none" })
  // Of `draw()`, the text between the tags.
  const hash = "sha256-jm3FkV4tNIdBUr8jRVVl5n9PUixlaxTWD0pdpFiSH5A="
  expect(headers).toMatchObject({
    ...POLICY,
    "content-security-policy": `sandbox allow-scripts; default-src 'none'; script-src '${hash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
    "x-frame-options": "SAMEORIGIN",
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
  })
})

test("[S3] if the diagram page was not built, its address has the common policy", async () => {
  await using other = await tempDirectory()
  await writeFile(path.join(other.path, "index.html"), "<script>draw()</script>")
  await using bare = await newServer({ consoleDirectory: other.path })
  const { headers } = await bare.ask({ path: "/diagram.html", token: "none" })
  expect(headers).toMatchObject(POLICY)
})

test.each([
  ["what is not HTTP", "nonsense\r\n\r\n", "400"],
  ["a header of 20 kB", `GET / HTTP/1.1\r\nHost: h\r\nx: ${"a".repeat(20_000)}\r\n\r\n`, "431"],
  ["two lengths", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"],
  [
    "a length and chunks",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "400",
  ],
])("[HTTP-5] %s gets our error body with the content policy", async (_, bytes, status) => {
  const [head = "", body = ""] = (await sendRaw(server.port, bytes)).split("\r\n\r\n")
  const lines = head.split("\r\n")
  expect(lines[0]).toBe(`HTTP/1.1 ${status} Refused`)
  const policy = POLICY["content-security-policy"]
  expect(lines).toContain(`content-security-policy: ${policy}`)
  expect(JSON.parse(body)).toEqual({
    code: "HTTP_REQUEST_UNREADABLE",
    message: expect.stringMatching(/^Request refused: .+\.$/),
    hint: expect.any(String),
    data: null,
  })
})

test("[HTTP-5] assets are immutable in the cache, the page is revalidated", async () => {
  const cacheOf = async (it: string) => {
    const { headers } = await server.ask({ path: it, token: "none" })
    return [headers["content-type"], headers["cache-control"]]
  }
  expect(await cacheOf("/")).toEqual(["text/html; charset=utf-8", "no-cache"])
  expect(await cacheOf("/assets/app-1a2b.js")).toEqual([
    "text/javascript; charset=utf-8",
    "public, max-age=31536000, immutable",
  ])
  expect(await cacheOf("/icon.weird")).toEqual(["application/octet-stream", "no-cache"])
})

test.each(["/../server.json", "/assets/../../home/token", "/..%2ftoken", "/assets/%2e%2e/x.js"])(
  "[S3] %s does not leave the console's folder",
  async (asked) => {
    expect((await server.ask({ path: asked })).status).toBe(400)
  },
)

test("[HTTP-6] without a built console the page says how to build it", async () => {
  await using empty = await tempDirectory()
  await using bare = await newServer({ consoleDirectory: empty.path })
  const { status, text } = await bare.ask({ path: "/", token: "none" })
  expect([status, text]).toEqual([404, expect.stringContaining("npm run build")])
})
