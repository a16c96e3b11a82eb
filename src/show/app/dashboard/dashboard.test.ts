import { randomBytes } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { claudeFile, claudePrompt, sessionIdOf, writeLines } from "#test/transcripts"
import { createApp } from "../app.ts"

const { signal } = new AbortController()

async function scene() {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "shop<script>")
  mkdirSync(root)
  git(root, "init", "-q", "-b", "main")
  const environment = {
    PATH: process.env["PATH"],
    HOME: temp.path,
    QM_HOME: path.join(temp.path, "home"),
  }
  const app = await createApp({ directory: root, environment, settings: [], writeLog: () => {} })
  return {
    root,
    home: temp.path,
    app,
    call: (name: string, input: object) => app.call(name, input, { signal }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

test("[APP-65] [F5] [S4] the dashboard has all sections, no script, no address, no markup of a text and no secret", async () => {
  await using it = await scene()
  const letters = randomBytes(60)
    .toString("base64")
    .replaceAll(/[^A-Za-z0-9]/g, "")
  const secret = `ghp_${letters.slice(0, 36)}`
  const title = `<img src=x onerror=alert(1)> "quoted" ${secret}`
  await it.call("ticket.new", { title })
  await it.call("decision.add", {
    title: `Use <b>one</b> word ${secret}`,
    decision: "One word.",
    context: "Two words.",
  })
  await it.call("claim.take", { paths: ["src/a&b.ts"] })
  const said = { cwd: it.root, sessionId: sessionIdOf("dashboard"), at: Date.now() }
  const transcript = claudeFile(it.home, it.root, said.sessionId)
  await writeLines(transcript, [claudePrompt(`Round <b>every</b> line ${secret}`, said)])
  await it.call("sessions.import", { all: false })
  const written = await it.call("dashboard.write", { out: "state.html" })
  expect(written).toMatchObject({
    file: path.join(it.root, "state.html"),
    sections: [
      { name: "context" },
      { name: "sessions", rows: 1, missing: null },
      { name: "ledger" },
      { name: "cost" },
      { name: "board", rows: 1, missing: null },
      { name: "claims", rows: 1 },
      { name: "decisions", rows: 1 },
    ],
  })
  const html = readFileSync(path.join(it.root, "state.html"), "utf8")
  for (const name of ["Context", "Sessions", "Ledger", "Cost", "Board", "Claims", "Decisions"])
    expect(html).toContain(`">${name} <span>`)
  expect(html).toContain("&lt;img src=x onerror=alert(1)&gt; &quot;quoted&quot;")
  expect(html).toContain("src/a&amp;b.ts")
  expect(html).toContain("Round &lt;b&gt;every&lt;/b&gt; line")
  expect(html).toContain("<h1>shop&lt;script&gt;</h1>")
  expect(html).not.toContain(secret)
  expect(html).not.toMatch(/<script|<link|<img|<iframe|javascript:|https?:|url\(|@import/i)
  expect(html).toContain("Content-Security-Policy")
})

test("[APP-65] a target that cannot be written is refused, and nothing is left", async () => {
  await using it = await scene()
  mkdirSync(path.join(it.root, "folder.html"))
  writeFileSync(path.join(it.root, "file"), "x")
  const before = readdirSync(it.root)
  for (const out of ["missing/state.html", "folder.html", "file/state.html"])
    await expect(it.call("dashboard.write", { out })).rejects.toMatchObject({
      code: "DASHBOARD_NOT_WRITABLE",
    })
  expect(readdirSync(it.root)).toEqual(before)
})
