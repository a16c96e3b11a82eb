import { Buffer } from "node:buffer"
import { describe, expect, test } from "vitest"
import { systemRandom } from "#ground/base"
import { isNight, seed } from "#test/seed"
import { createSecrets } from "./secrets.ts"

/** Fakes in the shape of the real thing, made when the test runs and never written down. */
type Specimen = {
  readonly kind: string
  readonly name?: string
  readonly value: string
  /** What chance drew for it: of this nothing may be left. */
  readonly draws: readonly string[]
}

const ALPHABETS: Readonly<Record<string, string>> = {
  w: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
  u: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
  b: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  h: "0123456789abcdef",
  d: "123456789",
  l: "abcdefghijklmnopqrstuvwxyz0123456789",
  c: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  t: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
  p: "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!@#$%^*_+=?-",
}

/** `<w36>` is thirty-six letters or digits; the rest stands as it is. One row for each kind. */
const SHAPES: readonly (readonly [kind: string, ...shapes: string[]])[] = [
  ["adafruit-key", "aio_<w28>"],
  ["airtable-token", "pat<w14>.<h64>"],
  ["alibaba-key-id", "LTAI<w20>"],
  ["anthropic-key", "sk-ant-api03-<u93>AA", "sk-ant-admin01-<u93>AA", "sk-ant-oat01-<u93>AA"],
  ["artifactory-key", "AKCp<w69>"],
  ["atlassian-token", "ATATT3xFfGF0<u176>=<c8>"],
  ["aws-bedrock-key", "ABSK<b128>"],
  ["aws-key-id", "AKIA<t16>", "ASIA<t16>"],
  ["bitbucket-password", "ATBB<w32>"],
  ["brevo-key", "xkeysib-<h64>-<w16>"],
  ["buildkite-token", "bkua_<h40>"],
  ["cerebras-key", "csk-<l48>"],
  ["circleci-token", "CCIPAT_<w22>_<h40>"],
  ["clickup-token", "pk_<d8>_<c32>"],
  ["clojars-token", "CLOJARS_<h60>"],
  ["cloudflare-ca-key", "v1.0-<h24>-<h146>"],
  ["contentful-token", "CFPAT-<u43>"],
  ["crates-token", "cio<w32>"],
  ["databricks-token", "dapi<h32>"],
  ["deno-token", "ddp_<w36>"],
  ["digitalocean-token", "dop_v1_<h64>", "doo_v1_<h64>", "dor_v1_<h64>"],
  ["docker-token", "dckr_pat_<u27>", "dckr_oat_<u32>"],
  ["doppler-token", "dp.pt.<w43>", "dp.st.dev.<w43>"],
  ["dropbox-token", "sl.<u135>"],
  ["duffel-token", "duffel_live_<u43>"],
  ["dynatrace-token", "dt0c01.<t24>.<t64>"],
  ["easypost-key", "EZAK<w54>"],
  ["elevenlabs-key", "sk_<h48>"],
  ["facebook-token", "EAA<w180>"],
  ["figma-token", "figd_<u40>"],
  ["fireworks-key", "fw_<w24>"],
  ["flutterwave-key", "FLWSECK-<h32>-X"],
  ["fly-token", "fo1_<u43>", "fm2_<b200>"],
  ["frameio-token", "fio-u-<u64>"],
  ["github-app-token", "ghu_<w36>", "ghs_<w36>"],
  ["github-fine-grained-token", "github_pat_<w22>_<w59>"],
  ["github-oauth-token", "gho_<w36>"],
  ["github-refresh-token", "ghr_<w36>"],
  ["github-token", "ghp_<w36>"],
  ["gitlab-agent-token", "glagent-<u50>"],
  ["gitlab-deploy-token", "gldt-<u20>"],
  ["gitlab-feed-token", "glft-<u20>"],
  ["gitlab-job-token", "glcbt-<h2>_<u20>"],
  ["gitlab-mail-token", "glimt-<u25>"],
  ["gitlab-registration-token", "GR1348941<u20>"],
  ["gitlab-runner-token", "glrt-<u20>"],
  ["gitlab-scim-token", "glsoat-<u20>"],
  ["gitlab-token", "glpat-<u20>", "glpat-<u27>.01.<l9>"],
  ["gitlab-trigger-token", "glptt-<h40>"],
  ["google-client-secret", "GOCSPX-<u28>"],
  ["google-key", "AIza<u35>"],
  ["google-refresh-token", "1//0<u60>"],
  ["google-token", "ya29.<u120>"],
  ["grafana-cloud-token", "glc_<b80>"],
  ["grafana-token", "glsa_<w32>_<h8>"],
  ["groq-key", "gsk_<w52>"],
  ["heroku-key", "HRKU-<u60>"],
  ["honeycomb-key", "hcaik_<l58>"],
  ["hubspot-token", "pat-na1-<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["huggingface-token", "hf_<w34>", "api_org_<w34>"],
  ["infracost-key", "ico-<w32>"],
  ["langfuse-key", "sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["langsmith-key", "lsv2_pt_<h32>_<h10>"],
  ["launchdarkly-key", "sdk-<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["linear-token", "lin_api_<w40>"],
  ["mailgun-key", "key-<h32>"],
  ["mapbox-token", "sk.eyJ<w80>.<u22>"],
  ["mongodb-atlas-secret", "mdb_sa_sk_<u40>"],
  ["neon-key", "napi_<l64>"],
  ["netlify-token", "nfp_<w36>"],
  ["newrelic-key", "NRAK-<c27>", "NRII-<u32>"],
  ["notion-token", "ntn_<w46>", "secret_<w43>"],
  ["npm-token", "npm_<w36>"],
  ["nuget-key", "oy2<l43>"],
  ["nvidia-key", "nvapi-<u64>"],
  ["onepassword-token", "ops_eyJ<w250>"],
  ["openai-key", "sk-proj-<u74>T3BlbkFJ<u74>", "sk-<w20>T3BlbkFJ<w20>", "sk-svcacct-<u120>"],
  ["openrouter-key", "sk-or-v1-<h64>"],
  ["perplexity-key", "pplx-<w48>"],
  ["pinecone-key", "pcsk_<w6>_<w63>"],
  ["plaid-token", "access-production-<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["planetscale-token", "pscale_tkn_<u43>", "pscale_pw_<u43>"],
  ["postman-key", "PMAK-<h24>-<h34>"],
  ["prefect-key", "pnu_<w36>"],
  ["pulumi-token", "pul-<h40>"],
  ["pypi-token", "pypi-AgEIcHlwaS5vcmc<u150>"],
  ["razorpay-key", "rzp_live_<w14>"],
  ["readme-key", "rdme_<l70>"],
  ["render-key", "rnd_<w28>"],
  ["replicate-token", "r8_<w37>"],
  ["resend-key", "re_<w8>_<w24>"],
  ["rubygems-key", "rubygems_<h48>"],
  ["scalingo-token", "tk-us-<u48>"],
  ["sendgrid-key", "SG.<u22>.<u43>"],
  ["sentry-token", "sntrys_<b120>", "sntryu_<h64>"],
  ["shippo-token", "shippo_live_<h40>"],
  ["shopify-token", "shpat_<h32>", "shpss_<h32>"],
  ["slack-app-token", "xapp-1-A<c10>-<d13>-<h64>"],
  ["slack-config-token", "xoxe.xoxp-1-<w160>", "xoxe-1-<w140>"],
  ["slack-session-token", "xoxc-<d12>-<d12>-<d12>-<h64>"],
  ["slack-token", "xoxb-<d12>-<d13>-<w24>", "xoxp-<d12>-<d12>-<d12>-<h32>"],
  ["sonar-token", "squ_<h40>"],
  ["sourcegraph-token", "sgp_<h16>_<h40>"],
  ["square-token", "sq0atp-<u22>", "sq0csp-<u43>"],
  ["stripe-key", "sk_live_<w24>", "sk_test_<w99>", "rk_live_<w24>"],
  ["stripe-webhook-secret", "whsec_<w32>"],
  ["supabase-secret", "sb_secret_<u31>"],
  ["supabase-token", "sbp_<h40>"],
  ["tailscale-key", "tskey-auth-<w17>-<w32>"],
  ["tavily-key", "tvly-dev-<w32>"],
  ["tencent-key-id", "AKID<w32>"],
  ["together-key", "tgp_v1_<u43>"],
  ["twilio-key", "SK<h32>"],
  ["typeform-token", "tfp_<w44>_<w14>"],
  ["vault-token", "hvs.<u95>"],
  ["vercel-token", "vercel_blob_rw_<w16>_<w30>"],
  ["xai-key", "xai-<w80>"],
  ["age-key", "AGE-SECRET-KEY-1<c58>"],
  ["slack-webhook", "https://hooks.slack.com/services/T<c10>/B<c10>/<w24>"],
  ["discord-webhook", "https://discord.com/api/webhooks/<d19>/<u68>"],
  ["zapier-webhook", "https://hooks.zapier.com/hooks/catch/<d7>/<l7>"],
  [
    "teams-webhook",
    "https://corp.webhook.office.com/webhookb2/<h8>-<h4>-<h4>-<h4>-<h12>@<h8>-<h4>-<h4>-<h4>-<h12>/IncomingWebhook/<h32>/<h8>-<h4>-<h4>-<h4>-<h12>",
  ],
  ["telegram-token", "<d10>:AA<u33>"],
  ["mailchimp-key", "<h32>-us14"],
  ["terraform-token", "<w14>.atlasv1.<w67>"],
  ["azure-client-secret", "<w3>8Q~<w34>"],
  ["azure-storage-key", "AccountName=corp;AccountKey=<b86>=="],
  ["azure-signature", "https://corp.blob.core.windows.net/c?sv=2024&sig=<w43>%3D"],
  ["url-password", "postgres://app:<w14>@db.internal:5432/app", "redis://:<w20>@cache:6379"],
  ["authorization", "Authorization: Token <w40>", "Authorization: <w48>"],
  ["bearer-token", "Bearer <u40>"],
  ["cookie", "Cookie: theme=dark; session=<w40>", "Set-Cookie: sid=<u43>; Path=/; HttpOnly"],
  ["netrc-password", "machine api.corp.dev login deploy password <w16>"],
  ["command-password", "curl -u deploy:<w16> https://corp.dev", "sshpass -p <w12> ssh corp"],
]

/** These have no shape of their own: they stand behind their name in every placement. */
const NAMED: readonly (readonly [kind: string, name: string, shape: string])[] = [
  ["password", "DB_PASSWORD", "<p16>"],
  ["password", "smtp_pass", "<p14>"],
  ["api-key", "DATADOG_API_KEY", "<h32>"],
  ["api-key", "algolia_api_key", "<h32>"],
  ["api-key", "HEROKU_API_KEY", "<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["secret", "AWS_SECRET_ACCESS_KEY", "<b40>"],
  ["secret", "client_secret", "<u32>"],
  ["token", "AWS_SESSION_TOKEN", "<b280>"],
  ["token", "TWILIO_AUTH_TOKEN", "<h32>"],
  ["private-key", "ETH_PRIVATE_KEY", "0x<h64>"],
  ["encryption-key", "RAILS_MASTER_KEY", "<h32>"],
]

const next = mulberry(seed())

/** Small and repeatable: the run's seed gives the same fakes again. */
function mulberry(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A shape with its places filled by chance, and what was drawn. */
function fill(shape: string): { value: string; draws: readonly string[] } {
  const draws: string[] = []
  const value = shape.replace(/<([a-z])(\d+)>/g, (_, alphabet: string, count: string) => {
    const letters = ALPHABETS[alphabet] ?? ""
    const pick = () => letters[Math.floor(next() * letters.length)]
    draws.push(Array.from({ length: Number(count) }, pick).join(""))
    return draws.at(-1) ?? ""
  })
  return { value, draws }
}

function specimens(): readonly Specimen[] {
  const shaped = SHAPES.flatMap(([kind, ...shapes]) => shapes.map((it) => ({ kind, ...fill(it) })))
  const named = NAMED.map(([kind, name, shape]) => ({ kind, name, ...fill(shape) }))
  return [...shaped, ...named, ...built()]
}

/** Those that are made of parts: key blocks, web tokens, Discord tokens, logins in base64. */
function built(): readonly Specimen[] {
  const encoded = (text: string) => Buffer.from(text).toString("base64url")
  const block = (label: string, lines: number) => ({
    kind: "private-key",
    ...fill(`-----BEGIN ${label}-----\n${"<b64>\n".repeat(lines)}<b43>=\n-----END ${label}-----`),
  })
  const login = Buffer.from(fill("robot:<w20>").value).toString("base64")
  const id = encoded(fill("<d18>").value)
  const claims = encoded(JSON.stringify({ sub: fill("<w20>").value }))
  const header = encoded(JSON.stringify({ alg: "HS256", typ: "JWT" }))
  return [
    block("RSA PRIVATE KEY", 24),
    block("EC PRIVATE KEY", 2),
    block("PRIVATE KEY", 3),
    block("OPENSSH PRIVATE KEY", 6),
    block("PGP PRIVATE KEY BLOCK", 12),
    { kind: "putty-key", ...fill("Private-Lines: 3\n<b64>\n<b64>\n<b40>") },
    { kind: "web-token", ...withDraw(fill(`${header}.${claims}.<u43>`), claims) },
    { kind: "discord-token", ...withDraw(fill(`${id}.<u6>.<u38>`), id) },
    { kind: "docker-login", value: `{"auths":{"ghcr.io":{"auth":"${login}"}}}`, draws: [login] },
    { kind: "basic-authorization", value: `Authorization: Basic ${login}`, draws: [login] },
  ]
}

function withDraw(filled: { value: string; draws: readonly string[] }, draw: string) {
  return { ...filled, draws: [...filled.draws, draw] }
}

/** Where a secret stands in what people and programs write. */
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
  base64: (it) => `data: ${Buffer.from(bare(it)).toString("base64")}\n`,
  "URL escapes": (it) => `body=${[...Buffer.from(bare(it))].map(percent).join("")}`,
  "JSON escapes": (it) => `{"text":"${bare(it).split("").map(unicode).join("")}"}`,
}

function bare({ name, value }: Specimen): string {
  return name === undefined ? value : `${name}=${value}`
}

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, "0")}`
}

function unicode(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
}

const secrets = createSecrets({ random: systemRandom })
const ROUNDS = isNight() ? 40 : 4

/** Whether the secret is gone: of what was drawn no eight characters are left, in any reading. */
function isGone({ draws }: Specimen, text: string): boolean {
  const left = readings(secrets.redact(text).text)
  return draws.every((draw) => windows(draw).every((it) => !left.includes(it)))
}

const WINDOW = 8

function windows(draw: string): readonly string[] {
  if (draw.length < WINDOW) return []
  return Array.from({ length: draw.length - WINDOW + 1 }, (_, at) => draw.slice(at, at + WINDOW))
}

/** A text, and all that somebody could read from it by decoding it once. */
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

describe("[SECRETS-6] recall over all kinds and placements", () => {
  test("[SECRETS-6] there are at least 60 kinds, and each has a specimen found under its name", () => {
    const kinds = new Set(specimens().map((it) => it.kind))
    expect(kinds.size).toBeGreaterThanOrEqual(60)
    const wrong = specimens().flatMap((it) => {
      const text = PLACEMENTS["a bare line"]?.(it) ?? ""
      const found = secrets.redact(text).findings.map((finding) => finding.kind)
      return found.includes(it.kind) ? [] : [`${it.kind}: ${found.join(", ") || "nothing"}`]
    })
    expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(specimens().length / 100)
  })

  test.for(Object.keys(PLACEMENTS))("[SECRETS-6] at least 99 of 100 are gone from %s", (name) => {
    const missed: string[] = []
    let tries = 0
    for (let round = 0; round < ROUNDS; round++) {
      for (const specimen of specimens()) {
        tries++
        const text = PLACEMENTS[name]?.(specimen) ?? ""
        if (!isGone(specimen, text)) missed.push(`${specimen.kind} ${specimen.name ?? ""}`)
      }
    }
    expect(1 - missed.length / tries, missed.join("\n")).toBeGreaterThanOrEqual(0.99)
  })
})
