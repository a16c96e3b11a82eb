import { homedir } from "node:os"
import { describe, expect, test } from "vitest"
import { tidyTree } from "../../scripts/tidy/tidy-tree.ts"
import { readTree } from "../../scripts/tidy/tree.ts"
import { type Files, plant } from "./plant-files.ts"

async function tidy(files: Files) {
  await using tree = await plant(files)
  return await tidyTree(readTree(tree.root))
}

async function failuresOf(files: Files): Promise<readonly string[]> {
  const { failures } = await tidy(files)
  return failures.map((it) => `${it.where}: ${it.wrong}`)
}

async function reportsOf(files: Files): Promise<readonly string[]> {
  const { reports } = await tidy(files)
  return reports.map((it) => `${it.where}: ${it.wrong}`)
}

type Fault = { fault: string; files: Files; found: string }

const HOSTS: Files = {
  "src/see/hosts/README.md": "# hosts\n",
  "src/see/hosts/index.ts": 'export { hosts } from "./hosts.ts"\n',
  "src/see/hosts/hosts.ts": "export const hosts = 1\n",
}

const CONTRACT: Files = {
  "src/ground/contract/README.md": "# contract\n",
  "src/ground/contract/index.ts": 'export { Shape } from "./shape.ts"\n',
  "src/ground/contract/shape.ts": 'import { z } from "zod"\n\nexport const Shape = z.object({})\n',
}

const HOOKS: Files = {
  "src/show/hooks/README.md": "# hooks\n",
  "src/show/hooks/index.ts": 'export { answer } from "./hooks.ts"\n',
  "src/show/hooks/hooks.ts": "export const answer = 1\n",
}

test("[TIDY-1] a clean tree has no failure", async () => {
  expect(await failuresOf({ ...HOSTS, ...CONTRACT, ...HOOKS })).toEqual([])
})

