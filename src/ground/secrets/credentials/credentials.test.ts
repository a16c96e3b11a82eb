import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isAppError, processIdentity, type Random, systemClock, systemRandom } from "#ground/base"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { createCredentials } from "./credentials.ts"
import { open, seal } from "./key.ts"

const clock = { now: () => 1_700_000_000_000, sleep: systemClock.sleep }
const random = systemRandom

/** Generated at run time, so that the repository contains no text that looks like a key. */
const fakeKey = () => `fake-${Buffer.from(random.bytes(18)).toString("base64url")}`

type StoreOptions = {
  readonly passphrase?: string
  readonly random?: Random
  readonly clock?: typeof clock
}

async function makeFixture(options: StoreOptions = {}) {
  const folder = await tempDirectory()
  const directory = path.join(folder.path, "home")
  const make = (more: StoreOptions = {}) =>
    createCredentials({ directory, clock, random, ...options, ...more })
  const file = path.join(directory, "credentials.json")
  const keyFile = path.join(directory, "credentials.key")
  return Object.assign(folder, { directory, make, credentials: make(), file, keyFile })
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (it: unknown) => it,
  )
  return isAppError(error) ? error.code : String(error)
}

const bytes = (hex: string) => Buffer.from(hex, "hex")

describe("AES-256-GCM", () => {
  // NIST's GCM test vectors for 256-bit keys, as published with SP 800-38D (cases 14 and 16).
  const CASES = [
    {
      key: "00".repeat(32),
      nonce: "00".repeat(12),
      plain: "00".repeat(16),
      bound: "",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919",
    },
    {
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888",
      plain:
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72" +
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      bound: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      ciphertext:
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa" +
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
      tag: "76fc6ece0f4e1768cddf8853bb2d551b",
    },
  ]

  test("[S8] the published test vectors are encrypted and decrypted correctly", () => {
    for (const it of CASES) {
      const given = { key: bytes(it.key), nonce: bytes(it.nonce), bound: bytes(it.bound) }
      const sealed = seal(bytes(it.plain), given)
      expect(Buffer.from(sealed.ciphertext).toString("hex")).toBe(it.ciphertext)
      expect(Buffer.from(sealed.tag).toString("hex")).toBe(it.tag)
      expect(Buffer.from(open(sealed, given) ?? []).toString("hex")).toBe(it.plain)
    }
  })

  test("[S8] a record with a truncated tag does not open", () => {
    const given = { key: random.bytes(32), nonce: random.bytes(12), bound: Buffer.from("x") }
    const sealed = seal(Buffer.from("value"), given)
    for (let length = 0; length < 16; length++) {
      expect(open({ ...sealed, tag: sealed.tag.subarray(0, length) }, given)).toBeUndefined()
    }
  })
})

