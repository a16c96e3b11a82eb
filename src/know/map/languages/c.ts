import type { Language } from "../language.ts"
import { C_FAMILY_QUERY, readInclude, resolveInclude } from "./c-family.ts"

export const c: Language = {
  name: "c",
  extensions: ["c", "h"],
  query: C_FAMILY_QUERY,
  isVisible: ({ head }) => !/\bstatic\b/.test(head),
  readImport: readInclude,
  resolveImport: resolveInclude,
}