describe("imports", () => {
  test.each<Fault>([
    {
      fault: "[TIDY-1] an import to a later wing",
      files: { "src/ground/base/number.ts": 'export { count as double } from "#see/repo"\n' },
      found: "src/ground/base/number.ts:1: ground/base imports upwards: #see/repo.",
    },
    {
      fault: "[TIDY-1] an import of a type to a later level",
      files: {
        ...HOSTS,
        "src/see/capture/README.md": "# capture\n",
        "src/see/capture/index.ts": 'export type { C } from "./capture.ts"\n',
        "src/see/capture/capture.ts": "export type C = 1\n",
        "src/see/hosts/hosts.ts":
          'import type { C } from "#see/capture"\n\nexport const hosts: C = 1\n',
      },
      found: "src/see/hosts/hosts.ts:1: see/hosts imports upwards: #see/capture.",
    },
    {
      fault: "[TIDY-1] an import to a neighbour",
      files: { ...HOSTS, "src/see/repo/repo.ts": 'export { hosts as count } from "#see/hosts"\n' },
      found: "src/see/repo/repo.ts:1: see/repo imports sideways: #see/hosts.",
    },
    {
      fault: "[TIDY-1] a dynamic import upwards",
      files: {
        "src/ground/base/number.ts": 'export const double = await import("#see/repo")\n',
      },
      found: "src/ground/base/number.ts:1: ground/base imports upwards: #see/repo.",
    },
    {
      fault: "[TIDY-2] a reach past an index by a relative path",
      files: {
        "src/see/repo/repo.ts": 'export { double as count } from "../../ground/base/number.ts"\n',
      },
      found:
        "src/see/repo/repo.ts:1: ../../ground/base/number.ts reaches past the index of ground/base.",
    },
    {
      fault: "[TIDY-2] a reach past an index by a longer name",
      files: { "src/see/repo/repo.ts": 'export { double as count } from "#ground/base/number"\n' },
      found: "src/see/repo/repo.ts:1: #ground/base/number reaches past the index of ground/base.",
    },
    {
      fault: "[TIDY-2] a script that reaches into a room",
      files: { "scripts/peek.ts": 'import "../src/ground/base/number.ts"\n' },
      found:
        "scripts/peek.ts:1: ../src/ground/base/number.ts reaches past the index of ground/base.",
    },
    {
      fault: "[TIDY-2] a room that calls itself by its public name",
      files: { "src/ground/base/index.ts": 'export { double } from "#ground/base"\n' },
      found: "src/ground/base/index.ts:1: The room imports itself by #ground/base.",
    },
    {
      fault: "[TIDY-2] a source that imports the test kit",
      files: { "src/see/repo/repo.ts": 'export { seed as count } from "#test/seed"\n' },
      found: "src/see/repo/repo.ts:1: #test/seed is outside the rooms.",
    },
    {
      fault: "[TIDY-2] export *",
      files: { "src/see/repo/index.ts": 'export * from "./repo.ts"\n' },
      found: "src/see/repo/index.ts:1: `export *` hides the public names.",
    },
    {
      fault: "[TIDY-3] contract importing more than zod",
      files: {
        ...CONTRACT,
        "src/ground/contract/shape.ts": 'export { join as Shape } from "node:path"\n',
      },
      found: "src/ground/contract/shape.ts:1: ground/contract imports node:path.",
    },
    {
      fault: "[TIDY-3] the console importing more than contract",
      files: { "console/src/app.ts": 'import "#ground/base"\n' },
      found: "console/src/app.ts:1: The console imports #ground/base.",
    },
    {
      fault: "[TIDY-3] a part of the console importing data",
      files: {
        "console/src/data/client.ts": "export const client = 1\n",
        "console/src/ui/button.ts": 'import "../data/client.ts"\n',
      },
      found:
        "console/src/ui/button.ts:1: console/src/ui imports ../data/client.ts of console/src/data.",
    },
    {
      fault: "[TIDY-3] a hook that loads a package through another room",
      files: {
        ...HOOKS,
        ...CONTRACT,
        "src/show/hooks/hooks.ts": 'export { Shape as answer } from "#ground/contract"\n',
      },
      found: "src/ground/contract/shape.ts:1: The hook process would load the package zod.",
    },
    {
      fault: "[TIDY-3] a hook that loads a room above guard",
      files: {
        ...HOOKS,
        "src/act/kit/README.md": "# kit\n",
        "src/act/kit/index.ts": 'export { kit } from "./kit.ts"\n',
        "src/act/kit/kit.ts": "export const kit = 1\n",
        "src/show/hooks/hooks.ts": 'export { kit as answer } from "#act/kit"\n',
      },
      found: "src/show/hooks/hooks.ts:1: The hook process would load act/kit.",
    },
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toContain(found)
  })

  test("[TIDY-3] a hook may import types of every room below guard", async () => {
    const files = {
      ...HOOKS,
      ...CONTRACT,
      "src/show/hooks/hooks.ts":
        'import type { Shape } from "#ground/contract"\n\nexport const answer = (it: Shape) => it\n',
    }
    expect(await failuresOf(files)).toEqual([])
  })
})

describe("regular expressions", () => {
  test.each<Fault>([
    {
      fault: "[TIDY-13] a regular expression that is not linear",
      files: { "src/see/repo/repo.ts": "export const END = /[ab]+$/\n" },
      found:
        "src/see/repo/repo.ts:1: The regular expression is not linear: each start position and `[ab]` read the same repeated text (polynomial).",
    },
    {
      fault: "[TIDY-13] a regular expression built from constants",
      files: {
        "src/see/repo/repo.ts":
          'const WORD = "a+"\nexport const END = new RegExp(["x", `(?:${WORD})+`].join("") + "y")\n',
      },
      found:
        "src/see/repo/repo.ts:2: The regular expression is not linear: `a` and `a` read the same repeated text (exponential).",
    },
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toEqual([found])
  })
})

