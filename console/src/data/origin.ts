export type Origin = {
  readonly kind: "default" | "user" | "project" | "environment" | "flag" | "other"
  readonly description: string
}

/** Origins are texts such as "project file …/config.json:3" or "environment QM_LOG_LEVEL". */
export function readOrigin(text: string): Origin {
  const [first = "", second] = text.split(" ")
  switch (first) {
    case "default":
      return { kind: "default", description: "default" }
    case "user":
    case "project":
      return second === "file"
        ? { kind: first, description: `${first} file` }
        : { kind: "other", description: text }
    case "environment":
      return { kind: "environment", description: "environment" }
    case "flag":
      return { kind: "flag", description: text }
    default:
      return { kind: "other", description: text }
  }
}
