import { Buffer } from "node:buffer"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { fcParameters } from "#test/seed"
import { createSecrets } from "./secrets.ts"

const secrets = createSecrets({ random: systemRandom })
const { redact } = secrets

/** Generated from parts and random letters, so that this file contains no key. */
const letters = (count: number) => {
  const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789"
  return Array.from(systemRandom.bytes(count), (it) => alphabet[it % alphabet.length]).join("")
}
const githubToken = () => `${"gh"}p_${letters(36)}`
const keyBlock = (lines: number, end = "\n") =>
  [
    `-----BEGIN ${"PRIVATE"} KEY-----`,
    ...Array.from({ length: lines }, () => letters(64)),
    `-----END ${"PRIVATE"} KEY-----`,
  ].join(end)
const hexEscapes = (text: string) =>
  [...text].map((it) => `\\x${it.charCodeAt(0).toString(16)}`).join("")
const MARKER = /\[redacted: [a-z0-9-]+ [0-9a-f]{4}\]/g

describe("clean text", () => {
  test("[SECRETS-1] a text without a finding is returned as the same string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const answer = redact(text)
        if (answer.findings.length === 0) expect(answer.text).toBe(text)
      }),
      fcParameters({ numRuns: 2_000 }),
    )
  })

  test("[SECRETS-1] ordinary lines are unchanged", () => {
    for (const text of ["", "\n", "const a = 1\r\n", "password", "\0\0", "\uD83D", "key: value"]) {
      expect(redact(text)).toEqual({ text, findings: [] })
    }
  })
})

describe("the marker", () => {
  test("[SECRETS-7] the option -u of other programs and of help texts has no password", () => {
    const lines = [
      "date -u +%Y-%m-%dT%H:%M:%SZ",
      'date -u "+%H:%M:%S"',
      "now=`date -u +%H:%M:%S`",
      "curl -u, --user <user:password>  Server user and password",
      "start -u C:\\Users\\me7\\app",
      "pytest -u tests/a.py::test_b2",
      "git fetch -u origin refs/heads/a:refs/heads/b1",
      "docker run -u 1000:1000 image",
      "docker run --user $(id -u):$(id -g) image",
    ]
    for (const text of lines) expect(redact(text)).toEqual({ text, findings: [] })
    const password = letters(12)
    for (const user of ["deploy", "d", "%deploy", "a/b"]) {
      expect(redact(`curl -u ${user}:${password} https://corp.dev`).text).not.toContain(password)
    }
    expect(redact(`curl -u deploy:%${password} https://corp.dev`).text).not.toContain(password)
  })

  test("[SECRETS-2] a marker has the kind and four digits, equal for equal secrets", () => {
    const [first, second] = [githubToken(), githubToken()]
    const { text, findings } = redact(`a ${first}\nb ${second}\nc ${first}`)
    expect(text).toMatch(
      /^a \[redacted: github-token (\w{4})\]\nb \[redacted: github-token \w{4}\]\nc \[redacted: github-token \1\]$/,
    )
    expect(findings.map((it) => it.kind)).toEqual(Array.from({ length: 3 }, () => "github-token"))
    expect(findings[0]?.hash).toBe(findings[2]?.hash)
  })

  test("[SECRETS-2] another instance gives the same secret other digits", () => {
    const token = githubToken()
    const hashes = Array.from({ length: 6 }, () => {
      const other = createSecrets({ random: systemRandom })
      return other.redact(token).findings[0]?.hash
    })
    expect(new Set(hashes).size).toBeGreaterThan(1)
  })

  test("[SECRETS-2] the digits do not depend on the encoding of the secret", () => {
    const token = githubToken()
    const forms = [
      token,
      `token: "${token}"`,
      Buffer.from(`x=${token}`).toString("base64"),
      encodeURIComponent(`/${token}/`),
      JSON.stringify(`"${token}"\n`),
    ]
    const hashes = forms.map((it) => redact(it).findings[0]?.hash)
    expect(new Set(hashes).size).toBe(1)
  })
})

