import { spawn } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import type { Page } from "playwright-core"
import { launchChromium } from "../test/browser/chromium.ts"
import { workInBranches } from "../test/browser/seed/branches.ts"
import { settle } from "../test/browser/visit.ts"
import { runQm } from "../test/kit/qm.ts"
import { readToken } from "../test/kit/server.ts"
import { tempDirectory } from "../test/kit/temp.ts"
import { mcpClient } from "../test/mcp/client.ts"

const ROOT = path.join(import.meta.dirname, "..")
const TERMINAL_COLUMNS = 100

export type Step =
  | { readonly kind: "command"; readonly line: string }
  | { readonly kind: "picture"; readonly name: string }

export function readSteps(document: string): readonly Step[] {
  const steps: Step[] = []
  let isInBlock = false
  for (const line of document.split("\n")) {
    const picture = /^!\[.+\]\(images\/([\w-]+)\.png\)$/.exec(line)?.[1]
    if (line.startsWith("```")) isInBlock = line === "```sh"
    else if (isInBlock) steps.push({ kind: "command", line })
    else if (picture !== undefined) steps.push({ kind: "picture", name: picture })
  }
  return steps
}

/**
 * Follows the guide literally, in an empty folder with an empty home; without `picturesInto` it
 * takes no pictures.
 */
export async function walkGuide(options: { document: string; picturesInto?: string }) {
  const steps = readSteps(await readFile(options.document, "utf8"))
  await using reader = await newReader()
  await using chromium = await launchChromium()
  const page = await chromium.browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
  })
  const commands: string[] = []
  const pictures: string[] = []
  for (const step of steps) {
    if (step.kind === "command") {
      const link = await reader.runLine(step.line)
      if (link !== undefined) {
        await page.goto(link)
        await settle(page)
      }
      commands.push(step.line)
    } else {
      await showPicture(page, reader, step.name)
      const file = `${step.name}.png`
      const folder = options.picturesInto
      if (folder !== undefined) await takePicture(page, path.join(folder, file))
      pictures.push(file)
    }
  }
  return { commands, pictures }
}

/**
 * `npm ci` has already run, guide.ts builds, and `qm` is the launcher of this clone.
 */
const DONE_ALREADY = new Set([
  "npm ci",
  "npm run build",
  "mkdir -p ~/.local/bin",
  'ln -s "$PWD/bin/qm" ~/.local/bin/qm',
  'export PATH="$HOME/.local/bin:$PATH"',
])
const START_SERVER = "qm up --demo"

type Reader = Awaited<ReturnType<typeof newReader>>

async function newReader() {
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  await mkdir(home)
  const env = { PATH: process.env["PATH"] ?? "", HOME: home }
  let cwd = temp.path
  let server: Server | undefined
  const qm = (args: readonly string[], extra: Record<string, string> = {}) =>
    runQm(args, { cwd, env: { ...env, ...extra } })
  return {
    home,
    qm,
    withPlainPaths: (text: string) => text.replaceAll(home, "~").replaceAll(temp.path, "~"),
    server(): Server {
      if (server === undefined)
        throw new Error("the guide shows a page before it starts the server")
      return server
    },
    /** The sign-in link, if the line started the server. */
    async runLine(line: string): Promise<string | undefined> {
      if (DONE_ALREADY.has(line)) return undefined
      const [program, ...args] = splitWords(line)
      if (line === START_SERVER) {
        server = await startServer({ cwd, env })
        return server.link
      }
      if (program === "cd") {
        cwd = path.join(cwd, args[0] ?? "")
        return undefined
      }
      if (program !== "qm") throw new Error(`the guide may only run qm, not: ${line}`)
      const { code, stdout, stderr } = await qm(args)
      if (code !== 0) throw new Error(`${line} ended with ${code}\n${stdout}${stderr}`)
      if (line.startsWith("qm pipeline resume")) await resumeToTheEnd(args)
      return undefined
    },
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }

  /** On a terminal `resume` asks at each pause and the user types 1; without one it returns. */
  async function resumeToTheEnd(args: readonly string[]): Promise<void> {
    for (let pauses = 0; pauses < 5; pauses++) {
      const { code } = await qm(args)
      if (code !== 0) return
    }
  }
}

/** Splits a line like a shell; the guide uses no other special characters than double quotes. */
function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

type Server = AsyncDisposable & { readonly link: string }

async function startServer(options: { cwd: string; env: Record<string, string> }): Promise<Server> {
  const launcher = path.join(ROOT, "bin/qm")
  const child = spawn(launcher, ["up", "--demo", "--port", "0", "--no-open"], {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()))
  const output: string[] = []
  child.stderr.on("data", (text) => output.push(String(text)))
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line)
    const link = /http:\S+#t=\S+/.exec(line)?.[0]
    if (link === undefined) continue
    child.stdout.resume()
    return {
      link,
      async [Symbol.asyncDispose]() {
        child.kill("SIGTERM")
        await ended
      },
    }
  }
  throw new Error(`qm up ended without a link:\n${output.join("\n")}`)
}

