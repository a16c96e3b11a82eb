import { visible } from "#ground/base"

type KeyInput = {
  readKey(signal: AbortSignal): Promise<string | undefined>
  readonly signal: AbortSignal
  echo(key: string): void
  end(): void
}

const ERASE = "\b \b"

/** Undefined if the user cancelled. */
export async function readTyped({
  readKey,
  signal,
  echo,
  end,
}: KeyInput): Promise<string | undefined> {
  let text = ""
  for (;;) {
    const typed = await readKey(signal)
    if (typed === undefined) return undefined
    for (const key of typed) {
      if (key === "\r" || key === "\n") {
        end()
        return text
      }
      const isErase = key === "\u007f" || key === "\b"
      if (isErase && text !== "") echo(ERASE)
      text = isErase ? Array.from(text).slice(0, -1).join("") : text + key
      // A paste may contain anything; the screen gets escaped text.
      if (!isErase) echo(visible(key))
    }
  }
}
