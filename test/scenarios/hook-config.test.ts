import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { readHookConfig, splitPatterns } from "#choose/guard"
import { createApp } from "#show/app"
import { git } from "#test/git"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"

const signal = new AbortController().signal

/** Valid settings only: the product rejects the others. */
const kit = fc.record(
  {
    level: fc.integer({ min: 1, max: 7 }),
    fetch: fc.boolean(),
    ignored: fc.constantFrom("", "a,b", "{a,b}/**", " , "),
    important: fc.constantFrom("*.ts", "", '\\"// no', "/* , } */"),
    registration: fc.constantFrom("CHANGELOG.md,docs/", "x".repeat(8_000)),
  },
  { requiredKeys: [] },
)
const guard = fc.record(
  {
    highRiskPaths: fc.constantFrom("**/auth/**,!docs", "", "src/{a,b}/**"),
    largeResultKb: fc.constantFrom(0, 16, 400),
  },
  { requiredKeys: [] },
)
const sections = fc.record(
  { kit, guard, log: fc.constant({ level: "warn" }) },
  { requiredKeys: [] },
)

/** The same value in every spelling that a config file allows. */
const written = fc
  .tuple(sections, fc.constantFrom("plain", "commented", "marked"))
  .map(([value, form]) => {
    const text = JSON.stringify(value, null, 2)
    if (form !== "commented") return form === "marked" ? `\uFEFF${text}` : text
    return `// as we like it\n${text.replaceAll(/\n( *\})/g, ", /* , */\n$1 // } \n")}/**/`
  })

type Environment = Readonly<Record<string, string>>

test.for<Environment>([
  {},
  { QM_KIT_LEVEL: "6", QM_KIT_FETCH: "false", QM_KIT_IMPORTANT: "src/**" },
  {
    QM_KIT_LEVEL: " 3.0 ",
    QM_KIT_FETCH: "true",
    QM_GUARD_HIGH_RISK_PATHS: "*.sql",
    QM_KIT_IGNORED: "",
  },
])("[GUARD-18] hooks read the same values from a config as the product: %j", async (given) => {
  await using temp = await tempDirectory()
  const environment = { ...given, QM_HOME: join(temp.path, "home") }
  const directory = join(temp.path, "repository")
  await mkdir(directory)
  git(directory, "init", "-q")
  await using app = await createApp({ directory, environment, settings: [], writeLog: () => {} })
  const { userConfig: userFile, projectConfig: projectFile } = app.places
  await Promise.all([userFile, projectFile].map((it) => mkdir(dirname(it), { recursive: true })))

  await fc.assert(
    fc.asyncProperty(written, written, async (user, project) => {
      await Promise.all([writeFile(userFile, user), writeFile(projectFile, project)])
      await app.call("config.check", {}, { signal })
      const settled = app.config()
      const listed = (text: string) =>
        splitPatterns(text).length > 0 ? splitPatterns(text) : undefined
      expect(await readHookConfig({ projectFile, userFile, environment })).toEqual({
        level: settled.kit.level,
        mayFetch: settled.kit.fetch,
        highRiskPaths: splitPatterns(settled.guard.highRiskPaths),
        ignored: listed(settled.kit.ignored),
        important: listed(settled.kit.important),
        registration: listed(settled.kit.registration),
        largeResultBytes: settled.guard.largeResultKb * 1024,
        spending: {
          isStop: settled.sessions.stopAtBudget,
          dayUsd: settled.sessions.dayBudget,
          weekUsd: settled.sessions.weekBudget,
          monthUsd: settled.sessions.monthBudget,
        },
      })
    }),
    fcParameters({ numRuns: 150 }),
  )
})
