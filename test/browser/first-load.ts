import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { gzipSync } from "node:zlib"
import type { Browser } from "playwright-core"
import { builtConsole, type ConsoleFixture } from "./console-fixture.ts"
import { visit } from "./visit.ts"

/** Identifiers that only the schema library contains; the console must not load it. */
const SCHEMA_LIBRARY = /ZodError|\$ZodType/

/**
 * Measures a first visit: each requested file, gzipped, including idle-time requests. The command
 * palette, which loads at the first key press, is not counted.
 */
export async function measureFirstLoad(browser: Browser, fixture: ConsoleFixture, address: string) {
  const folder = await builtConsole()
  const names = new Set<string>()
  await using window = await visit(browser, fixture, {
    path: address,
    initScript: COUNT_SHIFTS,
    async prepare(context) {
      context.on("request", (it) => {
        const { pathname } = new URL(it.url())
        const isData = pathname.startsWith("/api/") || pathname.startsWith("/live")
        const isFile = existsSync(path.join(folder, pathname)) && pathname !== "/"
        if (!isData) names.add(isFile ? pathname : "/index.html")
      })
    },
  })
  await window.page.waitForLoadState("networkidle")
  const files = await Promise.all([...names].map((it) => sizeOf(path.join(folder, it))))
  return {
    files: files.length,
    bytes: files.reduce((sum, it) => sum + it.bytes, 0),
    withSchemaLibrary: files.filter((it) => it.hasSchemaLibrary).map((it) => it.name),
    shift: Number(await window.page.evaluate("window.layoutShift")),
  }
}

const COUNT_SHIFTS = `window.layoutShift = 0
new PerformanceObserver((list) => {
  for (const it of list.getEntries()) window.layoutShift += it.value
}).observe({ type: "layout-shift", buffered: true })`

async function sizeOf(file: string) {
  const bytes = await readFile(file)
  const isCompressed = file.endsWith(".woff2")
  return {
    name: path.basename(file),
    bytes: isCompressed ? bytes.length : gzipSync(bytes, { level: 9 }).length,
    hasSchemaLibrary: file.endsWith(".js") && SCHEMA_LIBRARY.test(bytes.toString()),
  }
}
