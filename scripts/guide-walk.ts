import { spawn } from "node:child_process"
import { mkdir, readFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import type { Page } from "playwright-core"
import { launchChromium } from "../test/browser/chromium.ts"
import { workInBranches } from "../test/browser/seed/branches.ts"
import { writeHarbour } from "../test/browser/seed/harbour.ts"
import { settle } from "../test/browser/visit.ts"
import { makeRepository } from "../test/browser/world.ts"
import { runQm } from "../test/kit/qm.ts"
import { readToken } from "../test/kit/server.ts"
import { tempDirectory } from "../test/kit/temp.ts"
import { mcpClient } from "../test/mcp/client.ts"

const ROOT = path.join(import.meta.dirname, "..")

/** What a reader does with a guide: runs its commands and looks at its pictures, in that order. */
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

/** Runs the guide in a repository and a home of its own; without a folder it only looks. */
export async function walkGuide(options: { document: string; picturesInto?: string }) {
  const steps = readSteps(await readFile(options.document, "utf8"))
  await using place = await makePlace()
  await using server = await startServer(place)
  await using chromium = await launchChromium()
  const page = await chromium.browser.newPage({
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
  })
  await page.goto(server.link)
  await settle(page)
  const commands: string[] = []
  const pictures: string[] = []
  for (const step of steps) {
    if (step.kind === "command") {
      if (!RUN_ELSEWHERE.has(step.line)) await runLine(step.line, place)
      commands.push(step.line)
    } else {
      const { origin, port } = new URL(server.link)
      await PICTURES[step.name]?.prepare?.({ home: place.home, port: Number(port) })
      await showPicture(page, origin, step.name)
      const file = `${step.name}.png`
      const folder = options.picturesInto
      if (folder !== undefined) await page.screenshot({ path: path.join(folder, file) })
      pictures.push(file)
    }
  }
  return { commands, pictures }
}

/** `npm start` is what `startServer` does, and without `npm ci` this script would not run. */
const RUN_ELSEWHERE = new Set(["npm ci", "npm start"])

type Place = AsyncDisposable & {
  readonly home: string
  readonly project: string
  readonly env: Record<string, string>
}

async function makePlace(): Promise<Place> {
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  const project = path.join(temp.path, "tideline")
  await mkdir(home)
  await makeRepository(project, "main")
  await writeHarbour({ home, project })
  const env = { PATH: process.env.PATH ?? "", HOME: home, npm_config_update_notifier: "false" }
  return { home, project, env, [Symbol.asyncDispose]: temp[Symbol.asyncDispose] }
}

async function runLine(line: string, { project, env }: Place): Promise<void> {
  const [program, ...args] = wordsOf(line)
  if (program !== "qm") throw new Error(`the guide may only run qm, not: ${line}`)
  const { code, stdout, stderr } = await runQm(args, { cwd: project, env })
  if (code !== 0) throw new Error(`${line} ended with ${code}\n${stdout}${stderr}`)
}

/** As a shell would take it apart; the guide has no other signs than quotes. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

/** `npm start` as the guide says it, on the guide's repository and any free port. */
async function startServer({ project, env }: Place) {
  const args = ["start", "--", "--directory", project, "--port", "0", "--no-open"]
  // A group of its own: npm does not hand every signal on to what it started.
  const child = spawn("npm", args, {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()))
  const said: string[] = []
  child.stderr.on("data", (text) => said.push(String(text)))
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    const link = /http:\S+#t=\S+/.exec(line)?.[0]
    if (link === undefined) continue
    child.stdout.resume()
    return {
      link,
      async [Symbol.asyncDispose]() {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM")
        await ended
      },
    }
  }
  throw new Error(`npm start ended without a link:\n${said.join("\n")}`)
}

type Picture = {
  readonly at: string
  /** What must have happened before there is anything to see. */
  readonly prepare?: (at: { home: string; port: number }) => Promise<void>
  show(page: Page): Promise<void>
}

/** What stands on the screen when a picture is taken; the document decides which and when. */
const PICTURES: Readonly<Record<string, Picture>> = {
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
      await page.getByText("checks pass").waitFor()
    },
  },
}

async function showPicture(page: Page, origin: string, name: string): Promise<void> {
  const picture = PICTURES[name]
  if (picture === undefined) throw new Error(`no picture is known by the name ${name}`)
  await page.emulateMedia({ colorScheme: "light" })
  await page.goto(`${origin}${picture.at}`)
  await settle(page)
  await picture.show(page)
}
