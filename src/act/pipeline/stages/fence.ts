/**
 * Texts of documents, of the web, of models and of people stand between fences, so that a model
 * can tell material from what it is asked. No text ends its own fence.
 */
export function fence(name: string, text: string): string {
  return `${opening(name)}${text.replace(/<(?=\/?data\b)/gi, "&lt;")}${CLOSING}`
}

/** What stands between the fences of a name; undefined when a prompt has none. */
export function readFence(prompt: string, name: string): string | undefined {
  const start = prompt.indexOf(opening(name))
  if (start === -1) return undefined
  const from = start + opening(name).length
  const end = prompt.indexOf(CLOSING, from)
  if (end === -1) return undefined
  return prompt.slice(from, end).replace(/&lt;(?=\/?data\b)/gi, "<")
}

const CLOSING = "\n</data>"

const opening = (name: string): string => `<data name="${name}">\n`