type Picture =
  | {
      readonly at: string
      readonly prepare?: (at: { home: string; port: number }) => Promise<void>
      show(page: Page): Promise<void>
    }
  /** The output of a command, wrapped like on a terminal of `TERMINAL_COLUMNS`. */
  | { readonly terminal: readonly string[] }

const PICTURES: Readonly<Record<string, Picture>> = {
  "terminal-capture": { terminal: ["capture"] },
  palette: {
    at: "/",
    async show(page) {
      await page.keyboard.press("Control+k")
      await page.getByRole("combobox").fill("tokens")
      await page.getByRole("option").first().waitFor()
    },
  },
  capture: {
    at: "/capture?host=claude-code",
    async show(page) {
      await page.getByRole("option", { name: /Project root memory/ }).click()
      await page.getByText("# Tideline").waitFor()
    },
  },
  pack: {
    at: `/pack?task=${encodeURIComponent("quotes and invoices differ by a cent, fix roundLine")}&budget=2000`,
    async show(page) {
      await page.getByText("of 2,000 tokens, ").waitFor()
      await page.getByText("rounding.ts").first().waitFor()
    },
  },
  map: {
    at: `/map?open=src&open=src%2Ftariff&hops=2&show=${encodeURIComponent("roundLine")}`,
    show: (page) => page.getByRole("group", { name: "Around roundLine" }).waitFor(),
  },
  run: {
    at: "/runs",
    async show(page) {
      await page.getByRole("option", { name: /Make quotes and invoices agree/ }).click()
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: /^Allow once/ }).waitFor()
    },
  },
  folds: {
    at: "/folds",
    async prepare({ home, port }) {
      const token = await readToken(path.join(home, ".qm"))
      using agent = mcpClient({ port, token, name: "claude-code" })
      await workInBranches(agent)
    },
    async show(page) {
      await page.getByRole("treeitem", { name: "Which callers" }).click()
      await page.getByText("Returned to the parent").waitFor()
    },
  },
  pipeline: {
    at: "/pipelines/p-1",
    show: (page) => page.getByRole("heading", { name: "Key points" }).waitFor(),
  },
  events: {
    at: "/events?name=store.",
    async show(page) {
      await page
        .getByRole("option", { name: /store\.backed-up/ })
        .first()
        .click()
      await page.getByRole("heading", { name: "store.backed-up" }).waitFor()
    },
  },
  settings: {
    at: "/settings?at=tokens.window&text=tokens",
    show: (page) => page.getByText("QM_TOKENS_WINDOW").waitFor(),
  },
  "now-dark": {
    at: "/",
    async show(page) {
      await page.emulateMedia({ colorScheme: "dark" })
      await page.getByRole("main").waitFor()
    },
  },
}

/** A terminal picture has the height of its text; other pictures have the size of the window. */
async function takePicture(page: Page, file: string): Promise<void> {
  const terminal = page.locator("pre#terminal")
  const isTerminal = (await terminal.count()) > 0
  await (isTerminal ? terminal : page).screenshot({ path: file })
}

async function showPicture(page: Page, reader: Reader, name: string): Promise<void> {
  const picture = PICTURES[name]
  if (picture === undefined) throw new Error(`unknown picture ${name}`)
  await page.emulateMedia({ colorScheme: "light" })
  if ("terminal" in picture) {
    const { stdout } = await reader.qm(picture.terminal, { FORCE_COLOR: "1" })
    // A page of the server forbids setting its content.
    await page.goto("about:blank")
    await page.setContent(
      terminalPage(`qm ${picture.terminal.join(" ")}`, reader.withPlainPaths(stdout)),
    )
    return
  }
  const { origin, port } = new URL(reader.server().link)
  await picture.prepare?.({ home: reader.home, port: Number(port) })
  await page.goto(`${origin}${picture.at}`)
  await settle(page)
  await picture.show(page)
}

/** The colours that `show/cli/paint.ts` uses. */
const STYLES: Readonly<Record<string, string>> = {
  "1": "font-weight:600",
  "2": "opacity:.6",
  "31": "color:#c0392b",
  "32": "color:#2e8b57",
  "33": "color:#b8860b",
  "38;5;43": "color:#1aa58b",
  "38;5;75": "color:#3f8fd6",
  "38;5;78": "color:#3aa76d",
  "38;5;105": "color:#6f6ce0",
  "38;5;173": "color:#c97b4a",
  "38;5;176": "color:#b86fb8",
  "38;5;179": "color:#b8923f",
}

function terminalPage(command: string, output: string): string {
  const escaped = output.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts a colour.
  const coloured = escaped.replaceAll(/\u001b\[([\d;]+)m/g, (_, code: string) =>
    code === "0" ? "</span>" : `<span style="${STYLES[code] ?? ""}">`,
  )
  // The output of a pipe is not wrapped, so the page wraps it as a terminal would.
  const style = `margin:0;padding:28px 32px;background:#fbfbfa;color:#222;font:14px/1.45 'DejaVu Sans Mono',monospace;white-space:pre-wrap;width:${TERMINAL_COLUMNS}ch`
  return `<pre id="terminal" style="${style}"><b>$ ${command}</b>\n\n${coloured}</pre>`
}
