import { execFile, spawnSync } from "node:child_process"
import { mkdir, readdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { inputFields, OPERATIONS } from "#ground/contract"
import { createApp } from "#show/app"
import { tempDirectory } from "#test/temp"
import { runCli } from "../cli.ts"
import { arrange } from "../command-index.ts"
import { deriveCommands } from "../derive-commands.ts"
import { COMPLETION_SCRIPTS, complete } from "./completion.ts"

const COMMANDS = arrange(deriveCommands(Object.values(OPERATIONS)))
const textsOf = (...words: string[]) => complete(words, COMMANDS).candidates.map((it) => it.text)

describe("complete", () => {
  test("[CLI-5] commands and flags have descriptions", () => {
    expect(complete(["runs", "sh"], COMMANDS).candidates).toEqual([
      { text: "show", about: "Show a run: state, cost and pending approvals" },
    ])
    expect(complete(["stor"], COMMANDS).candidates).toEqual([
      { text: "store", about: "backup, check, restore, status" },
    ])
    expect(complete(["pack", "--budg"], COMMANDS).candidates).toEqual([
      {
        text: "--budget",
        about: "Maximum tokens (default: setting pack.budget); a package may be smaller",
      },
    ])
  })

  test("[CLI-5] a command that is also a group completes the commands below it", () => {
    expect(textsOf("memory", "")).toEqual(expect.arrayContaining(["add", "show", "forget"]))
    expect(textsOf("runs", "")).toContain("show")
  })

  test("[CLI-5] values of flags before the word are not taken for commands", () => {
    expect(textsOf("runs", "--limit", "5", "sh")).toEqual(["show"])
    expect(textsOf("-C", "runs", "memory", "forg")).toEqual(["forget"])
    expect(textsOf("--set", "pack.budget=1", "--color", "al")).toEqual(["always"])
  })

  test("[CLI-5] a value after `=` is completed, also where bash splits the word", () => {
    expect(textsOf("--color=ne")).toEqual(["--color=never"])
    expect(textsOf("--color", "=")).toEqual(["auto", "always", "never"])
    expect(textsOf("--color", "=", "ne")).toEqual(["never"])
  })

  test("[CLI-5] a flag is offered once, a repeatable one again; after `--` there are no flags", () => {
    expect(textsOf("tokens", "--budget", "5", "--budg")).toEqual([])
    expect(textsOf("--set", "a=1", "--se")).toEqual(["--set"])
    expect(textsOf("gateway", "run", "--", "--co")).toEqual([])
  })
})

describe("ids", () => {
  const fields = Object.values(OPERATIONS).flatMap((operation) =>
    inputFields(operation).map((field) => ({ operation: operation.name, ...field })),
  )

  test("[CONTRACT-11] each `listedBy` names a read operation whose rows have the declared fields", () => {
    const lists = new Set(fields.flatMap((it) => it.listedBy ?? []))
    expect(lists.size).toBeGreaterThan(12)
    for (const name of lists) {
      const list = Object.values(OPERATIONS).find((it) => it.name === name)
      expect(list, name).toMatchObject({ effect: "read", rows: { field: expect.any(String) } })
      expect(list?.input.safeParse(list.rows?.given ?? {}).success, name).toBe(true)
      expect(rowFields(list), name).toEqual(
        expect.arrayContaining([list?.rows?.id, ...(list?.rows?.title ?? [])]),
      )
    }
  })

  test("[CONTRACT-11] each list with rows completes a field, and each argument named id has a list", () => {
    const used = new Set(fields.map((it) => it.listedBy))
    const offered = Object.values(OPERATIONS).flatMap((it) =>
      it.rows === undefined ? [] : it.name,
    )
    expect(offered.filter((it) => !used.has(it))).toEqual([])
    const free = COMMANDS.flatMap((it) =>
      it.arguments.some((arg) => arg.key === "id" && arg.listedBy === undefined)
        ? it.words.join(" ")
        : [],
    )
    // Their ids need another id first, or come from a search.
    expect(free).toEqual(["kb show", "runs drop", "runs rewrite"])
  })

  test("[CLI-33] ids come with their titles, the newest first, without creating a store", async () => {
    await using user = await atShell()
    expect(await user.complete("memory", "show", "")).toBe("")
    expect(await user.complete("runs", "show", "")).toBe("")
    expect(await readdir(user.project)).toEqual([])

    await user.type("memory", "add", "Use tabs", "Because", "--kind", "rule")
    const line = await user.complete("memory", "show", "")
    expect(line).toMatch(/^[\w-]+\tUse tabs\n$/)
    const [id = ""] = line.split("\t")
    expect(await user.complete("memory", "show", id.slice(0, 6))).toBe(line)
    expect(await user.complete("memory", "show", "zzz")).toBe("")
    expect(await user.complete("memory", "add", `--supersedes=${id.slice(0, 5)}`)).toBe(
      `--supersedes=${line}`,
    )
    expect(await user.complete("-C", "elsewhere", "memory", "show", "")).toBe("")
  })

  test("[CLI-33] packages, captures, recipes and settings are completed from their lists", async () => {
    await using user = await atShell()
    await writeFile(path.join(user.project, "a.ts"), "export const rounding = 1\n")
    await user.type("pack", "fix\tthe rounding")
    expect(await user.complete("pack", "show", "")).toMatch(
      /^last\tfix the rounding\npk_\w+\tfix the rounding\n$/,
    )
    await user.type("claim", "take", "src/\u001b[2Jx", "--session", "one")
    expect(await user.complete("claim", "release", "")).toBe("src/\\x1b[2Jx\tone\n")
    await user.type("capture")
    expect(await user.complete("capture", "show", "cap")).toMatch(/^cap_\w+\tclaude-code \S+\n$/)
    expect(await user.complete("agent", "show", "deep")).toContain("deep-research\t")
    expect(await user.complete("config", "set", "pack.bud")).toMatch(/^pack\.budget\t[A-Z].+\n$/)
  })

  test("[CLI-33] an app that may not create its store reports that it is missing", async () => {
    await using user = await atShell()
    await using app = await createApp({
      directory: user.project,
      environment: { HOME: user.path },
      settings: [],
      writeLog: () => {},
      mayCreateStore: false,
    })
    await expect(app.store()).rejects.toMatchObject({ code: "APP_STORE_MISSING" })
  })

  test("[CLI-33] an unreadable config completes nothing and is no error", async () => {
    await using user = await atShell()
    await mkdir(path.join(user.project, ".qm"))
    await writeFile(path.join(user.project, ".qm/config.json"), "{ nonsense")
    expect(await user.complete("pack", "show", "")).toBe("")
  })
})

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0

describe("scripts", () => {
  test.runIf(isInstalled("bash"))(
    "[CLI-5] bash lists candidates with descriptions and inserts a single one quoted",
    async () => {
      await using shell = await bashWith("show\tShow * $(touch evil)\nstop\n")
      expect(await shell.complete("qm", "s")).toEqual(["show  (Show * $(touch evil))", "stop"])
      expect(await shell.files()).toEqual(["bin", "script.bash"])
      await using one = await bashWith("my folder/$HOME\tguide\n")
      expect(await one.complete("qm", "kb", "remove", "m")).toEqual(["my\\ folder/\\$HOME"])
      expect(await one.asked()).toBe("complete -- kb remove m\n")
    },
  )

  test("[CLI-5] each script completes both commands", () => {
    for (const script of Object.values(COMPLETION_SCRIPTS)) {
      expect(script).toMatch(/qm quartermaster|-c quartermaster/)
    }
  })
})

function rowFields(list: (typeof OPERATIONS)[keyof typeof OPERATIONS] | undefined): string[] {
  if (list === undefined || list.rows === undefined) return []
  const shape: unknown = "shape" in list.output ? list.output.shape : {}
  const rows = Object.entries(Object(shape)).find(([key]) => key === list.rows?.field)?.[1]
  return Object.keys(Object(rows).element.shape)
}

async function atShell() {
  const temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  async function type(...argv: string[]): Promise<string> {
    const seen = { stdout: "", stderr: "" }
    const sink = (name: "stdout" | "stderr") => ({
      write: (text: string) => void (seen[name] += text),
      isTerminal: false,
    })
    const door = async () => 0
    const code = await runCli({
      argv,
      environment: { HOME: temp.path, PATH: process.env["PATH"] },
      directory: project,
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      signal: new AbortController().signal,
      entryPoints: {
        up: door,
        open: door,
        token: door,
        mcp: door,
        acp: door,
        hook: door,
        statusline: door,
        keep: door,
        attack: async () => [],
      },
    })
    expect([code, seen.stderr], argv.join(" ")).toEqual([0, ""])
    return seen.stdout
  }
  const completeLine = (...words: string[]) => type("complete", "--", ...words)
  return Object.assign(temp, { project, type, complete: completeLine })
}

/** A real bash with a `qm` that prints the given lines. */
async function bashWith(lines: string) {
  const temp = await tempDirectory()
  const bin = path.join(temp.path, "bin")
  await mkdir(bin)
  await writeFile(path.join(bin, "lines"), lines)
  const program = `#!/bin/sh\necho "$*" > "${bin}/asked"\ncat "${bin}/lines"\n`
  await writeFile(path.join(bin, "qm"), program, { mode: 0o755 })
  await writeFile(path.join(temp.path, "script.bash"), COMPLETION_SCRIPTS["bash"] ?? "")
  const bash = promisify(execFile)
  return Object.assign(temp, {
    async complete(...words: string[]): Promise<string[]> {
      const line = `source script.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _qm; printf '%s\\n' "\${COMPREPLY[@]}"`
      const { stdout } = await bash("bash", ["-c", line, "bash", ...words], {
        cwd: temp.path,
        env: { PATH: `${bin}:${process.env["PATH"]}` },
      })
      return stdout.trimEnd().split("\n")
    },
    files: async () => (await readdir(temp.path)).toSorted(),
    asked: async () => (await bash("cat", [path.join(bin, "asked")])).stdout,
  })
}
