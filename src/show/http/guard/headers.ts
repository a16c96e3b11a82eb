import { createHash } from "node:crypto"

/** The page loads from its own origin only: nothing inline, nothing foreign, no plugins. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ")

/** On every response, refusals included. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}

/**
 * The headers of the page that lays out diagrams of untrusted text. It has no origin, hence no
 * session and no storage; it loads nothing, runs only its own script, and may set styles. Only our
 * pages may frame it. The script is allowed by hash, because an address would allow every file of
 * ours.
 */
export function diagramHeaders(page: Buffer): Readonly<Record<string, string>> {
  const script = page.subarray(page.indexOf(OPENS) + OPENS.length, page.lastIndexOf("</script>"))
  const hash = createHash("sha256").update(script).digest("base64")
  return {
    "content-security-policy": [
      "sandbox allow-scripts",
      "default-src 'none'",
      `script-src 'sha256-${hash}'`,
      "style-src 'unsafe-inline'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ].join("; "),
    "x-frame-options": "SAMEORIGIN",
  }
}

const OPENS = "<script>"
