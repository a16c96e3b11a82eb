import { Buffer } from "node:buffer"

/**
 * Fakes in the format of real secrets, generated at run time and never written to the repository.
 */
export type Specimen = {
  readonly kind: string
  readonly name?: string
  readonly value: string
  /** The random parts, none of which may remain after redaction. */
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

/**
 * `<w36>` is 36 letters or digits; the rest is literal. One row per kind.
 */
const SHAPES: readonly (readonly [kind: string, ...shapes: string[]])[] = [
  ["adafruit-key", "aio_<w28>"],
  ["airtable-token", "pat<w14>.<h64>"],
  ["alibaba-key-id", "LTAI<w20>"],
  ["anthropic-key", "sk-ant-api03-<u93>AA", "sk-ant-admin01-<u93>AA", "sk-ant-oat01-<u93>AA"],
  ["apify-token", "apify_api_<w36>"],
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
  ["e2b-key", "e2b_<h40>"],
  ["easypost-key", "EZAK<w54>"],
  ["elevenlabs-key", "sk_<h48>"],
  ["facebook-token", "EAA<w180>"],
  ["figma-token", "figd_<u40>"],
  ["firecrawl-key", "fc-<h32>"],
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
  ["gitlab-feature-token", "glffct-<u20>"],
  ["gitlab-feed-token", "glft-<u20>"],
  ["gitlab-job-token", "glcbt-<h2>_<u20>"],
  ["gitlab-mail-token", "glimt-<u25>"],
  ["gitlab-oauth-secret", "gloas-<h64>"],
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
  ["jina-key", "jina_<h32><u28>"],
  ["langfuse-key", "sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["langsmith-key", "lsv2_pt_<h32>_<h10>"],
  ["launchdarkly-key", "sdk-<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["linear-token", "lin_api_<w40>", "lin_wh_<w40>"],
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
  ["posthog-key", "phx_<w43>"],
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
  ["runpod-key", "rpa_<c46>"],
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
  ["square-access-token", "EAAA<u60>"],
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
  ["quartermaster-address", "qmgw_<h48>"],
  ["quartermaster-key", "qmp_<u43>", "qms_<u43>", "qml_<u43>"],
  ["vercel-gateway-key", "vck_<w56>"],
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
  ["url-token", "https://<w40>@git.corp.dev/app.git", "https://<h32>@o1.ingest.corp.dev/42"],
  ["pgpass-password", "db.corp.dev:5432:app:deploy:<w16>"],
  ["web-key", '{"kty":"EC","crv":"P-256","x":"eHg","y":"eXk","d":"<u43>"}'],
  ["netrc-password", "machine api.corp.dev login deploy password <w16>"],
  [
    "command-password",
    "curl -u deploy:<w16> https://corp.dev",
    "sshpass -p <w12> ssh corp",
    "docker login -u bot -p <w16> r.corp.dev",
    "mysql -u app -p<w16> shop",
  ],
]

/** These kinds have no format of their own: they follow their name in every placement. */
const NAMED: readonly (readonly [kind: string, name: string, shape: string])[] = [
  ["password", "DB_PASSWORD", "<p16>"],
  ["password", "smtp_pass", "<p14>"],
  ["password", "db_pw", "<p14>"],
  ["api-key", "DATADOG_API_KEY", "<h32>"],
  ["api-key", "algolia_api_key", "<h32>"],
  ["api-key", "HEROKU_API_KEY", "<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["secret", "AWS_SECRET_ACCESS_KEY", "<b40>"],
  ["secret", "client_secret", "<u32>"],
  ["token", "AWS_SESSION_TOKEN", "<b280>"],
  ["token", "TWILIO_AUTH_TOKEN", "<h32>"],
  ["token", "//r.corp.dev/:_authToken", "<h8>-<h4>-<h4>-<h4>-<h12>"],
  ["token", "VAULT_TOKEN", "s.<w24>"],
  ["token", "AZURE_DEVOPS_PAT", "<l52>"],
  ["private-key", "ETH_PRIVATE_KEY", "0x<h64>"],
  ["encryption-key", "RAILS_MASTER_KEY", "<h32>"],
]

export type Specimens = () => readonly Specimen[]

/** Generates fakes of all kinds, different ones with each call; the same seed repeats them. */
export function createSpecimens(from: number): Specimens {
  const next = mulberry(from)
  const fill = (shape: string) => filled(shape, next)
  return () => [
    ...SHAPES.flatMap(([kind, ...shapes]) => shapes.map((it) => ({ kind, ...fill(it) }))),
    ...NAMED.map(([kind, name, shape]) => ({ kind, name, ...fill(shape) })),
    ...built(fill),
  ]
}

type FilledTemplate = { readonly value: string; readonly draws: readonly string[] }

function filled(shape: string, next: () => number): FilledTemplate {
  const draws: string[] = []
  const value = shape.replace(/<([a-z])(\d+)>/g, (_, alphabet: string, count: string) => {
    const letters = ALPHABETS[alphabet] ?? ""
    const pick = () => letters[Math.floor(next() * letters.length)]
    draws.push(Array.from({ length: Number(count) }, pick).join(""))
    return draws.at(-1) ?? ""
  })
  return { value, draws }
}

function mulberry(from: number): () => number {
  let state = from
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Kinds that consist of parts: key blocks, web tokens, Discord tokens, base64 logins. */
function built(fill: (shape: string) => FilledTemplate): readonly Specimen[] {
  const encoded = (text: string) => Buffer.from(text).toString("base64url")
  const block = (label: string, lines: number) => ({
    kind: "private-key",
    ...fill(`-----BEGIN ${label}-----\n${"<b64>\n".repeat(lines)}<b43>=\n-----END ${label}-----`),
  })
  const login = Buffer.from(fill("robot:<w20>").value).toString("base64")
  // Without the common prefix, which is not secret.
  const draws = [login.slice(8)]
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
    { kind: "web-token", ...withDraw(fill(`${header}.${claims}.<u43>`), claims.slice(12)) },
    { kind: "discord-token", ...withDraw(fill(`${id}.<u6>.<u38>`), id) },
    { kind: "docker-login", value: `{"auths":{"ghcr.io":{"auth":"${login}"}}}`, draws },
    { kind: "basic-authorization", value: `Authorization: Basic ${login}`, draws },
  ]
}

function withDraw({ value, draws }: FilledTemplate, draw: string): FilledTemplate {
  return { value, draws: [...draws, draw] }
}