describe("redacting twice", () => {
  test("[SECRETS-3] redacted text has no findings", () => {
    const parts = fc.constantFrom(
      () => githubToken(),
      () => `password=${letters(18)}!`,
      () => keyBlock(3),
      () => `postgres://app:${letters(12)}@db/x`,
      () => Buffer.from(`secret: "${letters(24)}"`).toString("base64"),
      () => JSON.stringify({ token: letters(30) }),
      () => encodeURIComponent(`api_key=${letters(30)}`),
      () => `Cookie: a=${letters(30)}; b=2`,
      () => "eyJ",
      () => `${"AK"}IA`,
      () => "token: ",
      () => "\\n",
      () => "%41",
      () => '"',
      () => "[redacted: token 12ab]",
      () => " ",
      () => "\n",
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (makers) => {
        const once = redact(makers.map((make) => make()).join("")).text
        expect(redact(once)).toEqual({ text: once, findings: [] })
      }),
      fcParameters({ numRuns: 1_500 }),
    )
  })

  test("[SECRETS-3] a marker stays whole, even if it contains a known value", () => {
    const instance = createSecrets({ random: systemRandom, known: ["redacted: password"] })
    const text = "was [redacted: password 12ab] before"
    expect(instance.redact(text)).toEqual({ text, findings: [] })
  })

  test("[SECRETS-3] a marker after a secret name is not a secret", () => {
    const text = 'password = "[redacted: password 12ab]" token=[redacted: token 34cd]'
    expect(redact(text)).toEqual({ text, findings: [] })
  })
})

