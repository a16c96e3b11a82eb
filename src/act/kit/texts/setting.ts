import { SettingsInvalid } from "../errors.ts"
import { isFields, readFields, removeAt, setAt } from "./json-text.ts"
import { type Editor, withMark } from "./text.ts"

/** One setting of a config file of our own, e.g. `kit.level`. */
export function settingEditor(file: {
  readonly path: string
  readonly section: string
  readonly name: string
  readonly value: number
}): Editor {
  const at = [file.section, file.name]
  return withMark({
    isKnownByItself: false,
    add(text) {
      const start = text === undefined || text.trim() === "" ? "{}\n" : text
      readSetting(file, start)
      return setAt(start, at, file.value)
    },
    strip(text, before) {
      if (readSetting(file, text) === undefined) return text
      const had = before === undefined ? undefined : readSetting(file, before)
      const after = had === undefined ? removeAt(text, at) : setAt(text, at, had)
      const section = readFields(file.path, after)[file.section]
      const isEmpty = isFields(section) && Object.keys(section).length === 0
      const wasThere = before !== undefined && readFields(file.path, before)[file.section]
      const rest = isEmpty && !wasThere ? removeAt(after, [file.section]) : after
      const isLeft = Object.keys(readFields(file.path, rest)).length > 0
      return isLeft || before !== undefined ? rest : undefined
    },
  })
}

/** What the file itself says, if it says anything. */
export function readSetting(
  file: { readonly path: string; readonly section: string; readonly name: string },
  text: string,
): unknown {
  const section = readFields(file.path, text)[file.section]
  if (section === undefined) return undefined
  if (isFields(section)) return section[file.name]
  throw SettingsInvalid({ path: file.path, wrong: `"${file.section}" is not an object` })
}
