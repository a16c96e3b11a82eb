import { mkdirSync, writeFileSync } from "node:fs"
import { files, type HostileCase, type HostileCases, readable, TEXT } from "./case.ts"

/** Hostile names that must be read like any other file name. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  newline: ["new\nline"],
  "carriage-return": ["carriage\rreturn"],
  tab: ["tab\t"],
  "clears-a-terminal": ["clear\u001b[2J"],
  "copies-to-a-clipboard": ["copy\u001b]52;c;eA==\u0007"],
  "single-byte-control": ["c1\u009b31m"],
  "right-to-left": ["right\u202eleft"],
  "zero-width": ["zero\u200bwidth", "zerowidth"],
  "unicode-tags": ["tags\u{e0041}\u{e0042}"],
  "composed-twins": ["caf\u00e9", "cafe\u0301"],
  "case-twins": ["Case", "case"],
  "like-an-option": ["-rf", "--", "--output=x"],
  backslash: ["a\\b", "..\\..\\b"],
  "device-of-windows": ["con", "nul.txt", "COM1"],
  "ends-with-space": ["space "],
  "ends-with-dot": ["dot."],
  longest: ["n".repeat(255)],
  prototype: ["__proto__.json", "__proto__", "constructor"],
  "percent-escapes": ["..%2fpasswd", "%00"],
  "dots-alone": ["...", "..f"],
  "runs-in-a-shell": ["$(touch pwned)", "`touch pwned`", ";touch pwned;", "|touch pwned"],
  markup: ["<img src=x onerror=alert(1)>", "](javascript:alert(1))"],
  "short-name-of-windows": ["git~1"],
}

/** A name of bytes that are not UTF-8: decoded as text, it would not lead to the file. */
const notUtf8: HostileCase = (folder) => {
  const bad = (text: string) => Buffer.concat([Buffer.from(`${folder}/${text}`), BAD_BYTES])
  writeFileSync(bad("file"), TEXT)
  mkdirSync(bad("folder"))
  writeFileSync(Buffer.concat([bad("folder"), Buffer.from("/inner")]), TEXT)
  return { "file\\xff\\xfe": "name-not-utf8", "folder\\xff\\xfe": "name-not-utf8" }
}

const BAD_BYTES = Buffer.from([0xff, 0xfe])

export const NAME_CASES: HostileCases = {
  ...Object.fromEntries(
    Object.entries(NAMES).map(([name, all]) => [
      `name-${name}`,
      readable(Object.fromEntries(all.map((it) => [it, TEXT]))),
    ]),
  ),
  "name-not-utf8": notUtf8,
  "name-almost-git": readable({ ".git /config": TEXT, ".git./config": TEXT, ".gitx/config": TEXT }),
  // A case-insensitive disk treats it as git's own folder.
  "name-git-in-capitals": files(
    { ".GIT/config": TEXT, ".GIT/hooks/x": TEXT },
    { ".GIT/config": "not seen", ".GIT/hooks/x": "not seen" },
  ),
}
