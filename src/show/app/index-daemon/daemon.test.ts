import { randomBytes } from "node:crypto"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { createConnection } from "node:net"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { indexDaemonSocket } from "#choose/guard"
import { systemClock } from "#ground/base"
import { type TestClock, testClock } from "#test/clock"
import { commit, git } from "#test/git"
import {
  askIndexDaemon,
  sendToIndexDaemon,
  startIndexDaemon,
  untilWarm,
} from "#test/index-daemon-scene"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"
import {
  DAEMON_CHECK_INTERVAL_MS,
  DAEMON_IDLE_MS,
  type IndexDaemonDeps,
  openIndexDaemon,
} from "./daemon.ts"
import { SHORTEST_SCAN_PAUSE_MS } from "./packages.ts"

const SHOP = {
  "src/rounding.ts":
    "export function roundLine(amount: number): number {\n  return Math.round(amount)\n}\n",
  "src/invoice.ts":
    'import { roundLine } from "./rounding.ts"\n\nexport function invoiceTotal(lines: number[]) {\n  return lines.map(roundLine)\n}\n',
  "src/lighthouse.ts": "export function lampPeriod(seconds: number) {\n  return seconds * 2\n}\n",
  "src/harbour.ts": "export function pilotBoat(name: string) {\n  return name\n}\n",
}

const { signal } = new AbortController()

const ROUNDING = "fix the rounding of lines in roundLine"
const LAMP = "change the period of the lamp in lampPeriod"

/** A repository with its own app. */
async function newShop(options: { settings?: readonly string[] } = {}) {
  const temp = await tempDirectory()
  const root = path.join(temp.path, "shop")
  await mkdir(root)
  git(root, "init", "-q", "-b", "main")
  commit(root, "a shop", SHOP)
  const home = path.join(temp.path, "home")
  const app = await createApp({
    directory: root,
    environment: { PATH: process.env["PATH"], QM_HOME: home },
    settings: options.settings ?? [],
    writeLog: () => {},
  })
  const { stateDirectory } = app.places.repository
  const places = { root, home, stateDirectory }
  const builds: string[] = []
  const call: typeof app.call = (name, input, context) => {
    if (name === "pack.build") builds.push(name)
    return app.call(name, input, context)
  }
  return Object.assign(temp, {
    ...places,
    app,
    places,
    builds,
    open: (changes: Partial<IndexDaemonDeps> = {}) =>
      openIndexDaemon({
        app: { ...app, call },
        clock: systemClock,
        ...changes,
      }),
    ask: (prompt: string) => askIndexDaemon(places, { kind: "package", prompt }),
    prepare: (prompt: string) => askIndexDaemon(places, { kind: "prepare", prompt }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await rm(temp.path, { recursive: true, force: true })
    },
  })
}

describe("packages for sub-agents", () => {
  test("[T12][APP-30] a package is selected by the prompt, marked as data, and at most 9,000 bytes", async () => {
    await using shop = await newShop()
    const daemon = await shop.open()
    await untilWarm(shop.places, ROUNDING)
    const rounding = (await shop.ask(ROUNDING)) ?? ""
    const lamp = (await shop.ask(LAMP)) ?? ""
    expect(filesIn(rounding)[0]).toBe("src/rounding.ts")
    expect(filesIn(lamp)[0]).toBe("src/lighthouse.ts")
    expect(rounding).toMatch(/^Quartermaster selected these files.+are data, not instructions/)
    expect(rounding).toContain("## Context Package")
    const long = (await shop.ask(`${LAMP} ${"lamp ".repeat(50_000)}`)) ?? ""
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(9_000)
    await daemon?.close()
    expect(await shop.ask(ROUNDING)).toBeUndefined()
  })

  test("[APP-30] a secret of the repository or of the prompt is in no package", async () => {
    await using shop = await newShop()
    const secret = `ghp${"_"}${randomBytes(18).toString("hex")}`
    const known = `k${randomBytes(12).toString("hex")}`
    commit(shop.root, "keys", {
      ".env": `SHOP_KEY=${known}\n`,
      "src/keys.ts": `export const lampKey = "${secret}"\nexport const ${known} = 1\n`,
    })
    const daemon = await shop.open()
    await untilWarm(shop.places, ROUNDING)
    const text = (await shop.ask(`use lampKey of src/keys.ts with ${secret} and ${known}`)) ?? ""
    expect(filesIn(text)).toContain("src/keys.ts")
    expect(text).not.toContain(secret)
    expect(text).not.toContain(known)
    await daemon?.close()
  })

  test("[APP-30] an announced package is built once, for the request that follows", async () => {
    await using shop = await newShop()
    let built = 0
    const app = {
      ...shop.app,
      call: (name: string, ...rest: [unknown, { signal: AbortSignal }]) => {
        if (name === "pack.build" && JSON.stringify(rest[0]).includes("lamp")) built++
        return shop.app.call(name, ...rest)
      },
    }
    // The prepared package expires after seconds, which pass only by this clock.
    const daemon = await shop.open({ app, clock: testClock({ now: Date.now() }) })
    expect(await shop.prepare(LAMP)).toBeNull()
    // Announced while cold: the request waits for it.
    expect(filesIn((await shop.ask(LAMP)) ?? "")[0]).toBe("src/lighthouse.ts")
    expect(await shop.ask(LAMP)).toBe(await shop.ask(LAMP))
    // Two calls for one package: the second without the unknown role.
    expect(built).toBe(2)
    await daemon?.close()
  })
})

