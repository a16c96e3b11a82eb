import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { matchesAnywhere, matchesExactly } from "./command-pattern.ts"

test.each([
  ["git status", "git status", true],
  ["git status", "git status --short", false],
  ["git status", "git statusx", false],
  ["git status *", "git status", true],
  ["git status *", "git status --short 'a b'", true],
  ["git status *", "git statusx", false],
  ["git *", "gitea list", false],
  ["git *", "git; rm x", false],
  ["git *", "git log | sh", false],
  ["git *", "git log\nrm x", false],
  ["git *", "git log > x", false],
  ["git *", "git log $(rm x)", false],
  ["git *", "git log `rm x`", false],
  ["git *", "git log & rm x", false],
  ["git *", "git log \\\nrm", false],
  ["git *", "git log \u2028rm", false],
  ["*", "make all", true],
  ["*", "make all && rm x", false],
  ["a && b", "a && b", true],
  ["a && b", "a && b && c", false],
  ["a && b *", "a && b c", true],
  ["ls", "", false],
] as const)("[AGENTS-40] an allow rule for %j allows %j: %s", (pattern, command, isAllowed) => {
  expect(matchesExactly(pattern, command)).toBe(isAllowed)
})

test.each([
  ["rm *", "rm -rf x", true],
  ["rm *", "rm", true],
  ["rm *", "rm -rf x ; true", true],
  ["rm *", "cd x && rm -rf y", true],
  ["rm *", 'bash -c "rm -rf y"', true],
  ["rm *", "echo $(rm y)", true],
  ["rm *", "A=1 sudo rm y", true],
  ["rm *", "/bin/rm y", true],
  ["rm *", "true\nrm   y", true],
  ["rm *", "find . | xargs rm -f", true],
  ["rm *", "rmdir y", false],
  ["rm *", "grep rm y", true],
  ["rm *", "sudo -n rm -rf x", true],
  ["rm *", "env -i rm x", true],
  ["rm *", "timeout 5 rm x", true],
  ["rm *", "find . -print0 | xargs -0 rm", true],
  ["rm *", "find . -name '*.o' -exec rm {} +", true],
  ["rm *", "parallel --run=rm x", true],
  ["rm *", "r'm' x", true],
  ["rm *", "\\rm x", true],
  ["rm *", "nice -n 5 /usr/bin/rm x", true],
  ["rm *", "farm x", false],
  ["rm *", "rm-old x", false],
  ["git push *", 'git "push" origin', true],
  ["git push *", "timeout 5 git   push origin", true],
  ["git push *", "git pushx", false],
  ["git push", "sudo -n git push", true],
  ["git push", "git push", true],
  ["git push", "git add . && git push", true],
  ["git push", "git push --force", false],
  ["*", "anything", true],
] as const)("[AGENTS-40] a deny rule for %j matches %j: %s", (pattern, command, isStopped) => {
  expect(matchesAnywhere(pattern, command)).toBe(isStopped)
})

const word = fc.stringMatching(/^[a-z][a-z0-9./=-]{0,8}$/)
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((it) => it.join(" "))
const operator = fc.constantFrom(..."; & | < > $ ( ) ` { } \\ && || \n \r \u0000 \u2028".split(" "))

test("[AGENTS-40] nothing appended to an allowed command gives another allowed command", () => {
  const property = fc.property(words, fc.string(), operator, (allowed, text, sign) => {
    const longer = `${allowed}${text}${sign}${text}`
    expect(matchesExactly(allowed, longer)).toBe(false)
    expect(matchesExactly(`${allowed} *`, longer)).toBe(false)
    expect(matchesExactly("*", longer)).toBe(false)
  })
  fc.assert(property, fcParameters({ numRuns: 1_000 }))
})

test("[AGENTS-40] an allowed prefix matches whole words and is not followed by a shell operator", () => {
  const rest = fc.string({ unit: fc.constantFrom(..." abc-'\"/.=;&|<>$()`{}\\\n\t".split("")) })
  const property = fc.property(words, rest, (begin, behind) => {
    const isAllowed = matchesExactly(`${begin} *`, `${begin}${behind}`)
    const isPlain = behind === "" || /^ [^;&|<>$()`{}\\\n\t]*$/.test(behind)
    expect(isAllowed).toBe(isPlain)
  })
  fc.assert(property, fcParameters({ numRuns: 2_000 }))
})
