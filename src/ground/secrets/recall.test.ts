import { Buffer } from "node:buffer"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { isNight, seed } from "#test/seed"
import { createSpecimens, type Specimen } from "../../../test/corpus/secret-kinds.ts"
import { NAME_RULES } from "./rules/names.ts"
import { createRejections, type Rule } from "./rules/rule.ts"
import { STRUCTURE_RULES } from "./rules/structures.ts"
import { VENDORS } from "./rules/vendors.ts"
import { createSecrets } from "./secrets.ts"

const specimens = createSpecimens(seed())

const PLACEMENTS: Readonly<Record<string, (it: Specimen) => string>> = {
  "a bare line": ({ name, value }) => (name === undefined ? value : `${name}: ${value}`),
  JSON: ({ name = "value", value }) => JSON.stringify({ id: 7, [name]: value, ok: true }, null, 2),
  "an environment file": ({ name = "SETTING", value }) =>
    `NODE_ENV=production\n${name}=${value.includes("\n") ? JSON.stringify(value) : value}\nPORT=8080\n`,
  "an address": ({ name = "q", value }) =>
    `GET https://corp.dev/cb?x=1&${name}=${encodeURIComponent(value)}&y=2 HTTP/1.1`,
  "a shell command": ({ name = "SETTING", value }) =>
    `$ export ${name}='${value.replaceAll("'", "")}' && ./deploy.sh --verbose`,
  YAML: ({ name = "setting", value }) =>
    value.includes("\n")
      ? `app:\n  ${name}: |\n    ${value.replaceAll("\n", "\n    ")}\n  replicas: 2\n`
      : `app:\n  ${name}: ${value}\n  replicas: 2\n`,
  "a line of a log": ({ name, value }) =>
    `2026-03-01T10:00:00Z warn retrying with ${name === undefined ? "" : `${name}=`}${value} (attempt 2 of 5)`,
  "a line that a diff adds": (it) => `@@ -1,2 +1,3 @@\n a\n${eachLine("+", bare(it))}\n b\n`,
  "a line that a diff takes out": (it) => `@@ -1,3 +1,2 @@\n a\n${eachLine("-", bare(it))}\n b\n`,
  base64: (it) => `data: ${Buffer.from(bare(it)).toString("base64")}\n`,
  "URL escapes": (it) => `body=${[...Buffer.from(bare(it))].map(percent).join("")}`,
  "JSON escapes": (it) => `{"text":"${bare(it).split("").map(unicode).join("")}"}`,
}

function bare({ name, value }: Specimen): string {
  return name === undefined ? value : `${name}=${value}`
}

