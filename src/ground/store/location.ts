import { BackupNotHere, UrlInvalid } from "./errors.ts"

export type StoreLocation =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "memory" }
  | { readonly kind: "postgres"; readonly url: string }

/** Never repeats the password, also in its error. */
export function parseDatabaseUrl(url: string): StoreLocation {
  parsePostgresUrl(url)
  return { kind: "postgres", url }
}

export function describeLocation(location: StoreLocation): string {
  switch (location.kind) {
    case "sqlite":
      return location.file
    case "memory":
      return "memory"
    case "postgres":
      return parsePostgresUrl(location.url).masked
    default:
      return location satisfies never
  }
}

export function requireFile(location: StoreLocation): string {
  if (location.kind === "sqlite") return location.file
  throw BackupNotHere({ location: describeLocation(location) })
}

export type PostgresAddress = {
  readonly server: string
  readonly database: string
  readonly user: string
  readonly masked: string
}

/** An error repeats nothing of a malformed URL: it may contain the password. */
export function parsePostgresUrl(url: string): PostgresAddress {
  const parsed = URL.parse(url)
  if (parsed === null) throw UrlInvalid({ problem: "it is not a URL" })
  if (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:") {
    throw UrlInvalid({ problem: "it does not start with postgres:// or postgresql://" })
  }
  const host = decode(parsed.searchParams.get("host") ?? parsed.hostname, "host")
  const database = decode(parsed.pathname.slice(1), "database name")
  const user = decode(parsed.username, "user name")
  decode(parsed.password, "password")
  if (host === "") throw UrlInvalid({ problem: "it has no host" })
  if (database === "") throw UrlInvalid({ problem: "it has no database" })
  if (parsed.port === "0") throw UrlInvalid({ problem: "port 0 cannot be reached" })

  const port = parsed.port === "" ? "5432" : parsed.port
  const server = `${host}:${port}`
  const who = user === "" ? "" : `${user}${parsed.password === "" ? "" : ":***"}@`
  return { server, database, user, masked: `postgres://${who}${server}/${database}` }
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw UrlInvalid({ problem: `its ${part} has a "%" that must be written as %25` })
  }
}
