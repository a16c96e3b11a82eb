import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { LONG_TEXTS } from "#test/long-input"
import { tempDirectory } from "#test/temp"
import { openServices } from "../services.ts"
import { noticeCredentials } from "./known-secrets.ts"

test("[H1][APP-63] long texts are redacted in a thread, with the results of redact, until they are disposed", async () => {
  await using temp = await tempDirectory()
  const token = `${"gh"}p_${randomBytes(18).toString("hex")}`
  const known = "a value of the env file 42"
  await writeFile(path.join(temp.path, ".env"), `API_TOKEN="${known}"\n`)
  const environment = { QM_HOME: path.join(temp.path, "home"), PATH: process.env["PATH"] }
  const options = { directory: temp.path, environment, settings: [], writeLog: () => {} }
  const { services, close } = await openServices(options, async () => undefined)
  const [first, second] = [await services.secrets(), await services.secrets()]
  const texts = Object.values(LONG_TEXTS).map(
    (it) => ` ${it.repeat(20_000)}\r\nx ${known} ${token}\u200b \n`,
  )
  const expected = texts.map((it) => first.redact(it))
  expect(expected.every((it) => it.findings.length >= 2)).toBe(true)
  {
    using _ = await first.prepare({ nested: [texts] })
    expect(texts.map((it) => first.redact(it))).toEqual(expected)
    // The same object: nothing is searched here, also by another room's secrets and in JSON.
    expect(texts.map((it) => second.redact(it) === first.redact(it))).toEqual(texts.map(() => true))
    expect(second.redactJson(texts).value).toEqual(expected.map((it) => it.text))
    const again = first.redact(expected[0]?.text ?? "")
    expect(again).toEqual({ text: expected[0]?.text, findings: [] })
  }
  // A credential set later is found too, by rooms that exist.
  const credential = `set later ${randomBytes(9).toString("hex")}`
  await (await services.credentials()).set("later", credential)
  await noticeCredentials(services)
  {
    const long = `${"word ".repeat(20_000)} ${credential}`
    using _ = await first.prepare(long)
    const redacted = first.redact(long)
    expect(redacted.text).not.toContain(credential)
    expect(redacted.findings.length).toBe(1)
    expect(second.redact(long).text).toBe(redacted.text)
  }
  const text = texts[0] ?? ""
  expect(second.redact(text) === first.redact(text)).toBe(false)
  await close()
})