function eachLine(prefix: string, text: string): string {
  return text.replace(/^/gm, prefix)
}

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, "0")}`
}

function unicode(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
}

const secrets = createSecrets({ random: systemRandom })
const ROUNDS = isNight() ? 40 : 4
const MOST_DRAWS = 20

/** Removed: no eight characters of the random part are left in any decoding. */
function isGone({ draws }: Specimen, text: string): boolean {
  const left = readings(secrets.redact(text).text)
  return draws.every((draw) => windows(draw).every((it) => !left.includes(it)))
}

const WINDOW = 8

function windows(draw: string): readonly string[] {
  if (draw.length < WINDOW) return []
  return Array.from({ length: draw.length - WINDOW + 1 }, (_, at) => draw.slice(at, at + WINDOW))
}

function readings(text: string): string {
  const percents = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => letterOf(code))
  const unicodes = text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => letterOf(code))
  const runs = text.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []
  const decoded = runs.flatMap((run) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString("latin1")),
  )
  return [text, percents, unicodes, ...decoded].join("\n")
}

function letterOf(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 16))
}

const ROWS = VENDORS.map(([kind, prefixes]) => [`${kind} ${prefixes}`, kind, prefixes] as const)
const OTHER_RULES = [...STRUCTURE_RULES, ...NAME_RULES].map(
  (rule) => [rule.keywords.join(", "), rule] as const,
)

function placesOf(rule: Rule, text: string): readonly number[] {
  const small = text.toLowerCase()
  return rule.keywords.flatMap((it) => [...small.matchAll(matcherOf(it))].map((hit) => hit.index))
}

const matcherOf = (keyword: string) => new RegExp(RegExp.escape(keyword), "g")

function isHit(rule: Rule, text: string, at: number): boolean {
  return rule.find({ text, at, work: { steps: 0 }, rejections: createRejections() }) !== undefined
}

/** The union of kinds that the tools in facts/peers 5.2 and 5.3 find or miss, by our names. */
const KINDS_OF_OTHERS = (
  "github-token github-fine-grained-token openai-key anthropic-key slack-token slack-webhook " +
  "stripe-key private-key npm-token url-password url-token huggingface-token gitlab-token secret " +
  "aws-key-id sendgrid-key web-token azure-storage-key api-key password twilio-key discord-token " +
  "discord-webhook telegram-token bearer-token token google-key pypi-token digitalocean-token " +
  "openrouter-key age-key groq-key"
).split(" ")

describe("recall over all kinds and placements", () => {
  test.for(ROWS)("[SECRETS-6] each prefix of %s is found", ([, kind, prefixes]) => {
    const known = prefixes.split(" ")
    const rest = specimens()
      .filter((it) => it.kind === kind)
      .flatMap(({ value }) => {
        const own = known.find((it) => value.startsWith(it))
        return own === undefined ? [] : [value.slice(own.length)]
      })[0]
    expect(rest, "a shape in test/corpus/secret-kinds.ts").toBeDefined()
    const missed = known.filter((it) => secrets.redact(`x ${it}${rest} y`).findings.length === 0)
    expect(missed).toEqual([])
  })

  test.for(OTHER_RULES)("[SECRETS-6] the rule for %s finds a generated example", ([, rule]) => {
    // A random password may look plain, so one draw of a shape is not enough.
    const isFound = Array.from({ length: MOST_DRAWS }).some(() =>
      specimens()
        .map(bare)
        .some((text) => placesOf(rule, text).some((at) => isHit(rule, text, at))),
    )
    expect(isFound, "a shape in test/corpus/secret-kinds.ts").toBe(true)
  })

  test("[SECRETS-6] our list of kinds is at least as long as those of other scanners", () => {
    const kinds = new Set(specimens().map((it) => it.kind))
    expect(KINDS_OF_OTHERS.filter((it) => !kinds.has(it))).toEqual([])
  })

  test("[SECRETS-6] there are at least 60 kinds, each with an example found under its name", () => {
    const kinds = new Set(specimens().map((it) => it.kind))
    expect(kinds.size).toBeGreaterThanOrEqual(60)
    const wrong = specimens().flatMap((it) => {
      const text = PLACEMENTS["a bare line"]?.(it) ?? ""
      const found = secrets.redact(text).findings.map((finding) => finding.kind)
      return found.includes(it.kind) ? [] : [`${it.kind}: ${found.join(", ") || "nothing"}`]
    })
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(specimens().length / 100)
  })

  test.for(Object.keys(PLACEMENTS))(
    "[SECRETS-6] at least 99 of 100 secrets are removed from %s",
    (name) => {
      const missed: string[] = []
      let tries = 0
      for (let round = 0; round < ROUNDS; round++) {
        for (const specimen of specimens()) {
          tries++
          const text = PLACEMENTS[name]?.(specimen) ?? ""
          if (!isGone(specimen, text)) missed.push(`${specimen.kind} ${specimen.name ?? ""}`.trim())
        }
      }
      expect(1 - missed.length / tries, missed.join("\n")).toBeGreaterThanOrEqual(0.99)
      // One shape in two hundred could be missed every time and the sum still be good.
      const counts = Map.groupBy(missed, (it) => it)
      const never = [...counts].filter(([, times]) => times.length >= ROUNDS).map(([kind]) => kind)
      expect(never).toEqual([])
    },
  )
})