describe("text around a secret", () => {
  test("[SECRETS-4] every other character stays, and each finding has its position", () => {
    const around = fc.array(
      fc.constantFrom("\r\n", "\0", "\uD83D", "😀", "é", " . ", "\uFEFF", "\t", "words "),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(around, around, (before, after) => {
        const [left, right] = [`${before.join("")} `, ` ${after.join("")}`]
        const { text, findings } = redact(`${left}${githubToken()}${right}`)
        const [finding] = findings
        expect(text.replace(MARKER, "")).toBe(left + right)
        expect(finding?.line).toBe(left.split("\n").length)
        expect(text.slice(finding?.start, finding?.end)).toMatch(/^\[redacted: github-token/)
      }),
      fcParameters({ numRuns: 400 }),
    )
  })

  test("[SECRETS-4] line numbers are those of the input, also after a block of many lines", () => {
    const { findings } = redact(`one\n${keyBlock(4)}\n\n${githubToken()}\n`)
    expect(findings.map((it) => [it.kind, it.line])).toEqual([
      ["private-key", 2],
      ["github-token", 9],
    ])
  })
})

test("[SECRETS-5] a secret is found at every offset of a long text", () => {
  const value = `${letters(20)}-${letters(20)}`
  const instance = createSecrets({ random: systemRandom, known: [value] })
  const token = githubToken()
  for (const at of [0, 1, 65_500, 65_516, 65_530, 65_535, 65_536, 65_537, 131_040, 131_072]) {
    const text = `${"x ".repeat(70_000).slice(0, at)} ${value} ${token} ${"y ".repeat(40_000)}`
    const answer = instance.redact(text)
    expect(answer.findings.map((it) => it.kind)).toEqual(["known-value", "github-token"])
    expect(answer.text).not.toContain(value.slice(0, 8))
  }
})

describe("encoded text", () => {
  test("[SECRETS-10] only the secret is removed from the encoded text", () => {
    const token = githubToken()
    const coded = encodeURIComponent(`{"a":"${token}","b":1}`)
    expect(redact(coded).text.replace(MARKER, "")).toBe(coded.replace(token, ""))
    const quoted = JSON.stringify(JSON.stringify({ password: `${letters(14)}!7` }))
    expect(redact(quoted).text.replace(MARKER, "")).toBe('"{\\"password\\":\\"\\"}"')
  })

  test("[SECRETS-10] base64 is decoded across lines, after a path and in the URL-safe alphabet", () => {
    const token = githubToken()
    const plain = `${"some words before it, ".repeat(6)}token: ${token}; and ${"after ".repeat(9)}`
    const wrapped = Buffer.from(plain).toString("base64").replace(/.{76}/g, "$&\n  ")
    const forms = [
      wrapped,
      `/files/${Buffer.from(plain).toString("base64")}`,
      Buffer.from(`??>>${plain}`).toString("base64url"),
      JSON.stringify({ data: `\n${Buffer.from(plain).toString("base64")}` }),
    ]
    for (const form of forms) {
      const { text, findings } = redact(form)
      expect(findings.map((it) => it.kind)).toEqual(["github-token"])
      expect(text.length).toBeGreaterThan(form.length - 120)
    }
  })

  test("[SECRETS-10] a secret that ends in the short last line of wrapped base64 is removed whole", () => {
    const token = githubToken()
    const plain = `${"words ".repeat(12)}${token}`.slice(-66)
    const coded = Buffer.from(`x ${plain}`).toString("base64")
    const { text } = redact(coded.replace(/.{76}/g, "$&\n"))
    expect(text).toMatch(/\[redacted: github-token \w{4}\]=*$/)
  })

  test("[SECRETS-10] hexadecimal escapes of programming languages are decoded", () => {
    const hex = hexEscapes(githubToken())
    expect(redact(`a = "${hex}"`).findings.map((it) => it.kind)).toEqual(["github-token"])
  })
})

describe("text that resembles a secret", () => {
  test.for([
    "password: string",
    'const token = "access_token"',
    "API_KEY=${API_KEY}",
    "api_key: $API_KEY",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    'password = os.environ["DB_PASSWORD"]',
    "const secret = process.env.SESSION_SECRET",
    "token = getTokenFromRequest(request9, k3y)",
    "tokenUrl: https://login.corp.dev/oauth2/v2.0/token",
    "passwordFile: /run/secrets/db-password-1",
    "token_count = 1234567890",
    "tokenizer = 'cl100k_b4se_x9z2'",
    "token_expires_at: 7f3k9-q2x8z-4m1w6",
    'password: "correct horse battery staple9"',
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE",
    "postgres://user:password@localhost/app",
    "postgres://postgres:postgres@localhost/app",
    "https://${user}:${password}@host/x",
    "Cookie: theme=dark; lang=en",
    "const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/",
    'throw new Error("Invalid IPv6 token " + hex0a1b2c3d)',
    "docker run -u 1000:1000001 image",
    "密码 password: 这是一个很长的句子没有空格也没有别的东西",
    `${"gh"}p_${"x".repeat(36)}`,
    `${"AK"}IAIOSFODNN7EXAMPLE`,
    `-----BEGIN ${"PRIVATE"} KEY-----`,
    "eyJhbGciOiJub25l",
    "Authorization: Basic realm",
    "headers: { authorization: 'Bearer token123' }",
    "Authorization: my-token-42",
    "postgres://someuser:somepassword@somehost:381/somedatabase",
    "curl app | http-send -u http://localhost:8080/logs",
    "Address6.fromWildcard('2001:db8:*:*:*:*:*:*').subnet;  // '/32'",
    "Address6.fromWildcard('*:*:*:*:*:*:*:*').subnet;       // '/0'",
    `#define MASTER_SECRET_CONST "${hexEscapes("master secret")}"`,
    "this.tokenMatcher=s?fae:lW,cW(Object.values(this.tokensMap))",
    'decodeTrieDict("qlJwNZt*@3p1Pw:5p/Ou!5p2JvG")',
  ])("[SECRETS-11] %s", (text) => {
    expect(redact(text)).toEqual({ text, findings: [] })
  })
})

describe("overlapping secrets", () => {
  test("overlapping secrets become one marker, named by the more specific rule", () => {
    const { text, findings } = redact(`API_TOKEN="${githubToken()}"`)
    expect(findings.map((it) => it.kind)).toEqual(["github-token"])
    expect(text).toMatch(/^API_TOKEN="\[redacted: github-token \w{4}\]"$/)
  })

  test("a known value that overlaps a token is replaced with it", () => {
    const token = githubToken()
    const instance = createSecrets({
      random: systemRandom,
      known: [`${token.slice(-10)} after it`],
    })
    const { text, findings } = instance.redact(`x ${token} after it y`)
    expect(findings.length).toBe(1)
    expect(text).toMatch(/^x \[redacted: github-token \w{4}\] y$/)
  })
})

describe("private key blocks", () => {
  test.for(["\n", "\r\n", "\\n", "\n    "])(
    "[SECRETS-15] a block with line ends %j is removed whole",
    (end) => {
      const { text, findings } = redact(`key: ${keyBlock(5, end)} rest`)
      expect(findings.map((it) => it.kind)).toEqual(["private-key"])
      expect(text).toMatch(/^key: \[redacted: private-key \w{4}\] rest$/)
    },
  )

  test("[SECRETS-15] a truncated block is removed to its end", () => {
    const block = keyBlock(5).split("\n").slice(0, 4).join("\n")
    expect(redact(`${block}\n-- cut --`).text).toMatch(/^\[redacted: private-key \w{4}\]-- cut --$/)
    expect(redact(block).text).toMatch(/^\[redacted: private-key \w{4}\]$/)
  })

  test("[SECRETS-15] a certificate is public and stays", () => {
    const text = keyBlock(4).replaceAll("PRIVATE KEY", "CERTIFICATE")
    expect(redact(text)).toEqual({ text, findings: [] })
  })
})

test("a value longer than its pattern is removed to its end", () => {
  const long = letters(3_000)
  for (const text of [
    `token=${long}`,
    `"api_key": "${long}"`,
    `${"gl"}pat-${long}`,
    `Bearer ${long}`,
  ]) {
    expect(redact(text).text).not.toContain(long.slice(-8))
  }
  const cookie = `Cookie: a=${long}; b=${long}`
  expect(redact(cookie).text).toMatch(/^Cookie: \[redacted: cookie \w{4}\]$/)
})
