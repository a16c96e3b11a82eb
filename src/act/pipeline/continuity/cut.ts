/** On one line and at most so long; a character is never cut in half. */
export function oneLine(text: string, mostCharacters: number): string {
  return cut(text.replace(/\s+/gu, " ").trim(), mostCharacters)
}

export function cut(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text
  return `${text.slice(0, mostCharacters - 1).replace(/[\ud800-\udbff]$/, "")}…`
}
