const COMMON = new Set(
  (
    "a about after again all also an and any are as at be because been before being below between " +
    "both but by can could did do does doing down during each few for from further had has have " +
    "having he her here hers him his how i if in into is it its just may me might more most must " +
    "my no nor not now of off on once only or other our out over own same shall she should so " +
    "some such than that the their them then there these they this those through to too under " +
    "until up upon very was we were what when where which while who whom why will with would " +
    "you your"
  ).split(" "),
)

export function contentWords(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  return new Set(words.filter((it) => !COMMON.has(it)).map(stem))
}

export function shareOfWords(words: ReadonlySet<string>, others: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : words.intersection(others).size / words.size
}

/** Enough to match `amendments` with `amended`; a full stemmer would also join different words. */
function stem(word: string): string {
  const bare = word.replace(/['’]s$/, "").replaceAll("-", "")
  for (const ending of ["ments", "ment", "ings", "ing", "ies", "ed", "es", "s", "e", "y"]) {
    const isLongEnough = bare.length - ending.length >= 4
    if (isLongEnough && bare.endsWith(ending)) return bare.slice(0, -ending.length)
  }
  return bare
}