describe("plain language", () => {
  const repo = (text: string) => ({ "src/see/repo/repo.ts": `${text}\nexport const count = 1\n` })
  test.each<Fault>([
    {
      fault: "[TIDY-12] a clause as the subject of a comment",
      files: repo("// What was asked for before is kept."),
      found: 'src/see/repo/repo.ts:1: "What was asked for before is kept." needs a second reading.',
    },
    {
      fault: "[TIDY-12] an agentless passive in a text",
      files: repo('export const note = "The path is told twice"'),
      found: 'src/see/repo/repo.ts:1: "is told" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a metaphor in a template",
      files: repo("export const note = `The keeper of ${1 + 1} files`"),
      found: 'src/see/repo/repo.ts:1: "keeper" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a text of a page",
      files: { "console/src/app/main.tsx": "export const title = <h1>Nobody is here</h1>\n" },
      found: 'console/src/app/main.tsx:1: "Nobody" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a test title",
      files: { "src/see/repo/repo.test.ts": 'test("[REPO-1] it has ten signs", () => {})\n' },
      found: 'src/see/repo/repo.test.ts:1: "signs" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a README",
      files: { "src/see/repo/README.md": "# repo\n\n- REPO-1 The file stands in a folder.\n" },
      found: 'src/see/repo/README.md:3: "stands in" needs a second reading.',
    },
    {
      fault: "[TIDY-12] an old-fashioned idiom",
      files: repo('export const note = "The link leads nowhere"'),
      found: 'src/see/repo/repo.ts:1: "leads nowhere" needs a second reading.',
    },
    {
      fault: "[TIDY-12] word for report",
      files: repo("// The host's own word on its window."),
      found: 'src/see/repo/repo.ts:1: "own word on" needs a second reading.',
    },
    {
      fault: "[TIDY-12] please and simply",
      files: repo('export const note = "Please try again"'),
      found: 'src/see/repo/repo.ts:1: "Please" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a template that agents read",
      files: { "templates/commands/claim.md": "Say that nobody else may edit it.\n" },
      found: 'templates/commands/claim.md:1: "nobody" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a hand-written page of the reference",
      files: { "docs/reference/recall.md": "The files lie in a folder.\n" },
      found: 'docs/reference/recall.md:1: "lie in" needs a second reading.',
    },
    {
      fault: "[TIDY-12] a variable that is named after how it was obtained",
      files: repo("export const found = 1"),
      found: "src/see/repo/repo.ts:1: The variable name found says only that a value was obtained.",
    },
    {
      fault: "[TIDY-12] a parameter that is named after how it was obtained",
      files: repo("export const twice = (given: number) => given * 2"),
      found: "src/see/repo/repo.ts:1: The variable name given says only that a value was obtained.",
    },
    {
      fault: "[TIDY-12] a field that is renamed to how it was obtained",
      files: repo("export const twice = ({ count: isAsked }: { count: number }) => isAsked"),
      found:
        "src/see/repo/repo.ts:1: The variable name isAsked says only that a value was obtained.",
    },
    {
      fault: "[TIDY-12] a participle as file name",
      files: { "src/see/repo/kept.ts": "export const count = 1\n" },
      found: 'src/see/repo/kept.ts: "kept" does not name what the file contains.',
    },
    {
      fault: "[TIDY-12] a vague type name",
      files: repo("export type Asked = string"),
      found: "src/see/repo/repo.ts:1: The type name Asked says nothing.",
    },
    {
      fault: "[TIDY-12] a schema with a vague name",
      files: repo("export const Place = 1"),
      found: "src/see/repo/repo.ts:1: The type name Place says nothing.",
    },
    {
      fault: "[TIDY-12] a type that is a world",
      files: repo("export type HookWorld = string"),
      found: "src/see/repo/repo.ts:1: The type name HookWorld says nothing.",
    },
    {
      fault: "[TIDY-12] a regular participle as file name",
      files: { "src/see/repo/watched.ts": "export const count = 1\n" },
      found: 'src/see/repo/watched.ts: "watched" does not name what the file contains.',
    },
    {
      fault: "[TIDY-12] a participle as the last word of a file name",
      files: { "src/see/repo/agents-lost.ts": "export const count = 1\n" },
      found: 'src/see/repo/agents-lost.ts: "agents-lost" does not name what the file contains.',
    },
    {
      fault: "[TIDY-12] a fixture that is a world",
      files: { "src/see/repo/hook-world.fixture.ts": "export const count = 1\n" },
      found:
        'src/see/repo/hook-world.fixture.ts: "hook-world" does not name what the file contains.',
    },
    {
      fault: "[TIDY-12] a metaphor in a name",
      files: repo("export function startKeeper() {}"),
      found: 'src/see/repo/repo.ts:1: "keeper" in startKeeper is a metaphor.',
    },
    {
      fault: "[TIDY-12] a gerund as file name",
      files: { "src/see/repo/choosing.ts": "export const count = 1\n" },
      found: 'src/see/repo/choosing.ts: "choosing" does not name what the file contains.',
    },
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toEqual([found])
  })

  test("[TIDY-12] questions, quoted code, SQL and strings of tests pass", async () => {
    const files = {
      ...repo(
        'export const texts = ["What is in my context?", "Sign in to `keeper`", "SELECT carry FROM runs"]',
      ),
      "src/see/repo/repo.test.ts": 'test("[REPO-1] it counts", () => "who is told")\n',
    }
    expect(await failuresOf(files)).toEqual([])
  })

  test.each([
    { title: "starts like a query", text: "Delete a memory and tell whoever reads it" },
    { title: "is in lower case", text: "the session was closed and nobody reads its transcript" },
  ])("[TIDY-12] a text that $title is checked", async ({ text }) => {
    const found = await failuresOf(repo(`export const text = "${text}"`))
    expect(found).toHaveLength(1)
  })

  test("[TIDY-12] a list of words for a matcher passes", async () => {
    const files = repo(
      'export const words = "no not never cannot nor nobody nothing dont didnt cant"',
    )
    expect(await failuresOf(files)).toEqual([])
  })

  test("[TIDY-12] a text with a sentence of more than 30 words is reported", async () => {
    const files = repo(`export const text = "${"word ".repeat(31).trim()}."`)
    expect(await reportsOf(files)).toContain("src/see/repo/repo.ts:1: A sentence has 31 words.")
  })
})