describe("set and use", () => {
  test("[CREDENTIALS-1] a stored value is read by the same and by a later process", async () => {
    await using home = await makeFixture()
    const value = `${fakeKey()} Grüße 世界`
    await home.credentials.set("anthropic", value)
    expect(await home.credentials.use("anthropic")).toBe(value)
    expect(await home.make().use("anthropic")).toBe(value)
    expect(await home.credentials.use("openai")).toBeUndefined()
    await home.credentials.set("anthropic", "another-value")
    expect(await home.make().use("anthropic")).toBe("another-value")
    await home.credentials.remove("anthropic")
    expect(await home.make().use("anthropic")).toBeUndefined()
    expect(await codeOf(home.credentials.remove("anthropic"))).toBe("CREDENTIALS_NOT_FOUND")
  })

  test("[CREDENTIALS-1] any text of at least one character is returned unchanged", async () => {
    await using home = await makeFixture()
    const texts = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 200 })
      .filter((it) => it.trim() !== "" && !it.includes("\0") && it.isWellFormed())
    await fc.assert(
      fc.asyncProperty(texts, async (value) => {
        await home.credentials.set("any", value)
        expect(await home.credentials.use("any")).toBe(value)
      }),
      fcParameters({ numRuns: 20 }),
    )
  })

  test("[CREDENTIALS-2] the value is in no file and no list, and two records of it differ", async () => {
    await using home = await makeFixture()
    const value = fakeKey()
    await home.credentials.set("a", value)
    await home.credentials.set("b", value)
    const text = await readFile(home.file, "utf8")
    const forms = [value, Buffer.from(value).toString("hex"), Buffer.from(value).toString("base64")]
    for (const form of forms) expect(text.includes(form)).toBe(false)
    const { records } = JSON.parse(text)
    expect(records.a.nonce).not.toBe(records.b.nonce)
    expect(records.a.sealed).not.toBe(records.b.sealed)
    expect(await home.credentials.list()).toEqual({
      credentials: [
        { name: "a", setAt: clock.now() },
        { name: "b", setAt: clock.now() },
      ],
      keptBy: "key file",
      warning: expect.stringContaining("not against a program that runs as you"),
    })
  })

  test("[CREDENTIALS-9] invalid names, invalid values and one credential too many are refused", async () => {
    await using home = await makeFixture()
    const { set } = home.credentials
    const wrong: readonly (readonly [string, string])[] = [
      ["Upper", "x"],
      ["", "x"],
      ["a/b", "x"],
      ["__proto__", "x"],
      ["a", ""],
      ["a", " \n"],
      ["a", "x".repeat(20_001)],
      ["a", "x\0y"],
      ["a", "\ud800"],
    ]
    for (const [name, value] of wrong) {
      expect(await codeOf(set(name, value))).toBe("CREDENTIALS_INVALID")
    }
    await set("first", "x")
    const store = JSON.parse(await readFile(home.file, "utf8"))
    for (let i = 1; i < 200; i++) store.records[`n${i}`] = store.records.first
    await writeFile(home.file, JSON.stringify(store))
    expect(await codeOf(set("one-more", "x"))).toBe("CREDENTIALS_INVALID")
    await set("first", "replaced")
    expect(await home.credentials.use("first")).toBe("replaced")
  })
})

describe("names of inherited object properties", () => {
  test("[CREDENTIALS-1] inherited property names are unset until they are stored", async () => {
    await using home = await makeFixture()
    await home.credentials.set("other", "x")
    const before = await readFile(home.file, "utf8")
    for (const name of ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"]) {
      expect(await home.credentials.use(name)).toBeUndefined()
      expect(await codeOf(home.credentials.remove(name))).toBe("CREDENTIALS_NOT_FOUND")
    }
    expect(await readFile(home.file, "utf8")).toBe(before)
    await home.credentials.set("constructor", "mine")
    expect(await home.make().use("constructor")).toBe("mine")
    await home.credentials.remove("constructor")
    expect(await home.credentials.use("constructor")).toBeUndefined()
  })
})

