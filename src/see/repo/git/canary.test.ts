import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { commit, git, gitWith } from "#test/git"
import { needs } from "#test/needs"
import { type TempDirectory, tempDirectory } from "#test/temp"
import { bareRepository, locateRepository } from "../repo.ts"
import { walkTree } from "../walk.ts"
import { type Git, openGit } from "./git.ts"

type CanaryFolder = { readonly root: string; readonly program: string; readonly outside: string }

type Vector = {
  readonly plant: (place: CanaryFolder) => void
  readonly control?: readonly string[]
  /** Set where git is not started, with the reason. */
  readonly refused?: string
  readonly environment?: (place: CanaryFolder) => Readonly<Record<string, string>>
}

const config =
  (...settings: readonly (readonly [string, (it: CanaryFolder) => string])[]): Vector["plant"] =>
  (place) => {
    for (const [name, value] of settings) git(place.root, "config", name, value(place))
  }
const program = (it: CanaryFolder) => it.program
const attributes = (place: CanaryFolder, text: string) => {
  mkdirSync(path.join(place.root, ".git/info"), { recursive: true })
  writeFileSync(path.join(place.root, ".git/info/attributes"), text)
  writeFileSync(path.join(place.root, ".gitattributes"), text)
}

const VECTORS: Readonly<Record<string, Vector>> = {
  "core.fsmonitor": { plant: config(["core.fsmonitor", program]), control: ["status"] },
  hooks: {
    plant({ root, program: file }) {
      for (const hook of HOOKS) {
        rmSync(path.join(root, ".git/hooks", hook), { force: true })
        symlinkSync(file, path.join(root, ".git/hooks", hook))
      }
    },
    control: ["checkout", "-q", "HEAD", "--detach"],
  },
  "core.hooksPath": {
    plant({ root, program: file, outside }) {
      mkdirSync(path.join(outside, "hooks"), { recursive: true })
      for (const hook of HOOKS) cpSync(file, path.join(outside, "hooks", hook))
      git(root, "config", "core.hooksPath", path.join(outside, "hooks"))
    },
    control: ["checkout", "-q", "HEAD", "--detach"],
  },
  "filter.clean": {
    plant(place) {
      attributes(place, "* filter=x\n")
      config(["filter.x.clean", program], ["filter.x.smudge", program])(place)
      appendFileSync(path.join(place.root, "a.ts"), "dirty\n")
    },
    control: ["diff"],
  },
  "filter.process": {
    plant(place) {
      attributes(place, "* filter=x\n")
      config(["filter.x.process", program], ["filter.x.required", () => "true"])(place)
      appendFileSync(path.join(place.root, "a.ts"), "dirty\n")
    },
    control: ["diff"],
  },
  "diff.textconv": {
    plant(place) {
      attributes(place, "* diff=x\n")
      config(["diff.x.textconv", program])(place)
    },
    control: ["log", "-p"],
  },
  "diff.command": {
    plant(place) {
      attributes(place, "* diff=x\n")
      config(["diff.x.command", program])(place)
    },
    control: ["diff", "HEAD~1"],
  },
  "diff.external": { plant: config(["diff.external", program]), control: ["diff", "HEAD~1"] },
  "merge.driver": {
    plant(place) {
      attributes(place, "* merge=x\n")
      config(["merge.x.driver", (it) => `${it.program} %O %A %B`])(place)
    },
  },
  "pager, editor, askpass": {
    plant: config(
      ["core.pager", program],
      ["pager.cat-file", program],
      ["pager.ls-tree", program],
      ["pager.rev-list", program],
      ["core.editor", program],
      ["core.askPass", program],
      ["credential.helper", (it) => `!${it.program}`],
    ),
  },
  "core.sshCommand, core.gitProxy": {
    plant: config(
      ["core.sshCommand", program],
      ["core.gitProxy", program],
      ["remote.origin.url", () => "ssh://nobody@127.0.0.1/x"],
    ),
    control: ["fetch", "origin"],
  },
  aliases: {
    plant: config(
      ["alias.cat-file", (it) => `!${it.program}`],
      ["alias.ls-tree", (it) => `!${it.program}`],
      ["alias.rev-list", (it) => `!${it.program}`],
      ["alias.canary", (it) => `!${it.program}`],
    ),
    control: ["canary"],
  },
  "gpg.program": {
    plant(place) {
      config(["gpg.program", program], ["log.showSignature", () => "true"])(place)
      const plain = gitWith(place.root, {}, "cat-file", "commit", "HEAD")
      const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
      const signed = `${plain.replace("\n\n", `\n${signature}\n\n`)}\n`
      const args = ["hash-object", "-t", "commit", "-w", "--stdin"]
      git(place.root, "update-ref", "HEAD", gitWith(place.root, { input: signed }, ...args))
    },
    control: ["log", "-1"],
  },
  "include.path": {
    plant({ root, program: file, outside }) {
      const included = path.join(outside, "included")
      writeFileSync(included, `[core]\n\tfsmonitor = ${file}\n[diff]\n\texternal = ${file}\n`)
      git(root, "config", "include.path", included)
      git(root, "config", `includeIf.gitdir:${root}/.path`, included)
    },
    control: ["status"],
  },
  "config.worktree": {
    plant({ root, program: file }) {
      git(root, "config", "extensions.worktreeConfig", "true")
      writeFileSync(path.join(root, ".git/config.worktree"), `[core]\n\tfsmonitor = ${file}\n`)
    },
    control: ["status"],
  },
  "a promisor remote": {
    plant(place) {
      config(
        ["extensions.partialClone", () => "origin"],
        ["remote.origin.promisor", () => "true"],
        ["remote.origin.url", (it) => `ext::${it.program} %S`],
        ["remote.origin.uploadpack", program],
        ["protocol.ext.allow", () => "always"],
        ["protocol.allow", () => "always"],
      )(place)
      const id = git(place.root, "rev-parse", "HEAD:a.ts")
      rmSync(path.join(place.root, ".git/objects", id.slice(0, 2), id.slice(2)))
    },
    control: ["cat-file", "-p", "HEAD:a.ts"],
  },
  "objects of others": {
    plant({ root, outside }) {
      mkdirSync(path.join(root, ".git/objects/info"), { recursive: true })
      writeFileSync(path.join(root, ".git/objects/info/alternates"), `${outside}\n`)
    },
    refused: "uses objects of another",
  },
  "core.alternateRefsCommand": { plant: config(["core.alternateRefsCommand", program]) },
  "replaced objects": {
    plant({ root }) {
      const other = gitWith(root, { input: "replaced" }, "hash-object", "-w", "--stdin")
      git(root, "replace", git(root, "rev-parse", "HEAD:a.ts"), other)
    },
  },
  "submodules with commands": {
    plant({ root, program: file }) {
      writeFileSync(
        path.join(root, ".gitmodules"),
        `[submodule "x"]\n\tpath = x\n\turl = ext::${file}\n\tupdate = !${file}\n`,
      )
      git(root, "config", "submodule.recurse", "true")
      git(root, "config", "submodule.x.update", `!${file}`)
    },
  },
  "a view that was there before": {
    plant({ root, program: file }) {
      for (const format of ["sha1", "sha256"]) {
        const view = path.join(root, ".git/qm/git-view", format)
        mkdirSync(path.join(view, "hooks"), { recursive: true })
        writeFileSync(
          path.join(view, "config"),
          `[core]\n\tfsmonitor = ${file}\n\tpager = ${file}\n`,
        )
        writeFileSync(path.join(view, "config.worktree"), `[core]\n\tfsmonitor = ${file}\n`)
        writeFileSync(path.join(view, "commondir"), `${path.join(root, ".git")}\n`)
        writeFileSync(path.join(view, "gitdir"), `${path.join(root, ".git")}\n`)
        for (const hook of HOOKS) cpSync(file, path.join(view, "hooks", hook))
      }
    },
  },
  "our own environment": {
    plant() {},
    environment: ({ program: file, outside }) => ({
      GIT_EXTERNAL_DIFF: file,
      GIT_SSH_COMMAND: file,
      GIT_PAGER: file,
      GIT_EDITOR: file,
      GIT_ASKPASS: file,
      GIT_EXEC_PATH: outside,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: file,
      GIT_TRACE: path.join(outside, "canary"),
      GIT_DIR: outside,
      LD_PRELOAD: path.join(outside, "none.so"),
    }),
  },
  "a git of its own on the PATH": {
    plant({ root, program: file }) {
      mkdirSync(path.join(root, "node_modules/.bin"), { recursive: true })
      cpSync(file, path.join(root, "node_modules/.bin/git"))
    },
    environment: ({ root }) => ({
      PATH: `${path.join(root, "node_modules/.bin")}:.:node_modules/.bin:${process.env["PATH"]}`,
    }),
  },
}

