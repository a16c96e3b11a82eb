import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { needs } from "#test/needs"
import { ask, startPostgres } from "#test/postgres"
import { LAUNCHER } from "#test/qm"
import { tempDirectory } from "#test/temp"

const ROOT = path.join(import.meta.dirname, "../..")
const ENTRY = path.join(ROOT, "container/entry.mjs")
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8")

/** An exact version, with or without a digest; never a moving tag. */
const PINNED_IMAGE = /^[a-z0-9./-]+:\d+\.\d+(?:\.\d+)?-[a-z-]+(?:@sha256:[0-9a-f]{64})?$/
const SECRET_NAME = /(?:PASSWORD|TOKEN|SECRET|KEY)$/

type Instruction = { readonly name: string; readonly text: string }

function readDockerfile(text: string): readonly Instruction[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
  return lines.flatMap((line) => {
    const [, name = "", rest = ""] = /^([A-Z]+)\s+(.+)$/.exec(line) ?? []
    if (name === "" && line.trim() !== "") throw new Error(`not an instruction: ${line}`)
    return name === "" ? [] : [{ name, text: rest.trim() }]
  })
}

/** One sentence for each rule that a Dockerfile breaks. */
function lintDockerfile(text: string): readonly string[] {
  const all = readDockerfile(text)
  const stages = all.filter((it) => it.name === "FROM").map((it) => it.text.split(/\s+/))
  const final = all.slice(all.findLastIndex((it) => it.name === "FROM"))
  const last = (name: string) => final.findLast((it) => it.name === name)?.text
  const names = stages.flatMap((it) => it[2] ?? [])
  const variables = all
    .filter((it) => it.name === "ENV" || it.name === "ARG")
    .flatMap((it) => [...it.text.matchAll(/(\w+)=/g)].map(([, name = ""]) => name))
  const user = last("USER") ?? "root"
  const apt = all.filter((it) => /apt-get install/.test(it.text))
  return [
    ...(stages.length < 2 ? ["one stage only"] : []),
    ...stages.flatMap(([image = ""]) =>
      names.includes(image) || PINNED_IMAGE.test(image) ? [] : [`base ${image} is not pinned`],
    ),
    ...(/^(?:root|0)(?::|$)/.test(user) ? ["runs as root"] : []),
    ...(last("HEALTHCHECK")?.includes('CMD ["') ? [] : ["no health check in exec form"]),
    ...(last("ENTRYPOINT")?.startsWith('["') ? [] : ["no entry point in exec form"]),
    ...variables.filter((it) => SECRET_NAME.test(it)).map((it) => `${it} is a secret`),
    ...all.filter((it) => it.name === "ADD").map(() => "ADD instead of COPY"),
    ...(apt.every((it) => /--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/.test(it.text))
      ? []
      : ["apt lists or recommended packages stay in the image"]),
  ]
}

describe("Dockerfile", () => {
  test("[CONTAINER-1] it has no finding", () => {
    expect(lintDockerfile(read("Dockerfile"))).toEqual([])
  })

  test.each([
    [/^USER .*\n/m, "", "runs as root"],
    [/^USER .*$/m, "USER 0:0", "runs as root"],
    [/^HEALTHCHECK [^]*?\n(?=ENTRY)/m, "", "no health check in exec form"],
    [/26\.10\.0-bookworm-slim$/m, "latest", "base node:latest is not pinned"],
    [/QM_CONTAINER=1/, "QM_TOKEN=abc", "QM_TOKEN is a secret"],
    [/^ENTRYPOINT.*$/m, "ENTRYPOINT node /app/entry.mjs", "no entry point in exec form"],
    [/ \\\n {2}&& rm -rf \S+/, "", "apt lists or recommended packages stay in the image"],
  ])("[CONTAINER-1] the lint finds a change of %s", (from, to, finding) => {
    expect(lintDockerfile(read("Dockerfile").replace(from, to))).toEqual([finding])
  })

  test("[CONTAINER-1] it copies and starts files that exist", () => {
    const all = readDockerfile(read("Dockerfile"))
    const sources = all
      .filter((it) => it.name === "COPY" && !it.text.startsWith("--from"))
      .flatMap((it) => it.text.split(/\s+/).slice(0, -1))
    for (const source of sources) expect(existsSync(path.join(ROOT, source)), source).toBe(true)
    expect(sources).toContain("container/entry.mjs")
    const started = all.filter((it) => ["ENTRYPOINT", "HEALTHCHECK"].includes(it.name))
    for (const { text } of started) expect(text).toContain('["node", "/app/entry.mjs"')
    const ignored = read(".dockerignore").split("\n")
    expect(ignored).toEqual(expect.arrayContaining(["secrets", ".git", "**/node_modules"]))
    expect(read(".gitignore").split("\n")).toContain("/secrets/")
  })
})