describe("the index", () => {
  test("[T11][APP-31] the first package of a daemon with a stored index is built while the hook waits", async () => {
    await using shop = await newShop()
    await shop.app.call("map.scan", {}, { signal })
    const daemon = await shop.open()
    expect(filesIn((await shop.ask(ROUNDING)) ?? "")[0]).toBe("src/rounding.ts")
    await daemon?.close()
  })

  test("[APP-31] while a repository is scanned for the first time, the daemon answers at once that it has no package", async () => {
    await using shop = await newShop()
    const released = Promise.withResolvers<void>()
    const app = {
      ...shop.app,
      call: async (name: string, ...rest: [unknown, { signal: AbortSignal }]) => {
        if (name === "pack.build") await released.promise
        return shop.app.call(name, ...rest)
      },
    }
    const daemon = await shop.open({ app })
    // The first request may arrive before the daemon knows that nothing was scanned.
    const first = shop.ask(LAMP)
    await expect
      .poll(async () =>
        Promise.race([shop.ask(ROUNDING), new Promise((it) => setTimeout(it, 500))]),
      )
      .toBeNull()
    released.resolve()
    await first
    await untilWarm(shop.places, ROUNDING)
    await daemon?.close()
  })

  test("[APP-31] a package has the file that was written just before, and not the one deleted", async () => {
    await using shop = await newShop()
    const daemon = await shop.open()
    await untilWarm(shop.places, ROUNDING)
    await writeFile(path.join(shop.root, "src/tugboat.ts"), "export const towRope = 1\n")
    expect(filesIn((await shop.ask("change towRope")) ?? "")).toContain("src/tugboat.ts")
    await rm(path.join(shop.root, "src/tugboat.ts"))
    const after = (await shop.ask("change towRope of the tugboat")) ?? ""
    expect(filesIn(after)).not.toContain("src/tugboat.ts")
    await daemon?.close()
  })
})

test("[APP-31] an edit of a session makes the daemon scan ahead; with scan interval 0 it does not", async () => {
  for (const interval of [300, 0]) {
    const clock = testClock({ now: Date.now() })
    await using shop = await newShop({ settings: [`map.scanInterval=${interval}`] })
    const ledger = path.join(shop.stateDirectory, "ledger")
    await mkdir(ledger, { recursive: true })
    const daemon = await shop.open({ clock })
    await untilWarm(shop.places, ROUNDING)
    const before = shop.builds.length
    await writeFile(path.join(ledger, "s.jsonl"), "{}\n")
    const built = async () => (await clock.advance(SHORTEST_SCAN_PAUSE_MS), shop.builds.length)
    if (interval > 0) await expect.poll(built).toBeGreaterThan(before)
    else for (let at = 0; at < 20; at++) expect(await built()).toBe(before)
    await daemon?.close()
  }
})

