import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { HookConfig, HookContext, HookEvent } from "#choose/guard"
import { processIdentity, systemRandom } from "#ground/base"
import { createClaims, createClassifier, createLedger } from "#know/ledger"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"

/** In the past, so that a file written now is never older. */
const NOW = Date.UTC(2020, 0, 9, 12)

type EventKind = HookEvent["kind"]
type EventFields<Kind extends EventKind> = Omit<
  Extract<HookEvent, { kind: Kind }>,
  "kind" | "host" | "session" | "directory" | "at"
>

/** An enrolled repository with all inputs of a hook; the clock does not advance. */
export async function hookFixture(config: Partial<HookConfig> = {}) {
  const directory = await tempDirectory()
  const root = join(directory.path, "repo")
  const stateDirectory = join(root, ".git", "qm")
  await mkdir(stateDirectory, { recursive: true })
  const clock = testClock({ now: NOW })
  const machine = { name: "here", boot: "first", uptimeMs: () => clock.monotonicMs() }
  const deps = { stateDirectory, clock, random: systemRandom, machine }
  const fixture: HookContext = {
    root,
    gitDirectory: join(root, ".git"),
    stateDirectory,
    home: join(directory.path, "home"),
    config: { ...DEFAULTS, ...config },
    ledger: createLedger(deps),
    claims: createClaims(deps),
    classifier: createClassifier(),
    clock,
    random: systemRandom,
    signal: new AbortController().signal,
    afterwards: () => {},
  }
  return {
    ...fixture,
    clock,
    with: (other: Partial<HookConfig>): HookContext => ({
      ...fixture,
      config: { ...fixture.config, ...other },
    }),
    event: <Kind extends EventKind>(kind: Kind, own: EventFields<Kind>, session = "mine") =>
      eventOf({ kind, ...own }, { session, directory: root, at: clock.now() }),
    async write(path: string, text: string): Promise<void> {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    },
    claim: (session: string, ...paths: readonly string[]) =>
      fixture.claims.take(paths, { session, process: processIdentity(process.pid) }),
    async lines(name: string): Promise<readonly unknown[]> {
      const text = await readFile(join(stateDirectory, name), "utf8").catch(() => "")
      return text.split("\n").flatMap((it) => (it === "" ? [] : [JSON.parse(it)]))
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  }
}

const DEFAULTS: HookConfig = {
  level: 7,
  mayFetch: false,
  highRiskPaths: [],
  ignored: undefined,
  important: undefined,
  registration: undefined,
  largeResultBytes: 16 * 1024,
  spending: { isStop: false, dayUsd: 0, weekUsd: 0, monthUsd: 0 },
}

type Base = { readonly session: string; readonly directory: string; readonly at: number }

function eventOf(own: { readonly kind: EventKind }, base: Base): HookEvent {
  return { host: "claude-code", ...base, ...own } as HookEvent
}