describe("changed records", () => {
  test("[S8] a record with any bit flipped is refused and never returns the value", async () => {
    await using home = await makeFixture()
    const value = fakeKey()
    await home.credentials.set("name", value)
    const whole = await readFile(home.file)
    const text = whole.toString("utf8")
    const from = text.indexOf('"setAt"')
    const to = text.indexOf("}", from)
    let refused = 0
    for (let at = from; at < to; at++) {
      // White space between the parts of a record has no meaning.
      if (/\s/.test(text[at] ?? "")) continue
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(whole)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        await writeFile(home.file, changed)
        const outcome = await home.credentials.use("name").then(
          (it) => `value ${it}`,
          (error: unknown) => error,
        )
        expect(isAppError(outcome), `bit ${bit} of byte ${at}: ${String(outcome)}`).toBe(true)
        expect(JSON.stringify(outcome)).not.toContain(value)
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(1_000)
    await writeFile(home.file, whole)
    expect(await home.credentials.use("name")).toBe(value)
  })

  test("[S8] a record does not open under another name or time", async () => {
    await using home = await makeFixture()
    await home.credentials.set("a", fakeKey())
    await home.credentials.set("b", fakeKey())
    await home.credentials.set("c", "untouched")
    const store = JSON.parse(await readFile(home.file, "utf8"))
    const { a, b } = store.records
    const swapped = { ...store.records, a: b, b: { ...b, setAt: b.setAt + 1 }, d: a }
    await writeFile(home.file, JSON.stringify({ ...store, records: swapped }))
    for (const name of ["a", "b", "d"]) {
      expect(await codeOf(home.credentials.use(name))).toBe("CREDENTIALS_DAMAGED")
    }
    expect(await home.credentials.use("c")).toBe("untouched")
    await home.credentials.set("a", "mended")
    expect(await home.credentials.use("a")).toBe("mended")
  })

  test("[CREDENTIALS-3] the error names the changed record, and the others open", async () => {
    await using home = await makeFixture()
    await home.credentials.set("good", "one")
    await home.credentials.set("bad", "two")
    const store = JSON.parse(await readFile(home.file, "utf8"))
    store.records.bad.tag = "0".repeat(32)
    await writeFile(home.file, JSON.stringify(store))
    await expect(home.credentials.use("bad")).rejects.toThrow("The credential bad was modified")
    expect(await home.credentials.use("good")).toBe("one")
    expect(await home.credentials.known()).toEqual(["one"])
  })
})

describe("the key", () => {
  test("[CREDENTIALS-4] a wrong or missing passphrase opens nothing and writes nothing", async () => {
    await using home = await makeFixture({ passphrase: "correct horse" })
    await home.credentials.set("a", "one")
    const before = await readFile(home.file, "utf8")
    const [none, wrong] = [home.make({ passphrase: "" }), home.make({ passphrase: "wrong" })]
    expect(await codeOf(none.use("a"))).toBe("CREDENTIALS_LOCKED")
    expect(await codeOf(none.set("b", "two"))).toBe("CREDENTIALS_LOCKED")
    expect(await codeOf(wrong.use("a"))).toBe("CREDENTIALS_WRONG_KEY")
    expect(await codeOf(wrong.set("b", "two"))).toBe("CREDENTIALS_WRONG_KEY")
    expect(await none.known()).toEqual([])
    expect(await readFile(home.file, "utf8")).toBe(before)
    expect((await home.credentials.list()).warning).toBeNull()
    expect((await none.list()).credentials).toHaveLength(1)
    expect(await home.credentials.use("a")).toBe("one")
    await expect(stat(home.keyFile)).rejects.toThrow("ENOENT")
  })

  test("[CREDENTIALS-4] a missing, foreign or invalid key file is not replaced", async () => {
    await using home = await makeFixture()
    await home.credentials.set("a", "one")
    const key = await readFile(home.keyFile, "utf8")
    await writeFile(home.keyFile, `${"0".repeat(64)}\n`)
    expect(await codeOf(home.make().use("a"))).toBe("CREDENTIALS_WRONG_KEY")
    await writeFile(home.keyFile, "no key")
    expect(await codeOf(home.make().set("b", "two"))).toBe("CREDENTIALS_KEY_MISSING")
    await rm(home.keyFile)
    expect(await codeOf(home.make().set("b", "two"))).toBe("CREDENTIALS_KEY_MISSING")
    await expect(stat(home.keyFile)).rejects.toThrow("ENOENT")
    await writeFile(home.keyFile, key)
    expect(await home.make().use("a")).toBe("one")
  })

  test("[CREDENTIALS-8] with a passphrase the next set replaces the key file", async () => {
    await using home = await makeFixture()
    await home.credentials.set("old", "one")
    const guarded = home.make({ passphrase: "correct horse" })
    expect(await guarded.use("old")).toBe("one")
    await guarded.set("new", "two")
    await expect(stat(home.keyFile)).rejects.toThrow("ENOENT")
    expect([await guarded.use("old"), await guarded.use("new")]).toEqual(["one", "two"])
    expect(await codeOf(home.make().use("old"))).toBe("CREDENTIALS_LOCKED")
    expect(await guarded.list()).toMatchObject({ keptBy: "passphrase", warning: null })
  })

  test("[CREDENTIALS-10] known() returns the values that open and does not fail for the others", async () => {
    await using home = await makeFixture()
    expect(await home.credentials.known()).toEqual([])
    await home.credentials.set("a", "one")
    await home.credentials.set("b", "two")
    expect((await home.make().known()).toSorted()).toEqual(["one", "two"])
    await writeFile(home.file, "{")
    expect(await home.credentials.known()).toEqual([])
  })
})

describe("the files", () => {
  test("[CREDENTIALS-5] a file that is not a store stays unchanged", async () => {
    await using home = await makeFixture()
    await home.credentials.set("a", "one")
    const good = JSON.parse(await readFile(home.file, "utf8"))
    const strange = [
      "",
      "{",
      "null",
      "[]",
      JSON.stringify({ ...good, version: 2 }),
      JSON.stringify({ ...good, more: 1 }),
      JSON.stringify({ ...good, by: { kind: "passphrase", salt: "00", cost: 1, block: 1 } }),
      "x".repeat(10_000_001),
    ]
    for (const text of strange) {
      await writeFile(home.file, text)
      expect(await codeOf(home.credentials.set("b", "two"))).toBe("CREDENTIALS_UNREADABLE")
      expect(await codeOf(home.credentials.use("a"))).toBe("CREDENTIALS_UNREADABLE")
      expect(await codeOf(home.credentials.list())).toBe("CREDENTIALS_UNREADABLE")
      expect(await readFile(home.file, "utf8")).toBe(text)
    }
  })

  test("[CREDENTIALS-5] a link in place of the store is neither followed nor replaced", async () => {
    await using home = await makeFixture()
    await mkdir(home.directory)
    const elsewhere = path.join(home.path, "elsewhere.json")
    await writeFile(elsewhere, "{}")
    await symlink(elsewhere, home.file)
    expect(await codeOf(home.credentials.set("a", "one"))).toBe("CREDENTIALS_UNREADABLE")
    expect(await readFile(elsewhere, "utf8")).toBe("{}")
  })

  test("[CREDENTIALS-6] modes are exact under umask 000, and a readable key file is reported", async () => {
    await using home = await makeFixture()
    const before = process.umask(0)
    try {
      await home.credentials.set("a", "one")
    } finally {
      process.umask(before)
    }
    const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)
    expect(await modeOf(home.directory)).toBe("700")
    expect(await modeOf(home.file)).toBe("600")
    expect(await modeOf(home.keyFile)).toBe("600")
    await chmod(home.keyFile, 0o644)
    expect((await home.credentials.list()).warning).toContain("Other users can read the key file")
  })

  test("[CREDENTIALS-7] concurrent first writes share one key and lose no name", async () => {
    await using home = await makeFixture()
    await mkdir(home.directory, { recursive: true })
    const many = Array.from({ length: 8 }, () => home.make())
    await Promise.all(many.map((it, index) => it.set(`n${index}`, "value")))
    const { credentials } = await home.credentials.list()
    expect(credentials).toHaveLength(8)
    for (const { name } of credentials) expect(await home.make().use(name)).toBe("value")
    await Promise.all(many.slice(1).map((it, index) => it.remove(`n${index}`)))
    expect((await home.credentials.list()).credentials.map((it) => it.name)).toEqual(["n7"])
    expect((await readdir(home.directory)).toSorted()).toEqual([
      "credentials.json",
      "credentials.key",
    ])
  })

  test("[CREDENTIALS-7] a write during the change to a passphrase loses nothing", async () => {
    await using home = await makeFixture()
    await home.credentials.set("first", "value")
    const guarded = home.make({ passphrase: "correct horse" })
    const moving = guarded.set("moved", "value")
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`)
    const outcomes = await Promise.allSettled(names.map((name) => home.make().set(name, "value")))
    await moving
    const kept = names.filter((_, index) => outcomes[index]?.status === "fulfilled")
    for (const name of ["first", "moved", ...kept]) expect(await guarded.use(name)).toBe("value")
    for (const it of outcomes) {
      if (it.status === "rejected") expect(it.reason).toMatchObject({ code: "CREDENTIALS_LOCKED" })
    }
    expect(await guarded.list()).toMatchObject({ keptBy: "passphrase" })
  })

  test("[CREDENTIALS-8] no reader finds a store whose key file is gone", async () => {
    await using home = await makeFixture()
    await home.credentials.set("first", "value")
    const moving = { isOver: false }
    const seen = new Set<string>()
    const look = async () => {
      while (!moving.isOver) {
        const key = await stat(home.keyFile).catch(() => undefined)
        const { by } = JSON.parse(await readFile(home.file, "utf8"))
        seen.add(`${by.kind}, key ${key === undefined ? "gone" : "there"}`)
      }
    }
    const looking = look()
    await home.make({ passphrase: "correct horse" }).set("moved", "value")
    moving.isOver = true
    await looking
    expect(seen).toContain("key file, key there")
    expect(seen).not.toContain("key file, key gone")
  })

  test("[CREDENTIALS-7] the lock of a dead process is taken over; a living one is waited for", async () => {
    await using home = await makeFixture()
    await home.credentials.set("a", "one")
    const lock = path.join(home.directory, "credentials.lock")
    for (const dead of ['{"pid":999999999,"startedAt":"x"}', "", "[]"]) {
      await writeFile(lock, dead)
      await home.credentials.set("a", "two")
      await expect(stat(lock)).rejects.toThrow("ENOENT")
    }
    await writeFile(lock, JSON.stringify(processIdentity()))
    const before = await readFile(home.file, "utf8")
    let waits = 0
    const sleep = async () => void waits++
    const busy = home.make({ clock: { ...clock, sleep } })
    expect(await codeOf(busy.set("a", "three"))).toBe("CREDENTIALS_BUSY")
    expect(await codeOf(busy.remove("a"))).toBe("CREDENTIALS_BUSY")
    expect(waits).toBeGreaterThan(100)
    expect(await readFile(home.file, "utf8")).toBe(before)
    expect(await busy.use("a")).toBe("two")
    await rm(lock)
    await busy.set("a", "three")
    expect(await readdir(home.directory)).toHaveLength(2)
  })

  test("[CREDENTIALS-7] concurrent writes in one process lose nothing", async () => {
    await using home = await makeFixture()
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
    await Promise.all(names.map((name) => home.credentials.set(name, name)))
    expect((await home.credentials.list()).credentials.map((it) => it.name)).toEqual(
      names.toSorted(),
    )
  })

  test("[CREDENTIALS-7] a read during a write returns the complete old or new store", async () => {
    await using home = await makeFixture()
    await home.credentials.set("a", "value-0")
    const seen = new Set<string | undefined>()
    const writing = { isOver: false }
    const read = async () => {
      while (!writing.isOver) seen.add(await home.make().use("a"))
    }
    const reading = [read(), read()]
    for (let i = 1; i <= 40; i++) await home.credentials.set("a", `value-${i}`)
    writing.isOver = true
    await Promise.all(reading)
    const written = Array.from({ length: 41 }, (_, i) => `value-${i}`)
    expect([...seen].filter((it) => !written.includes(it ?? ""))).toEqual([])
    expect(seen.size).toBeGreaterThan(1)
    expect(await readdir(home.directory)).toHaveLength(2)
  })
})
