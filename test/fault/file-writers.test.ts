import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { isAppError } from "#ground/base"
import { OPERATIONS, type Operation } from "#ground/contract"
import { createApp } from "#show/app"
import {
  type Call,
  FILE_WRITERS,
  OTHER_WRITERS,
  prepareProject,
  runCall,
  writeOperations,
} from "#test/file-writers"
import { shortInput } from "#test/long-input"
import { newUser } from "#test/qm"

/** Processes that write at once. */
const PROCESSES = 4

test("[H3][BASE-45] the table of file writers names every operation that writes", () => {
  const named = [...Object.keys(FILE_WRITERS), ...Object.keys(OTHER_WRITERS)]
  expect(named.toSorted()).toEqual(writeOperations().toSorted())
})

test.each(Object.entries(FILE_WRITERS))(
  "[H3][BASE-45] every write of %s that was acknowledged is there after processes wrote at once",
  async (_name, call) => {
    await using user = await newUser()
    await mkdir(path.join(user.project, ".git"))
    await prepareProject(user.project, PROCESSES)
    const calls = Array.from({ length: PROCESSES }, (_, n) => call(n))
    const results = await Promise.all(calls.map((it) => runCall(it, user)))
    expect(results.map(({ code, stderr }) => (code === 0 ? "" : stderr))).toEqual(
      calls.map(() => ""),
    )
    const written = await textsBelow([path.join(user.project, ".qm"), user.home, user.project])
    expect(calls.filter(({ marker }) => !written.includes(marker))).toEqual([])
    expect(written).not.toContain(".lock")
  },
)

/** Every place in `.qm` that git can contain as a link, with the operations that write there. */
const LINKS = [
  { link: ".qm", kind: "folder", writers: Object.keys(FILE_WRITERS) },
  {
    link: ".qm/memory",
    kind: "folder",
    writers: ["memory.record", "decision.add", "session.register"],
  },
  { link: ".qm/recipes", kind: "folder", writers: ["recipe.new"] },
  { link: ".qm/board", kind: "folder", writers: ["ticket.new"] },
  { link: ".qm/board/tickets", kind: "folder", writers: ["ticket.new"] },
  { link: ".qm/board/log", kind: "folder", writers: ["ticket.new"] },
  { link: ".qm/plans", kind: "folder", writers: ["plan.submit"] },
  { link: ".qm/local", kind: "folder", writers: ["claim.take", "guard.override"] },
  { link: ".qm/config.json", kind: "file", writers: ["config.set"] },
  { link: ".qm/permissions.json", kind: "file", writers: ["permissions.add"] },
] as const

test.each(LINKS)(
  "[H6][BASE-38] no operation writes through $link if it is a link",
  async ({ link, kind, writers }) => {
    await using user = await newUser()
    const outside = path.join(user.path, "outside")
    await mkdir(outside)
    const target = kind === "folder" ? outside : path.join(outside, "file.json")
    if (kind === "file") await writeFile(target, "{}\n")
    await rm(path.join(user.project, link), { recursive: true, force: true })
    await mkdir(path.dirname(path.join(user.project, link)), { recursive: true })
    await symlink(target, path.join(user.project, link))
    const before = await textsBelow([outside])
    const calls = writers.flatMap((it) => FILE_WRITERS[it]?.(0) ?? [])
    for (const call of calls) await runCall(projectCall(call), user)
    expect(await textsBelow([outside])).toBe(before)
    expect((await lstat(path.join(user.project, link))).isSymbolicLink()).toBe(true)
  },
)

/** The whole folder with and without git; with git also each place in it, because it is not state. */
const LAYOUTS = [
  { name: "a linked .qm", isGit: true, links: [".qm"] },
  { name: "a linked .qm without git", isGit: false, links: [".qm"] },
  {
    name: "links in .qm",
    isGit: true,
    links: [...LINKS.map((it) => it.link).filter((it) => it !== ".qm"), ".qm/sources"],
  },
]

test.each(LAYOUTS)(
  "[H6][BASE-38] no operation that writes changes anything behind $name",
  async ({ isGit, links }) => {
    await using user = await newUser()
    const outside = path.join(user.path, "outside")
    if (isGit) await mkdir(path.join(user.project, ".git"))
    for (const [at, link] of shallow(links).entries()) {
      const target = path.join(outside, String(at))
      const isFile = link.endsWith(".json")
      await mkdir(isFile ? outside : path.join(target, "recipes"), { recursive: true })
      await writeFile(isFile ? target : path.join(target, "config.json"), "{}\n")
      await mkdir(path.dirname(path.join(user.project, link)), { recursive: true })
      await symlink(target, path.join(user.project, link))
    }
    const before = await textsBelow([outside])
    await using app = await createApp({
      directory: user.project,
      environment: { HOME: user.home, PATH: "" },
      settings: [],
      writeLog: () => {},
      mayWriteFiles: true,
    })
    const changes: string[] = []
    for (const operation of writers) {
      const signal = AbortSignal.timeout(300_000)
      await app.call(operation.name, shortInput(operation), { signal }).catch((error: unknown) => {
        if (!isAppError(error)) throw error
      })
      if ((await textsBelow([outside])) !== before) changes.push(operation.name)
    }
    expect(changes).toEqual([])
  },
)

/** Without places behind another link. */
const shallow = (links: readonly string[]): readonly string[] =>
  links.filter((it) => !links.some((other) => it.startsWith(`${other}/`)))

const writers = Object.values<Operation>(OPERATIONS).filter((it) => it.effect === "write")

/** A setting is written to the project's file, not to the user's. */
function projectCall(call: Call): Call {
  const isSetting = call.args[0] === "config"
  return isSetting ? { ...call, args: [...call.args, "--layer", "project"] } : call
}

/** Names and contents of all files, as one text. */
async function textsBelow(folders: readonly string[]): Promise<string> {
  const texts: string[] = []
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    for (const it of entries) {
      const file = path.join(it.parentPath, it.name)
      texts.push(file, it.isFile() ? await readFile(file, "utf8") : "")
    }
  }
  return texts.join("\n")
}
