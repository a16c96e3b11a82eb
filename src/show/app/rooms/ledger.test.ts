import { randomBytes } from "node:crypto"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { type Caller, ClaimList, ClaimTaken, SessionRegistered, Simulation } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { type App, createApp } from "../app.ts"

const { signal } = new AbortController()
const OTHER: Caller = { principal: "client:other", session: "other" }

async function newApp(directory: string): Promise<App> {
  const project = path.join(directory, "project")
  await mkdir(project)
  await writeFile(path.join(project, "rounding.ts"), "export const roundLine = Math.round\n")
  const user = 'import { roundLine } from "./rounding.ts"\nexport const quote = roundLine(1)\n'
  await writeFile(path.join(project, "quote.ts"), user)
  return createApp({
    directory: project,
    environment: { PATH: process.env["PATH"], QM_HOME: path.join(directory, "home") },
    settings: ["guard.highRiskPaths=rounding.ts"],
    writeLog: () => {},
  })
}

test("[APP-17] a claim is visible to others, refused to them, shown in a simulation, and released", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const take = async (paths: readonly string[], caller?: Caller) =>
    ClaimTaken.parse(await app.call("claim.take", { paths }, { signal, ...(caller && { caller }) }))
  expect((await take(["rounding.ts"])).claims).toMatchObject([
    { path: "rounding.ts", session: "terminal", isHolderAlive: true },
  ])
  const refused = await take(["quote.ts", "rounding.ts"], OTHER)
  expect(refused).toMatchObject({ claims: [], held: { path: "rounding.ts", session: "terminal" } })
  const listed = ClaimList.parse(await app.call("claim.list", {}, { signal }))
  expect(listed.claims.map((it) => it.path)).toEqual(["rounding.ts"])

  const simulate = async (caller?: Caller) =>
    Simulation.parse(
      await app.call(
        "guard.simulate",
        { paths: ["rounding.ts"] },
        { signal, ...(caller && { caller }) },
      ),
    )
  expect((await simulate(OTHER)).claims).toEqual([{ path: "rounding.ts", session: "terminal" }])
  const own = await simulate()
  expect(own.claims).toEqual([])
  expect(own.receipt.reach.map((it) => it.path)).toEqual(["quote.ts"])
  expect(own.receipt.reasons.map((it) => it.text).join("; ")).toContain("rounding.ts")

  const release = (caller?: Caller) =>
    app.call("claim.release", { paths: ["rounding.ts"] }, { signal, ...(caller && { caller }) })
  expect(await release(OTHER)).toEqual({ released: [], notHeld: ["rounding.ts"] })
  expect(await release()).toEqual({ released: ["rounding.ts"], notHeld: [] })
  expect((await take(["rounding.ts"], OTHER)).held).toBeNull()
})

test("[APP-17] a path outside the repository is refused", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  for (const paths of [["../elsewhere"], ["/etc/passwd"], ["."]]) {
    await expect(app.call("claim.take", { paths }, { signal })).rejects.toMatchObject({
      code: "APP_PATH_OUTSIDE",
    })
  }
})

test("[APP-18] two sessions of one day and slug get two files without secrets, and the indices list both", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const token = `ghp_${randomBytes(18).toString("hex")}`
  const entry = { slug: "Round quotes", request: `round with ${token}`, date: "2026-11-15" }
  const register = async () =>
    SessionRegistered.parse(await app.call("session.register", entry, { signal }))
  const [first, second] = [await register(), await register()]
  expect([first.file, second.file]).toEqual([
    ".qm/memory/sessions/2026-11-15-01-round-quotes.md",
    ".qm/memory/sessions/2026-11-15-02-round-quotes.md",
  ])
  const read = (file: string) => readFile(path.join(app.places.repository.root, file), "utf8")
  expect(await read(first.file)).toContain("round with [redacted: github-token")
  const lists = await Promise.all(first.indices.map(read))
  expect(lists.join("\n")).toContain("2026-11-15-02-round-quotes.md")
  expect(await app.call("session.index", {}, { signal })).toEqual({ indices: [] })
})

test("[APP-17] [LEDGER-27] where the indices are in use, WORKSPACE.md lists active claims until they are released", async () => {
  await using temp = await tempDirectory()
  await using app = await newApp(temp.path)
  const call = (name: string, input: object) => app.call(name, input, { signal })
  const file = path.join(temp.path, "project/.qm/memory/WORKSPACE.md")
  await call("claim.take", { paths: ["quote.ts"], session: "first" })
  await expect(readFile(file, "utf8")).rejects.toThrow("ENOENT")
  await call("session.register", { slug: "one", request: "One" })
  await call("claim.take", { paths: ["rounding.ts"], session: "second" })
  const text = await readFile(file, "utf8")
  expect(text).toContain(
    "## Active claims (2)\n\n- quote.ts: session first\n- rounding.ts: session second\n",
  )
  await call("claim.release", { paths: ["quote.ts"], session: "first" })
  await call("claim.release", { paths: ["rounding.ts"], session: "second" })
  expect(await readFile(file, "utf8")).not.toContain("Active claims")
})