describe("shared helpers", () => {
  test.each<Fault>([
    {
      fault: "[TIDY-11] a room declares a helper of base again",
      files: { "src/see/repo/repo.ts": "export function isRecord() {}\n" },
      found: "src/see/repo/repo.ts:1: `isRecord` is declared again.",
    },
    {
      fault: "[TIDY-11] a function inside a function has the name of a helper",
      files: {
        "src/see/repo/repo.ts":
          "export const count = () => {\n  const once = () => 1\n  once()\n}\n",
      },
      found: "src/see/repo/repo.ts:2: `once` is declared again.",
    },
    {
      fault: "[TIDY-11] the console declares a helper again",
      files: { "console/src/words.ts": "export const plural = () => 1\n" },
      found: "console/src/words.ts:1: `plural` is declared again.",
    },
    {
      fault: "[TIDY-11] base declares a helper in a second file",
      files: {
        "src/ground/base/index.ts": 'export { truncate } from "./truncate.ts"\n',
        "src/ground/base/truncate.ts": "export const truncate = () => 1\n",
        "src/ground/base/number.ts": "export const truncate = () => 1\n",
      },
      found: "src/ground/base/number.ts:1: `truncate` is declared again.",
    },
    {
      fault: "[TIDY-11] a room parses JSON safely under another name",
      files: {
        "src/ground/base/index.ts": 'export { parseJson } from "./json.ts"\n',
        "src/ground/base/json.ts": "export const parseJson = () => 1\n",
        "src/see/repo/repo.ts":
          "export function read(text: string): unknown {\n  try {\n    return JSON.parse(text)\n  } catch {\n    return undefined\n  }\n}\n",
      },
      found: "src/see/repo/repo.ts:2: This code repeats `parseJson`.",
    },
    {
      fault: "[TIDY-11] a room truncates a text itself",
      files: {
        "src/ground/base/index.ts": 'export { truncate } from "./truncate.ts"\n',
        "src/ground/base/truncate.ts": "export const truncate = () => 1\n",
        "src/see/repo/repo.ts": "export const head = (it: string) => `${it.slice(0, 9)}…`\n",
      },
      found: "src/see/repo/repo.ts:1: This code repeats `truncate`.",
    },
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toEqual([found])
  })

  test("[TIDY-11] the file that declares a helper for base passes, and so do values of the same name", async () => {
    const files = {
      "src/ground/base/index.ts": 'export { once } from "./lazy.ts"\n',
      "src/ground/base/lazy.ts": "export const once = () => 1\n",
      "src/see/repo/repo.ts":
        'import { once } from "#ground/base"\n\nexport const count = () => {\n  const isInside = once()\n  return isInside\n}\n',
    }
    expect(await failuresOf(files)).toEqual([])
  })
})

