import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commit, git } from "#test/git"
import { enrol, hookPayload, installHooks, runHookProcess } from "#test/hooks"
import { needs } from "#test/needs"
import { type TempDirectory, tempDirectory } from "#test/temp"

let temp: TempDirectory
let hooks: Awaited<ReturnType<typeof installHooks>>

beforeAll(async () => {
  temp = await tempDirectory()
  hooks = await installHooks(temp.path)
})
afterAll(async () => temp[Symbol.asyncDispose]())

function behind(name: string) {
  const origin = path.join(temp.path, `${name} origin`)
  const root = path.join(temp.path, name)
  mkdirSync(origin)
  git(origin, "init", "-q", "-b", "main")
  commit(origin, "first", { "a.txt": "a\n" })
  git(temp.path, "clone", "-q", origin, root)
  const state = enrol(root)
  const news = commit(origin, "second", { "b.txt": "b\n" })
  const upstream = () => git(root, "rev-parse", "origin/main")
  return { origin, root, state, news, upstream }
}

const QUIET = { code: 0, stdout: "", stderr: "" }

function fetchNow(root: string, env: Readonly<Record<string, string>> = {}) {
  return runHookProcess([hooks.bundle, "--afterwards", "fetch", root], {
    host: "ignored",
    payload: "",
    env: { HOME: temp.path, ...env },
  })
}

function canary(folder: string): { readonly script: string; readonly ran: string } {
  const ran = path.join(folder, "ran")
  const script = path.join(folder, "evil.sh")
  writeFileSync(script, `#!/bin/sh\necho x >> '${ran}'\n`)
  chmodSync(script, 0o755)
  return { script, ran }
}

describe.runIf(needs("HOOKS-14", "git"))("fetch after the hook's answer", () => {
  test("[HOOKS-14] the hook fetches new commits once in ten minutes", async () => {
    const { origin, root, state, news, upstream } = behind("plain")
    expect(upstream()).not.toBe(news)
    expect(await fetchNow(root)).toEqual(QUIET)
    expect(upstream()).toBe(news)
    const later = commit(origin, "third")
    expect(await fetchNow(root)).toEqual(QUIET)
    expect(upstream()).not.toBe(later)
    expect(globSync("fetch-*", { cwd: state })).toHaveLength(1)
  })

  test("[HOOKS-10] the hook fetches nothing in a repository that is not enrolled", async () => {
    const { root, state, news, upstream } = behind("foreign")
    rmSync(path.join(state, "kit.json"))
    expect(await fetchNow(root)).toEqual(QUIET)
    expect(upstream()).not.toBe(news)
  })

  test("[HOOKS-14] the fetch runs no program from the repository's config", async () => {
    const { root, news, upstream } = behind("hostile")
    const { script, ran } = canary(path.join(root, ".git"))
    const evilHooks = path.join(root, "evil-hooks")
    mkdirSync(evilHooks)
    for (const name of ["reference-transaction", "post-fetch", "pre-auto-gc"]) {
      writeFileSync(path.join(evilHooks, name), `#!/bin/sh\necho hook >> '${ran}'\n`)
      chmodSync(path.join(evilHooks, name), 0o755)
    }
    for (const [key, value] of [
      ["core.hooksPath", evilHooks],
      ["core.fsmonitor", script],
      ["core.sshCommand", script],
      ["core.askPass", script],
      ["core.alternateRefsCommand", script],
      ["core.gitProxy", script],
      ["credential.helper", `!${script}`],
      ["remote.origin.uploadpack", script],
      ["gpg.program", script],
    ] as const) {
      git(root, "config", key, value)
    }
    expect(await fetchNow(root)).toEqual(QUIET)
    expect(upstream()).toBe(news)
    expect(existsSync(ran)).toBe(false)
  })

  test("[HOOKS-14] the fetch runs no program for missing objects of a partial clone, or for another remote", async () => {
    const { origin, root } = behind("partial")
    // Large and slightly changed, so that the new text is sent as a delta of the missing one.
    const text = randomBytes(20_000).toString("base64")
    commit(origin, "large", { "large.txt": text })
    git(root, "fetch", "-q")
    commit(origin, "larger", { "large.txt": `${text}more` })
    const blob = git(origin, "rev-parse", "HEAD~1:large.txt")
    const { script, ran } = canary(path.join(root, ".git"))
    for (const [key, value] of [
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.uploadpack", script],
      ["fetch.all", "true"],
      ["remote.other.url", origin],
      ["remote.other.fetch", "+refs/heads/*:refs/remotes/other/*"],
      ["remote.other.uploadpack", script],
    ] as const) {
      git(root, "config", key, value)
    }
    rmSync(path.join(root, ".git/objects", blob.slice(0, 2), blob.slice(2)))
    expect(await fetchNow(root)).toEqual(QUIET)
    expect(existsSync(ran)).toBe(false)
  })

  test.for(["ext::SCRIPT %S", "evil::x", "git://127.0.0.1:1/x", "ssh://127.0.0.1:1/x"])(
    "[HOOKS-14] the fetch ends without output with %s, whatever protocols the repository allows",
    async (url) => {
      const { root } = behind(url.replaceAll(/\W/g, "-"))
      const { script, ran } = canary(path.join(root, ".git"))
      // A helper of that name could be on the PATH.
      const folder = path.dirname(script)
      writeFileSync(path.join(folder, "git-remote-evil"), `#!/bin/sh\necho x >> '${ran}'\n`)
      chmodSync(path.join(folder, "git-remote-evil"), 0o755)
      git(root, "config", "protocol.allow", "always")
      git(root, "config", "remote.origin.url", url.replace("SCRIPT", script))
      const PATH = `${process.env["PATH"]}${path.delimiter}${folder}`
      expect(await fetchNow(root, { PATH })).toEqual(QUIET)
      expect(existsSync(ran)).toBe(false)
    },
  )

  test("[HOOKS-14] the fetch prompts for no password", async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization ?? "nobody")
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      const { root } = behind("password")
      const ran = path.join(temp.path, "helper-ran")
      git(root, "config", "credential.helper", `!echo x >> '${ran}'; echo password=x`)
      git(root, "config", "remote.origin.url", `http://127.0.0.1:${port}/x.git`)
      expect(await fetchNow(root)).toEqual(QUIET)
      expect(asked).toEqual(["nobody"])
      expect(existsSync(ran)).toBe(false)
    } finally {
      server.close()
    }
  })

  test("[HOOKS-13] a session start answers first, and the fetch continues in the background", async () => {
    const { root, news, upstream } = behind("started")
    const payload = hookPayload("SessionStart", { cwd: root }, { source: "startup" })
    const said = await hooks.run({ payload, env: { HOME: temp.path } })
    expect(said).toMatchObject({ code: 0, stderr: "" })
    await expect.poll(upstream).toBe(news)
  })
})
