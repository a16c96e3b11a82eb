import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { firstOf, foldersAbove, nearest, relativePath, within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const C_FAMILY_QUERY = `
(comment) @comment
(preproc_def name: (identifier) @name value: (_)) @def.constant
(preproc_function_def name: (identifier) @name value: (_)? @body) @def.function
(struct_specifier name: (type_identifier) @name body: (_)) @def.class
(union_specifier name: (type_identifier) @name body: (_)) @def.class
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.class
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(type_definition declarator: (type_identifier) @name) @def.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @def.type
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @def.type

(function_definition declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: (identifier) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @def.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration declarator: (pointer_declarator declarator: (function_declarator
  declarator: (identifier) @name))) @def.function
(declaration (type_qualifier) @_qualifier declarator: (init_declarator declarator: (_) @name)
  (#match? @_qualifier "^const")) @def.constant
(declaration declarator: (init_declarator declarator: (identifier) @name)) @def.variable
(declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @def.variable
(declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @def.variable
(declaration declarator: (array_declarator declarator: (identifier) @name)) @def.variable
(declaration declarator: (identifier) @name) @def.variable

(enumerator name: (identifier) @declared)

(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (field_identifier) @ref))
(type_identifier) @ref
(identifier) @capital

(preproc_include) @import
`

/** System headers keep their angle brackets. */
function readInclude(statement: Node): readonly ImportStatement[] {
  const path = statement.childForFieldName("path")
  if (path === null) return []
  const specifier = path.text.trim().replace(/^"|"$/g, "")
  return [{ specifier }]
}

/** Beside the file, then in include folders of each folder above, then by ending. */
function resolveInclude(
  { specifier }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const isSystem = specifier.startsWith("<")
  const path = specifier.replace(/^<|>$/g, "")
  const above = foldersAbove(fromPath).flatMap((it) => [
    within(it, path),
    within(it, `include/${path}`),
    within(it, `src/${path}`),
  ])
  const files = firstOf(index, isSystem ? above : [relativePath(fromPath, path), ...above])
  if (files.length > 0) return files
  // `<string.h>` is a system header, whatever the repository contains.
  const isTelling = !isSystem || path.includes("/")
  return isTelling ? nearest(index.endingIn(path.replace(/^(?:\.\.?\/)+/, "")), fromPath) : []
}

export const c: Language = {
  name: "c",
  extensions: ["c", "h"],
  query: C_FAMILY_QUERY,
  isVisible: ({ head }) => !/\bstatic\b/.test(head),
  readImport: readInclude,
  resolveImport: resolveInclude,
}

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

/** A class hides its members by default; a struct does not. */
function isVisible({ head, section, owner }: Definition): boolean {
  // An unnamed namespace is private to the file.
  if (owner?.kind === "container") return false
  if (owner?.kind !== "class") return !/\bstatic\b/.test(head)
  const access = section ?? (/\bclass\s*$/.test(owner.head) ? "private" : "public")
  return !access.startsWith("private")
}