describe("rooms", () => {
  test.each<Fault>([
    {
      fault: "[TIDY-4] a banned folder name",
      files: { "src/see/repo/utils/x.ts": "export const x = 1\n" },
      found: 'src/see/repo/utils: "utils" does not describe its contents.',
    },
    {
      fault: "[TIDY-4] an unknown room",
      files: { "src/see/lens/lens.ts": "export const lens = 1\n" },
      found: "src/see/lens: The folder is not in the list of wings and rooms.",
    },
    {
      fault: "[TIDY-4] an unknown wing",
      files: { "src/hear/repo/repo.ts": "export const repo = 1\n" },
      found: "src/hear/repo: The folder is not in the list of wings and rooms.",
    },
    {
      fault: "[TIDY-4] a file outside every room",
      files: { "src/see/stray.ts": "export const stray = 1\n" },
      found: "src/see/stray.ts: The file is in no room.",
    },
    ...["README.md", "index.ts", "repo.ts"].map((name) => ({
      fault: `[TIDY-4] a room without ${name}`,
      files: { [`src/see/repo/${name}`]: null },
      found: `src/see/repo: The room has no ${name}.`,
    })),
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toContain(found)
  })
})

describe("packages", () => {
  const lock = (packages: unknown) => JSON.stringify({ packages })
  const build = (os: string, cpu: string) => ({ os: [os], cpu: [cpu] })
  const builds = {
    "node_modules/n-linux-x64": build("linux", "x64"),
    "node_modules/n-linux-arm64": build("linux", "arm64"),
    "node_modules/n-darwin-x64": build("darwin", "x64"),
    "node_modules/n-darwin-arm64": { os: "darwin", cpu: "arm64" },
    "node_modules/n-win32-x64": build("win32", "x64"),
  }
  const names = Object.keys(builds).map((path) => path.replace("node_modules/", ""))
  const native = { optionalDependencies: Object.fromEntries(names.map((it) => [it, "1.0.0"])) }

  test("[TIDY-5] a version that is not exact fails", async () => {
    const files = { "package.json": '{ "dependencies": { "zod": "^4.6.7" } }' }
    expect(await failuresOf(files)).toContain('package.json: zod has the version "^4.6.7".')
  })

  test("[TIDY-5] a lockfile that names a registry host fails", async () => {
    const packages = { "node_modules/a": { resolved: "https://registry.example/a.tgz" } }
    expect(await failuresOf({ "package-lock.json": lock(packages) })).toContain(
      "package-lock.json: node_modules/a: The lockfile names a registry host.",
    )
  })

  test("[TIDY-5] a native package with all five builds passes", async () => {
    const packages = { "node_modules/n": native, ...builds }
    expect(await failuresOf({ "package-lock.json": lock(packages) })).toEqual([])
  })

  test.each(Object.keys(builds))("[TIDY-5] a lockfile without %s fails", async (missing) => {
    const { [missing as keyof typeof builds]: _, ...others } = builds
    const packages = { "node_modules/n": native, ...others }
    const platform = missing.replace("node_modules/n-", "")
    expect(await failuresOf({ "package-lock.json": lock(packages) })).toEqual([
      `package-lock.json: node_modules/n: No build for ${platform} (not locked: n-${platform}).`,
    ])
  })
})

describe("documents", () => {
  test("[TIDY-6] a broken link fails, except in an example", async () => {
    const page = "# x\n\n`[a](gone.md)`\n\n```\n[b](gone.md)\n```\n\n[c](gone.md) [d](src/see)\n"
    expect(await failuresOf({ "README.md": page })).toEqual([
      "README.md:9: The link to gone.md is broken.",
    ])
  })

  test("[TIDY-6] a path of this machine fails", async () => {
    const found = await failuresOf({ "docs/note.md": `Look in ${homedir()}/notes.\n` })
    expect(found).toEqual([
      `docs/note.md:1: The file contains a path of this machine: ${homedir()}.`,
    ])
  })
})

