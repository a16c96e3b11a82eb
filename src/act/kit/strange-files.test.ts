import { execFileSync } from "node:child_process"
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  symlink,
  writeFile,
} from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { isAppError } from "#ground/base"
import type { KitHost } from "#ground/contract"
import { type KitFixture, kitFixture, snapshot } from "#test/kit-fixture"
import { tempDirectory } from "#test/temp"

type Target = { readonly host: KitHost; readonly isJson: boolean; at(fixture: KitFixture): string }

const TARGETS: Readonly<Record<string, Target>> = {
  "Claude Code's settings.json": {
    host: "claude-code",
    isJson: true,
    at: ({ userHome }) => path.join(userHome, ".claude", "settings.json"),
  },
  "Codex's hooks.json": {
    host: "codex",
    isJson: true,
    at: ({ userHome }) => path.join(userHome, ".codex", "hooks.json"),
  },
  "Antigravity's hooks.json": {
    host: "antigravity",
    isJson: true,
    at: ({ userHome }) => path.join(userHome, ".gemini", "config", "hooks.json"),
  },
  "AGENTS.md": { host: "codex", isJson: false, at: ({ root }) => path.join(root, "AGENTS.md") },
  "INSTRUCTIONS.md": {
    host: "antigravity",
    isJson: false,
    at: ({ root }) => path.join(root, "INSTRUCTIONS.md"),
  },
}

type ExpectedOutcome = "restored" | `KIT_${string}`
type Kind = {
  make(file: string): Promise<unknown>
  readonly json: ExpectedOutcome
  readonly text: ExpectedOutcome
}

const text = (
  content: string | Uint8Array,
  json: ExpectedOutcome = "restored",
  plain: ExpectedOutcome = "restored",
) => ({
  make: (file: string) => writeFile(file, content),
  json,
  text: plain,
})

