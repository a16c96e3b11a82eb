import { createServer } from "node:net"
import { expect, test } from "vitest"
import { commit, git } from "#test/git"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import { locateRepository } from "../repo.ts"
import { findGitProgram } from "./ask.ts"
import { fetchRemote, userSettings } from "./fetch.ts"
import { listRefs } from "./head.ts"
import { listRemotes } from "./status.ts"

const ENVIRONMENT = { PATH: process.env["PATH"] ?? "" }

test("[REPO-20] credentials come from the user's git config, not from the repository's", () => {
  const output = [
    "system\0credential.helper\nstore",
    "global\0credential.https://example.invalid.helper\n!gh auth\nsecond",
    "local\0credential.helper\n!touch /tmp/x",
    "worktree\0core.sshcommand\nevil",
    "global\0credential.usehttppath\0",
  ].join("\0")
  expect(userSettings(output)).toEqual([
    { key: "credential.helper", value: "store" },
    { key: "credential.https://example.invalid.helper", value: "!gh auth\nsecond" },
    { key: "credential.usehttppath", value: "" },
  ])
})

test.runIf(needs("S5", "git"))(
  "[REPO-20] a remote that does not answer fails within the limit",
  async () => {
    await using temp = await tempDirectory()
    // Accepts connections and never answers.
    const server = createServer(() => {}).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    git(temp.path, "init", "-q", "-b", "main")
    commit(temp.path, "first", { "a.txt": "1\n" })
    git(temp.path, "remote", "add", "slow", `http://127.0.0.1:${port}/x.git`)
    const repository = await locateRepository(temp.path)
    const outside = repository.root
    const file = (await findGitProgram({ environment: ENVIRONMENT, outside })) ?? ""
    const options = { file, repository, environment: { ...ENVIRONMENT, HOME: temp.path } }
    const slow = await fetchRemote({ ...options, remote: "slow", timeoutMs: 1_000 })
    expect(slow).toEqual({ kind: "failed", reason: "no answer within 1 s" })
    const flag = await fetchRemote({ ...options, remote: "--all", timeoutMs: 1_000 })
    expect(flag).toEqual({ kind: "failed", reason: "the name of the remote starts with -" })
    server.close()
  },
)

test.runIf(needs("S5", "git"))(
  "[REPO-21] listRefs and listRemotes read refs, packed or not, and addresses from files",
  async () => {
    await using temp = await tempDirectory()
    git(temp.path, "init", "-q", "-b", "main")
    const first = commit(temp.path, "first", { "a.txt": "1\n" })
    for (const name of ["main", "team/one"])
      git(temp.path, "update-ref", `refs/remotes/origin/${name}`, first)
    git(temp.path, "pack-refs", "--all")
    const second = commit(temp.path, "second", { "a.txt": "2\n" })
    for (const name of ["main", "team/two"])
      git(temp.path, "update-ref", `refs/remotes/origin/${name}`, second)
    git(temp.path, "remote", "add", "origin", "git@example.invalid:team/shop.git")
    const repository = await locateRepository(temp.path)
    expect([...(await listRefs(repository, "refs/remotes/origin"))]).toEqual([
      ["refs/remotes/origin/main", second],
      ["refs/remotes/origin/team/one", first],
      ["refs/remotes/origin/team/two", second],
    ])
    expect((await listRefs(repository, "refs/../x")).size).toBe(0)
    expect([...(await listRemotes(repository))]).toEqual([
      ["origin", "git@example.invalid:team/shop.git"],
    ])
  },
)
