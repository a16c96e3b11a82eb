import type { Claim } from "./claims.ts"

/** A short remark occurs in many long sentences, so the longer one counts too. */
const LEAST_OF_LONGER_SHARE = 0.3

const SAME_MATTER_SHARE_WITH_TWO = 0.5

/** Share of the shorter statement's words that must be in both. */
const SAME_MATTER_SHARE = 0.6

type Opposition = {
  readonly kind: "polarity" | "number" | "modality"
  readonly entities: readonly string[]
}

export function opposedBy(one: Claim, other: Claim): Opposition | undefined {
  const shared = inBoth(one.about, other.about)
  if (shared.length === 0 || !isSameCase(one, other)) return undefined
  if (!isSameMatter(one, other, shared.length)) return undefined
  const kind = kindOf(one, other)
  return kind === undefined ? undefined : { kind, entities: shared }
}

/** Before and after, class A and class B, or two different conditions may both be true. */
function isSameCase(one: Claim, other: Claim): boolean {
  const hasOwn = onlyIn(one.about, other.about) && onlyIn(other.about, one.about)
  const isOtherCase = one.cases.size + other.cases.size > 0 && !isEqual(one.cases, other.cases)
  return !hasOwn && !isOtherCase && isSameCondition(one, other)
}

/** A rule and its exception agree, unless one says never or always. */
function isSameCondition(one: Claim, other: Claim): boolean {
  if (one.isAbsolute || other.isAbsolute) return true
  const fewer = Math.min(one.condition.size, other.condition.size)
  const more = Math.max(one.condition.size, other.condition.size)
  const shared = inBoth(one.condition, other.condition).length
  return more === 0 || (fewer > 0 && shared >= more * SAME_MATTER_SHARE)
}

function isSameMatter(one: Claim, other: Claim, entities: number): boolean {
  const shared = inBoth(one.words, other.words).length
  const shorter = Math.min(one.words.size, other.words.size)
  const longer = Math.max(one.words.size, other.words.size)
  const bar = entities > 1 ? SAME_MATTER_SHARE_WITH_TWO : SAME_MATTER_SHARE
  // "The Berth Window has four hours": only entities and figures.
  if (longer === 0) return true
  return shared > 0 && shared >= shorter * bar && shared >= longer * LEAST_OF_LONGER_SHARE
}

function kindOf(one: Claim, other: Claim): Opposition["kind"] | undefined {
  if (one.isNegated === other.isNegated && hasOtherNumber(one, other)) return "number"
  // "A fee for tugs" and "no fee for pilots" agree: each names another thing.
  if (hasOwnMatter(one, other) && hasOwnMatter(other, one)) return undefined
  if (isOpposedForce(one, other)) return "modality"
  const isPlain = one.force === "plain" || other.force === "plain"
  const isDenied = isPlain && one.isNegated !== other.isNegated && !isFreed(one, other)
  return isDenied ? "polarity" : undefined
}

function hasOwnMatter(one: Claim, other: Claim): boolean {
  return onlyIn(one.words, other.words) || onlyIn(one.about, other.about)
}

const OPPOSED: ReadonlySet<string> = new Set(["must|must not", "may|must not", "must|need not"])

function isOpposedForce(one: Claim, other: Claim): boolean {
  return OPPOSED.has(`${one.force}|${other.force}`) || OPPOSED.has(`${other.force}|${one.force}`)
}

/** "Need not be booked" and "is booked" may both be true. */
function isFreed(one: Claim, other: Claim): boolean {
  return one.force === "need not" || other.force === "need not"
}

/** Exactly one figure differs; with two, it is another row of a table. */
function hasOtherNumber(one: Claim, other: Claim): boolean {
  let differing = 0
  for (const [unit, values] of one.values) {
    const others = other.values.get(unit)
    if (others === undefined) return false
    if (![...values].some((value) => others.has(value))) differing++
  }
  return differing === 1 && other.values.size === one.values.size
}

function inBoth(one: ReadonlySet<string>, other: ReadonlySet<string>): readonly string[] {
  const [fewer, more] = one.size <= other.size ? [one, other] : [other, one]
  return [...fewer].filter((key) => more.has(key))
}

function onlyIn(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((key) => !other.has(key))
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && !onlyIn(one, other)
}
