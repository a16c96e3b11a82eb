import { expect, test } from "vitest"
import { superlinearReason } from "../../scripts/tidy/linear-pattern.ts"

const SUPERLINEAR: readonly RegExp[] = [
  /(a+)+$/,
  /(?:a|a)*b/,
  /(?:a|aa)+$/,
  /(?:\w+\s?)*!/,
  /(?:[a-z]{1,40}){0,40}!/,
  /\s+$/,
  /\d*\.?\d+x/,
  /^(.*),(.*),(.*)x$/,
  /<!--[^]*?-->/,
  /"(?:[^"\\]|\\.)*"/,
  /(?=[\p{L}_]*[^\p{ASCII}])[\p{L}_]+/u,
  /(?!\w*!)x/,
  /(?<=a.*)b/,
  /a(?:.*b)?/g,
  /^\s*key\s*=/m,
  /.{0,5000}x/,
]

const LINEAR: readonly RegExp[] = [
  /\s+/g,
  /(?<!\s)\s+$/,
  /^\s+/,
  /\d+(?:\.\d+)?/,
  /<[^<>]*>/,
  /"(?:[^"\\]|\\.)*"?/g,
  /[\p{L}\p{N}]+(?:['-][\p{L}\p{N}]+)*/gu,
  /^(.+?)(?: of ([^]+))?$/,
  /\bkey\b[ \t]{0,200}=/,
  /(a+)+/,
  /^---\n([^]*?)\n---\n/,
  /\w+@\w+/y,
  /(?:[a-z]{2,20}-){0,50}by/,
]

test.each(SUPERLINEAR)("[H1][TIDY-13] %s is refused", (pattern) => {
  expect(superlinearReason(pattern.source, pattern.flags)).toMatch(
    /polynomial|exponential|backwards/,
  )
})

test.each(LINEAR)("[TIDY-13] %s is accepted", (pattern) => {
  expect(superlinearReason(pattern.source, pattern.flags)).toBeUndefined()
})
