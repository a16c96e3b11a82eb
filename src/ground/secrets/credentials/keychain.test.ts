import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { isAppError, systemClock, systemRandom } from "#ground/base"
import { tempDirectory } from "#test/temp"
import { createCredentials } from "./credentials.ts"
import { type KeychainOptions, systemKeychain } from "./keychain.ts"

/**
 * Stand-ins for the programs of the three systems. Each writes its arguments to `argv`, keeps one
 * item in a file named by its account, and answers like the real one.
 */
const PROGRAMS = {
  security: `
case "$1" in
-i)
  read -r line
  set -- $line
  echo "$line" | grep -q '^add-generic-password -U -a [0-9a-f]* -s quartermaster -l "Quartermaster credentials" -w [0-9a-f]*$' || exit 0
  printf '%s' "$line" | sed 's/.* -w //' >"$HOME/item-$4" ;;
find-generic-password)
  [ "$2 $4 $5 $6" = "-a -s quartermaster -w" ] || exit 2
  cat "$HOME/item-$3" 2>/dev/null || exit 44
  echo ;;
delete-generic-password) rm -f "$HOME/item-$3" ;;
esac`,
  "secret-tool": `
case "$1" in
store)
  [ "$2 $3 $4 $5" = "--label=Quartermaster credentials service quartermaster account" ] || exit 2
  cat >"$HOME/item-$6" ;;
lookup) cat "$HOME/item-$5" 2>/dev/null || exit 1 ;;
clear) rm -f "$HOME/item-$5" ;;
esac`,
  // Encrypts like DPAPI: the caller stores the result. Here it is the text with a prefix.
  powershell: `
[ "$1 $2 $3" = "-NoProfile -NonInteractive -Command" ] || exit 2
case "$4" in
*::Protect*) printf 'DPAPI%s' "$(cat)" | base64 | tr -d '\\n' ;;
*::Unprotect*) base64 -d | sed 's/^DPAPI//' ;;
*) exit 2 ;;
esac`,
} as const

const SYSTEMS = [
  ["darwin", "security"],
  ["linux", "secret-tool"],
  ["win32", "powershell"],
] as const

async function scene(platform: NodeJS.Platform, program: keyof typeof PROGRAMS) {
  const folder = await tempDirectory()
  const home = path.join(folder.path, "home")
  await mkdir(home)
  const file = path.join(folder.path, program)
  const log = 'printf "%s\\n" "$@" >>"$HOME/argv"\n[ -f "$HOME/broken" ] && exit 1\n'
  await writeFile(file, `#!/bin/sh\n${log}${PROGRAMS[program]}\n`)
  await chmod(file, 0o755)
  const environment = {
    PATH: process.env["PATH"],
    HOME: home,
    DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere",
    SECRET_OF_ANOTHER: "not for this program",
  }
  const options: KeychainOptions = { platform, environment, programs: { [program]: file } }
  const directory = path.join(folder.path, "qm")
  const make = (more: { readonly passphrase?: string; readonly keychain?: undefined } = {}) =>
    createCredentials({
      directory,
      clock: systemClock,
      random: systemRandom,
      keychain: systemKeychain(options),
      ...more,
    })
  return Object.assign(folder, {
    home,
    directory,
    make,
    argv: () => readFile(path.join(home, "argv"), "utf8"),
    stored: () => readFile(path.join(directory, "credentials.json"), "utf8"),
    hasKeyFile: () =>
      stat(path.join(directory, "credentials.key")).then(
        () => true,
        () => false,
      ),
    breakIt: () => writeFile(path.join(home, "broken"), ""),
  })
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "ok",
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  )

