import type { Definition, Language } from "../language.ts"
import { C_FAMILY_QUERY, readInclude, resolveInclude } from "./c-family.ts"

/** Names of functions may be fields, operators, destructors, or belong to a class named before. */
const NAMES =
  "[(field_identifier) (operator_name) (destructor_name) (qualified_identifier) (template_function)] @name"

const QUERY = `${C_FAMILY_QUERY}
(class_specifier name: (_) @name body: (_)) @def.class
(struct_specifier name: (template_type) @name body: (_)) @def.class
(alias_declaration name: (type_identifier) @name) @def.type
(concept_definition name: (identifier) @name) @def.type
(namespace_definition name: (_) @name) @def.module
(namespace_definition !name) @nameless
${["function_definition", "declaration", "field_declaration"]
  .flatMap((it) => [
    `(${it} declarator: (function_declarator declarator: ${NAMES})) @def.function`,
    `(${it} declarator: (pointer_declarator declarator: (function_declarator declarator: ${NAMES}))) @def.function`,
    `(${it} declarator: (reference_declarator (function_declarator declarator: ${NAMES}))) @def.function`,
    `(${it} declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @def.function`,
  ])
  .join("\n")}
(template_declaration [
  (class_specifier) (struct_specifier) (function_definition) (declaration) (alias_declaration)
  (concept_definition) (field_declaration)
] @inner) @wrapper
(access_specifier) @section
(lambda_expression) @scope

(call_expression function: (qualified_identifier name: (identifier) @ref))
(call_expression function: (template_function name: (identifier) @ref))
(namespace_identifier) @capital
`

export const cpp: Language = {
  name: "cpp",
  extensions: ["cpp", "cc", "cxx", "hpp", "hh", "hxx", "h++", "c++", "ipp", "inl", "cppm", "ixx"],
  query: QUERY,
  isVisible,
  readImport: readInclude,
  resolveImport: resolveInclude,
}

/** A class hides its members until it says otherwise; a struct does not. */
function isVisible({ head, section, owner }: Definition): boolean {
  // What stands in a namespace without a name is this file's own.
  if (owner?.kind === "container") return false
  if (owner?.kind !== "class") return !/\bstatic\b/.test(head)
  const access = section ?? (/\bclass\s*$/.test(owner.head) ? "private" : "public")
  return !access.startsWith("private")
}
