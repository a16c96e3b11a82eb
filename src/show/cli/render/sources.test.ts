import { expect, test } from "vitest"
import type { Credentials, Source } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""
const HOSTILE = "a\nb\u001b[2J"

const source = (changes: Partial<Source> = {}): Source => ({
  slug: "web",
  title: "Web search",
  description: "",
  origin: "project",
  provides: ["web-search"],
  command: "/usr/bin/server --port 1",
  digest: "sha256-00",
  isApproved: false,
  isReady: false,
  health: "unapproved",
  checkedAt: null,
  problem: null,
  tools: null,
  login: null,
  ...changes,
})

test("[CLI-23] sources are printed with command, problem and next step", () => {
  const broken = source({
    slug: "old",
    health: "invalid",
    problem: "Its config.json is not valid JSON.",
  })
  const good = source({ slug: "demo", health: "ok", isApproved: true, tools: ["search"] })
  expect(render("source.list", { sources: [source(), broken, good] })).toMatchInlineSnapshot(`
    "web  unapproved  project, Web search
      /usr/bin/server --port 1
      sha256-00

    old  invalid  project, Web search
      /usr/bin/server --port 1
      Its config.json is not valid JSON.

    demo  ok  project, Web search
      /usr/bin/server --port 1
      tools: search

    Approve a source as shown here with \`qm source approve web\`."
  `)
  expect(render("source.list", { sources: [] })).toContain("No sources.")
})

test("[SOURCES-1] a command is never truncated and stays on one line", () => {
  const command = `/bin/sh -c ${"x".repeat(5_000)}${HOSTILE.repeat(200)} && last-word`
  const text = render("source.approve", source({ command }))
  expect(text).toContain("&& last-word")
  expect(text).not.toContain("…")
  expect(text.split("\n")).toHaveLength(3)
})

test("[CLI-23] a source test prints duration and tools, or that the source did not respond", () => {
  const tools = [{ name: "search", description: `Finds pages. ${HOSTILE}` }]
  const good = { source: source({ health: "ok" }), durationMs: 120, tools }
  expect(render("source.test", good)).toContain("Answered in 120 ms with 1 tool.")
  expect(render("source.test", good).split("\n")).toHaveLength(5)
  const dead = source({ health: "dead", problem: "Source web failed: it ended." })
  const text = render("source.test", { source: dead, durationMs: 9, tools: [] })
  expect(text).toContain("Source web failed: it ended.")
  expect(text).toContain("No answer after 9 ms.")
})

test("[CREDENTIALS-2] credentials are printed with name, origin of the key and warning", () => {
  const kept: Credentials = {
    credentials: [{ name: "anthropic", setAt: Date.UTC(2026, 0, 2, 3, 4) }],
    keptBy: "key file",
    warning: "The key lies in a file beside the credentials.",
  }
  const text = render("credential.list", kept)
  expect(text).toContain("anthropic")
  expect(text).toContain("Encrypted; the key comes from the key file.")
  expect(text).toContain("warn  The key lies in a file")
  expect(render("credential.set", { ...kept, keptBy: "passphrase", warning: null })).not.toContain(
    "warn",
  )
  expect(render("credential.list", { ...kept, credentials: [] })).toContain("qm credential set")
})
