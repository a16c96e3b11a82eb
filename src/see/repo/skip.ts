/** Something that was left out, and why. Nothing is left out in silence but what is ignored. */
export type Skip = { readonly path: string; readonly reason: SkipReason }

export type SkipReason = keyof typeof SKIP_REASONS

/** Each reason in words that end the sentence "It was left out: …". */
export const SKIP_REASONS = {
  link: "it is a link, and links are not followed",
  special: "it is no file: a pipe, a socket or a device",
  unreadable: "the system does not let it be read",
  changed: "it changed while it was looked at",
  binary: "it is no text",
  "not-utf8": "its text is not UTF-8",
  "name-not-utf8": "its name is not UTF-8",
  "too-large": "it is larger than text written by hand",
  "too-much-text": "the tree has more text than can be indexed",
  "too-deep": "it lies too many folders deep",
  "too-many-files": "there are more files than can be indexed",
  "too-many-entries": "there are more entries than can be looked at",
  "other-device": "it lies on another disk",
  "seen-before": "it is a folder that was seen under another name",
  "nested-repository": "it is a repository of its own",
  submodule: "it is a submodule",
  installed: "a package manager put it there",
  "secret-bearing": "files of this name hold credentials",
  "rules-not-read": "it should hold rules for ignoring, and is too large or not readable",
  "rules-too-costly": "the rules for ignoring take too long to follow",
  outside: "the path leads out of the repository",
} as const satisfies Record<string, string>