describe("errors", () => {
  const errors = (code: string, hint: string) =>
    [
      "const make = (code: string, hint: string) =>",
      '  Object.assign(() => {}, { code, is() {}, text: { family: "full", message: () => "", hint: () => hint } })',
      `export const First = make("${code}", "${hint}")`,
      "",
    ].join("\n")

  test.each<Fault>([
    {
      fault: "[TIDY-7] a code that two rooms use",
      files: {
        "src/ground/base/errors.ts": errors("BASE_FULL", "Wait."),
        "src/see/repo/errors.ts": errors("BASE_FULL", "Wait."),
      },
      found: "src/ground/base/errors.ts, src/see/repo/errors.ts: BASE_FULL is defined 2 times.",
    },
    {
      fault: "[TIDY-7] a hint of 161 characters",
      files: { "src/see/repo/errors.ts": errors("REPO_FULL", "x".repeat(161)) },
      found: "src/see/repo/errors.ts (First): The hint of REPO_FULL has 161 characters.",
    },
    {
      fault: "[TIDY-7] a code that names no room",
      files: { "src/see/repo/errors.ts": errors("full", "Wait.") },
      found: "src/see/repo/errors.ts (First): The code full is not ROOM_WHAT_IS_WRONG.",
    },
    {
      fault: "[TIDY-7] an error outside errors.ts",
      files: { "src/see/repo/repo.ts": "export const count = defineError<{ a: 1 }>()\n" },
      found: "src/see/repo/repo.ts:1: An error is defined outside errors.ts.",
    },
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toContain(found)
  })

  test("[TIDY-7] a hint of 160 characters passes", async () => {
    const files = { "src/see/repo/errors.ts": errors("REPO_FULL", "x".repeat(160)) }
    expect(await failuresOf(files)).toEqual([])
  })
})

describe("disabled tests", () => {
  const file = "src/see/repo/repo.test.ts"
  const call = (words: string, above = "") => ({ [file]: `${above}${words}("x", () => {})\n` })

  test.each<Fault>([
    {
      fault: "[TIDY-8] only",
      files: call("test.only"),
      found: `${file}:1: \`.only\` hides every other test.`,
    },
    {
      fault: "[TIDY-8] skip without a reason",
      files: call("describe.skip"),
      found: `${file}:1: \`.skip\` without a reason.`,
    },
    {
      fault: "[TIDY-8] todo without a reason",
      files: call("it.todo"),
      found: `${file}:1: \`.todo\` without a reason.`,
    },
    {
      fault: "[TIDY-8] strace outside a full test",
      files: { [file]: 'describe.runIf(needs("D2", "strace"))("x", () => {})\n' },
      found: `${file}:1: The test needs strace, and CI would not run it.`,
    },
    {
      fault: "[TIDY-8] two rules with one id",
      files: { "src/see/repo/README.md": "# repo\n\n- REPO-1 It counts.\n- REPO-1 It adds.\n" },
      found: "src/see/repo/README.md:3, src/see/repo/README.md:4: 2 rules have the id REPO-1.",
    },
    {
      fault: "[TIDY-8] a promise that no test cites",
      files: { "docs/promises.md": "| id | promise |\n|---|---|\n| D2, T77 | it holds |\n" },
      found: "docs/promises.md:3: No test cites T77.",
    },
  ])("$fault", async ({ files, found }) => {
    expect(await failuresOf(files)).toContain(found)
  })

  test("[TIDY-8] a reason on the line above permits skip, but never only", async () => {
    const reason = "// skipped: the upstream server answers wrongly until 2.1\n"
    expect(await failuresOf(call("test.skip", reason))).toEqual([])
    expect(await failuresOf(call("test.only", reason))).toHaveLength(1)
  })
})

