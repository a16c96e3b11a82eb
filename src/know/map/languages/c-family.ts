import type { Node } from "web-tree-sitter"
import type { Imported } from "../facts.ts"
import { firstOf, foldersAbove, nearest, relativePath, within } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

/** What C and C++ share. A declarator may be wrapped in pointers, references and arrays. */
export const C_FAMILY_QUERY = `
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

/** System headers keep their angle brackets, by which they are known. */
export function readInclude(statement: Node): readonly Imported[] {
  const path = statement.childForFieldName("path")
  if (path === null) return []
  const specifier = path.text.trim().replace(/^"|"$/g, "")
  return [{ specifier }]
}

/** Beside the file, then in the include folders of every folder above, then by its tail. */
export function resolveInclude(
  { specifier }: Imported,
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
  const found = firstOf(index, isSystem ? above : [relativePath(fromPath, path), ...above])
  if (found.length > 0) return found
  // `<string.h>` is the system's, whatever the repository calls its own files.
  const isTelling = !isSystem || path.includes("/")
  return isTelling ? nearest(index.endingIn(path.replace(/^(?:\.\.?\/)+/, "")), fromPath) : []
}