describe.each(SYSTEMS)("the keychain of %s, over %s", (platform, program) => {
  test("[CREDENTIALS-11] the key is in the keychain, not in a file or an argument", async () => {
    await using it = await scene(platform, program)
    await it.make().set("one", "first value")
    expect(await it.make().use("one")).toBe("first value")
    expect(await it.make().list()).toMatchObject({ keptBy: "keychain", warning: null })
    expect(await it.hasKeyFile()).toBe(false)
    const store = JSON.parse(await it.stored())
    const keys = [
      ...(await it.argv()).matchAll(/[0-9a-f]{64}|[A-Za-z0-9+/]{43}=/g),
      ...(await it.stored()).matchAll(/"key"/g),
    ]
    expect(keys).toEqual([])
    expect(store.by).toMatchObject({
      kind: "keychain",
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
  })

  test("[CREDENTIALS-11] one process asks the keychain once, whatever it uses", async () => {
    await using it = await scene(platform, program)
    await it.make().set("one", "first value")
    await it.make().set("two", "second value")
    const start = (await it.argv()).length
    await it.make().use("one")
    const once = (await it.argv()).length - start
    const credentials = it.make()
    await Promise.all([credentials.use("one"), credentials.use("two"), credentials.known()])
    await credentials.use("one")
    expect((await it.argv()).length - start).toBe(2 * once)
  })

  test("[CREDENTIALS-11] a keychain that does not work leaves the key file as a fallback, with its warning", async () => {
    await using it = await scene(platform, program)
    await it.breakIt()
    await it.make().set("one", "first value")
    expect(await it.make().use("one")).toBe("first value")
    expect(await it.hasKeyFile()).toBe(true)
    expect(await it.make().list()).toMatchObject({
      keptBy: "key file",
      warning: expect.stringContaining("beside the credentials"),
    })
  })

  test("[CREDENTIALS-11] records of a key file move to the keychain with the next set, and to a passphrase from there", async () => {
    await using it = await scene(platform, program)
    await it.make({ keychain: undefined }).set("one", "first value")
    expect(await it.hasKeyFile()).toBe(true)
    await it.make().set("two", "second value")
    expect(await it.hasKeyFile()).toBe(false)
    const moved = it.make()
    expect([await moved.use("one"), await moved.use("two")]).toEqual([
      "first value",
      "second value",
    ])
    expect((await moved.list()).keptBy).toBe("keychain")
    const strong = it.make({ passphrase: "correct horse" })
    await strong.set("three", "third value")
    expect((await strong.list()).keptBy).toBe("passphrase")
    expect(await it.make({ passphrase: "correct horse", keychain: undefined }).use("one")).toBe(
      "first value",
    )
  })

  test("[CREDENTIALS-4] a locked keychain is an error of its own, and nothing is written", async () => {
    await using it = await scene(platform, program)
    await it.make().set("one", "first value")
    const before = await it.stored()
    await it.breakIt()
    expect(await codeOf(it.make().use("one"))).toBe("CREDENTIALS_KEYCHAIN_LOCKED")
    expect(await codeOf(it.make().set("two", "x"))).toBe("CREDENTIALS_KEYCHAIN_LOCKED")
    expect(await codeOf(it.make({ keychain: undefined }).use("one"))).toBe(
      "CREDENTIALS_KEYCHAIN_LOCKED",
    )
    expect(await it.make().known()).toEqual([])
    expect(await it.stored()).toBe(before)
    expect(await it.hasKeyFile()).toBe(false)
  })
})

test("[CREDENTIALS-11] without a session bus, or with QM_KEYCHAIN=off, no keychain is used", () => {
  const environment = { PATH: "/usr/bin" }
  expect(systemKeychain({ platform: "linux", environment })).toBeUndefined()
  const off = { ...environment, QM_KEYCHAIN: "off" }
  expect(systemKeychain({ platform: "darwin", environment: off })).toBeUndefined()
  expect(systemKeychain({ platform: "darwin", environment })?.title).toBe("the macOS keychain")
})

test("[CREDENTIALS-10] known() also returns the tokens inside of a stored sign-in", async () => {
  await using folder = await tempDirectory()
  const credentials = createCredentials({
    directory: folder.path,
    clock: systemClock,
    random: systemRandom,
  })
  const token = Buffer.from(systemRandom.bytes(18)).toString("hex")
  const login = JSON.stringify({ url: "https://a.example/mcp", tokens: [token], kind: "Bearer" })
  await credentials.set("oauth.x", login)
  expect(await credentials.known()).toEqual([login, token])
})
