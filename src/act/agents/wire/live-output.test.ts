import fc from "fast-check"
import { expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { fcParameters } from "#test/seed"
import {
  beforeOpenBlock,
  createLiveOutput,
  MAX_HELD_OUTPUT_CHARACTERS,
  withoutTornStart,
} from "./live-output.ts"

const asIs = (text: string) => text
const KEY_LINE = Buffer.from("a key that was made up for this test, 48 bytes.").toString("base64")
const KEY = [
  `-----BEGIN RSA ${"PRIVATE"} KEY-----`,
  ...Array.from({ length: 8 }, () => KEY_LINE),
  `-----END RSA ${"PRIVATE"} KEY-----`,
].join("\n")

test("[AGENTS-30] output is emitted in whole lines; an unfinished line waits", () => {
  const live = createLiveOutput(asIs)
  expect(live.take("a", "one\ntw")).toBe("one\n")
  expect(live.take("a", "o")).toBe("")
  expect(live.take("b", "other\n")).toBe("other\n")
  expect(live.take("a", "\n 10%\r 20%")).toBe("two\n 10%\r")
  live.drop("a")
  expect(live.take("a", "new\n")).toBe("new\n")
})

test("[AGENTS-30] no part of a secret is emitted, however output is split into chunks", async () => {
  const { redact } = createSecrets({ random: systemRandom })
  const password = Buffer.from("open sesame").toString("base64")
  const text = [
    "starting",
    `the key is ${KEY}`,
    "machine example.org",
    "login me",
    `password ${password}`,
    "done",
    "",
  ].join("\n")
  const secrets = [KEY_LINE, password]
  const parts = secrets.flatMap((it) => windowsOf(it, 12))
  const property = fc.property(fc.array(fc.integer({ min: 1, max: 120 })), (cuts) => {
    const live = createLiveOutput((it) => redact(it).text)
    const told = piecesOf(text, cuts).map((it) => live.take("a", it))
    expect(parts.filter((part) => told.join("").includes(part))).toEqual([])
    expect(told.join("")).toMatch(/^starting\n[^]*done\n$/)
  })
  fc.assert(property, fcParameters({ numRuns: 300 }))
})

test("[AGENTS-30] output held back too long is emitted only with its end", () => {
  const live = createLiveOutput(asIs)
  expect(live.take("a", "x".repeat(MAX_HELD_OUTPUT_CHARACTERS + 1))).toBe("")
  expect(live.take("a", "y\nz\n")).toBe("")
})

test.each([
  ["no key", "no key"],
  [`a ${KEY} b`, `a ${KEY} b`],
  [`a ${KEY.slice(0, 200)}`, "a "],
  [`a ${KEY} b -----BEGIN`, `a ${KEY} b `],
  ["a -----BEGIN X----- -----BEGIN Y-----", "a "],
  ["a Private-Lines: 2\nabc\n", "a "],
  ["a Private-Lines: 1\nabc\nPrivate-MAC: 00\nb", "a Private-Lines: 1\nabc\nPrivate-MAC: 00\nb"],
])("[AGENTS-28] for %j the text before an unfinished key is emitted", (text, part) => {
  expect(beforeOpenBlock(text)).toBe(part)
})

test.each([
  ["ond half\nwhole line", "whole line"],
  ["ond half of a line", "half of a line"],
  ["secondhalf", ""],
  [`QIDAQAB\n${KEY_LINE}\n${KEY_LINE}\nab==\n-----END X-----\nfailed`, "failed"],
  [`QIDAQAB\n${KEY_LINE}\nfailed`, "failed"],
])("[AGENTS-30] the end of the truncated text %j begins with %j", (text, rest) => {
  expect(withoutTornStart(text)).toBe(rest)
})

function windowsOf(text: string, length: number): readonly string[] {
  return Array.from({ length: text.length - length }, (_, at) => text.slice(at, at + length))
}

function piecesOf(text: string, cuts: readonly number[]): readonly string[] {
  const pieces: string[] = []
  let from = 0
  for (const cut of cuts) {
    pieces.push(text.slice(from, from + cut))
    from += cut
  }
  return [...pieces, text.slice(from)]
}
