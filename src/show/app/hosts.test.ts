import { chmod, mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { DoctorReport, HostsList } from "#ground/contract"
import { git } from "#test/git"
import { tempDirectory } from "#test/temp"
import { createApp } from "./app.ts"

const { signal } = new AbortController()

test("[APP-61] hosts.list and the doctor report version, sign-in and connection", async () => {
  await using temp = await tempDirectory()
  const [home, project, bin] = ["home", "p", "bin"].map((it) => path.join(temp.path, it))
  if (home === undefined || project === undefined || bin === undefined)
    throw new Error("unreachable")
  for (const folder of [home, project, path.join(bin, "1.2.3"), path.join(home, ".codex")])
    await mkdir(folder, { recursive: true })
  git(project, "init", "-q", "-b", "main")
  const program = path.join(bin, "codex")
  await writeFile(program, `#!/bin/sh\ntouch ${path.join(temp.path, "started")}\n`)
  await chmod(program, 0o755)
  await writeFile(path.join(home, ".codex/auth.json"), "not json")
  await chmod(path.join(home, ".codex/auth.json"), 0)
  const environment = { HOME: home, PATH: bin }
  await using app = await createApp({
    directory: project,
    environment,
    settings: [],
    writeLog: () => {},
  })
  const { hosts } = HostsList.parse(await app.call("hosts.list", {}, { signal }))
  expect(hosts[0]).toEqual({
    name: "codex",
    title: "Codex",
    isCaptured: true,
    isInstalled: true,
    version: null,
    login: "found",
    loginFrom: "~/.codex/auth.json",
    hooks: "none",
    program,
    rulesFrom: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    install: "npm install -g @openai/codex",
  })
  const claude = hosts.find((it) => it.name === "claude-code")
  expect(claude).toMatchObject({ isInstalled: false, version: null, hooks: "none" })
  expect(hosts.find((it) => it.name === "gemini")?.hooks).toBe("not offered")
  expect(hosts.find((it) => it.name === "opencode")).toMatchObject({
    isCaptured: true,
    isInstalled: false,
    login: "missing",
  })

  const report = DoctorReport.parse(await app.call("doctor.run", {}, { signal }))
  expect(report.checks.filter((it) => it.area === "hosts")).toEqual([
    {
      area: "hosts",
      name: "Codex",
      state: "ok",
      detail: "version unknown, signed in by ~/.codex/auth.json, not connected",
      hint: "Run `qm init --dry-run` to see what connecting writes.",
    },
  ])
})

test("[APP-61] without a host the doctor warns", async () => {
  await using temp = await tempDirectory()
  const environment = { HOME: temp.path, PATH: "" }
  const options = { directory: temp.path, environment, settings: [], writeLog: () => {} }
  await using app = await createApp(options)
  const report = DoctorReport.parse(await app.call("doctor.run", {}, { signal }))
  expect(report.checks.find((it) => it.area === "hosts")).toMatchObject({
    state: "warn",
    detail: "no agent host was found on the PATH",
  })
})