const HOOKS = [
  "post-checkout",
  "post-index-change",
  "pre-auto-gc",
  "reference-transaction",
  "post-rewrite",
  "fsmonitor-watchman",
]

const CALLS: { readonly [Name in Exclude<keyof Git, "format">]: (git: Git) => Promise<unknown> } = {
  headCommit: (it) => it.headCommit(),
  listTree: async (it) => it.listTree(await headOf(it)),
  async readBlobs(it) {
    const { entries } = await it.listTree(await headOf(it))
    const ids = entries.map((entry) => entry.id)
    for await (const blob of it.readBlobs(ids, { maxBlobBytes: 1_000 })) expect(blob).toBeDefined()
  },
  blobsAt: async (it) => it.blobsAt([{ commit: await headOf(it), path: "a.ts" }]),
  resolve: (it) => it.resolve("HEAD~1"),
  tags: (it) => it.tags(),
  commitIds: async (it) => it.commitIds({ from: await headOf(it), limit: 10 }),
  readCommits: async (it) => it.readCommits([await headOf(it)]),
  history: async (it) => it.history({ from: await headOf(it), limit: 10 }),
  async diffNames(it) {
    const commits = await it.history({ from: await headOf(it), limit: 10 })
    await it.diffNames(commits.at(-1)?.id ?? "", await headOf(it))
  },
  countApart: async (it) => it.countApart(await headOf(it), await headOf(it)),
  isAncestor: async (it) => it.isAncestor(await headOf(it), await headOf(it)),
}

