import type { Node } from "web-tree-sitter"
import type { ImportStatement } from "../facts.ts"
import type { Definition, Language } from "../parse/language.ts"
import { childrenOfType, hasToken } from "../parse/nodes.ts"
import { nearest } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const EXTENSIONS = ["java", "kt", "scala"]

/**
 * A name is a class in a file of that name, or a definition in a file of that package; members and
 * inner classes may follow.
 */
function resolveJvmImport(
  { specifier, names = [] }: ImportStatement,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const specifiers = names.length === 0 ? [specifier] : names.map((it) => `${specifier}.${it}`)
  const files = specifiers.flatMap((it) =>
    it.endsWith(".*") ? allOf(it.slice(0, -2), fromPath, index) : fileOf(it, fromPath, index),
  )
  return [...new Set(files)]
}

/** All files of a package; for a class its own file, because its members are meant. */
function allOf(name: string, fromPath: string, index: SourceIndex): readonly string[] {
  const files = index.ofPackage(name)
  return files.length > 0 ? files : fileOf(name, fromPath, index)
}

function fileOf(name: string, fromPath: string, index: SourceIndex): readonly string[] {
  const segments = name.split(".")
  for (let count = segments.length; count > 1; count--) {
    const packageName = segments.slice(0, count - 1).join(".")
    const last = segments[count - 1] ?? ""
    const defining = index.defining(last, packageName)
    if (defining.length > 0) return defining
    const tail = segments.slice(0, count).join("/")
    const files = nearest(
      EXTENSIONS.flatMap((it) => index.endingIn(`${tail}.${it}`)),
      fromPath,
    )
    if (files.length > 0) return files
  }
  return []
}

const JAVA_QUERY = `
[(line_comment) (block_comment)] @comment
(package_declaration [(scoped_identifier) (identifier)] @package)
(class_declaration name: (identifier) @name) @def.class
(record_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(method_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant
(field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)
  (#match? @_modifiers "static[^]*final|final[^]*static")) @def.constant
(lambda_expression) @scope
(enum_constant name: (identifier) @declared)

(method_invocation name: (identifier) @ref)
(annotation name: (identifier) @ref)
(marker_annotation name: (identifier) @ref)
(type_identifier) @ref
(identifier) @capital

(import_declaration) @import
`

export const java: Language = {
  name: "java",
  extensions: ["java"],
  query: JAVA_QUERY,
  isVisible: ({ head }: Definition) => !/\bprivate\b/.test(head),
  readImport: readJavaImport,
  resolveImport: resolveJvmImport,
}

function readJavaImport(statement: Node): readonly ImportStatement[] {
  const [path] = childrenOfType(statement, "scoped_identifier", "identifier")
  if (path === undefined) return []
  const isAll = childrenOfType(statement, "asterisk").length > 0
  return [{ specifier: path.text.replace(/\s/g, ""), ...(isAll && { names: ["*"] }) }]
}

const KOTLIN_QUERY = `
[(line_comment) (block_comment)] @comment
(package_header (qualified_identifier) @package)
(class_declaration "interface" name: (identifier) @name) @def.interface
(class_declaration (modifiers (class_modifier) @_modifier) name: (identifier) @name
  (#eq? @_modifier "enum")) @def.enum
(class_declaration name: (identifier) @name) @def.class
(object_declaration name: (identifier) @name) @def.module
(companion_object) @nameless
(function_declaration name: (identifier) @name) @def.function
(type_alias type: (identifier) @name) @def.type
(property_declaration (modifiers (property_modifier) @_modifier) (variable_declaration . (identifier) @name)
  (#eq? @_modifier "const")) @def.constant
(source_file (property_declaration "val" (variable_declaration . (identifier) @name)) @def.constant)
(source_file (property_declaration "var" (variable_declaration . (identifier) @name)) @def.variable)
(lambda_literal) @scope
(enum_entry (identifier) @declared)

(call_expression . (identifier) @ref)
(call_expression . (navigation_expression (identifier) @ref .))
(user_type (identifier) @ref)
(identifier) @capital

(import) @import
`

export const kotlin: Language = {
  name: "kotlin",
  extensions: ["kt", "kts"],
  query: KOTLIN_QUERY,
  bodyTypes: ["class_body", "enum_class_body", "function_body"],
  isVisible: ({ head }) => !/\bprivate\b/.test(head),
  readImport: readKotlinImport,
  resolveImport: resolveJvmImport,
}

function readKotlinImport(statement: Node): readonly ImportStatement[] {
  const [path] = childrenOfType(statement, "qualified_identifier")
  if (path === undefined) return []
  const isAll = hasToken(statement, "*")
  return [{ specifier: path.text.replace(/\s/g, ""), ...(isAll && { names: ["*"] }) }]
}

const SCALA_QUERY = `
[(comment) (block_comment)] @comment
(package_clause name: (package_identifier) @package)
(class_definition name: (identifier) @name) @def.class
(object_definition name: (identifier) @name) @def.module
(trait_definition name: (identifier) @name) @def.interface
(enum_definition name: (identifier) @name) @def.enum
(type_definition name: (type_identifier) @name) @def.type
(function_definition name: (identifier) @name) @def.function
(function_declaration name: (identifier) @name) @def.function
(given_definition name: (identifier) @name) @def.constant
(compilation_unit (val_definition pattern: (identifier) @name) @def.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @def.variable)
(object_definition body: (template_body (val_definition pattern: (identifier) @name) @def.constant))
(object_definition body: (template_body (var_definition pattern: (identifier) @name) @def.variable))
(lambda_expression) @scope
(simple_enum_case name: (identifier) @declared)
(full_enum_case name: (identifier) @declared)

(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (identifier) @ref))
(call_expression function: (generic_function function: (identifier) @ref))
(type_identifier) @ref
(identifier) @capital

(import_declaration) @import
`

export const scala: Language = {
  name: "scala",
  extensions: ["scala", "sc"],
  query: SCALA_QUERY,
  isVisible: ({ head }) => !/\bprivate\b/.test(head),
  readImport: readScalaImport,
  resolveImport: resolveJvmImport,
}

/** `import a.b.C, d.{E, F => G}`: the grammar gives the parts in sequence. */
function readScalaImport(statement: Node): readonly ImportStatement[] {
  const imports: { path: string[]; names?: readonly string[] }[] = []
  let isNew = true
  for (const child of statement.children) {
    if (!child.isNamed && (child.type === "," || child.type === "import")) isNew = true
    if (!child.isNamed) continue
    if (isNew) imports.push({ path: [] })
    isNew = false
    const last = imports.at(-1)
    if (last === undefined) continue
    if (child.type === "namespace_selectors") last.names = child.namedChildren.map(selected)
    else if (child.type === "namespace_wildcard") last.names = ["*"]
    else last.path.push(child.text)
  }
  return imports
    .filter((it) => it.path.length > 0)
    .map(({ path, names }) => ({
      specifier: path.join(".").replace(/\s/g, ""),
      ...(names !== undefined && { names }),
    }))
}

function selected(node: Node): string {
  const name = node.childForFieldName("name")?.text ?? node.text
  return name === "_" || node.type === "namespace_wildcard" ? "*" : name
}