describe("reports", () => {
  test.each<Fault>([
    {
      fault: "[TIDY-10] a rule without a test",
      files: {},
      found: "src/see/repo/README.md:3: No test cites REPO-1.",
    },
    {
      fault: "[TIDY-10] a test without a rule",
      files: { "src/see/repo/repo.test.ts": 'test("[REPO-9] x", () => {})\n' },
      found: "src/see/repo/repo.test.ts:1: The test cites REPO-9, which no README states.",
    },
    {
      fault: "[TIDY-10] a long file",
      files: { "src/see/repo/repo.ts": `export const count = 1\n${"//\n".repeat(300)}` },
      found: "src/see/repo/repo.ts: 302 lines; the limit is 300.",
    },
    {
      fault: "[TIDY-10] a long function",
      files: { "src/see/repo/repo.ts": `export const count = () => {\n${"//\n".repeat(50)}}\n` },
      found: "src/see/repo/repo.ts:1: A function of 52 lines; the limit is 50.",
    },
    {
      fault: "[TIDY-10] an open end",
      files: { "src/see/repo/repo.ts": "// TODO: count\nexport const count = 1\n" },
      found: "src/see/repo/repo.ts:1: An open end without a ticket.",
    },
    {
      fault: "[TIDY-10] a file nobody reaches",
      files: { "src/see/repo/lost.ts": "export const lost = 1\n" },
      found: "src/see/repo/lost.ts: No other file imports this one.",
    },
    {
      fault: "[TIDY-10] a small file with one importer and no test",
      files: {
        "src/see/repo/repo.ts": 'export { one as count } from "./one.ts"\n',
        "src/see/repo/one.ts": "export const one = 1\n",
      },
      found: "src/see/repo/one.ts: 1 lines, and only src/see/repo/repo.ts imports it.",
    },
    {
      fault: "[TIDY-10] a folder with 16 source files",
      files: Object.fromEntries(
        Array.from({ length: 16 }, (_, index) => [`src/see/repo/parts/${index}.ts`, "export {}\n"]),
      ),
      found: "src/see/repo/parts: 16 source files; the limit is 15.",
    },
  ])("$fault", async ({ files, found }) => {
    expect(await reportsOf(files)).toContain(found)
  })

  test("[TIDY-10] fixtures, files named like a room and migrations do not fill a folder", async () => {
    const names = ["pack", "fold", "map", "a.fixture", "b.fixture", "0001-start", "0002-more"]
    const others = Array.from({ length: 15 }, (_, index) => `part-${index}`)
    const files = [...names, ...others].map((it) => [`src/see/repo/parts/${it}.ts`, "export {}\n"])
    expect((await reportsOf(Object.fromEntries(files))).join("\n")).not.toContain("source files")
  })

  test("[TIDY-10] reports alone fail nothing, and a cited rule is not reported", async () => {
    const cited = { "src/see/repo/repo.test.ts": 'test("[REPO-1] [D7] it counts", () => {})\n' }
    expect(await tidy(cited)).toEqual({ failures: [], reports: [] })
  })
})

test("[TIDY-9] an outdated reference or plugin, or one that cannot be generated, fails", async () => {
  const lagging = 'process.stdout.write("errors.md lags behind the code")\nprocess.exitCode = 1\n'
  expect(await failuresOf({ "scripts/reference.ts": lagging })).toEqual([
    "docs/reference: errors.md lags behind the code",
  ])
  expect(await failuresOf({ "scripts/reference.ts": 'throw new Error("no")\n' })).toEqual([
    expect.stringContaining("docs/reference: It cannot be generated"),
  ])
  expect(await failuresOf({ "scripts/reference.ts": "export const pages = 0\n" })).toEqual([])
  expect(await failuresOf({ "scripts/plugin.ts": lagging })).toEqual([
    "plugin: errors.md lags behind the code",
  ])
})

test("[CHECK-2] tidy fails when it finds no imports or cannot read a file", async () => {
  expect(await failuresOf({ src: null, "README.md": "# empty\n" })).toEqual([
    expect.stringContaining("Nothing to check: 0 source files, 0 imports."),
  ])
  expect(await failuresOf({ "src/see/repo/repo.ts": "export const = 1\n" })).toEqual([
    expect.stringContaining("The file cannot be parsed"),
  ])
})