test("[CONTAINER-2] services are read-only, without new privileges, and get secrets as files", () => {
  const Service = z.object({
    image: z.string(),
    build: z.string().optional(),
    read_only: z.literal(true),
    security_opt: z.tuple([z.literal("no-new-privileges:true")]),
    environment: z.record(z.string(), z.string()),
    secrets: z.array(z.string()).min(1),
    volumes: z.array(z.string()).min(1),
    privileged: z.undefined().optional(),
    restart: z.literal("unless-stopped"),
  })
  const { services, volumes, secrets } = z
    .object({
      services: z.object({ server: Service, postgres: Service }),
      volumes: z.record(z.string(), z.null()),
      secrets: z.record(z.string(), z.object({ file: z.string().startsWith("./secrets/") })),
    })
    .parse(parse(read("compose.yaml")))
  expect(services.postgres.image).toMatch(PINNED_IMAGE)
  for (const service of Object.values(services)) {
    for (const name of service.secrets) expect(Object.keys(secrets)).toContain(name)
    for (const [name, value] of Object.entries(service.environment)) {
      expect(name, "a secret is a file").not.toMatch(SECRET_NAME)
      expect(value).not.toMatch(/:\/\/[^/@]*:[^/@]*@/)
    }
  }
  const named = Object.values(services).flatMap((it) =>
    it.volumes.flatMap((volume) => (/^[a-z]/.test(volume) ? (volume.split(":")[0] ?? []) : [])),
  )
  expect(named.toSorted()).toEqual(Object.keys(volumes).toSorted())
})

const TOKEN = "t".repeat(43)

async function newServer() {
  const temp = await tempDirectory()
  const file = (name: string) => path.join(temp.path, name)
  await mkdir(file("repository"))
  for (const [name, text] of Object.entries({ token: `${TOKEN}\n`, cert: "x", key: "x" })) {
    await writeFile(file(name), text, { mode: 0o644 })
  }
  const environment: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    QM_HOME: file("home"),
    QM_PROGRAM: LAUNCHER,
    QM_HOST: "127.0.0.2",
    QM_PORT: "0",
    QM_DATABASE_URL: "postgres://qm@127.0.0.1:1/qm",
    QM_TOKEN_FILE: file("token"),
    QM_TLS_CERT: file("cert"),
    QM_TLS_KEY: file("key"),
    QM_WAIT_SECONDS: "0",
  }
  const enter = (command: string, more: Record<string, string> = {}) =>
    spawnSync(process.execPath, [ENTRY, ...command.split(" ")], {
      cwd: file("repository"),
      env: { ...environment, ...more },
      encoding: "utf8",
    })
  return Object.assign(temp, { file, environment, enter })
}

