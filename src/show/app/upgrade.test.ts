import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { compareVersions, findInstallation, upgradeHandlers } from "./upgrade.ts"

describe("findInstallation", () => {
  test.each([
    ["usr/lib/node_modules/quartermaster", "global", "npm install --global quartermaster@latest"],
    [
      "share/pnpm/global/5/node_modules/.pnpm/quartermaster@0.1.0/node_modules/quartermaster",
      "global",
      "pnpm add --global quartermaster@latest",
    ],
    [
      ".bun/install/global/node_modules/quartermaster",
      "global",
      "bun add --global quartermaster@latest",
    ],
    [".npm/_npx/0f3c/node_modules/quartermaster", "npx", "npx quartermaster@latest"],
    [
      ".claude/plugins/cache/team/qm/0.1.0",
      "claude-plugin",
      "claude plugin marketplace update team; claude plugin update qm@team",
    ],
    ["opt/qm", "unknown", "npm install --global quartermaster@latest"],
  ])("[APP-47] %s is %s", async (folder, installed, steps) => {
    await using temp = await tempDirectory()
    const place = path.join(temp.path, folder)
    await mkdir(place, { recursive: true })
    const found = await findInstallation(place, {})
    expect(found).toEqual({ installed, steps: steps.split("; ") })
  })

  test.each([
    ["package-lock.json", "npm install"],
    ["pnpm-lock.yaml", "pnpm add"],
    ["yarn.lock", "yarn add"],
    ["bun.lock", "bun add"],
  ])("[APP-47] a dependency beside %s is updated with %s", async (lockfile, step) => {
    await using temp = await tempDirectory()
    const project = path.join(temp.path, "it's a project")
    const place = path.join(project, "node_modules/quartermaster")
    await mkdir(place, { recursive: true })
    await writeFile(path.join(project, "package.json"), "{}")
    await writeFile(path.join(project, lockfile), "")
    expect(await findInstallation(place, {})).toEqual({
      installed: "dependency",
      steps: [`cd '${temp.path}/it'\\''s a project' && ${step} quartermaster@latest`],
    })
  })

  test("[APP-47] a clone is pulled, and a container image is built again", async () => {
    await using temp = await tempDirectory()
    await mkdir(path.join(temp.path, ".git"))
    expect(await findInstallation(temp.path, {})).toEqual({
      installed: "clone",
      steps: [`cd ${temp.path} && git pull`, `cd ${temp.path} && npm ci`],
    })
    expect(await findInstallation(temp.path, { QM_CONTAINER: "1" })).toMatchObject({
      installed: "container",
    })
  })
})

/** Runs the real npm against the given registry. */
async function upgrade(input: { check: boolean }, environment: Record<string, string>) {
  await using temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  await mkdir(home)
  const handlers = upgradeHandlers({
    environment: () => ({
      PATH: process.env["PATH"],
      HOME: home,
      npm_config_cache: path.join(temp.path, "cache"),
      npm_config_update_notifier: "false",
      ...environment,
    }),
    places: () => {
      throw new Error("HOME is set")
    },
  })
  return await handlers.show(input, { signal: new AbortController().signal })
}

/** A registry that returns one document for the package. */
async function registryOf(status: number, body: string) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? "")
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : 0
  return {
    requests,
    environment: { npm_config_registry: `http://127.0.0.1:${port}/` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const published = (version: string) =>
  JSON.stringify({
    name: "quartermaster",
    "dist-tags": { latest: version },
    versions: { [version]: { name: "quartermaster", version, dist: {} } },
  })

describe("upgrade.show", () => {
  test("[APP-48] without --check npm is not started", async () => {
    expect(await upgrade({ check: false }, { PATH: "/nowhere" })).toMatchObject({
      installed: "clone",
      latest: null,
      isNewest: null,
    })
  })

  test.each([
    ["99.0.0", false],
    ["0.0.1", true],
  ])("[APP-48] --check asks the registry of npm's config: %s", async (latest, isNewest) => {
    await using registry = await registryOf(200, published(latest))
    expect(await upgrade({ check: true }, registry.environment)).toMatchObject({ latest, isNewest })
    expect(registry.requests).toEqual(["/quartermaster"])
  })

  test("[APP-48] an unreachable registry, an unknown package and a missing npm are errors with a code", async () => {
    const nobody = { npm_config_registry: "http://127.0.0.1:1/" }
    await expect(upgrade({ check: true }, nobody)).rejects.toMatchObject({
      code: "UPGRADE_OFFLINE",
      message: "npm could not reach its registry: ECONNREFUSED.",
    })
    const offline = { npm_config_offline: "true", npm_config_registry: "http://127.0.0.1:1/" }
    await expect(upgrade({ check: true }, offline)).rejects.toMatchObject({
      code: "UPGRADE_OFFLINE",
    })
    await using registry = await registryOf(404, "{}")
    await expect(upgrade({ check: true }, registry.environment)).rejects.toMatchObject({
      code: "UPGRADE_VERSION_UNKNOWN",
      message:
        "npm's registry did not return a version: E404, quartermaster is not published there.",
    })
    await expect(upgrade({ check: true }, { PATH: "/nowhere" })).rejects.toMatchObject({
      code: "UPGRADE_NPM_MISSING",
    })
  })
})

test("[APP-48] versions are ordered by semantic versioning", () => {
  const ordered = [
    "0.1.0-alpha",
    "0.1.0-alpha.1",
    "0.1.0-alpha.beta",
    "0.1.0-beta.2",
    "0.1.0-beta.11",
    "0.1.0",
    "0.1.2",
    "0.1.10",
    "0.2.0",
    "1.0.0",
  ]
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
  expect(compareVersions("1.0.0+build", "1.0.0")).toBe(0)
})
