import { createHash } from "node:crypto"

/** What the page may load: itself. Nothing inline, nothing foreign, no plugins, own frames. */
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

/** On every answer, refusals included. */
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
 * What differs for the page in which the console lays out diagrams, whose text is hostile. It has
 * no origin, so no session and no storage; it loads nothing, runs the one script that stands in it
 * and nothing else, and may write styles. Only our own pages may frame it.
 *
 * A hash rather than our address as the source of scripts: an address would let any file of ours
 * run, and to a page without an origin our resource policy gives none of them.
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
