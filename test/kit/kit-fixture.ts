import { createHash } from "node:crypto"
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { createKit, type Kit, type KitDeps } from "#act/kit"
import { silentLog, systemRandom } from "#ground/base"
import type { KitDone, KitHost } from "#ground/contract"
import { testClock } from "./clock.ts"

export const NEVER = new AbortController().signal

export type KitFixture = {
  readonly root: string
  readonly home: string
  readonly userHome: string
  readonly stateDirectory: string
  readonly kit: Kit
  readonly deps: KitDeps
  install(
    hosts: readonly KitHost[],
    level?: number,
    statusLine?: "add" | "replace",
  ): Promise<KitDone>
  uninstall(): Promise<KitDone>
}

type Options = { readonly name?: string; readonly bundle?: string } & Partial<
  Omit<KitDeps, "bundle">
>

export async function kitFixture(base: string, options: Options = {}): Promise<KitFixture> {
  const { name = "project", bundle = "// the hooks\n", ...overrides } = options
  const userHome = path.join(base, "user")
  const root = path.join(base, name)
  const gitDirectory = path.join(root, ".git")
  const stateDirectory = path.join(gitDirectory, "qm")
  await mkdir(gitDirectory, { recursive: true })
  await mkdir(userHome, { recursive: true })
  const templates = path.join(base, "templates")
  await mkdir(path.join(templates, "agents"), { recursive: true })
  await writeFile(path.join(templates, "agents", "repo-mapper.md"), TEMPLATE)
  const bytes = Buffer.from(bundle)
  const deps: KitDeps = {
    repository: { root, gitDirectory, gitCommonDirectory: gitDirectory, stateDirectory },
    configFile: path.join(root, ".qm", "config.json"),
    level: async () => 2,
    home: path.join(userHome, ".qm"),
    userHome,
    environment: {},
    platform: "linux",
    bootText: async () => "",
    runtime: { node: "/opt/node/bin/node", qm: "/opt/qm/bin/qm", main: "/opt/qm/bin/qm.mjs" },
    git: undefined,
    bundle: async () => ({
      bytes,
      hash: createHash("sha256").update(bytes).digest("hex"),
      pluginCode: "export const quartermaster = async () => QM_INSTALLED",
    }),
    templates,
    countTokens: (text) => Math.ceil(text.length / 4),
    clock: testClock(),
    random: systemRandom,
    log: silentLog,
    ...overrides,
  }
  const kit = createKit(deps)
  return {
    root,
    home: deps.home,
    userHome,
    stateDirectory,
    kit,
    deps,
    install: async (hosts, level = 5, statusLine) =>
      kit.apply(await kit.plan({ hosts, level, statusLine }, NEVER), NEVER),
    uninstall: async () => kit.apply(await kit.planUninstall(NEVER), NEVER),
  }
}

const TEMPLATE = `---
name: repo-mapper
description: Answers where things are.
kind: agent
level: 4
tools: Read, Grep
---

You answer questions.
`

/** Every file below a folder with its kind, mode and bytes, without backups, which stay. */
export async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true })) {
    const at = path.join(folder, entry)
    if (/\.qm(?:\/kit)?$|\.qm\/kit\/backups/.test(at)) continue
    texts[entry] = await describe(at)
  }
  return texts
}

async function describe(at: string): Promise<string> {
  const stats = await lstat(at)
  const mode = (stats.mode & 0o7777).toString(8)
  if (stats.isSymbolicLink()) return `link to ${await readlink(at)}`
  if (stats.isFile()) return `${mode} ${(await readFile(at)).toString("base64")}`
  return stats.isDirectory() ? `folder ${mode}` : "special"
}
