import { withoutHiddenSigns } from "#ground/base"

/** Text as XML may hold it: signs it does not know are left out, its own signs are escaped. */
export function escapeXml(text: string): string {
  return withoutHiddenSigns(text.toWellFormed())
    .replace(NOT_IN_XML, "")
    .replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? "")
}

const NOT_IN_XML = /[\ufffe\uffff]/g
const ESCAPED: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
}
