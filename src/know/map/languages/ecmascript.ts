import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { childrenOfType, hasToken, unquoted } from "../parse/nodes.ts"
import { resolveEcmascriptImport } from "./ecmascript-modules.ts"

/** Top level only: locals are part of a body. */
const PLACES = ["(program PLACE)", "(program (export_statement PLACE))", "(ERROR PLACE)"]
const VALUES = PLACES.flatMap((context) =>
  [
    `[(lexical_declaration VALUE) (variable_declaration VALUE)]`.replaceAll(
      "VALUE",
      `(variable_declarator name: (identifier) @name value: [
        (arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function`,
    ),
    `[(lexical_declaration VALUE) (variable_declaration VALUE)]`.replaceAll(
      "VALUE",
      "(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class",
    ),
    `(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant)`,
    "(lexical_declaration (variable_declarator name: (identifier) @name) @def.variable)",
    "(variable_declaration (variable_declarator name: (identifier) @name) @def.variable)",
  ].map((value) => context.replace("PLACE", value)),
).join("\n")

/**
 * After one open bracket, these grammars parse the rest of the file as an expression. Whatever
 * begins like a definition still counts, with its first line.
 */
const LOST = `
(ERROR "export" @def.function . "function" . (identifier) @name . (formal_parameters) . "{" @body)
(ERROR "function" @def.function . (identifier) @name . (formal_parameters) . "{" @body)
(ERROR "export" @def.class . "class" . (_) @name . "{" @body)
(ERROR "class" @def.class . (_) @name . "{" @body)
(ERROR (function_expression name: (identifier) @name) @def.function)
(ERROR (class name: (_) @name) @def.class)
`

const ECMASCRIPT_QUERY = `
(comment) @comment
(decorator) @attribute

(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(class_declaration name: (_) @name) @def.class
(method_definition name: (property_identifier) @name) @def.function
(method_definition name: (private_property_identifier) @name) @def.function

${VALUES}

(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (function_expression name: (identifier) @name body: (_) @body)) @def.function)
  (#eq? @_module "module") (#eq? @_exports "exports"))
(program (expression_statement (assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: (function_expression name: (_) body: (_) @body)) @def.function)
  (#not-eq? @name "exports"))
(program (expression_statement (assignment_expression
  left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body)]) @def.function))
(program (lexical_declaration (variable_declarator value: (object (pair
  key: (property_identifier) @name
  value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @def.function))))

${LOST}

(lexical_declaration . (variable_declarator) @inner .) @wrapper
(variable_declaration . (variable_declarator) @inner .) @wrapper
(export_statement declaration: (_) @inner) @wrapper
(export_statement (export_clause (export_specifier name: (identifier) @exported)) !source)
(export_statement value: (identifier) @exported)
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (identifier) @exported
    (object [(shorthand_property_identifier) @exported (pair value: (identifier) @exported)])
  ]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (identifier) @declared
    (object [(shorthand_property_identifier) @declared (pair value: (identifier) @declared)])
  ]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression left: (member_expression object: (member_expression
  object: (identifier) @declared property: (property_identifier) @_prototype))
  (#eq? @_prototype "prototype"))

(call_expression function: (identifier) @ref)
(call_expression function: (member_expression property: [(property_identifier) (private_property_identifier)] @ref))
(new_expression constructor: (identifier) @ref)
(decorator (identifier) @ref)
(identifier) @capital
(shorthand_property_identifier) @capital

(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: (import) arguments: (arguments . (string))) @import
(call_expression function: (identifier) @_require arguments: (arguments . (string))
  (#eq? @_require "require")) @import
`

const JSX_QUERY = `
(jsx_opening_element name: (member_expression property: (property_identifier) @ref))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @ref))
`

function isVisible({ name, head, owner, listed, kind }: Definition): boolean {
  if (owner !== undefined && owner.kind !== "module") {
    return !/\bprivate\b/.test(head) && !name.startsWith("#")
  }
  // Members of a namespace need `export` again; a declared module exports everything.
  return (
    /^(?:@[^]*?\s)?export\b/.test(head) ||
    /^\s*(?:module\.)?exports\./.test(head) ||
    /^declare\b/.test(owner?.head ?? head) ||
    (kind !== "method" && (listed?.has(name) ?? false))
  )
}

function readImport(statement: Node): readonly ImportStatement[] {
  if (statement.type === "call_expression") return readCall(statement)
  const required = childrenOfType(statement, "import_require_clause")[0]
  const source = (required ?? statement).childForFieldName("source")
  if (source === null) return []
  const isAll = statement.type === "export_statement" && hasToken(statement, "*")
  const names = isAll ? ["*"] : namesOf(statement)
  return [{ specifier: unquoted(source), ...(names.length > 0 && { names }) }]
}

function readCall(call: Node): readonly ImportStatement[] {
  const source = call.childForFieldName("arguments")?.firstNamedChild
  if (source === null || source === undefined) return []
  const pattern = call.parent?.childForFieldName("name")
  const names =
    pattern?.type !== "object_pattern"
      ? []
      : pattern.namedChildren.map((it) => it.childForFieldName("key")?.text ?? it.text)
  return [{ specifier: unquoted(source), ...(names.length > 0 && { names }) }]
}

function namesOf(statement: Node): readonly string[] {
  const parts = statement.namedChildren.flatMap((it) =>
    it.type === "import_clause" ? it.namedChildren : [it],
  )
  return parts.flatMap((part) => {
    switch (part.type) {
      case "identifier":
        return ["default"]
      case "namespace_import":
      case "namespace_export":
        return ["*"]
      case "named_imports":
      case "export_clause":
        return part.namedChildren.flatMap((it) => it.childForFieldName("name")?.text ?? [])
      default:
        return []
    }
  })
}

const ECMASCRIPT = {
  isVisible,
  readImport,
  resolveImport: resolveEcmascriptImport,
} satisfies Partial<Language>

const TYPESCRIPT_QUERY = `${ECMASCRIPT_QUERY}
(function_signature name: (identifier) @name) @def.function
(abstract_class_declaration name: (type_identifier) @name) @def.class
(abstract_method_signature name: (property_identifier) @name) @def.function
(method_signature name: (property_identifier) @name) @def.function
(public_field_definition name: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(internal_module name: (_) @name) @def.module
(module name: (_) @name) @def.module
(internal_module body: (statement_block (export_statement (lexical_declaration
  (variable_declarator name: (identifier) @name) @def.constant))))
(ambient_declaration (_) @inner) @wrapper

(type_identifier) @ref
`

export const typescript: Language = {
  name: "typescript",
  extensions: ["ts", "mts", "cts"],
  query: TYPESCRIPT_QUERY,
  ...ECMASCRIPT,
}

/** A separate grammar, because `<Type>value` conflicts with tags. */
export const tsx: Language = {
  name: "tsx",
  extensions: ["tsx"],
  query: TYPESCRIPT_QUERY + JSX_QUERY,
  ...ECMASCRIPT,
}

export const javascript: Language = {
  name: "javascript",
  extensions: ["js", "jsx", "mjs", "cjs"],
  interpreters: ["node"],
  query: `${ECMASCRIPT_QUERY}${JSX_QUERY}
(field_definition property: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
`,
  ...ECMASCRIPT,
}
