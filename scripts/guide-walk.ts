import { spawn } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import type { Page } from "playwright-core"
import { launchChromium } from "../test/browser/chromium.ts"
import { settle } from "../test/browser/visit.ts"
import { makeRepository } from "../test/browser/world.ts"
import { runQm } from "../test/kit/qm.ts"
import { tempDirectory } from "../test/kit/temp.ts"
import { workInBranches } from "./guide-agent.ts"

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
  await writeContext({ home, project })
  const env = { PATH: process.env.PATH ?? "", HOME: home, npm_config_update_notifier: "false" }
  return { home, project, env, [Symbol.asyncDispose]: temp[Symbol.asyncDispose] }
}

/** What a person's agent finds in such a project: enough for a picture that says something. */
async function writeContext({ home, project }: { home: string; project: string }): Promise<void> {
  const skill = (name: string, description: string) =>
    `---\nname: ${name}\ndescription: ${description}\n---\n\n${MONEY.repeat(6)}`
  const files: Readonly<Record<string, string>> = {
    [path.join(home, ".claude/CLAUDE.md")]: "Be brief. Say what you did, and what you left.\n",
    [path.join(project, "CLAUDE.md")]:
      `# Tideline\n\n@docs/conventions.md\n@docs/tides.md\n\n${MONEY}`,
    [path.join(project, "docs/conventions.md")]: `# Conventions\n\n${MONEY}Names are nouns.\n`,
    [path.join(project, ".claude/rules/testing.md")]: "Tests are sentences.\n".repeat(8),
    [path.join(project, ".claude/rules/tariff.md")]: `---\npaths: src/tariff/**\n---\n${MONEY}`,
    [path.join(project, ".claude/skills/tariff/SKILL.md")]: skill("tariff", "Work out a tariff"),
    [path.join(project, ".claude/skills/berth/SKILL.md")]: skill("berth", "Find a free berth"),
    [path.join(project, ".claude/settings.json")]: '{ "permissions": { "allow": ["Read"] } }\n',
  }
  const sources = Object.entries(SOURCES).map(([file, text]) => [path.join(project, file), text])
  for (const [file = "", text = ""] of [...Object.entries(files), ...sources]) {
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

/** A little harbour software, so that a task has something to be about. */
const SOURCES: Readonly<Record<string, string>> = {
  "src/tariff/rounding.ts":
    'import { divideHalfEven } from "../money/cents.ts"\n\nexport type Rule = { minorUnits: 0 | 2 }\n\n/** Rounds one line of a quote or an invoice, half to even. */\nexport function roundLine(amount: number, rule: Rule): number {\n  return divideHalfEven(amount, 10 ** rule.minorUnits)\n}\n',
  "src/tariff/quote.ts":
    'import { roundLine, type Rule } from "./rounding.ts"\n\n/** What a stay will cost, line by line. */\nexport function quoteTotal(lines: readonly number[], rule: Rule): number {\n  return lines.reduce((sum, it) => sum + roundLine(it, rule), 0)\n}\n',
  "src/tariff/invoice.ts":
    'import { roundLine, type Rule } from "./rounding.ts"\n\n/** What a stay did cost. */\nexport function invoiceTotal(lines: readonly number[], rule: Rule): number {\n  return roundLine(\n    lines.reduce((sum, it) => sum + it, 0),\n    rule,\n  )\n}\n',
  "src/money/cents.ts":
    "/** Divides and rounds half to even, so that sums do not drift. */\nexport function divideHalfEven(amount: number, by: number): number {\n  const exact = amount / by\n  const floor = Math.floor(exact)\n  if (exact - floor !== 0.5) return Math.round(exact)\n  return floor % 2 === 0 ? floor : floor + 1\n}\n",
  "src/berth/split-stay.ts":
    'import { quoteTotal } from "../tariff/quote.ts"\n\n/** A stay over two berths is quoted as two. */\nexport function splitStay(days: readonly number[]): number {\n  const half = Math.ceil(days.length / 2)\n  const rule = { minorUnits: 2 } as const\n  return quoteTotal(days.slice(0, half), rule) + quoteTotal(days.slice(half), rule)\n}\n',
  "test/rounding.test.ts":
    'import { roundLine } from "../src/tariff/rounding.ts"\n\ntest("half a cent goes to the even one", () => {\n  expect(roundLine(250, { minorUnits: 2 })).toBe(2)\n})\n',
}

const MONEY =
  "Amounts are integers in minor units, never floats. Rounding lives in one place. A quote and " +
  "its invoice agree to the cent; if not, the invoice is the bug.\n\n"

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
    prepare: workInBranches,
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