describe("entry.mjs", () => {
  test.each([
    [{ QM_HOST: "" }, "CONTAINER_NO_HOST", "QM_HOST is not set."],
    [{ QM_DATABASE_URL: "" }, "CONTAINER_NO_DATABASE", "QM_DATABASE_URL is not set."],
    [
      { QM_DATABASE_URL: "mysql://qm:hidden-text@db/qm" },
      "CONTAINER_DATABASE_INVALID",
      "QM_DATABASE_URL is no Postgres URL.",
    ],
    [{ QM_TOKEN_FILE: "/nowhere/token" }, "CONTAINER_FILE", "QM_TOKEN_FILE: /nowhere/token cannot"],
    [{ QM_TOKEN_FILE: ENTRY }, "CONTAINER_TOKEN_INVALID", "contains no token of 43 characters"],
    [{ QM_TLS_KEY: "/dev/null" }, "CONTAINER_FILE", "QM_TLS_KEY: /dev/null is empty."],
    [{ QM_DATABASE_PASSWORD_FILE: "/nowhere/p" }, "CONTAINER_FILE", "QM_DATABASE_PASSWORD_FILE"],
    [{ QM_HOME: "/dev/null/home" }, "CONTAINER_HOME", "cannot be written"],
    [{ QM_WAIT_SECONDS: "soon" }, "CONTAINER_WAIT", "QM_WAIT_SECONDS is no number."],
    [{}, "CONTAINER_DATABASE_DOWN", "Postgres at 127.0.0.1:1 did not respond within 0 s"],
  ])("[CONTAINER-3] it refuses to start with %j: %s", async (settings, code, message) => {
    await using server = await newServer()
    const { status, stderr } = server.enter("serve", settings)
    expect(status).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain(`[${code}]`)
    expect(stderr).not.toMatch(/hidden-text|t{43}/)
  })

  test("[CONTAINER-3] an unknown command and a server that does not respond are errors", async () => {
    await using server = await newServer()
    expect(server.enter("start").stderr).toContain("[CONTAINER_COMMAND]")
    const { status, stderr } = server.enter("health", { QM_PORT: "1" })
    expect([status, stderr]).toEqual([1, expect.stringContaining("[CONTAINER_UNHEALTHY]")])
  })

  test.runIf(needs("CONTAINER-6", "postgres"))(
    "[CONTAINER-6] it backs up and restores the database with the password of the secret",
    async () => {
      await using cluster = await startPostgres()
      const database = await cluster.createDatabase()
      const url = new URL(database)
      await using server = await newServer()
      await writeFile(server.file("password"), `${decodeURIComponent(url.password)}\n`)
      url.password = ""
      const settings = {
        QM_DATABASE_URL: url.href,
        QM_DATABASE_PASSWORD_FILE: server.file("password"),
      }
      const backup = server.enter(`backup ${server.file("backups")}`, settings)
      expect([backup.status, backup.stderr]).toEqual([0, ""])
      const file = /Backed up to (\S+\.db)/.exec(backup.stdout)?.[1] ?? ""
      await ask(database, "DROP SCHEMA qm CASCADE")
      const restored = server.enter(`restore ${file}`, settings)
      expect([restored.status, restored.stdout]).toEqual([
        0,
        expect.stringContaining("Restored 1 event"),
      ])
      expect(await ask(database, "SELECT seq::int FROM qm.journal_head")).toEqual([{ seq: 2 }])
      expect(server.enter("restore", settings).stderr).toContain("[CONTAINER_NO_BACKUP]")
    },
  )

  test.runIf(needs("CONTAINER-4", "postgres") && needs("CONTAINER-4", "openssl"))(
    "[CONTAINER-4] it waits for Postgres, serves with TLS and the given token, and ends with a signal",
    async () => {
      await using cluster = await startPostgres()
      const url = new URL(await cluster.createDatabase())
      await using server = await newServer()
      const [key, cert] = [server.file("key"), server.file("cert")]
      const subject = ["-days", "1", "-subj", "/CN=127.0.0.2", "-keyout", key, "-out", cert]
      const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
      execFileSync("openssl", ["req", "-x509", "-nodes", ...curve, ...subject], { stdio: "ignore" })
      await writeFile(server.file("password"), `${decodeURIComponent(url.password)}\n`)
      const database = url.href
      url.password = ""

      const startAgain = await cluster.crash()
      const child = spawn(process.execPath, [ENTRY], {
        cwd: server.file("repository"),
        env: {
          ...server.environment,
          QM_DATABASE_URL: url.href,
          QM_DATABASE_PASSWORD_FILE: server.file("password"),
          QM_WAIT_SECONDS: "600",
        },
      })
      const ended = new Promise<readonly unknown[]>((resolve) =>
        child.once("exit", (...how) => resolve(how)),
      )
      let output = ""
      child.stdout.on("data", (bytes) => void (output += String(bytes)))
      child.stderr.on("data", (bytes) => void (output += String(bytes)))
      try {
        await expect.poll(() => output).toContain("Waiting for Postgres at 127.0.0.1:")
        expect(output).not.toContain("https://")
        await startAgain()
        await expect.poll(() => output).toMatch(/https:\/\/127\.0\.0\.2:\d+/)
        const port = /https:\/\/127\.0\.0\.2:(\d+)/.exec(output)?.[1] ?? ""
        expect(server.enter("health", { QM_PORT: port })).toMatchObject({ status: 0, stderr: "" })
        const token = path.join(server.file("home"), "token")
        expect(await readFile(token, "utf8")).toBe(`${TOKEN}\n`)
        expect((await stat(token)).mode & 0o777).toBe(0o600)
        expect(await ask(database, "SELECT count(*) > 0 AS used FROM journal")).toBeDefined()
      } finally {
        child.kill("SIGTERM")
      }
      expect(await ended).toEqual([0, null])
      expect(output).toContain("Stopped.")
      expect(output).not.toContain(decodeURIComponent(new URL(database).password))
    },
  )
})

describe("development container feature", () => {
  const INSTALL = path.join(ROOT, "container/feature/install.sh")

  /** npm and node of a container: each prints its arguments, or a version. */
  async function install(version: string, programs: Readonly<Record<string, string>>) {
    await using temp = await tempDirectory()
    for (const [name, script] of Object.entries(programs)) {
      await writeFile(path.join(temp.path, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    }
    return spawnSync("/bin/sh", [INSTALL], {
      env: { PATH: temp.path, VERSION: version },
      encoding: "utf8",
    })
  }

  test("[CONTAINER-5] it installs the given version, and is executable", async () => {
    const { status, stdout } = await install("0.1.0", { npm: 'echo "npm $*"', node: "echo 24" })
    expect([status, stdout]).toEqual([0, "npm install --global quartermaster@0.1.0\n"])
    expect(statSync(INSTALL).mode & 0o111).toBe(0o111)
  })

  test.each([
    ["0.1.0", { node: "echo 24" }, "npm was not found"],
    ["0.1.0", { npm: "", node: "echo 20" }, "needs Node 24 or later and found 20"],
    ["1.0 --registry=x", { npm: "", node: "echo 24" }, "is not a version"],
  ])("[CONTAINER-5] %s with %j fails: %s", async (version, programs, message) => {
    const { status, stderr } = await install(version, programs)
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  test("[CONTAINER-5] its definition names its folder's parts and the released version", () => {
    const feature = z
      .object({
        id: z.literal("quartermaster"),
        version: z.string(),
        options: z.object({ version: z.object({ default: z.string() }) }),
      })
      .parse(JSON.parse(read("container/feature/devcontainer-feature.json")))
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(read("package.json")))
    expect([feature.version, feature.options.version.default]).toEqual([version, version])
    expect(globSync("*", { cwd: path.dirname(INSTALL) }).toSorted()).toEqual([
      "devcontainer-feature.json",
      "install.sh",
    ])
  })
})
