import type { LANGUAGE_NAMES } from "#know/map"

type LanguageName = (typeof LANGUAGE_NAMES)[number]

export type RiskPattern = {
  readonly rule: string
  readonly severity: "high" | "medium" | "low"
  readonly languages: readonly LanguageName[]
  /** Matched against one line without its comment. */
  readonly pattern: RegExp
  readonly detail: string
}

const SCRIPTS: readonly LanguageName[] = ["javascript", "typescript", "tsx"]
const MANAGED: readonly LanguageName[] = ["java", "kotlin", "scala", "csharp"]

/** Calls that need a reason. Each pattern is a fixed word near a fixed word, so it is linear. */
export const RISK_PATTERNS: readonly RiskPattern[] = [
  {
    rule: "dynamic-code",
    severity: "high",
    languages: SCRIPTS,
    pattern: /(?:^|[^\w.$])(?:eval|new Function)\(/,
    detail: "executes a string as code",
  },
  {
    rule: "dynamic-code",
    severity: "high",
    languages: ["python", "php", "ruby"],
    pattern: /(?:^|[^\w.$])(?:eval|exec)\(/,
    detail: "executes a string as code",
  },
  {
    rule: "shell-command",
    severity: "high",
    languages: SCRIPTS,
    pattern: /(?:^|[^\w.$])(?:exec|execSync)\(\s{0,4}[`]|shell:\s{0,4}true/,
    detail: "a shell interprets the command, so a value in it can add another command",
  },
  {
    rule: "shell-command",
    severity: "high",
    languages: ["python"],
    pattern: /shell\s{0,4}=\s{0,4}True|os\.system\(|os\.popen\(/,
    detail: "a shell interprets the command, so a value in it can add another command",
  },
  {
    rule: "shell-command",
    severity: "medium",
    languages: ["php", "ruby"],
    pattern: /(?:^|[^\w.$>])(?:shell_exec|passthru|system|popen)\(/,
    detail: "a shell interprets the command, so a value in it can add another command",
  },
  {
    rule: "tls-off",
    severity: "high",
    languages: [...SCRIPTS, "python", "go", "ruby", "php"],
    pattern:
      /rejectUnauthorized:\s{0,4}false|NODE_TLS_REJECT_UNAUTHORIZED|verify\s{0,4}=\s{0,4}False|InsecureSkipVerify:\s{0,4}true|VERIFY_NONE|CURLOPT_SSL_VERIFYPEER/,
    detail: "the certificate of the server is not checked",
  },
  {
    rule: "unsafe-parsing",
    severity: "high",
    languages: ["python"],
    pattern: /pickle\.loads?\(|marshal\.loads?\(|yaml\.load\((?!.{0,200}SafeLoader)/,
    detail: "untrusted input can create any object",
  },
  {
    rule: "unsafe-parsing",
    severity: "high",
    languages: ["php", "ruby", ...MANAGED],
    pattern: /(?:^|[^\w])unserialize\(|Marshal\.load|ObjectInputStream\(|BinaryFormatter\(/,
    detail: "untrusted input can create any object",
  },
  {
    rule: "raw-markup",
    severity: "medium",
    languages: SCRIPTS,
    pattern: /dangerouslySetInnerHTML|\.innerHTML\s{0,4}[+]?=[^=]|document\.write\(/,
    detail: "the text is inserted as HTML and can contain a script",
  },
  {
    rule: "sql-text",
    severity: "high",
    languages: [...SCRIPTS, "python", "go", "php", "ruby", ...MANAGED],
    pattern:
      /(?:(?:^|[^\w)\]>])`|["'])(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s[^"'`]{0,300}(?:["']\s{0,4}[+.]\s{0,4}[$\w]|\$\{|["']\s{0,4}%\s{0,4}\w)|f["'](?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\s[^"']{0,300}\{/,
    detail: "a value is part of the SQL text; use a parameter",
  },
  {
    rule: "weak-hash",
    severity: "low",
    languages: [...SCRIPTS, "python", "go", "php", "ruby", ...MANAGED],
    pattern:
      /createHash\(["'](?:md5|sha1)["']|hashlib\.(?:md5|sha1)\(|md5\.(?:New|Sum)|getInstance\("(?:MD5|SHA-?1)"/,
    detail: "MD5 and SHA-1 are broken: two inputs can be made with the same hash",
  },
  {
    rule: "open-permissions",
    severity: "medium",
    languages: [...SCRIPTS, "python", "go", "ruby", "php", "bash"],
    pattern: /chmod(?:Sync)?\b.{0,120}\b0?o?777\b/,
    detail: "every user may write the file",
  },
  {
    rule: "piped-install",
    severity: "high",
    languages: ["bash"],
    pattern: /(?:curl|wget)\s[^|\n]{0,300}\|\s{0,4}(?:sudo\s)?(?:ba)?sh\b/,
    detail: "executes a downloaded script without verifying it",
  },
]
