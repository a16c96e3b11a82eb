import { once } from "#ground/base"
import { entropyBits, isPlaceholder, plainness, sampleOf } from "./likeness.ts"
import { bounded, patternRule, type Rule } from "./rule.ts"

const W = "[A-Za-z0-9]"
const U = "[A-Za-z0-9_-]"
const H = "[0-9a-f]"
const UUID = `${H}{8}-${H}{4}-${H}{4}-${H}{4}-${H}{12}`

/**
 * Keys with a distinctive prefix: kind, prefixes, body. The formats are those that vendors document
 * or that can be seen in a key.
 */
export const VENDORS: readonly (readonly [kind: string, prefixes: string, body: string])[] = [
  ["adafruit-key", "aio_", `${W}{28}`],
  ["airtable-token", "pat", `${W}{14}\\.${H}{64}`],
  ["alibaba-key-id", "LTAI", `${W}{16,26}`],
  ["anthropic-key", "sk-ant-", `${U}{32,}`],
  ["apify-token", "apify_api_", `${W}{36}`],
  ["artifactory-key", "AKCp", `${W}{60,}`],
  ["atlassian-token", "ATATT3 ATCTT3", "[A-Za-z0-9_=-]{50,}"],
  ["aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{100,}={0,2}"],
  ["aws-key-id", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}"],
  ["bitbucket-password", "ATBB", "[A-Za-z0-9_=]{24,}"],
  ["brevo-key", "xkeysib-", `${H}{64}-${W}{16}`],
  ["buildkite-token", "bkua_", `${H}{40}`],
  ["cerebras-key", "csk-", `${W}{40,}`],
  ["circleci-token", "CCIPAT_", `${W}{22}_${H}{40}`],
  ["clickup-token", "pk_", "[0-9]{5,12}_[A-Z0-9]{32}"],
  ["clojars-token", "CLOJARS_", `${H}{60}`],
  ["cloudflare-ca-key", "v1.0-", `${H}{24}-${H}{146}`],
  ["contentful-token", "CFPAT-", `${U}{43}`],
  ["crates-token", "cio", `${W}{32}(?!${W})`],
  ["databricks-token", "dapi", `${H}{32}`],
  ["deno-token", "ddp_ ddw_", `${W}{36}`],
  ["digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", `${H}{64}`],
  ["docker-token", "dckr_pat_ dckr_oat_", `${U}{20,}`],
  ["doppler-token", "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.", "[A-Za-z0-9_.-]{40,}"],
  ["dropbox-token", "sl.", `${U}{100,}`],
  ["duffel-token", "duffel_live_ duffel_test_", `${U}{43}`],
  ["dynatrace-token", "dt0c01. dt0s01.", "[A-Z2-7]{24}\\.[A-Z2-7]{64}"],
  ["e2b-key", "e2b_", `${H}{40}`],
  ["easypost-key", "EZAK EZTK", `${W}{54}`],
  ["elevenlabs-key", "sk_", `${H}{48}`],
  ["facebook-token", "EAA", `${W}{80,}`],
  ["figma-token", "figd_", `${U}{40,}`],
  ["firecrawl-key", "fc-", `${H}{32}(?!${W})`],
  ["fireworks-key", "fw_", `${W}{20,}`],
  ["flutterwave-key", "FLWSECK- FLWSECK_TEST-", `${H}{32}-X`],
  ["fly-token", "fo1_ fm1r_ fm2_", "[A-Za-z0-9_+/=,-]{40,}"],
  ["frameio-token", "fio-u-", `${U}{64}`],
  ["github-app-token", "ghu_ ghs_", "[A-Za-z0-9_]{30,}"],
  ["github-fine-grained-token", "github_pat_", "[A-Za-z0-9_]{50,}"],
  ["github-oauth-token", "gho_", "[A-Za-z0-9_]{30,}"],
  ["github-refresh-token", "ghr_", "[A-Za-z0-9_]{30,}"],
  ["github-token", "ghp_", "[A-Za-z0-9_]{30,}"],
  ["gitlab-agent-token", "glagent-", `${U}{40,}`],
  ["gitlab-deploy-token", "gldt-", `${U}{20,}`],
  ["gitlab-feature-token", "glffct-", `${U}{20,}`],
  ["gitlab-feed-token", "glft-", `${U}{20,}`],
  ["gitlab-job-token", "glcbt-", `${U}{20,}`],
  ["gitlab-mail-token", "glimt-", `${U}{20,}`],
  ["gitlab-oauth-secret", "gloas-", `${H}{64}`],
  ["gitlab-registration-token", "GR1348941", `${U}{20,}`],
  ["gitlab-runner-token", "glrt-", "[A-Za-z0-9_.-]{20,}"],
  ["gitlab-scim-token", "glsoat-", `${U}{20,}`],
  ["gitlab-token", "glpat-", "[A-Za-z0-9_.-]{20,}"],
  ["gitlab-trigger-token", "glptt-", `${U}{40,}`],
  ["google-client-secret", "GOCSPX-", `${U}{28}`],
  ["google-key", "AIza", `${U}{35}`],
  ["google-refresh-token", "1//0", `${U}{30,}`],
  ["google-token", "ya29.", "[A-Za-z0-9_.-]{30,}"],
  ["grafana-cloud-token", "glc_", "[A-Za-z0-9+/=]{32,}"],
  ["grafana-token", "glsa_", `${W}{32}_[0-9a-fA-F]{8}`],
  ["groq-key", "gsk_", `${W}{40,}`],
  ["heroku-key", "HRKU-", `${U}{30,}`],
  ["honeycomb-key", "hcaik_ hcamk_", "[a-z0-9]{40,}"],
  ["hubspot-token", "pat-na1- pat-na2- pat-eu1-", UUID],
  ["huggingface-token", "hf_ api_org_", `${W}{30,}`],
  ["infracost-key", "ico-", `${W}{32}`],
  ["jina-key", "jina_", `${U}{50,}`],
  ["langfuse-key", "sk-lf-", UUID],
  ["langsmith-key", "lsv2_pt_ lsv2_sk_", "[0-9a-f_]{32,}"],
  ["launchdarkly-key", "sdk- api- mob-", UUID],
  ["linear-token", "lin_api_ lin_oauth_ lin_wh_", `${W}{32,}`],
  ["mailgun-key", "key-", `${H}{32}(?!${W})`],
  ["mapbox-token", "sk.eyJ", "[A-Za-z0-9_-]{40,}\\.[A-Za-z0-9_-]{20,}"],
  ["mongodb-atlas-secret", "mdb_sa_sk_", `${U}{30,}`],
  ["neon-key", "napi_", "[a-z0-9]{40,}"],
  ["netlify-token", "nfp_", `${W}{36,}`],
  ["newrelic-key", "NRAK- NRII- NRJS-", `${U}{19,}`],
  ["notion-token", "ntn_ secret_", `${W}{40,}`],
  ["npm-token", "npm_", `${W}{36,}`],
  ["nuget-key", "oy2", "[a-z0-9]{43}(?![A-Za-z0-9])"],
  ["nvidia-key", "nvapi-", `${U}{50,}`],
  ["onepassword-token", "ops_eyJ", `${U}{80,}`],
  ["openai-key", "sk-proj- sk-svcacct- sk-admin-", `${U}{40,}`],
  ["openai-key", "sk-", `${W}{32,}`],
  ["openrouter-key", "sk-or-v1-", `${H}{64}`],
  ["perplexity-key", "pplx-", `${W}{40,}`],
  ["pinecone-key", "pcsk_", "[A-Za-z0-9_]{40,}"],
  ["plaid-token", "access-production- access-sandbox- access-development-", UUID],
  ["planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[A-Za-z0-9_.=-]{32,}"],
  ["posthog-key", "phx_", `${W}{40,}`],
  ["postman-key", "PMAK-", `${H}{24}-${H}{34}`],
  ["prefect-key", "pnu_ pnb_", `${W}{36}`],
  ["pulumi-token", "pul-", `${H}{40}`],
  ["pypi-token", "pypi-", `${U}{50,}`],
  ["razorpay-key", "rzp_live_ rzp_test_", `${W}{14,}`],
  ["readme-key", "rdme_", "[a-z0-9]{70}"],
  ["render-key", "rnd_", `${W}{28,}`],
  ["replicate-token", "r8_", `${W}{36,}`],
  ["resend-key", "re_", `${W}{8}_${W}{20,}`],
  ["rubygems-key", "rubygems_", `${H}{48}`],
  ["runpod-key", "rpa_", "[A-Za-z0-9]{40,}"],
  ["scalingo-token", "tk-us-", `${U}{48}`],
  ["sendgrid-key", "SG.", `${U}{22}\\.${U}{43}`],
  ["sentry-token", "sntrys_ sntryu_", "[A-Za-z0-9_+/=.-]{40,}"],
  ["shippo-token", "shippo_live_ shippo_test_", `${H}{40}`],
  ["shopify-token", "shpat_ shpca_ shppa_ shpss_", `${H}{32}`],
  ["slack-app-token", "xapp-", "[A-Za-z0-9-]{30,}"],
  ["slack-config-token", "xoxe.xoxp- xoxe-", "[A-Za-z0-9-]{30,}"],
  ["slack-session-token", "xoxc- xoxd- xoxs-", "[A-Za-z0-9%/+_-]{30,}"],
  ["slack-token", "xoxb- xoxp- xoxa- xoxr-", "[A-Za-z0-9-]{24,}"],
  ["sonar-token", "squ_ sqp_ sqa_", `${H}{40}`],
  ["sourcegraph-token", "sgp_", "[A-Za-z0-9_]{40,}"],
  ["square-access-token", "EAAA", `${U}{60}(?!${U})`],
  ["square-token", "sq0atp- sq0csp-", `${U}{22,}`],
  ["stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", `${W}{16,}`],
  ["stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/]{24,}={0,2}"],
  ["supabase-secret", "sb_secret_", `${U}{20,}`],
  ["supabase-token", "sbp_", `${H}{40}`],
  ["tailscale-key", "tskey-auth- tskey-api- tskey-client-", "[A-Za-z0-9-]{20,}"],
  ["tavily-key", "tvly-", `${U}{20,}`],
  ["tencent-key-id", "AKID", `${W}{32}`],
  ["together-key", "tgp_v1_", `${U}{40,}`],
  ["twilio-key", "SK", `${H}{32}(?!${W})`],
  ["typeform-token", "tfp_", "[A-Za-z0-9_.-]{40,}"],
  ["vault-token", "hvs. hvb. hvr.", `${U}{24,}`],
  // Address of our own gateway: it allows requests to a provider through Quartermaster.
  ["quartermaster-address", "qmgw_", `${H}{48}`],
  ["quartermaster-key", "qmp_ qms_ qml_", `${U}{43}`],
  ["vercel-gateway-key", "vck_", `${W}{40,}`],
  ["vercel-token", "vercel_blob_rw_", "[A-Za-z0-9_]{24,}"],
  ["xai-key", "xai-", `${W}{60,}`],
  ["age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"],
]