async function namedAsBare(
  { root, outside }: CanaryFolder,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Git> {
  renameSync(path.join(root, ".git"), path.join(root, "bare"))
  const stateDirectory = path.join(outside, "state")
  const repository = await bareRepository(path.join(root, "bare"), { stateDirectory })
  if (repository === undefined) throw new Error("it is a bare repository")
  const { signal } = new AbortController()
  const outcome = await openGit({ repository, environment, signal })
  if (outcome.kind !== "ready") throw new Error(outcome.reason)
  return outcome.git
}

async function headOf(it: Git): Promise<string> {
  return (await it.headCommit()) ?? ""
}

describe.runIf(needs("S5", "git"))("programs that a repository would make git execute", () => {
  let temp: TempDirectory
  let template: string
  beforeAll(async () => {
    temp = await tempDirectory()
    template = path.join(temp.path, "template")
    mkdirSync(template)
    git(template, "init", "-q", "-b", "trunk")
    commit(template, "first", { "a.ts": "one\n", "b.ts": "two\n" })
    commit(template, "second", { "a.ts": "changed\n" })
  })
  afterAll(() => temp[Symbol.asyncDispose]())

  function plantedPlace(
    name: string,
    { plant }: Vector,
  ): CanaryFolder & { readonly canary: string } {
    const base = path.join(temp.path, name.replace(/\W+/g, "-"))
    const place = {
      root: path.join(base, "root"),
      outside: path.join(base, "outside"),
      program: path.join(base, "outside", "program"),
      canary: path.join(base, "outside", "canary"),
    }
    mkdirSync(place.outside, { recursive: true })
    cpSync(template, place.root, { recursive: true })
    writeFileSync(place.program, `#!/bin/sh\necho "$@" >> "${place.canary}"\nexit 1\n`)
    chmodSync(place.program, 0o755)
    plant(place)
    rmSync(place.canary, { force: true })
    return place
  }

  test.each(Object.keys(VECTORS))("[S5] [REPO-11] nothing is executed through %s", async (name) => {
    const vector = VECTORS[name] ?? { plant() {} }
    const place = plantedPlace(name, vector)
    const repository = await locateRepository(place.root)
    const { signal } = new AbortController()
    const environment = { PATH: process.env["PATH"], ...vector.environment?.(place) }
    const outcome = await openGit({ repository, environment, signal })
    expect(existsSync(place.canary)).toBe(false)
    if (outcome.kind !== "ready") {
      expect(outcome.reason).toContain(vector.refused ?? "nothing was to be refused")
      return
    }
    expect(vector.refused).toBeUndefined()
    for (const [call, ask] of Object.entries(CALLS)) {
      await ask(outcome.git)
      expect([call, existsSync(place.canary)]).toEqual([call, false])
    }
    await walkTree(repository, { signal })
    expect(existsSync(place.canary)).toBe(false)
    expect(readdirSync(place.root)).not.toContain("canary")
    await CALLS.history(await namedAsBare(place, environment))
    expect(existsSync(place.canary)).toBe(false)
  })

  const real = Object.entries(VECTORS).filter(([, it]) => it.control !== undefined)
  test.each(real.map(([name]) => name))(
    "[S5] ordinary git executes the canary through %s",
    (name) => {
      const vector = VECTORS[name] ?? { plant() {} }
      const place = plantedPlace(`control ${name}`, vector)
      const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_TERMINAL_PROMPT: "0" }
      spawnSync("git", [...(vector.control ?? [])], { cwd: place.root, env, timeout: 600_000 })
      expect(existsSync(place.canary)).toBe(true)
    },
  )
})
