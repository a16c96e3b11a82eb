import { createHash } from "node:crypto"
import type { KbDocument } from "#ground/contract"

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

/**
 * The headers of a document's file. A PDF opens in the viewer of the browser, which needs to embed
 * it; everything else is plain text or a download. Nothing of a file runs as a page of ours.
 */
export function originalHeaders(
  file: string,
  format: KbDocument["format"],
): Readonly<Record<string, string>> {
  const name = (file.split("/").at(-1) ?? "").replaceAll(/[^\w.-]/g, "_")
  const isInline = format !== "docx"
  return {
    "content-type": ORIGINAL_TYPES[format],
    "content-disposition": `${isInline ? "inline" : "attachment"}; filename="${name}"`,
    "cache-control": "no-store",
    "content-security-policy": [
      ...(format === "pdf" ? [] : ["sandbox"]),
      "default-src 'none'",
      ...(format === "pdf" ? ["object-src 'self'", "style-src 'unsafe-inline'"] : []),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  }
}

const ORIGINAL_TYPES: Readonly<Record<KbDocument["format"], string>> = {
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  markdown: "text/plain; charset=utf-8",
  html: "text/plain; charset=utf-8",
  text: "text/plain; charset=utf-8",
  code: "text/plain; charset=utf-8",
}