const own = { matcher: "Bash", hooks: [{ type: "command", command: "their-own --hook" }] }
const OWN_HOOKS = { model: "m", hooks: { Stop: [own], PreToolUse: [own], SessionStart: [] } }
const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`

const KINDS: Readonly<Record<string, Kind>> = {
  missing: { make: async () => {}, json: "restored", text: "restored" },
  empty: text(""),
  "only whitespace": text("\n  \n"),
  "an empty object": text("{}"),
  "the user's own hooks": text(`${JSON.stringify(OWN_HOOKS, null, 2)}\n`),
  "own hooks on one line": text(JSON.stringify(OWN_HOOKS)),
  "own hooks under our name": text(JSON.stringify({ quartermaster: { Stop: [own] } })),
  comments: text('// head\n{\n  // why\n  "a": 1 /* b */,\n  "hooks": {} // none\n}\n// tail\n'),
  "CRLF line ends": text('{\r\n  "a": 1,\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n'),
  "a byte-order mark": text('\uFEFF{\n  "a": 1\n}\n'),
  tabs: text('{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'),
  "trailing commas": text('{\n  "a": [1, 2,],\n  "hooks": { "Stop": [], },\n}\n'),
  "no final newline": text('{\n  "a": "ü 🦊"\n}'),
  "mode 0600": {
    make: async (file) => {
      await writeFile(file, "{}\n")
      await chmod(file, 0o600)
    },
    json: "restored",
    text: "restored",
  },
  "mode 0664": {
    make: async (file) => {
      await writeFile(file, "{}\n")
      await chmod(file, 0o664)
    },
    json: "restored",
    text: "restored",
  },
  "read-only": {
    make: async (file) => {
      await writeFile(file, "{}\n")
      await chmod(file, 0o444)
    },
    json: "KIT_FILE_READ_ONLY",
    text: "KIT_FILE_READ_ONLY",
  },
  "a hard link": {
    make: async (file) => {
      await writeFile(`${file}.other`, "{}\n")
      await link(`${file}.other`, file)
    },
    json: "restored",
    text: "restored",
  },
  "a link to a file": {
    make: async (file) => {
      await writeFile(`${file}.real`, "{}\n")
      await symlink(`${file}.real`, file)
    },
    json: "KIT_FILE_IS_LINK",
    text: "KIT_FILE_IS_LINK",
  },
  "a link to nothing": {
    make: (file) => symlink(`${file}.nowhere`, file),
    json: "KIT_FILE_IS_LINK",
    text: "KIT_FILE_IS_LINK",
  },
  "a FIFO": {
    make: async (file) => execFileSync("mkfifo", [file]),
    json: "KIT_FILE_NOT_REGULAR",
    text: "KIT_FILE_NOT_REGULAR",
  },
  "a folder": {
    make: (file) => mkdir(file),
    json: "KIT_FILE_NOT_REGULAR",
    text: "KIT_FILE_NOT_REGULAR",
  },
  garbage: text("{ not json", "KIT_SETTINGS_INVALID"),
  "a list": text("[]\n", "KIT_SETTINGS_INVALID"),
  null: text("null\n", "KIT_SETTINGS_INVALID"),
  "a duplicate key deep inside": text('{"a":{"b":{"c":1,"c":2}}}'),
  "a duplicate key": text('{"hooks":{},"hooks":{}}', "KIT_SETTINGS_INVALID"),
  "5 MB": text(`{"a":"${"x".repeat(5 << 20)}"}`, "KIT_FILE_TOO_LARGE", "KIT_FILE_TOO_LARGE"),
  "NUL bytes": text('{"a":\0}', "KIT_FILE_NOT_TEXT", "KIT_FILE_NOT_TEXT"),
  "UTF-16": text(Buffer.from('\uFEFF{"a":1}', "utf16le"), "KIT_FILE_NOT_TEXT", "KIT_FILE_NOT_TEXT"),
  Latin1: text(Buffer.from('{"a":"ü"}', "latin1"), "KIT_FILE_NOT_TEXT", "KIT_FILE_NOT_TEXT"),
  "10,000 levels": text(deep(10_000), "KIT_SETTINGS_INVALID"),
}

const CASES = Object.entries(TARGETS).flatMap(([file, target]) =>
  Object.entries(KINDS).map(([name, kind]) => ({
    name,
    file,
    target,
    kind,
    fate: target.isJson ? kind.json : kind.text,
  })),
)

describe("unusual files", () => {
  test("[S6] the table has at least 60 cases", () => {
    expect(CASES.length).toBeGreaterThanOrEqual(60)
  })

  test.each(CASES)("[S6] $file, $name: $fate", async (it) => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const file = it.target.at(fixture)
    await mkdir(path.dirname(file), { recursive: true })
    await it.kind.make(file)
    const before = await snapshot(temp.path)
    const mode = await modeOf(file)

    if (it.fate !== "restored") {
      expect(await codeOf(fixture.install([it.target.host]))).toBe(it.fate)
      expect(await snapshot(temp.path)).toEqual(before)
      return
    }
    await fixture.install([it.target.host])
    if (it.name !== "missing") expect(await modeOf(file)).toBe(mode)
    const during = await readFile(file, "utf8")
    expect(during).toContain(it.target.isJson ? "qm-hook.mjs" : "qm:begin")
    expect(await fixture.kit.plan({ hosts: [it.target.host], level: 5 }, NO_SIGNAL)).toMatchObject({
      changes: expect.not.arrayContaining([expect.objectContaining({ action: "change" })]),
    })
    await fixture.uninstall()
    expect(await snapshot(temp.path)).toEqual(before)
    if (it.name !== "missing") expect(await backupsOf(fixture)).not.toEqual([])
  })
})

const NO_SIGNAL = new AbortController().signal

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return "no error"
  } catch (error) {
    if (isAppError(error)) return error.code
    throw error
  }
}

async function modeOf(file: string): Promise<number | undefined> {
  return (await lstat(file).catch(() => undefined))?.mode
}

async function backupsOf({ home }: KitFixture): Promise<readonly string[]> {
  return readdir(path.join(home, "kit", "backups"))
}

const WRONG_TYPES = [
  { name: "hooks as a list", host: "claude-code", text: '{"hooks":[]}' },
  { name: "hooks as text", host: "claude-code", text: '{"hooks":"x"}' },
  { name: "hooks as null", host: "codex", text: '{"hooks":null}' },
  { name: "an event that is not a list", host: "codex", text: '{"hooks":{"Stop":{}}}' },
  { name: "our name as text", host: "antigravity", text: '{"quartermaster":"x"}' },
  {
    name: "our name with an event that is not a list",
    host: "antigravity",
    text: '{"quartermaster":{"Stop":1}}',
  },
] as const

describe.runIf(process.getuid?.() === 0)("files of other users", () => {
  test.each(Object.entries(TARGETS))(
    "[S6] %s owned by another user is rejected",
    async (_, target) => {
      await using temp = await tempDirectory()
      const fixture = await kitFixture(temp.path)
      const file = target.at(fixture)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, "{}")
      await chown(file, 12_345, 12_345)
      const before = await snapshot(temp.path)
      expect(await codeOf(fixture.install([target.host]))).toBe("KIT_FILE_OF_OTHERS")
      expect(await snapshot(temp.path)).toEqual(before)
    },
  )
})

const LINKED_PARENTS = [
  { name: "Claude Code's folder", host: "claude-code", folder: ".claude" },
  { name: "Codex's folder", host: "codex", folder: ".codex" },
  { name: "Antigravity's folder", host: "antigravity", folder: ".gemini" },
  { name: "the skills folder", host: "codex", folder: ".agents" },
] as const

/** A command, because Codex loads agents from another folder than commands and skills. */
async function addCommand(base: string): Promise<void> {
  await mkdir(path.join(base, "templates", "commands"), { recursive: true })
  const header = "name: state\ndescription: Shows the state.\nkind: command\npack: daily\nlevel: 1"
  await writeFile(
    path.join(base, "templates", "commands", "state.md"),
    `---\n${header}\n---\n\nx\n`,
  )
}

describe("hooks of the wrong type and linked folders", () => {
  test.each(WRONG_TYPES)("[S6] $name: rejected, and nothing is written", async (it) => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    const names = {
      "claude-code": "Claude Code's settings.json",
      codex: "Codex's hooks.json",
      antigravity: "Antigravity's hooks.json",
    }
    const file = TARGETS[names[it.host]]?.at(fixture) ?? ""
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, it.text)
    const before = await snapshot(temp.path)
    expect(await codeOf(fixture.install([it.host]))).toBe("KIT_SETTINGS_INVALID")
    expect(await snapshot(temp.path)).toEqual(before)
  })

  test.each(LINKED_PARENTS)("[S6] $name as a link out of the home folder: rejected", async (it) => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addCommand(temp.path)
    await mkdir(path.join(temp.path, "elsewhere"))
    await symlink(path.join(temp.path, "elsewhere"), path.join(fixture.userHome, it.folder))
    const before = await snapshot(temp.path)
    expect(await codeOf(fixture.install([it.host]))).toBe("KIT_FOLDER_LEADS_OUT")
    expect(await snapshot(temp.path)).toEqual(before)
  })

  test.each(LINKED_PARENTS)("[S6] $name as a link to itself: rejected", async (it) => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addCommand(temp.path)
    await symlink(it.folder, path.join(fixture.userHome, it.folder))
    const before = await snapshot(temp.path)
    expect(await codeOf(fixture.install([it.host]))).toBe("KIT_FILE_UNREADABLE")
    expect(await snapshot(temp.path)).toEqual(before)
  })

  test.each(LINKED_PARENTS)("[S6] $name as a link inside the home folder: restored", async (it) => {
    await using temp = await tempDirectory()
    const fixture = await kitFixture(temp.path)
    await addCommand(temp.path)
    await mkdir(path.join(fixture.userHome, "dotfiles"))
    await symlink("dotfiles", path.join(fixture.userHome, it.folder))
    const before = await snapshot(temp.path)
    await fixture.install([it.host])
    expect(await snapshot(temp.path)).not.toEqual(before)
    await fixture.uninstall()
    expect(await snapshot(temp.path)).toEqual(before)
  })
})
