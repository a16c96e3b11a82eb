export type Origin = {
  readonly kind: "default" | "user" | "project" | "environment" | "flag" | "other"
  readonly says: string
}

/** Origins come as words: "project file …/config.json:3", "environment QM_LOG_LEVEL". */
export function readOrigin(text: string): Origin {
  const [first = "", second] = text.split(" ")
  switch (first) {
    case "default":
      return { kind: "default", says: "default" }
    case "user":
    case "project":
      return second === "file"
        ? { kind: first, says: `${first} file` }
        : { kind: "other", says: text }
    case "environment":
      return { kind: "environment", says: "environment" }
    case "flag":
      return { kind: "flag", says: text }
    default:
      return { kind: "other", says: text }
  }
}
