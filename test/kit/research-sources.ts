import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import { createSources } from "#see/sources"
import { tempDirectory } from "./temp.ts"

const SHIPPED = fileURLToPath(new URL("../../sources", import.meta.url))

const SICK = {
  dead: "process.exit(3)",
  slow: "setInterval(() => {}, 1_000)",
} as const

export async function newSources(server: keyof typeof SICK | "demo") {
  const folder = await tempDirectory()
  const own = path.join(folder.path, "sources")
  if (server !== "demo") await writeSick(path.join(own, "demo-web"), SICK[server])
  const sources = createSources({
    places: {
      shipped: server === "demo" ? SHIPPED : own,
      user: path.join(folder.path, "user"),
      project: path.join(folder.path, "project"),
    },
    approvalsFile: path.join(folder.path, "sources.json"),
    stateDirectory: folder.path,
    db: () => Promise.reject(new Error("a search of the web switches no source")),
    templatesDirectory: "",
    addConnection: async () => "",
    runtime: process.execPath,
    environment: { PATH: process.env.PATH },
    clock: systemClock,
    log: silentLog,
    random: systemRandom,
    credential: async () => undefined,
    storeCredential: async () => {},
    redact: async (text) => text,
  })
  return {
    web: sources.webSearch,
    call: sources.call,
    async [Symbol.asyncDispose]() {
      await sources.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function writeSick(folder: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const config = {
    title: "Sick",
    provides: ["web-search"],
    transport: { type: "stdio", command: "node", args: ["server.mjs"] },
    timeoutMs: 150,
  }
  await writeFile(path.join(folder, "config.json"), JSON.stringify(config))
  await writeFile(path.join(folder, "server.mjs"), code)
}