/** A random key has at least 3.3 bits per character from sixteen characters on. */
const FEWEST_BITS = 2.5
/** Names such as `npm_config_…` begin like a key and continue in words. */
const MOST_PLAIN = 0.85

export const VENDOR_RULES: readonly Rule[] = VENDORS.map(([kind, prefixes, body]) => {
  const starts = prefixes.split(" ")
  // Made at the first keyword in a text: most texts have none of them.
  const pattern = once(() => {
    const heads = starts.map((it) => `${leftEdge(it)}${RegExp.escape(it)}`)
    return new RegExp(`(?<prefix>${heads.join("|")})(?:${bounded(body)})`, "y")
  })
  return patternRule({
    kind,
    keywords: starts.map((it) => it.toLowerCase()),
    get pattern() {
      return pattern()
    },
    isSecret({ secret, groups }) {
      const random = sampleOf(secret.slice(groups["prefix"]?.length ?? 0))
      if (entropyBits(random) < FEWEST_BITS || isPlaceholder(random)) return false
      return plainness(random) <= MOST_PLAIN
    },
  })
})

/**
 * `hf_` also ends `shelf_`: short prefixes count only at the start of a word. Base64 has no word
 * starts: not after a plus, unless it is the plus of a diff, and not after a slash in a long run.
 */
function leftEdge(prefix: string): string {
  const isTelling = prefix.length >= 5 || /^gh[oprsu]_$/.test(prefix)
  return isTelling ? "" : "(?<![A-Za-z0-9]|[A-Za-z0-9/]\\+|[A-Za-z0-9+/]{16}/)"
}
