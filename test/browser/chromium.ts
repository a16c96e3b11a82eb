import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises"
import path from "node:path"
import chromium from "@sparticuz/chromium"
import { type Browser, chromium as playwright } from "playwright-core"
import { z } from "zod"

const ROOT = path.join(import.meta.dirname, "../..")
const MODULES = path.join(ROOT, "node_modules")

let shared: Promise<Browser> | undefined

/**
 * Headless Chromium from the development packages, connected only to this machine: `await using
 * chromium = await launchChromium()`. Test files of one process share it, because a start costs two
 * seconds; a call with flags gets its own, and so does a script, which would not exit while it is
 * open. `npm ci` installs it, so a failed start is a failure and never a skip.
 */
export async function launchChromium(extraFlags: readonly string[] = []) {
  const isTest = process.env["VITEST"] !== undefined
  if (!isTest || extraFlags.length > 0) {
    const browser = await start(await unpackOnce(), [...FLAGS, ...extraFlags])
    return { browser, [Symbol.asyncDispose]: () => browser.close() }
  }
  shared ??= unpackOnce().then((executablePath) => start(executablePath, FLAGS))
  const browser = await shared
  return {
    browser,
    async [Symbol.asyncDispose]() {
      // Vitest exits with the browser open, and Playwright then ends it.
      await Promise.all(browser.contexts().map((it) => it.close()))
    },
  }
}

/** Not the package's flags: they turn off the same-origin policy, which these tests need. */
const FLAGS = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--font-render-hinting=none",
]

async function start(executablePath: string, flags: readonly string[]): Promise<Browser> {
  try {
    return await playwright.launch({ executablePath, args: [...flags] })
  } catch (error) {
    throw new Error(
      "Chromium of @sparticuz/chromium did not start. It needs Linux on x64 and a fresh `npm ci`; " +
        "delete node_modules/.cache/qm-chromium-* if it was unpacked by a run that was cut.",
      { cause: error },
    )
  }
}

/**
 * The package unpacks into the temporary folder and treats existing files as complete, so two test
 * files that start at the same time would run a partial browser. Each unpacks into its own folder,
 * and the first rename wins.
 */
async function unpackOnce(): Promise<string> {
  const cache = path.join(MODULES, ".cache")
  const folder = path.join(cache, `qm-chromium-${await versionOf("@sparticuz/chromium")}`)
  const executable = path.join(folder, "chromium")
  if (existsSync(executable)) return executable
  await mkdir(cache, { recursive: true })
  const own = await mkdtemp(path.join(cache, "unpacking-"))
  const before = process.env["TMPDIR"]
  try {
    process.env["TMPDIR"] = own
    // The package would use a browser that is already in the temporary folder.
    await chromium.executablePath()
    await rename(own, folder).catch(() => rm(own, { recursive: true, force: true }))
  } finally {
    if (before === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = before
  }
  return executable
}

async function versionOf(name: string): Promise<string> {
  const text = await readFile(path.join(MODULES, name, "package.json"), "utf8")
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
