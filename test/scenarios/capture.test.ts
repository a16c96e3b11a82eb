import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { Capture, CaptureDiff, CaptureList, CaptureSettings, HostsList } from "#ground/contract"
import { newUser } from "#test/qm"
import { isNight } from "#test/seed"
import { newServer } from "#test/server"

type User = Awaited<ReturnType<typeof newUser>>

/** Paths are relative to the folder above home and project: `home/.claude/CLAUDE.md`. */
async function write(user: User, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(user.path, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

async function capture(user: User, ...args: string[]): Promise<Capture> {
  const { stdout, stderr } = await user.qm(["capture", ...args, "--json"])
  expect(stderr).toBe("")
  return Capture.parse(JSON.parse(stdout))
}

/** Without the host's own texts and tools. */
function filesIn({ manifest }: Capture) {
  return manifest.items.filter((it) => it.source !== "host-start")
}

describe("capture of a project", () => {
  test("[CAPTURE-1] the command shows order, cost, reason and the searched paths", async () => {
    await using user = await newUser()
    await write(user, {
      "home/.claude/CLAUDE.md": "Be brief.",
      "project/CLAUDE.md": "# Project\n\n@docs/money.md\n@docs/none.md\n",
      "project/docs/money.md": "Amounts are integers.",
      "project/.claude/skills/tariff/SKILL.md":
        "---\nname: tariff\ndescription: Works out a tariff\n---\nThe long body of the skill.",
      "project/.claude/settings.json": '{"model":"sonnet"}',
    })
    const { code, stdout } = await user.qm(["capture"])
    expect(code).toBe(0)
    const lines = stdout.split("\n")
    const at = (text: string) => lines.findIndex((it) => it.includes(text))
    const inOrder = [
      "tokens before the first prompt",
      "Loaded, in load order",
      "~/.claude/CLAUDE.md",
      "CLAUDE.md",
      "docs/money.md",
      "Loaded on demand",
      "Settings files, not sent to the model",
      "settings.json",
      "Searched: ",
      "docs/none.md",
      "The actual system prompt may include additional content not shown.",
      "Repair or remove an import",
    ]
    const places = inOrder.map(at)
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test("[CAPTURE-1] a folder without context files is reported with the next step", async () => {
    await using user = await newUser()
    for (const host of ["claude-code", "codex", "copilot", "gemini", "antigravity"]) {
      const { code, stdout } = await user.qm(["capture", "--host", host])
      expect(code).toBe(0)
      expect(stdout).toContain("None of your files is loaded before the first prompt.")
      expect(stdout).toMatch(/To give the agent instructions, create an? \S+/)
    }
  })

  test("[CAPTURE-9] a second capture after an edit shows the change", async () => {
    await using user = await newUser()
    await write(user, { "project/CLAUDE.md": "one\n" })
    const first = await capture(user)
    expect(await capture(user)).toMatchObject({ isNew: false, manifest: { id: first.manifest.id } })
    await write(user, { "project/CLAUDE.md": "one\ntwo\n" })
    const second = await capture(user, "--diff", first.manifest.id)
    expect(second.diff?.changes).toMatchObject([{ change: "changed", linesAdded: 1 }])
    const listed = CaptureList.parse(
      JSON.parse((await user.qm(["capture", "list", "--json"])).stdout),
    )
    expect(listed.captures.map((it) => [it.id, it.times])).toEqual([
      [second.manifest.id, 1],
      [first.manifest.id, 2],
    ])
    const { stdout } = await user.qm(["capture", "diff", first.manifest.id, "--json"])
    expect(CaptureDiff.parse(JSON.parse(stdout)).changes).toHaveLength(1)
    const shown = await user.qm(["capture", "text", "last", path.join(user.project, "CLAUDE.md")])
    expect(shown.stdout).toBe("one\ntwo\n")
    expect((await user.qm(["capture", "show", first.manifest.id])).stdout).toContain("CLAUDE.md")
  })

  test("[CAPTURE-9] an unchanged secret is not a change, and last means the same host", async () => {
    await using user = await newUser()
    const secret = randomBytes(24).toString("base64url")
    await write(user, { "project/CLAUDE.md": `api_key = "${secret}"\none\n` })
    const first = await capture(user)
    await write(user, { "project/CLAUDE.md": `api_key = "${secret}"\ntwo\n` })
    const second = await capture(user, "--diff", "last")
    expect(second.diff?.changes).toMatchObject([{ linesAdded: 1, linesRemoved: 1 }])
    const again = await capture(user, "--diff", "last")
    expect([again.isNew, again.diff?.to.id]).toEqual([false, again.manifest.id])
    await capture(user, "--host", "codex")
    const { stdout } = await user.qm(["capture", "diff", first.manifest.id, "--json"])
    expect(CaptureDiff.parse(JSON.parse(stdout)).to.id).toBe(second.manifest.id)
    const shown = await user.qm(["capture", "text", second.manifest.id, "CLAUDE.md"])
    expect(shown.stdout).toMatch(/^api_key = "\[redacted: .+\]"\ntwo\n$/)
  })

  test("[CLI-7] help of a command with subcommands shows its own flags first", async () => {
    await using user = await newUser()
    const { stdout } = await user.qm(["capture", "--help"])
    expect(stdout).toMatch(/Usage {2}qm capture \[path\][\s\S]+--observe[\s\S]+capture diff/)
  })

  test("[CAPTURE-12] settings show the effective value, and the former `capture hosts` lists all hosts", async () => {
    await using user = await newUser()
    await write(user, {
      "home/.claude/settings.json": '{"model":"opus"}',
      "project/.claude/settings.json": '{"model":"sonnet"}',
    })
    const { stdout } = await user.qm(["capture", "settings", "--json"])
    const model = CaptureSettings.parse(JSON.parse(stdout)).settings.find(
      (it) => it.key === "model",
    )
    expect(model).toMatchObject({ value: '"sonnet"', layer: "project" })
    expect(model?.hidden).toMatchObject([{ layer: "user", value: '"opus"' }])
    const hosts = HostsList.parse(
      JSON.parse((await user.qm(["capture", "hosts", "--json"])).stdout),
    )
    expect(hosts.hosts.map((it) => it.name)).toEqual([
      "claude-code",
      "codex",
      "copilot",
      "gemini",
      "opencode",
      "antigravity",
    ])
  })

  test("[CAPTURE-16] extra files are shown only when a setting names them", async () => {
    await using user = await newUser()
    await write(user, { "project/PROJECT_CONTEXT.md": "not a host's file" })
    expect(filesIn(await capture(user))).toEqual([])
    const taken = await capture(user, "--set", "capture.extra=PROJECT_CONTEXT.md, none/*.md")
    const { manifest } = taken
    expect(filesIn(taken)).toMatchObject([
      { label: "PROJECT_CONTEXT.md", load: "on-demand", tokens: 0, source: "extra" },
    ])
    expect(manifest.searched).toContainEqual(
      expect.objectContaining({ source: "extra", outcome: "missing" }),
    )
  })
})

describe("invalid input", () => {
  test("[CAPTURE-15] a path that is not a directory and an unknown id are coded errors", async () => {
    await using user = await newUser()
    await write(user, { "project/file": "x" })
    const failures = [
      [["capture", "none"], "CAPTURE_DIRECTORY_UNUSABLE", "it does not exist"],
      [["capture", "file"], "CAPTURE_DIRECTORY_UNUSABLE", "not a directory"],
      [["capture", "--diff", "cap_none"], "CAPTURE_UNKNOWN", "cap_none"],
      [["capture", "diff", "last"], "CAPTURE_UNKNOWN", "no capture of this directory"],
      [["capture", "show", "../../etc"], "CAPTURE_UNKNOWN", "../../etc"],
      [["capture", "--host", "cursor"], "claude-code", "antigravity"],
    ] as const
    for (const [args, code, words] of failures) {
      const { code: exit, stdout, stderr } = await user.qm([...args])
      expect([exit === 0, stdout, stderr]).toEqual([false, "", expect.stringContaining(code)])
      expect(stderr).toContain(words)
    }
    await capture(user)
    const unknown = await user.qm(["capture", "text", "last", "/none"])
    expect(unknown.stderr).toContain("CAPTURE_ITEM_UNKNOWN")
  })

  test("[CAPTURE-15] the root of the disk is captured like any other folder", async () => {
    await using user = await newUser()
    const { code, stdout } = await user.qm(["capture", "/", "--no-save"])
    expect([code, stdout.includes("tokens before the first prompt")]).toEqual([0, true])
  })

  test("[CAPTURE-4] invalid JSON in settings, an import cycle and 5 MB are reported and not fatal", async () => {
    await using user = await newUser()
    const secret = randomBytes(24).toString("base64url")
    await write(user, {
      "project/CLAUDE.md": "@a.md",
      "project/a.md": "A @b.md",
      "project/b.md": "B @a.md",
      "project/.claude/CLAUDE.md": "x".repeat(5 * 1024 * 1024),
      "project/.claude/settings.json": `{ "env": { "PLAIN": "${secret}" `,
      "project/.mcp.json": "nonsense",
    })
    const taken = await capture(user, "--content")
    const { manifest, texts } = taken
    expect(filesIn(taken).flatMap((it) => (it.tokens > 0 ? [it.label] : []))).toEqual([
      "CLAUDE.md",
      "a.md",
      "b.md",
    ])
    const codes = manifest.notes.map((it) => it.code)
    expect(codes).toContain("file-too-large")
    expect(codes).toContain("settings-broken")
    expect(JSON.stringify(texts)).not.toContain(secret)
  })

  test("[CAPTURE-6] without a usable store the capture succeeds, without history", async () => {
    await using user = await newUser()
    await write(user, { "project/CLAUDE.md": "one", "project/.qm/local": "a file in the way" })
    const { code, stdout, stderr } = await user.qm(["capture", "--json"])
    const taken = Capture.parse(JSON.parse(stdout))
    expect([code, taken.manifest.totals.files]).toEqual([0, 1])
    expect(taken.historyProblem).toMatch(/\[[A-Z_]+\]$/)
    expect(stderr).toContain("capture not stored")
  })
})

/** Makes the project its own repository, independent of folders above the temporary one. */
const GIT_HEAD = "ref: refs/heads/main\n"

describe("a hostile repository", () => {
  test("[CAPTURE-4][TB2] secrets of settings, servers and texts are in no output, store or log", async () => {
    await using user = await newUser()
    // None has a format that a pattern would recognize.
    const canaries = Array.from({ length: 9 }, () => `c4n4ry${randomBytes(12).toString("hex")}`)
    const [env, header, arg, mine, userEnv, local, dotenv, toml, url] = canaries
    const server = {
      command: "server",
      args: ["--api-key", arg],
      env: { PLAIN_NAME: env },
      headers: { "X-Plain": header },
      url: `https://user:${url}@example.invalid/mcp`,
    }
    await write(user, {
      "home/.claude/settings.json": JSON.stringify({ env: { ANY: userEnv } }),
      "home/.claude.json": JSON.stringify({
        mcpServers: { mine: { ...server, env: { A: mine } } },
      }),
      "home/.codex/config.toml": `[mcp_servers.x]\ncommand = "x"\n[mcp_servers.x.env]\nA = "${toml}"\n`,
      "project/.claude/settings.json": JSON.stringify({ env: { ANY: env } }),
      "project/.claude/settings.local.json": JSON.stringify({ env: { ANY: local } }),
      "project/.mcp.json": JSON.stringify({ mcpServers: { theirs: server } }),
      "project/.gemini/settings.json": JSON.stringify({ mcpServers: { theirs: server } }),
      "project/.env": `PLAIN=${dotenv}\n`,
      "project/CLAUDE.md": `The service key is ${dotenv}. @./${dotenv}.md`,
      "project/AGENTS.md": `The service key is ${dotenv}.`,
      "project/GEMINI.md": `The service key is ${dotenv}.`,
    })
    const output: string[] = []
    const hosts = ["claude-code", "codex", "copilot", "gemini", "antigravity"]
    // Text and JSON output contain the same; the day run alternates them per host.
    const asked = hosts.flatMap((host, i) =>
      [["--content"], ["--content", "--json"], ["settings"], ["settings", "--json"]]
        .filter((_, j) => isNight() || (i + j) % 2 === 0)
        .map((args) => ["capture", ...args, "--host", host]),
    )
    for (const args of asked) {
      const run = await user.qm(args, { env: { QM_LOG_LEVEL: "debug" } })
      expect(run.code).toBe(0)
      output.push(run.stdout, run.stderr)
    }
    // The captured folder counts, not the working directory.
    const away = await user.qm(["capture", user.project, "--content"], { cwd: user.home })
    output.push(away.stdout, (await user.qm(["events", "--json"])).stdout)
    const folder = path.dirname(user.database)
    for (const name of await readdir(folder)) {
      output.push(await readFile(path.join(folder, name), "latin1").catch(() => ""))
    }
    const leaked = canaries.filter((it) => output.some((text) => text.includes(it)))
    expect(leaked).toEqual([])
    expect(output[0]).toContain("redacted")
  })

  test("[CAPTURE-5][TB2] a link to a private file is reported with its size, without its text", async () => {
    await using user = await newUser()
    const secret = `private ${randomBytes(12).toString("hex")}`
    await write(user, { "home/.ssh/id": secret, "project/.git/HEAD": GIT_HEAD })
    await symlink(path.join(user.home, ".ssh/id"), path.join(user.project, "CLAUDE.md"))
    const taken = await capture(user, "--content")
    expect(filesIn(taken)).toMatchObject([{ trust: "external", label: "CLAUDE.md" }])
    expect(taken.manifest.notes.map((it) => it.code)).toContain("link-outside")
    expect(taken.texts[0]?.withheld).toContain("A link leads to this file")
    const store = await readFile(user.database, "latin1")
    expect([JSON.stringify(taken), store].some((it) => it.includes(secret))).toBe(false)
  })

  test("[CAPTURE-5][TB2] any file of the repository that is such a link is shown without its text", async () => {
    await using user = await newUser()
    const secret = `diary ${randomBytes(12).toString("hex")}`
    await write(user, {
      "home/private/x.md": `---\nname: x\ndescription: ${secret}\n---\n${secret}`,
      "home/private/x.json": JSON.stringify({ outputStyle: "st", diary: secret }),
      "home/private/mcp.json": JSON.stringify({ mcpServers: { [secret]: { command: secret } } }),
      "home/private/x.toml": `diary = "${secret}"\n`,
      "project/.git/HEAD": GIT_HEAD,
    })
    const links: Readonly<Record<string, string>> = {
      ".claude/skills/s/SKILL.md": "x.md",
      ".claude/agents/a.md": "x.md",
      ".claude/commands/c.md": "x.md",
      ".claude/rules/r.md": "x.md",
      ".claude/output-styles/st.md": "x.md",
      ".claude/settings.local.json": "x.json",
      ".mcp.json": "mcp.json",
      ".gemini/settings.json": "mcp.json",
      ".codex/config.toml": "x.toml",
      "AGENTS.md": "x.md",
      "GEMINI.md": "x.md",
      ".github/copilot-instructions.md": "x.md",
      ".github/instructions/i.instructions.md": "x.md",
      ".agents/skills/s/SKILL.md": "x.md",
      ".agent/rules/r.md": "x.md",
    }
    for (const [name, target] of Object.entries(links)) {
      const file = path.join(user.project, name)
      await mkdir(path.dirname(file), { recursive: true })
      await symlink(path.join(user.home, "private", target), file)
    }
    const output: string[] = []
    for (const host of ["claude-code", "codex", "copilot", "gemini", "antigravity"]) {
      output.push((await user.qm(["capture", "--content", "--json", "--host", host])).stdout)
      output.push((await user.qm(["capture", "settings", "--json", "--host", host])).stdout)
    }
    output.push(await readFile(user.database, "latin1"))
    const tail = secret.slice("diary ".length)
    const around = output.flatMap((it) => it.match(new RegExp(`.{0,80}${tail}`)) ?? [])
    expect(around).toEqual([])
  })

  test("[T4][TB2] pipes, devices and folders named like context files do not block the capture", async () => {
    await using user = await newUser()
    await mkdir(path.join(user.project, ".claude/rules/deep.md"), { recursive: true })
    execFileSync("mkfifo", [path.join(user.project, "CLAUDE.md")])
    execFileSync("mkfifo", [path.join(user.project, ".claude/settings.json")])
    await symlink("/dev/zero", path.join(user.project, "CLAUDE.local.md"))
    await symlink("/proc/self/environ", path.join(user.project, "AGENTS.md"))
    for (const host of ["claude-code", "codex", "copilot", "gemini"]) {
      const { code } = await user.qm(["capture", "--host", host, "--content"])
      expect(code).toBe(0)
    }
  })
})

test("[CAPTURE-1] the capture over HTTP is the same and requires authentication", async () => {
  await using server = await newServer({ environment: { HOME: "/nonexistent" } })
  await writeFile(path.join(server.directory, "CLAUDE.md"), "one")
  const asked = { method: "POST", path: "/api/capture/take", body: "{}" }
  const { status, text } = await server.ask(asked)
  expect([status, filesIn(Capture.parse(JSON.parse(text)))]).toMatchObject([
    200,
    [{ label: "CLAUDE.md" }],
  ])
  expect((await server.ask({ ...asked, token: "none" })).status).toBe(401)
})