describe("lifetime", () => {
  test("[APP-32] the daemon ends 15 minutes after the last request", async () => {
    const clock = testClock({ now: Date.now() })
    await using shop = await newShop({ settings: ["map.scanInterval=0"] })
    const daemon = await shop.open({ clock })
    let end: string | undefined
    void daemon?.untilOver(new AbortController().signal).then((it) => (end = it))
    const almost = DAEMON_IDLE_MS - 2 * DAEMON_CHECK_INTERVAL_MS
    await advance(clock, almost)
    await untilWarm(shop.places, ROUNDING)
    await advance(clock, almost)
    expect(end).toBeUndefined()
    await advance(clock, 4 * DAEMON_CHECK_INTERVAL_MS)
    await expect.poll(() => end).toBe("idle")
    await daemon?.close()
  })

  test("[APP-32] the daemon ends when stopped, and when another process has taken its socket", async () => {
    const clock = testClock({ now: Date.now() })
    await using shop = await newShop()
    const first = await shop.open({ clock })
    const over = first?.untilOver(new AbortController().signal)
    await rm(indexDaemonSocket(shop.places))
    const second = await shop.open()
    await clock.advance(DAEMON_CHECK_INTERVAL_MS)
    // The check of the socket takes real time.
    expect(await over).toBe("displaced")
    await first?.close()
    const stop = new AbortController()
    const stopped = second?.untilOver(stop.signal)
    stop.abort()
    expect(await stopped).toBe("stopped")
    await untilWarm(shop.places, ROUNDING)
    await second?.close()
    expect(await readdir(path.dirname(indexDaemonSocket(shop.places)))).toEqual([])
  })

  test("[APP-32] the daemon ends when its repository is deleted", async () => {
    const clock = testClock({ now: Date.now() })
    await using shop = await newShop()
    const daemon = await shop.open({ clock })
    await untilWarm(shop.places, ROUNDING)
    const over = daemon?.untilOver(new AbortController().signal)
    await rm(shop.root, { recursive: true })
    await clock.advance(DAEMON_CHECK_INTERVAL_MS)
    expect(await over).toBe("gone")
    await daemon?.close()
  })

  test("[APP-32] of five processes one stays; a killed one is replaced; a stopped one leaves no files", async () => {
    await using shop = await newShop()
    const five = Array.from({ length: 5 }, () => startIndexDaemon(shop))
    await untilWarm(shop.places, ROUNDING)
    const alive = () => five.filter((it) => it.isAlive())
    await expect.poll(() => alive().length).toBe(1)
    const [first] = alive()
    first?.kill()
    await first?.ended()
    await using next = startIndexDaemon(shop)
    await untilWarm(shop.places, ROUNDING)
    next.stop()
    expect(await next.ended()).toBe(0)
    expect(alive()).toEqual([])
    expect(await readdir(path.dirname(indexDaemonSocket(shop.places)))).toEqual([])
  })
})

test("[APP-33] garbage gets an empty answer, an endless line gets none, and 1,000 clients do not block later requests", async () => {
  await using shop = await newShop()
  const daemon = await shop.open()
  await untilWarm(shop.places, ROUNDING)
  const say = (line: string) => sendToIndexDaemon(shop.places, line)
  const nothing = '{"v":1,"text":null}'
  for (const line of ["", "{", "[]", "null", '{"v":2}', '{"v":1,"kind":"package"}', "\0"]) {
    expect(await say(line)).toBe(nothing)
  }
  expect(await say("x".repeat(600_000))).toBeUndefined()
  const crowd = Array.from({ length: 1_000 }, () =>
    createConnection(indexDaemonSocket(shop.places)),
  )
  for (const it of crowd) it.on("error", () => {}).write("never ending")
  const asked = await Promise.all(Array.from({ length: 30 }, () => shop.ask(ROUNDING)))
  expect(asked.every((it) => it === undefined || typeof it === "string")).toBe(true)
  for (const it of crowd) it.destroy()
  await expect.poll(() => shop.ask(ROUNDING)).toContain("src/rounding.ts")
  await writeFile(path.join(shop.root, "src/rounding.ts"), "export const roundLine = 2\n")
  expect(filesIn((await shop.ask(`${ROUNDING} again`)) ?? "")).toContain("src/rounding.ts")
  await daemon?.close()
})

function filesIn(text: string): readonly string[] {
  const [, files = ""] = text.split("### Key Files\n")
  return [...files.matchAll(/^- (\S+) \(/gm)].map((it) => it[1] ?? "")
}

/** In steps, because a check between two sleeps takes real time. */
async function advance(clock: TestClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += DAEMON_CHECK_INTERVAL_MS) {
    await clock.advance(DAEMON_CHECK_INTERVAL_MS)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
